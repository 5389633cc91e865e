/**
 * Structures in the descriptions of tables: plain JSON, times in milliseconds since the epoch. Structures that a client
 * sends and gets back unchanged have the spelling of the wire.
 */

export interface Billing {
  readonly mode: BillingMode;
  /** The provisioned throughput; zero and zero on demand, as the service reports it. */
  readonly throughput: ThroughputDescription;
  /** The times of switches to on-demand, oldest first; empty for a table created on-demand. */
  readonly switchedToOnDemandAt: readonly number[];
  /** The time the table last became on-demand, by creation or by a switch; absent if it never was. */
  readonly onDemandSince?: number;
}

export interface ThroughputDescription extends ProvisionedThroughput {
  readonly increasedAt?: number;
  readonly decreasedAt?: number;
  /** The number of decreases in the UTC day of `decreasedAt`. */
  readonly decreasesThatDay: number;
}

export interface LocalIndexDescription {
  readonly indexName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly projection: Projection;
}

/** The capacity of a table or of an index that has its own. */
export interface CapacityDescription {
  readonly throughput: ThroughputDescription;
  readonly onDemandThroughput?: OnDemandThroughput;
  readonly warmThroughput: Required<WarmThroughput>;
}

export interface GlobalIndexDescription extends LocalIndexDescription, CapacityDescription {}

/** How an index of each kind is described. */
export interface IndexDescriptions {
  readonly local: LocalIndexDescription;
  readonly global: GlobalIndexDescription;
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
