import type { IndexListName } from '../../engine/indexes/index-behaviour.ts';
import { boolean, list, long, oneOf, required, string, structure, timestamp } from '../shapes/shape.ts';
import type { Named, OutputValue } from '../shapes/shape-types.ts';
import {
  attributeDefinitions,
  billingMode,
  globalIndexKeySchema,
  onDemandThroughput,
  projectionMembers,
  streamSpecification,
} from '../shapes/table-shapes.ts';

const tableStatus = oneOf(
  'CREATING',
  'UPDATING',
  'DELETING',
  'ACTIVE',
  'INACCESSIBLE_ENCRYPTION_CREDENTIALS',
  'ARCHIVING',
  'ARCHIVED',
);
export type TableStatus = OutputValue<typeof tableStatus>;

const provisionedThroughputDescription = structure('ProvisionedThroughputDescription', {
  ReadCapacityUnits: required(long()),
  WriteCapacityUnits: required(long()),
  NumberOfDecreasesToday: required(long()),
  LastIncreaseDateTime: timestamp,
  LastDecreaseDateTime: timestamp,
});
export interface ProvisionedThroughputDescription
  extends OutputValue<typeof provisionedThroughputDescription> {}

const warmThroughputDescription = structure('TableWarmThroughputDescription', {
  ReadUnitsPerSecond: required(long()),
  WriteUnitsPerSecond: required(long()),
  Status: required(tableStatus),
});
export interface WarmThroughputDescription extends OutputValue<typeof warmThroughputDescription> {}

const indexMembers = {
  IndexName: required(string()),
  IndexArn: required(string()),
  KeySchema: required(globalIndexKeySchema),
  Projection: required(
    structure('Projection', {
      ...projectionMembers,
      ProjectionType: required(projectionMembers.ProjectionType),
    }),
  ),
  IndexSizeBytes: required(long()),
  ItemCount: required(long()),
};

const anonymousLocalIndexDescription = structure('LocalSecondaryIndexDescription', indexMembers);
export interface LocalSecondaryIndexDescription extends OutputValue<typeof anonymousLocalIndexDescription> {}
const localIndexDescription: Named<LocalSecondaryIndexDescription, typeof anonymousLocalIndexDescription> =
  anonymousLocalIndexDescription;

const anonymousGlobalIndexDescription = structure('GlobalSecondaryIndexDescription', {
  ...indexMembers,
  IndexStatus: required(oneOf('CREATING', 'UPDATING', 'DELETING', 'ACTIVE')),
  Backfilling: boolean,
  ProvisionedThroughput: required(provisionedThroughputDescription),
  OnDemandThroughput: onDemandThroughput,
  WarmThroughput: warmThroughputDescription,
});
export interface GlobalSecondaryIndexDescription
  extends OutputValue<typeof anonymousGlobalIndexDescription> {}
const globalIndexDescription: Named<GlobalSecondaryIndexDescription, typeof anonymousGlobalIndexDescription> =
  anonymousGlobalIndexDescription;

/** DeleteTable does not tell how the table was made (observed: public captures, 2026). */
const leavingMembers = {
  TableName: required(string()),
  TableId: required(string()),
  TableArn: required(string()),
  TableStatus: required(tableStatus),
  TableSizeBytes: required(long()),
  ItemCount: required(long()),
  ProvisionedThroughput: required(provisionedThroughputDescription),
  BillingModeSummary: structure('BillingModeSummary', {
    BillingMode: required(billingMode),
    LastUpdateToPayPerRequestDateTime: timestamp,
  }),
  OnDemandThroughput: onDemandThroughput,
  StreamSpecification: streamSpecification,
  LatestStreamLabel: string(),
  LatestStreamArn: string(),
  SSEDescription: structure('SSEDescription', {
    Status: required(string()),
    SSEType: required(string()),
    KMSMasterKeyArn: string(),
    InaccessibleEncryptionDateTime: timestamp,
  }),
  TableClassSummary: structure('TableClassSummary', {
    TableClass: required(string()),
    LastUpdateDateTime: timestamp,
  }),
  DeletionProtectionEnabled: required(boolean),
};

export const leavingTableDescription = structure('TableDescription', leavingMembers);

const anonymousTableDescription = structure('TableDescription', {
  ...leavingMembers,
  /** CreateTable has it only of a request that asks for it. */
  WarmThroughput: warmThroughputDescription,
  CreationDateTime: required(timestamp),
  AttributeDefinitions: required(attributeDefinitions),
  KeySchema: required(globalIndexKeySchema),
  ...({
    LocalSecondaryIndexes: list(localIndexDescription),
    GlobalSecondaryIndexes: list(globalIndexDescription),
  } satisfies Record<IndexListName, unknown>),
  RestoreSummary: structure('RestoreSummary', {
    SourceBackupArn: string(),
    SourceTableArn: string(),
    RestoreDateTime: required(timestamp),
    RestoreInProgress: required(boolean),
  }),
});
export interface TableDescription extends OutputValue<typeof anonymousTableDescription> {}
export const tableDescription: Named<TableDescription, typeof anonymousTableDescription> =
  anonymousTableDescription;
