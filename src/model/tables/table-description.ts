/**
 * What is known of a table, as the catalogue keeps it: plain JSON, times in milliseconds since the epoch. Structures
 * that a client sends and gets back unchanged keep the spelling of the wire.
 */
export interface TableDescription {
  readonly tableName: string;
  readonly tableId: string;
  readonly createdAt: number;
  readonly keySchema: readonly KeySchemaElement[];
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly billing: Billing;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput: Required<WarmThroughput>;
  readonly lsis: readonly LocalIndexDescription[];
  readonly gsis: readonly GlobalIndexDescription[];
  /** The running stream; a table whose stream is off has none. */
  readonly stream?: { readonly viewType: StreamViewType; readonly label: string };
  readonly deletionProtection: boolean;
  readonly tableClass: TableClass;
  /** When the class was changed, oldest first; the service counts the changes of the last 30 days. */
  readonly tableClassChangedAt: readonly number[];
  readonly sse?: ServerSideEncryption;
  /** When the key or mode of encryption was changed, oldest first. */
  readonly sseChangedAt: readonly number[];
  readonly ttl?: { readonly attributeName: string };
}

export interface Billing {
  readonly mode: BillingMode;
  /** Zero and zero on demand, as the service reports it. */
  readonly throughput: ThroughputDescription;
  /** When the table was switched to on-demand, oldest first; a table born so has none. */
  readonly switchedToOnDemandAt: readonly number[];
  /** When the table last became on-demand, by birth or by a switch; absent when it never was. */
  readonly onDemandSince?: number;
}

export interface ThroughputDescription extends ProvisionedThroughput {
  readonly increasedAt?: number;
  readonly decreasedAt?: number;
  /** Decreases in the UTC day of `decreasedAt`. */
  readonly decreasesThatDay: number;
}

export interface LocalIndexDescription {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
}

export interface GlobalIndexDescription extends LocalIndexDescription {
  readonly throughput: ThroughputDescription;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput: Required<WarmThroughput>;
}

export interface ServerSideEncryption {
  readonly sseType: 'KMS';
  readonly kmsMasterKeyArn: string;
}

export type BillingMode = 'PROVISIONED' | 'PAY_PER_REQUEST';
export type TableClass = 'STANDARD' | 'STANDARD_INFREQUENT_ACCESS';
export type StreamViewType = 'NEW_IMAGE' | 'OLD_IMAGE' | 'NEW_AND_OLD_IMAGES' | 'KEYS_ONLY';
export type ScalarType = 'S' | 'N' | 'B';

export interface KeySchemaElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}

export interface AttributeDefinition {
  readonly AttributeName: string;
  readonly AttributeType: ScalarType;
}

export interface Projection {
  readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly NonKeyAttributes?: readonly string[];
}

export interface ProvisionedThroughput {
  readonly ReadCapacityUnits: number;
  readonly WriteCapacityUnits: number;
}

export interface OnDemandThroughput {
  readonly MaxReadRequestUnits?: number;
  readonly MaxWriteRequestUnits?: number;
}

export interface WarmThroughput {
  readonly ReadUnitsPerSecond?: number;
  readonly WriteUnitsPerSecond?: number;
}
