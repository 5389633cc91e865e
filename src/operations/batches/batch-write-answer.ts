import { sumConsumed } from '../../engine/consumed.ts';
import type { WriteOutcome } from '../../engine/writes/write-item.ts';
import { setOwn } from '../../model/json/own-members.ts';
import { type KeyValue, keyText } from '../../model/values/attribute-value.ts';
import { consumedCapacity } from '../consumed-capacity.ts';
import { itemCollectionMetrics } from '../items/item-collection-metrics.ts';
import type { ReturnItemCollectionMetrics } from '../shapes/item-shapes.ts';
import type { BatchWrite, BatchWriteItemInput, WriteRequestInput } from './batch-write-item.ts';

/** A write and its outcome. Without an outcome, the client must send the write again. */
export interface DoneWrite extends BatchWrite {
  readonly outcome: WriteOutcome | undefined;
}

/** `tableNames` has the order of the request. */
export function batchWriteAnswer(
  writes: readonly DoneWrite[],
  tableNames: readonly string[],
  input: Pick<BatchWriteItemInput, 'ReturnConsumedCapacity' | 'ReturnItemCollectionMetrics'>,
): object {
  const unprocessed: Record<string, unknown> = {};
  const metrics: Record<string, unknown> = {};
  const capacities: object[] = [];
  const returnsCapacity = input.ReturnConsumedCapacity !== undefined;
  for (const tableName of tableNames) {
    const ofTable = writes.filter((write) => write.tableName === tableName);
    const left = ofTable.filter(({ outcome }) => outcome === undefined);
    if (left.length > 0)
      setOwn(
        unprocessed,
        tableName,
        left.map(({ sent }): WriteRequestInput => sent),
      );
    const collections = collectionsOf(ofTable, input.ReturnItemCollectionMetrics);
    if (collections.length > 0) setOwn(metrics, tableName, collections);
    if (left.length === ofTable.length || !returnsCapacity) continue;
    const total = sumConsumed(ofTable.flatMap(({ outcome }) => outcome?.consumed ?? []));
    const capacity = consumedCapacity(input.ReturnConsumedCapacity, tableName, total);
    if (capacity !== undefined) capacities.push(capacity);
  }
  return {
    UnprocessedItems: unprocessed,
    ...(Object.keys(metrics).length > 0 && { ItemCollectionMetrics: metrics }),
    ...(capacities.length > 0 && { ConsumedCapacity: capacities }),
  };
}

/** The metrics of each item collection once, with the size after the last of its writes. */
export function collectionsOf(
  writes: readonly Pick<DoneWrite, 'item' | 'outcome'>[],
  option: ReturnItemCollectionMetrics | undefined,
): object[] {
  const byKey = new Map<string, object>();
  for (const { item, outcome } of writes) {
    // The new item has the key attributes of the table at the time of the write.
    const key = outcome?.after ?? item;
    const metrics = outcome && itemCollectionMetrics(option, outcome, key);
    if (metrics === undefined) continue;
    const hash = key.get(outcome!.collection!.hashName) as KeyValue;
    byKey.set(keyText(hash), metrics);
  }
  return [...byKey.values()];
}
