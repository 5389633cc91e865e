import { type Fields, listOf, number, object, oneOf, optional, text, variants } from '../json/fields.ts';
import type {
  CapacityDescription,
  KeySchemaElement,
  LocalIndexDescription,
  OnDemandThroughput,
  Projection,
  ThroughputDescription,
  WarmThroughput,
} from './table-description.ts';
import type {
  IndexSchema,
  KeyAttribute,
  Projection as SchemaProjection,
  TableSchema,
} from './table-schema.ts';

const scalarType = oneOf('S', 'N', 'B');
export const timesField = listOf(number);

export const keySchemaField = listOf(
  object<KeySchemaElement>({ AttributeName: text, KeyType: oneOf('HASH', 'RANGE') }),
);
export const streamViewTypeField = oneOf('NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY');

const throughput = object<ThroughputDescription>({
  ReadCapacityUnits: number,
  WriteCapacityUnits: number,
  increasedAt: optional(number),
  decreasedAt: optional(number),
  decreasesThatDay: number,
});
const onDemandThroughput = optional(
  object<OnDemandThroughput>({
    MaxReadRequestUnits: optional(number),
    MaxWriteRequestUnits: optional(number),
  }),
);
const warmThroughput = object<Required<WarmThroughput>>({
  ReadUnitsPerSecond: number,
  WriteUnitsPerSecond: number,
});
/** The capacity of a table or of an index that has its own. */
export const capacityFields: Fields<CapacityDescription> = { throughput, onDemandThroughput, warmThroughput };

/** What indexes of all kinds have. */
export const indexFields: Fields<LocalIndexDescription> = {
  indexName: text,
  keySchema: keySchemaField,
  projection: object<Projection>({
    ProjectionType: oneOf('ALL', 'KEYS_ONLY', 'INCLUDE'),
    NonKeyAttributes: optional(listOf(text)),
  }),
};

const keyAttribute = object<KeyAttribute>({ name: text, type: scalarType });
const indexes = listOf(
  object<IndexSchema>({
    name: text,
    hash: listOf(keyAttribute),
    range: listOf(keyAttribute),
    projection: variants<SchemaProjection, 'type'>('type', {
      ALL: object({ type: oneOf('ALL') }),
      KEYS_ONLY: object({ type: oneOf('KEYS_ONLY') }),
      INCLUDE: object({ type: oneOf('INCLUDE'), names: listOf(text) }),
    }),
  }),
);

/** The keys and indexes of a table, as records keep them. */
export const tableSchemaField = object<TableSchema>({
  hash: keyAttribute,
  range: optional(keyAttribute),
  localIndexes: indexes,
  globalIndexes: indexes,
});
