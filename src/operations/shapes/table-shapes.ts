import { itemLimits, tableLimits } from '../../model/limits.ts';
import { name } from './item-shapes.ts';
import { boolean, list, long, oneOf, required, type StructureShape, string, structure } from './shape.ts';
import type { InputValue } from './shape-types.ts';

/** Shapes that the table operations share. */

/**
 * The table of a control-plane operation, by name or ARN. Absent, it has a text of its own; too short, it is echoed
 * with a minimum of three (observed: public captures, CreateTable and UpdateTable, October 2026).
 */
export const controlTableName = required(
  { ...name, orArn: true },
  { ifAbsent: "The parameter 'TableName' is required but was not present in the request" },
);

const keyAttributeName = string({ min: 1, max: itemLimits.keyAttributeNameLengthMax });

export const attributeDefinitions = list(
  structure('AttributeDefinition', {
    AttributeName: required(keyAttributeName),
    AttributeType: required(oneOf('B', 'N', 'S')),
  }),
);

const keySchemaElement = structure('KeySchemaElement', {
  AttributeName: required(keyAttributeName),
  KeyType: required(oneOf('HASH', 'RANGE')),
});

/** Tables and local indexes have two key attributes at most; the model lost that bound for the sake of GSIs. */
export const keySchema = list(keySchemaElement, { min: 1, max: tableLimits.tableKeyAttributesMax });
export const globalIndexKeySchema = list(keySchemaElement, { min: 1 });

export const projectionMembers = {
  ProjectionType: oneOf('ALL', 'INCLUDE', 'KEYS_ONLY'),
  NonKeyAttributes: list(keyAttributeName, {
    min: 1,
    max: tableLimits.nonKeyAttributesPerIndexMax,
  }),
};
export const projection = structure('Projection', projectionMembers);

/** Writes are reported before reads (observed: public captures). */
export const provisionedThroughput = structure('ProvisionedThroughput', {
  WriteCapacityUnits: required(long({ min: 1 })),
  ReadCapacityUnits: required(long({ min: 1 })),
});

export const onDemandThroughput = structure('OnDemandThroughput', {
  MaxReadRequestUnits: long(),
  MaxWriteRequestUnits: long(),
});

export const warmThroughput = structure('WarmThroughput', {
  ReadUnitsPerSecond: long(),
  WriteUnitsPerSecond: long(),
});

export const globalIndexMembers = {
  IndexName: required(name),
  KeySchema: required(globalIndexKeySchema),
  Projection: required(projection),
  ProvisionedThroughput: provisionedThroughput,
  OnDemandThroughput: onDemandThroughput,
  WarmThroughput: warmThroughput,
};

export interface GlobalIndexInput extends InputValue<StructureShape<typeof globalIndexMembers>> {}

export const localSecondaryIndex = structure('LocalSecondaryIndex', {
  IndexName: required(name),
  KeySchema: required(keySchema),
  Projection: required(projection),
});
export interface LocalIndexInput extends InputValue<typeof localSecondaryIndex> {}

export const vectorIndexMembers = {
  IndexName: required(name),
  VectorAttribute: required(
    structure('VectorAttributeDefinition', { AttributeName: required(keyAttributeName) }),
  ),
  SearchSchema: list(
    structure('SearchSchemaElement', {
      AttributeName: required(string({ max: 65535 })),
      SearchSchemaElementType: required(oneOf('HASH', 'INLINE_FILTER')),
    }),
    { min: 1 },
  ),
  Projection: required(projection),
  Dimensions: required(long({ min: 1 })),
  DistanceFunction: required(oneOf('COSINE', 'DOT_PRODUCT', 'EUCLIDEAN')),
};

export const billingMode = oneOf('PROVISIONED', 'PAY_PER_REQUEST');

export const streamViewType = oneOf('NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES', 'KEYS_ONLY');

export const streamSpecification = structure('StreamSpecification', {
  StreamEnabled: required(boolean),
  StreamViewType: streamViewType,
});

export interface StreamInput extends InputValue<typeof streamSpecification> {}

export const sseSpecification = structure('SSESpecification', {
  Enabled: boolean,
  SSEType: oneOf('AES256', 'KMS'),
  KMSMasterKeyId: string(),
});

export interface SseInput extends InputValue<typeof sseSpecification> {}

export const settingsReplicationMode = oneOf('ENABLED', 'DISABLED', 'ENABLED_WITH_OVERRIDES');

/** Lengths and absent members of a tag have texts of their own, so the model's constraints are not repeated here. */
const tag = structure('Tag', { Key: string(), Value: string() });
export interface TagInput extends InputValue<typeof tag> {}
export const tags = list(tag);

/** Wrong values of the table class have a text of their own as well. */
export const tableClass = string();
