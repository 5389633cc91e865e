import { flag, listOf, number, object, oneOf, optional, text, variants } from '../json/fields.ts';
import type {
  AttributeDefinition,
  Billing,
  GlobalIndexDescription,
  KeySchemaElement,
  LocalIndexDescription,
  OnDemandThroughput,
  Projection,
  ServerSideEncryption,
  TableDescription,
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
const times = listOf(number);

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
const localIndex = {
  indexName: text,
  keySchema: keySchemaField,
  projection: object<Projection>({
    ProjectionType: oneOf('ALL', 'KEYS_ONLY', 'INCLUDE'),
    NonKeyAttributes: optional(listOf(text)),
  }),
};

/** The description of a table, as records keep it. */
export const tableDescriptionField = object<TableDescription>({
  tableName: text,
  tableId: text,
  createdAt: number,
  keySchema: keySchemaField,
  attributeDefinitions: listOf(
    object<AttributeDefinition>({ AttributeName: text, AttributeType: scalarType }),
  ),
  billing: object<Billing>({
    mode: oneOf('PROVISIONED', 'PAY_PER_REQUEST'),
    throughput,
    switchedToOnDemandAt: times,
    onDemandSince: optional(number),
  }),
  onDemandThroughput,
  warmThroughput,
  lsis: listOf(object<LocalIndexDescription>(localIndex)),
  gsis: listOf(
    object<GlobalIndexDescription>({ ...localIndex, throughput, onDemandThroughput, warmThroughput }),
  ),
  stream: optional(
    object<NonNullable<TableDescription['stream']>>({ viewType: streamViewTypeField, label: text }),
  ),
  deletionProtection: flag,
  tableClass: oneOf('STANDARD', 'STANDARD_INFREQUENT_ACCESS'),
  tableClassChangedAt: times,
  sse: optional(object<ServerSideEncryption>({ sseType: oneOf('KMS'), kmsMasterKeyArn: text })),
  sseChangedAt: times,
  ttl: optional(object<NonNullable<TableDescription['ttl']>>({ attributeName: text })),
});

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
