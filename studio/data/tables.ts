import { effect, signal } from '@preact/signals';
import { call, errorText, isMissingTable } from './api.ts';
import { epoch, needsCredentials, region, serverState } from './connection.ts';
import type { TableDescription } from './table-description.ts';

export * from './table-description.ts';

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
