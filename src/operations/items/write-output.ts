import { consumedCapacityShape } from '../consumed-capacity.ts';
import { attributeMap } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { itemCollectionMetricsShape } from './item-collection-metrics.ts';

/** The answer of PutItem, UpdateItem and DeleteItem. */
export const writeItemOutput = outputShape({
  Attributes: attributeMap,
  ConsumedCapacity: consumedCapacityShape,
  ItemCollectionMetrics: itemCollectionMetricsShape,
});
export interface WriteItemOutput extends OutputOf<typeof writeItemOutput> {}
