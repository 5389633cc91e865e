import type { WriteOutcome } from '../../engine/writes/write-item.ts';
import { type Item, type KeyValue, keyText, typeOf } from '../../model/values/attribute-value.ts';
import { attributeMap, type ReturnItemCollectionMetrics } from '../shapes/item-shapes.ts';
import { double, list, structure } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';

const anonymousMetrics = structure('ItemCollectionMetrics', {
  ItemCollectionKey: attributeMap,
  SizeEstimateRangeGB: list(double()),
});
export interface ItemCollectionMetrics extends OutputValue<typeof anonymousMetrics> {}
export const itemCollectionMetricsShape: Named<ItemCollectionMetrics, typeof anonymousMetrics> =
  anonymousMetrics;

const bytesPerGb = 1024 ** 3;

/**
 * The `ItemCollectionMetrics` of an answer: only for tables with local indexes, and only when asked for. The size is
 * told as the whole gigabytes around it.
 */
export function itemCollectionMetrics(
  asked: ReturnItemCollectionMetrics | undefined,
  { collection }: WriteOutcome,
  key: Item,
): object | undefined {
  if (asked !== 'SIZE' || collection === undefined) return undefined;
  const { hashName, bytes } = collection;
  const hash = key.get(hashName) as KeyValue;
  const low = Math.floor(bytes / bytesPerGb);
  return {
    ItemCollectionKey: { [hashName]: { [typeOf(hash)]: keyText(hash) } },
    SizeEstimateRangeGB: [low, low + 1],
  };
}
