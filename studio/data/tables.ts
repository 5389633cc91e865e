import { effect, signal } from '@preact/signals';
import { call, errorText, isMissingTable } from './api.ts';
import { epoch, needsCredentials, region, serverState } from './connection.ts';

/** DescribeTable's answer, as far as the studio looks at it. */
export interface TableDescription {
  readonly TableName: string;
  readonly TableArn: string;
  readonly TableStatus: string;
  readonly ItemCount: number;
  readonly TableSizeBytes: number;
  readonly CreationDateTime?: number;
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly {
    readonly AttributeName: string;
    readonly AttributeType: KeyTypeName;
  }[];
  readonly BillingModeSummary?: { readonly BillingMode: string };
  readonly ProvisionedThroughput?: {
    readonly ReadCapacityUnits: number;
    readonly WriteCapacityUnits: number;
  };
  readonly GlobalSecondaryIndexes?: readonly IndexDescription[];
  readonly LocalSecondaryIndexes?: readonly IndexDescription[];
  readonly StreamSpecification?: { readonly StreamEnabled: boolean; readonly StreamViewType?: string };
  readonly LatestStreamArn?: string;
}

export type KeyTypeName = 'S' | 'N' | 'B';

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface IndexDescription {
  readonly IndexName: string;
  readonly IndexStatus?: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: {
    readonly ProjectionType: string;
    readonly NonKeyAttributes?: readonly string[];
  };
  readonly ItemCount?: number;
  readonly IndexSizeBytes?: number;
}

/** The names of all tables of the Region, in order; undefined until they are known. */
export const tableNames = signal<readonly string[] | undefined>(undefined);
export const tablesError = signal<string | undefined>(undefined);

/** Descriptions by name, kept up to date while the studio is looked at. */
export const descriptions = signal<ReadonlyMap<string, TableDescription>>(new Map());

/** So many tables are described by themselves; beyond, those that are opened. */
const describedMax = 100;
const refreshMs = 4_000;

export async function refreshTables(): Promise<void> {
  try {
    const names: string[] = [];
    let start: string | undefined;
    do {
      const page = await call<{ TableNames: string[]; LastEvaluatedTableName?: string }>('ListTables', {
        ...(start !== undefined && { ExclusiveStartTableName: start }),
      });
      names.push(...page.TableNames);
      start = page.LastEvaluatedTableName;
    } while (start !== undefined);
    if (names.join('\n') !== tableNames.value?.join('\n')) tableNames.value = names;
    tablesError.value = undefined;
    const wanted = new Set([
      ...names.slice(0, describedMax),
      ...[...descriptions.value.keys()].filter((name) => names.includes(name)),
    ]);
    await describeAll([...wanted]);
  } catch (error) {
    if (serverState.value !== 'away') tablesError.value = errorText(error);
  }
}

async function describeAll(names: readonly string[]): Promise<void> {
  const found = new Map<string, TableDescription>();
  const waiting = [...names];
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const table = await describe(name);
      if (table !== undefined) found.set(name, table);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  descriptions.value = found;
}

async function describe(name: string): Promise<TableDescription | undefined> {
  try {
    return (await call<{ Table: TableDescription }>('DescribeTable', { TableName: name })).Table;
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** Describes one table now, such as the one that is opened. Undefined when there is none of that name. */
export async function refreshTable(name: string): Promise<TableDescription | undefined> {
  const table = await describe(name);
  const next = new Map(descriptions.value);
  if (table === undefined) next.delete(name);
  else next.set(name, table);
  descriptions.value = next;
  return table;
}

/** Keeps names and descriptions up to date for as long as the page is open and seen. */
export function watchTables(): void {
  effect(() => {
    void epoch.value;
    void region.value;
    if (needsCredentials.value || serverState.value === 'unknown') return;
    void refreshTables();
  });
  setInterval(() => {
    if (!document.hidden && serverState.value === 'up' && !needsCredentials.value) void refreshTables();
  }, refreshMs);
}

export interface KeyNames {
  readonly hash: string;
  readonly range: string | undefined;
}

/** The key attributes of a table or index. Indexes of several HASH or RANGE attributes give the first of each. */
export function keyNames({ KeySchema }: { readonly KeySchema: readonly KeyElement[] }): KeyNames {
  return {
    hash: KeySchema.find(({ KeyType }) => KeyType === 'HASH')!.AttributeName,
    range: KeySchema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
  };
}

export function allIndexes(table: TableDescription): readonly IndexDescription[] {
  return [...(table.LocalSecondaryIndexes ?? []), ...(table.GlobalSecondaryIndexes ?? [])];
}

export function attributeType(table: TableDescription, name: string): KeyTypeName | undefined {
  return table.AttributeDefinitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType;
}
