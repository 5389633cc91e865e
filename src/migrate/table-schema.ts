import { physicalRequest } from '../design/emit/create-table.ts';
import { physicalTables } from '../design/emit/physical-table.ts';
import type { MigrationPlan } from '../design/index.ts';
import { nameOfError } from '../kit/error-class.ts';
import type { MigrationSurroundings } from './migration-calls.ts';
import { MigrationError } from './migration-error.ts';
import type { PatientCalls } from './patient-calls.ts';

interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: string;
}

interface IndexDescription {
  readonly IndexName: string;
  readonly IndexStatus?: string;
  readonly Backfilling?: boolean;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: { readonly ProjectionType?: string; readonly NonKeyAttributes?: readonly string[] };
}

export interface TableDescription {
  readonly TableName: string;
  readonly TableId?: string;
  readonly TableStatus: string;
  readonly ItemCount?: number;
  readonly TableSizeBytes?: number;
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: string;
  }[];
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  readonly BillingModeSummary?: { readonly BillingMode?: string };
  readonly ProvisionedThroughput?: {
    readonly ReadCapacityUnits?: number;
    readonly WriteCapacityUnits?: number;
  };
}

/** The tables of a migration as the service has them: made, watched, compared with what the plan believes. */
export class TableSchemas {
  readonly #plan: MigrationPlan;
  readonly #calls: PatientCalls;
  readonly #nameOf: (table: string) => string;
  readonly #surroundings: MigrationSurroundings;
  readonly #pollMs: number;

  constructor(
    plan: MigrationPlan,
    calls: PatientCalls,
    tableName: (table: string) => string,
    surroundings: MigrationSurroundings,
    pollMs: number,
  ) {
    this.#plan = plan;
    this.#calls = calls;
    this.#nameOf = tableName;
    this.#surroundings = surroundings;
    this.#pollMs = pollMs;
  }

  async describe(table: string): Promise<TableDescription | undefined> {
    try {
      const { Table } = await this.#calls.call<{ readonly Table: TableDescription }>('DescribeTable', {
        TableName: this.#nameOf(table),
      });
      return Table;
    } catch (error) {
      if (nameOfError(error) === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }

  /** Refuses a table that is not as the migration believes: another one of its name, other keys, an index gone or changed. */
  async check(
    table: string,
    made: readonly string[],
    dropped: readonly string[],
    id: string | undefined,
  ): Promise<TableDescription> {
    const found = await this.describe(table);
    const name = this.#nameOf(table);
    if (found === undefined) throw changed(`There is no table ${name}.`);
    if (id !== undefined && found.TableId !== undefined && found.TableId !== id)
      throw changed(`Table ${name} was deleted and made anew since the migration began.`);
    const old = this.#requestOf('from', table);
    const next = this.#requestOf('to', table);
    const believed = old ?? next!;
    if (schemaText(found.KeySchema) !== schemaText(believed.KeySchema))
      throw changed(
        `Table ${name} has the keys ${schemaText(found.KeySchema)}, not ${schemaText(believed.KeySchema)}.`,
      );
    const wanted = [
      ...indexesOf(old).filter(({ IndexName }) => !dropped.includes(IndexName)),
      ...indexesOf(next).filter(({ IndexName }) => made.includes(IndexName)),
    ];
    for (const index of wanted) {
      const there = indexesOf(found).find(({ IndexName }) => IndexName === index.IndexName);
      if (there === undefined) throw changed(`Index ${index.IndexName} of table ${name} is gone.`);
      const difference = differenceOf(there, index);
      if (difference !== undefined) throw changed(`Index ${index.IndexName} of table ${name} ${difference}.`);
    }
    return found;
  }

  #requestOf(version: 'from' | 'to', table: string) {
    const { model, design } = this.#plan[version];
    const physical = physicalTables(model, design).find(({ name }) => name === table);
    return physical === undefined ? undefined : physicalRequest(physical);
  }

  async createTable(table: string, keepLock: () => Promise<void>): Promise<void> {
    if ((await this.describe(table)) === undefined) {
      const request = this.#requestOf('to', table)!;
      await this.#calls.call('CreateTable', { ...request, TableName: this.#nameOf(table) });
    }
    await this.#until(keepLock, async () => (await this.describe(table))?.TableStatus === 'ACTIVE');
    const { model, design } = this.#plan.to;
    const ttl = physicalTables(model, design).find(({ name }) => name === table)?.ttlAttribute;
    if (ttl === undefined) return;
    try {
      await this.#calls.call('UpdateTimeToLive', {
        TableName: this.#nameOf(table),
        TimeToLiveSpecification: { Enabled: true, AttributeName: ttl },
      });
    } catch (error) {
      // It is on already.
      if (nameOfError(error) !== 'ValidationException') throw error;
    }
  }

  /** Creates an index if it is not there, and waits until the service has filled it. The service makes one at a time. */
  async createIndex(
    table: string,
    index: string,
    keepLock: () => Promise<void>,
    making: () => Promise<void>,
  ): Promise<void> {
    const request = this.#requestOf('to', table)!;
    const wanted = request.GlobalSecondaryIndexes!.find(({ IndexName }) => IndexName === index)!;
    const TableName = this.#nameOf(table);
    await this.#until(keepLock, async () => {
      const found = (await this.describe(table))!;
      const there = found.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
      if (there !== undefined) {
        const difference = differenceOf(there, wanted);
        if (difference !== undefined)
          throw changed(`Index ${index} of table ${TableName} exists already and ${difference}.`);
        return there.IndexStatus === 'ACTIVE' && there.Backfilling !== true;
      }
      if (found.TableStatus !== 'ACTIVE') return false;
      const names = new Set(wanted.KeySchema.map(({ AttributeName }) => AttributeName));
      const isProvisioned = (found.BillingModeSummary?.BillingMode ?? 'PROVISIONED') === 'PROVISIONED';
      const units = found.ProvisionedThroughput;
      const { ProvisionedThroughput: _, ...Create } = wanted;
      await making();
      await this.#calls.call('UpdateTable', {
        TableName,
        AttributeDefinitions: [
          ...found.AttributeDefinitions.filter(({ AttributeName }) => !names.has(AttributeName)),
          ...request.AttributeDefinitions.filter(({ AttributeName }) => names.has(AttributeName)),
        ],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              ...Create,
              // An index that takes less than its table holds the table's writers back.
              ...(isProvisioned
                ? {
                    ProvisionedThroughput: {
                      ReadCapacityUnits: Math.max(1, units?.ReadCapacityUnits ?? 1),
                      WriteCapacityUnits: Math.max(1, units?.WriteCapacityUnits ?? 1),
                    },
                  }
                : {}),
            },
          },
        ],
      });
      return false;
    });
  }

  async deleteIndex(table: string, index: string, keepLock: () => Promise<void>): Promise<void> {
    await this.#until(keepLock, async () => {
      const found = await this.describe(table);
      const there = found?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === index);
      if (there === undefined) return true;
      if (found!.TableStatus === 'ACTIVE' && there.IndexStatus === 'ACTIVE')
        await this.#calls.call('UpdateTable', {
          TableName: this.#nameOf(table),
          GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: index } }],
        });
      return false;
    });
  }

  /** Deletes an index that the migration made. One of the same name that is another index is not the migration's: it stays. */
  async takeIndexBack(table: string, index: string, keepLock: () => Promise<void>): Promise<void> {
    const isIt = ({ IndexName }: IndexDescription) => IndexName === index;
    const there = indexesOf(await this.describe(table)).find(isIt);
    const wanted = indexesOf(this.#requestOf('to', table)).find(isIt);
    if (there === undefined || wanted === undefined || differenceOf(there, wanted) !== undefined) return;
    await this.deleteIndex(table, index, keepLock);
  }

  async #until(keepLock: () => Promise<void>, isDone: () => Promise<boolean>): Promise<void> {
    for (;;) {
      await keepLock();
      try {
        if (await isDone()) return;
      } catch (error) {
        // Another change of the table is under way.
        if (nameOfError(error) !== 'ResourceInUseException') throw error;
      }
      await this.#surroundings.wait(this.#pollMs, this.#calls.signal);
    }
  }
}

function indexesOf(
  one:
    | {
        readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
        readonly LocalSecondaryIndexes?: readonly IndexDescription[];
      }
    | undefined,
): readonly IndexDescription[] {
  return [...(one?.GlobalSecondaryIndexes ?? []), ...(one?.LocalSecondaryIndexes ?? [])];
}

function schemaText(schema: readonly KeyElement[]): string {
  return schema.map(({ AttributeName, KeyType }) => `${AttributeName} ${KeyType}`).join(', ');
}

/** What is not as it should be; undefined if nothing. A projection may be wider. */
function differenceOf(found: IndexDescription, wanted: IndexDescription): string | undefined {
  if (schemaText(found.KeySchema) !== schemaText(wanted.KeySchema))
    return `has the keys ${schemaText(found.KeySchema)}, not ${schemaText(wanted.KeySchema)}`;
  const has = found.Projection.ProjectionType ?? 'ALL';
  const needs = wanted.Projection.ProjectionType ?? 'ALL';
  const names = found.Projection.NonKeyAttributes ?? [];
  const isEnough =
    has === 'ALL' ||
    needs === 'KEYS_ONLY' ||
    (needs === 'INCLUDE' && (wanted.Projection.NonKeyAttributes ?? []).every((name) => names.includes(name)));
  return isEnough ? undefined : `projects ${has} ${names.join(', ')}, which is not enough`;
}

function changed(text: string): MigrationError {
  return new MigrationError(
    'schema',
    text,
    'Nothing was changed by this run. Put the table back, or plan the migration again from how it is.',
  );
}
