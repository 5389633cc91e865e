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
 * The `ItemCollectionMetrics` of an answer. Undefined unless the request asks for it and the table has local indexes.
 * The size is reported as a range of one whole gigabyte.
 */
export function itemCollectionMetrics(
  option: ReturnItemCollectionMetrics | undefined,
  { collection }: WriteOutcome,
  key: Item,
): object | undefined {
  if (option !== 'SIZE' || collection === undefined) return undefined;
  const { hashName, bytes } = collection;
  const hash = key.get(hashName) as KeyValue;
  const low = Math.floor(bytes / bytesPerGb);
  return {
    ItemCollectionKey: { [hashName]: { [typeOf(hash)]: keyText(hash) } },
    SizeEstimateRangeGB: [low, low + 1],
  };
}
