import type { ItemJson } from '../design/index.ts';
import type { CapacityPace } from './capacity-pace.ts';
import type { PatientCalls } from './patient-calls.ts';

const batchMax = 100;

interface BatchAnswer {
  readonly Responses?: Readonly<Record<string, readonly ItemJson[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys?: readonly ItemJson[] }>>;
}

/** Items by their keys, by the text of the key: `JSON.stringify` of partition and sort value. */
export async function readMany(
  {
    table,
    calls,
    readPace,
  }: { readonly table: string; readonly calls: PatientCalls; readonly readPace: CapacityPace },
  keys: readonly ItemJson[],
  consistent: boolean,
): Promise<Map<string, ItemJson>> {
  const names = Object.keys(keys[0] ?? {});
  const textOf = (item: ItemJson) => JSON.stringify(names.map((name) => item[name]));
  const found = new Map<string, ItemJson>();
  // The service refuses a key that comes twice.
  let left = [...new Map(keys.map((key) => [textOf(key), key])).values()];
  for (let stalled = 0; left.length > 0; ) {
    const some = left.slice(0, batchMax);
    const { answer } = await calls.paced<BatchAnswer>(
      'BatchGetItem',
      { RequestItems: { [table]: { Keys: some, ...(consistent ? { ConsistentRead: true } : {}) } } },
      readPace,
      some.length / (consistent ? 1 : 2),
    );
    for (const item of answer.Responses?.[table] ?? []) found.set(textOf(item), item);
    const unread = answer.UnprocessedKeys?.[table]?.Keys ?? [];
    stalled = unread.length === some.length ? stalled + 1 : 0;
    if (unread.length > 0) await calls.waitForLeft(readPace, Math.max(1, stalled));
    left = [...unread, ...left.slice(batchMax)];
  }
  return found;
}
