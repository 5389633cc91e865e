import { batch, signal } from '@preact/signals';
import { call, control, errorText, isMissingTable, ServiceError } from './api.ts';
import { region, serverState } from './connection.ts';
import { type LivePhysics, liveSource, takePhysics } from './live.ts';
import type { TableDescription } from './table-description.ts';

export * from './table-description.ts';

/** The names of all tables of the Region, in order; undefined until they are known. */
export const tableNames = signal<readonly string[] | undefined>(undefined);
export const tablesError = signal<string | undefined>(undefined);

/** Descriptions by name, kept up to date while the studio is looked at. */
export const descriptions = signal<ReadonlyMap<string, TableDescription>>(new Map());

/** Where the server describes tables one by one, so many are described by themselves; beyond, those that are opened. */
const describedMax = 100;

/** What `/_stator/tables` answers. */
export interface TablesAnswer {
  readonly names: readonly string[];
  readonly tables: readonly TableDescription[];
  readonly physics?: readonly LivePhysics[];
  /** Every table took a request of its own. */
  readonly isSingly?: boolean;
}

/** Looks at all tables now, such as after a change. */
export async function refreshTables(): Promise<void> {
  try {
    takeTables(await readTables());
  } catch (error) {
    if (serverState.value !== 'away') tablesError.value = errorText(error);
  }
}

/** All tables in one request. Where the control API refuses it, name by name through the public API. */
export async function readTables(ending?: AbortSignal): Promise<TablesAnswer> {
  const query = new URLSearchParams({ region: region.value });
  if (liveSource.value !== 'feed') query.set('load', 'minutes');
  // Those that were opened, however many tables there are.
  for (const name of descriptions.value.keys()) if (isBeyond(name)) query.append('table', name);
  try {
    return await control<TablesAnswer>('GET', `tables?${query}`, undefined, ending);
  } catch (error) {
    if (error instanceof ServiceError) return await describeEach(ending);
    throw error;
  }
}

function isBeyond(name: string): boolean {
  return (tableNames.value?.indexOf(name) ?? -1) >= describedMax;
}

export function takeTables({ names, tables, physics }: TablesAnswer): void {
  batch(() => {
    if (names.join('\n') !== tableNames.value?.join('\n')) tableNames.value = names;
    tablesError.value = undefined;
    const before = descriptions.value;
    const next = new Map([...before].filter(([name]) => names.includes(name)));
    for (const table of tables) {
      const known = before.get(table.TableName);
      // What is the same stays the same object, so that nothing is drawn again for it.
      if (known === undefined || JSON.stringify(known) !== JSON.stringify(table))
        next.set(table.TableName, table);
    }
    if (next.size !== before.size || [...next].some(([name, table]) => before.get(name) !== table))
      descriptions.value = next;
    takePhysics(physics);
  });
}

async function describeEach(ending: AbortSignal | undefined): Promise<TablesAnswer> {
  const names: string[] = [];
  let start: string | undefined;
  do {
    const page = await call<{ TableNames: string[]; LastEvaluatedTableName?: string }>(
      'ListTables',
      { ...(start !== undefined && { ExclusiveStartTableName: start }) },
      { signal: ending },
    );
    names.push(...page.TableNames);
    start = page.LastEvaluatedTableName;
  } while (start !== undefined);
  const opened = [...descriptions.value.keys()].filter((name) => names.includes(name));
  const waiting = [...new Set([...names.slice(0, describedMax), ...opened])];
  const tables: TableDescription[] = [];
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const table = await describe(name);
      if (table !== undefined) tables.push(table);
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return { names, tables, isSingly: true };
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
