import { readFileSync } from 'node:fs';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { ServiceError } from '../../kit/service-error.ts';
import type { KeyAttribute } from '../../model/tables/table-schema.ts';
import { createTableFromJson } from '../../tables-from/create-table-json.ts';
import { requestsOf, type TableDefinition } from '../../tables-from/table-definition.ts';
import { Failure, messageOf } from '../failure.ts';
import { type PastPlace, until } from '../past/past-place.ts';

/** The table that an import fills. */
export interface TargetTable {
  readonly name: string;
  readonly keyNames: readonly string[];
  /** The key attributes of the table and its indexes, with their types. */
  readonly keys: readonly KeyAttribute[];
}

interface TableAnswer {
  readonly TableStatus: string;
  readonly KeySchema: readonly { readonly AttributeName: string }[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: 'S' | 'N' | 'B';
  }[];
}

export interface TargetChoices {
  readonly merge: boolean;
  readonly isResumed: boolean;
  /** Whether an earlier run has written rows into the table. */
  readonly hasRows: boolean;
  /** How to create the table; undefined if nothing says it. */
  readonly definition: () => Promise<TableDefinition | undefined>;
  /** Called right before the table is created. */
  readonly creating: () => void;
}

/** Finds the table, or creates it. A table that was there before is taken only if that was asked for. */
export async function prepareTarget(
  place: PastPlace,
  name: string,
  { merge, isResumed, hasRows, definition, creating }: TargetChoices,
): Promise<TargetTable> {
  const { caller } = place;
  const found = await describe(caller, name);
  if (found !== undefined && !merge && !isResumed)
    throw new Failure(
      `Table ${name} is there already.`,
      'Add --merge to write into it, or name a table that is not there yet.',
    );
  // Created anew, it would lack the rows that the earlier run wrote.
  if (found === undefined && hasRows)
    throw new Failure(
      `Table ${name}, which an earlier run of this import filled in part, is gone.`,
      'Add --restart to import everything anew.',
    );
  if (found === undefined) {
    const request = await definition();
    if (request === undefined)
      throw new Failure(
        `There is no table ${name}, and nothing says what its keys are.`,
        'Add --create <file> with a CreateTable request or the output of describe-table.',
      );
    const { create } = requestsOf(request);
    creating();
    await caller.call('CreateTable', { ...create, TableName: name });
  }
  const table = await until(
    place,
    () => describe(caller, name),
    (each) => each?.TableStatus !== 'CREATING',
  );
  if (table === undefined) throw new Failure(`Table ${name} was removed meanwhile.`);
  return {
    name,
    keyNames: table.KeySchema.map(({ AttributeName }) => AttributeName),
    keys: table.AttributeDefinitions.map(({ AttributeName, AttributeType }) => ({
      name: AttributeName,
      type: AttributeType,
    })),
  };
}

async function describe(caller: EndpointCaller, TableName: string): Promise<TableAnswer | undefined> {
  try {
    return (await caller.call<{ Table: TableAnswer }>('DescribeTable', { TableName })).Table;
  } catch (error) {
    if (error instanceof ServiceError && error.name === 'ResourceNotFoundException') return undefined;
    throw error;
  }
}

/** The table of a file for `--create`. */
export async function definitionIn(path: string, region: string): Promise<TableDefinition> {
  let tables: readonly TableDefinition[];
  try {
    const { tablesFromText } = await import('../../tables-from/tables-from-text.ts');
    tables = tablesFromText(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''), path, { region });
  } catch (error) {
    throw new Failure(`The table of --create cannot be read: ${messageOf(error)}.`, undefined, error);
  }
  if (tables.length !== 1)
    throw new Failure(`${path} has ${tables.length} tables.`, 'Name a file with one table.');
  return tables[0]!;
}

/**
 * The keys and indexes of a table as it is described, on demand. What else it has stays behind: a stream would be flooded,
 * expiry would delete, and provisioned units or keys of encryption are the affair of where it comes from.
 */
export function copiedDefinition(described: object): TableDefinition {
  const { TableName, AttributeDefinitions, KeySchema, LocalSecondaryIndexes, GlobalSecondaryIndexes } =
    createTableFromJson(described);
  return {
    ...{ TableName, AttributeDefinitions, KeySchema, BillingMode: 'PAY_PER_REQUEST' },
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes }),
    ...(GlobalSecondaryIndexes && {
      GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
        ...{ IndexName, KeySchema, Projection },
      })),
    }),
  } as TableDefinition;
}
