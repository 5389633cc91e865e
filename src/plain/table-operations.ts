import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  OnDemandThroughput,
  Projection,
  StreamViewType,
  WarmThroughput,
} from '../model/table-description.ts';

export type { CreateTableInput } from '../operations/create-table.ts';
export type { DeleteTableInput } from '../operations/delete-table.ts';
export type { DescribeEndpointsInput } from '../operations/describe-endpoints.ts';
export type { DescribeLimitsInput } from '../operations/describe-limits.ts';
export type { DescribeTableInput } from '../operations/describe-table.ts';
export type { DescribeTimeToLiveInput } from '../operations/describe-time-to-live.ts';
export type { ListTablesInput } from '../operations/list-tables.ts';
export type { ListTagsOfResourceInput } from '../operations/list-tags-of-resource.ts';
export type { TagResourceInput } from '../operations/tag-resource.ts';
export type { UntagResourceInput } from '../operations/untag-resource.ts';
export type { UpdateTableInput } from '../operations/update-table.ts';
export type { UpdateTimeToLiveInput } from '../operations/update-time-to-live.ts';

/** Answers of the operations on tables. The requests have nothing that travels in another form, and are as they are. */

export interface CreateTableOutput {
  readonly TableDescription: TableDescription;
}

export type UpdateTableOutput = CreateTableOutput;
export type DeleteTableOutput = CreateTableOutput;

export interface DescribeTableOutput {
  readonly Table: TableDescription;
}

export interface ListTablesOutput {
  readonly TableNames: string[];
  readonly LastEvaluatedTableName?: string;
}

export interface DescribeLimitsOutput {
  readonly AccountMaxReadCapacityUnits: number;
  readonly AccountMaxWriteCapacityUnits: number;
  readonly TableMaxReadCapacityUnits: number;
  readonly TableMaxWriteCapacityUnits: number;
}

export interface DescribeEndpointsOutput {
  readonly Endpoints: { readonly Address: string; readonly CachePeriodInMinutes: number }[];
}

export interface UpdateTimeToLiveOutput {
  readonly TimeToLiveSpecification: { readonly Enabled: boolean; readonly AttributeName: string };
}

export interface DescribeTimeToLiveOutput {
  readonly TimeToLiveDescription: {
    readonly TimeToLiveStatus: 'ENABLING' | 'DISABLING' | 'ENABLED' | 'DISABLED';
    readonly AttributeName?: string;
  };
}

export interface ListTagsOfResourceOutput {
  readonly Tags: { readonly Key: string; readonly Value: string }[];
  readonly NextToken?: string;
}

/** TagResource and UntagResource answer nothing. */
export type EmptyOutput = Record<string, never>;

export type TableStatus =
  | 'CREATING'
  | 'UPDATING'
  | 'DELETING'
  | 'ACTIVE'
  | 'INACCESSIBLE_ENCRYPTION_CREDENTIALS'
  | 'ARCHIVING'
  | 'ARCHIVED';

export interface ProvisionedThroughputDescription {
  readonly ReadCapacityUnits: number;
  readonly WriteCapacityUnits: number;
  readonly NumberOfDecreasesToday: number;
  readonly LastIncreaseDateTime?: Date;
  readonly LastDecreaseDateTime?: Date;
}

export type WarmThroughputDescription = Required<WarmThroughput> & { readonly Status: TableStatus };

export interface LocalSecondaryIndexDescription {
  readonly IndexName: string;
  readonly IndexArn: string;
  readonly KeySchema: readonly KeySchemaElement[];
  readonly Projection: Projection;
  readonly IndexSizeBytes: number;
  readonly ItemCount: number;
}

export interface GlobalSecondaryIndexDescription extends LocalSecondaryIndexDescription {
  readonly IndexStatus: 'CREATING' | 'UPDATING' | 'DELETING' | 'ACTIVE';
  readonly Backfilling?: boolean;
  readonly ProvisionedThroughput: ProvisionedThroughputDescription;
  readonly OnDemandThroughput?: OnDemandThroughput;
  readonly WarmThroughput: WarmThroughputDescription;
}

export interface TableDescription {
  readonly TableName: string;
  readonly TableId: string;
  readonly TableArn: string;
  readonly TableStatus: TableStatus;
  readonly CreationDateTime: Date;
  readonly AttributeDefinitions: readonly AttributeDefinition[];
  readonly KeySchema: readonly KeySchemaElement[];
  readonly TableSizeBytes: number;
  readonly ItemCount: number;
  readonly ProvisionedThroughput: ProvisionedThroughputDescription;
  readonly BillingModeSummary?: {
    readonly BillingMode: BillingMode;
    readonly LastUpdateToPayPerRequestDateTime?: Date;
  };
  readonly OnDemandThroughput?: OnDemandThroughput;
  readonly WarmThroughput: WarmThroughputDescription;
  readonly LocalSecondaryIndexes?: readonly LocalSecondaryIndexDescription[];
  readonly GlobalSecondaryIndexes?: readonly GlobalSecondaryIndexDescription[];
  readonly StreamSpecification?: {
    readonly StreamEnabled: boolean;
    readonly StreamViewType?: StreamViewType;
  };
  readonly LatestStreamLabel?: string;
  readonly LatestStreamArn?: string;
  readonly SSEDescription?: {
    readonly Status: string;
    readonly SSEType: string;
    readonly KMSMasterKeyArn?: string;
    readonly InaccessibleEncryptionDateTime?: Date;
  };
  readonly TableClassSummary?: { readonly TableClass: string; readonly LastUpdateDateTime?: Date };
  readonly DeletionProtectionEnabled: boolean;
}
