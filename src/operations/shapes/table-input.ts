import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  ProvisionedThroughput,
  StreamViewType,
  WarmThroughput,
} from '../../model/table-description.ts';

/** The parts of table operations' inputs as they leave the check of JSON types and model constraints. */

export interface LocalIndexInput {
  readonly IndexName: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Projection: Partial<Projection>;
}

export interface GlobalIndexInput extends LocalIndexInput {
  readonly ProvisionedThroughput?: ProvisionedThroughput;
  readonly OnDemandThroughput?: OnDemandThroughput;
  readonly WarmThroughput?: WarmThroughput;
}

export interface VectorIndexInput {
  readonly IndexName: string;
  readonly VectorAttribute: { readonly AttributeName: string };
  readonly SearchSchema?: readonly {
    readonly AttributeName: string;
    readonly SearchSchemaElementType: 'HASH' | 'INLINE_FILTER';
  }[];
  readonly Projection: Partial<Projection>;
  readonly Dimensions: number;
  readonly DistanceFunction: 'COSINE' | 'DOT_PRODUCT' | 'EUCLIDEAN';
}

export interface StreamInput {
  readonly StreamEnabled: boolean;
  readonly StreamViewType?: StreamViewType;
}

export interface SseInput {
  readonly Enabled?: boolean;
  readonly SSEType?: 'AES256' | 'KMS';
  readonly KMSMasterKeyId?: string;
}

export interface TagInput {
  readonly Key?: string;
  readonly Value?: string;
}

export type SettingsReplicationMode = 'ENABLED' | 'DISABLED' | 'ENABLED_WITH_OVERRIDES';

/** What creating and updating a table have in common. */
export interface TableSettingsInput {
  readonly AttributeDefinitions?: readonly AttributeDefinition[];
  readonly BillingMode?: BillingMode;
  readonly ProvisionedThroughput?: ProvisionedThroughput;
  readonly OnDemandThroughput?: OnDemandThroughput;
  readonly WarmThroughput?: WarmThroughput;
  readonly StreamSpecification?: StreamInput;
  readonly SSESpecification?: SseInput;
  readonly TableClass?: string;
  readonly DeletionProtectionEnabled?: boolean;
  readonly GlobalTableSettingsReplicationMode?: SettingsReplicationMode;
}
