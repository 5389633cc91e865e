import { fitsIndex } from './naive-checks.ts';
import { project } from './naive-paths.ts';
import type { Capacity } from './outcome.ts';
import type { CapacityWish } from './steps.ts';
import { type IndexDefinition, keysOf, type TableDefinition } from './table-definition.ts';
import { type Attributes, canonicalItem, sizeOfItem } from './values.ts';

export function readCapacity(
  wish: CapacityWish | undefined,
  tableName: string,
  item: Attributes | undefined,
  consistent: boolean,
): Capacity | undefined {
  const units = unitsOf(item === undefined ? 0 : sizeOfItem(item), 4096) * (consistent ? 1 : 0.5);
  return shaped(wish, tableName, units, {}, {});
}

/** The capacity of one page, in units of 4 KB on the table and on an index; `least` is what the page costs anyway. */
export function pageCapacity(
  wish: CapacityWish | undefined,
  tableName: string,
  index: { readonly name: string; readonly isLocal: boolean } | undefined,
  read: { readonly bytes: number; readonly fetched: readonly number[]; readonly least: number },
  consistent: boolean,
): Capacity | undefined {
  const factor = consistent ? 1 : 0.5;
  const units = Math.max(unitsOf(read.bytes, 4096), read.least) * factor;
  if (index === undefined) return shaped(wish, tableName, units, {}, {});
  const fetched = read.fetched.reduce((sum, bytes) => sum + unitsOf(bytes, 4096) * factor, 0);
  const arm = { [index.name]: units };
  return shaped(wish, tableName, fetched, index.isLocal ? arm : {}, index.isLocal ? {} : arm);
}

export function writeCapacity(
  wish: CapacityWish | undefined,
  tableName: string,
  table: TableDefinition,
  before: Attributes | undefined,
  after: Attributes | undefined,
): Capacity | undefined {
  const larger = Math.max(before ? sizeOfItem(before) : 0, after ? sizeOfItem(after) : 0);
  return shaped(
    wish,
    tableName,
    unitsOf(larger, 1024),
    indexUnits(table, table.locals, before, after),
    indexUnits(table, table.globals, before, after),
  );
}

/** The part of an item that an index holds, or undefined when its keys are not such that the index can have it. */
export function indexEntry(
  table: TableDefinition,
  index: IndexDefinition,
  item: Attributes | undefined,
): Attributes | undefined {
  if (item === undefined || !fitsIndex(index, item)) return undefined;
  if (index.projection === 'ALL') return item;
  const keys = [...index.hash, ...index.range].map(({ name }) => name);
  const others = index.projection === 'KEYS_ONLY' ? [] : index.projection;
  const names = [...keys, ...keysOf(table).map(({ name }) => name), ...others];
  return project(
    item,
    names.map((name) => [name] as const),
  );
}

type UnitsByIndex = Record<string, number>;

function indexUnits(
  table: TableDefinition,
  indexes: readonly IndexDefinition[],
  before: Attributes | undefined,
  after: Attributes | undefined,
): UnitsByIndex {
  const units: UnitsByIndex = {};
  for (const index of indexes) {
    const charged = entryUnits(index, indexEntry(table, index, before), indexEntry(table, index, after));
    if (charged > 0) units[index.name] = charged;
  }
  return units;
}

/** One write for an entry that comes, goes or changes; two for one that moves; none for one that stays as it is. */
function entryUnits(
  index: IndexDefinition,
  before: Attributes | undefined,
  after: Attributes | undefined,
): number {
  const units = (entry: Attributes) => unitsOf(sizeOfItem(entry), 1024);
  if (before === undefined) return after === undefined ? 0 : units(after);
  if (after === undefined) return units(before);
  if (canonicalItem(before) === canonicalItem(after)) return 0;
  const keys = [...index.hash, ...index.range].map(({ name }) => [name] as const);
  const moved = canonicalItem(project(before, keys)) !== canonicalItem(project(after, keys));
  return moved ? units(before) + units(after) : Math.max(units(before), units(after));
}

function unitsOf(bytes: number, unit: number): number {
  return Math.max(1, Math.ceil(bytes / unit));
}

function shaped(
  wish: CapacityWish | undefined,
  tableName: string,
  table: number,
  locals: UnitsByIndex,
  globals: UnitsByIndex,
): Capacity | undefined {
  if (wish === undefined || wish === 'NONE') return undefined;
  const all = [table, ...Object.values(locals), ...Object.values(globals)];
  const total = { TableName: tableName, CapacityUnits: all.reduce((sum, units) => sum + units, 0) };
  if (wish === 'TOTAL') return total;
  const arms = (units: UnitsByIndex) =>
    Object.fromEntries(Object.entries(units).map(([name, CapacityUnits]) => [name, { CapacityUnits }]));
  return {
    ...total,
    Table: { CapacityUnits: table },
    ...(Object.keys(locals).length > 0 && { LocalSecondaryIndexes: arms(locals) }),
    ...(Object.keys(globals).length > 0 && { GlobalSecondaryIndexes: arms(globals) }),
  };
}
