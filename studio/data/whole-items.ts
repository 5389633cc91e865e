import { call } from './api.ts';
import { type Item, itemOf, keyId, keyOf, type WireItem, wireOf } from './items.ts';
import type { TableDescription } from './tables.ts';

const batchMax = 100;

/** Reads the items behind entries of an index, which may lack attributes. Items that are gone are left out. */
export async function wholeItems(table: TableDescription, entries: readonly Item[]): Promise<Item[]> {
  const name = table.TableName;
  // Entries may also be of one item: a batch takes a key only once.
  const keys = new Map(
    entries.map((entry) => [keyId(name, keyOf(table, entry)), wireOf(keyOf(table, entry))]),
  );
  const waiting = [...keys.values()];
  const items: Item[] = [];
  while (waiting.length > 0) {
    const { Responses, UnprocessedKeys } = await call<{
      Responses: Record<string, WireItem[]>;
      UnprocessedKeys?: Record<string, { Keys: WireItem[] }>;
    }>('BatchGetItem', {
      RequestItems: { [name]: { Keys: waiting.splice(0, batchMax), ConsistentRead: true } },
    });
    items.push(...(Responses[name] ?? []).map(itemOf));
    waiting.push(...(UnprocessedKeys?.[name]?.Keys ?? []));
  }
  return items;
}
