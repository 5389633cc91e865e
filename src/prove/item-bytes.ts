import type { AttributeJson, IndexDesign, ItemJson, TableDesign } from '../design/index.ts';
import { documentBytes, elementBytes, numberSize } from '../model/values/item-size.ts';
import { utf8Length } from '../model/values/utf8.ts';

/** The size of an item in DynamoDB's bytes, by the engine's own rules. */
export function itemBytes(item: ItemJson): number {
  let bytes = 0;
  for (const name in item) bytes += utf8Length(name) + valueBytes(item[name]!);
  return bytes;
}

function valueBytes(value: AttributeJson): number {
  if ('S' in value) return utf8Length(value.S);
  if ('N' in value) return numberSize(value.N);
  if ('B' in value) return value.B.length;
  if ('SS' in value) return value.SS.reduce((sum, one) => sum + utf8Length(one), 0);
  if ('NS' in value) return value.NS.reduce((sum, one) => sum + numberSize(one), 0);
  if ('M' in value) return documentBytes + Object.keys(value.M).length * elementBytes + itemBytes(value.M);
  if ('L' in value) return value.L.reduce((sum, one) => sum + elementBytes + valueBytes(one), documentBytes);
  return 1;
}

/** What an index holds of an item: its keys, the table's keys and what it projects; undefined if the item is not in it. */
export function entryOf(table: TableDesign, index: IndexDesign, item: ItemJson): ItemJson | undefined {
  const { partitionKey, sortKey, projection } = index;
  if (item[partitionKey] === undefined || item[sortKey] === undefined) return undefined;
  if (projection.type === 'ALL') return item;
  const keys = [table.partitionKey, table.sortKey, partitionKey, sortKey];
  const names = new Set(projection.type === 'INCLUDE' ? [...keys, ...projection.names] : keys);
  const entry: Record<string, AttributeJson> = {};
  for (const name of names) if (item[name] !== undefined) entry[name] = item[name]!;
  return entry;
}

export function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
