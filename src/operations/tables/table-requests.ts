import type {
  IndexChange,
  NewGlobalIndex,
  NewLocalIndex,
  NewTable,
  RequestedEncryption,
  RequestedStream,
  TableChange,
  Tags,
} from '../../engine/control/requests.ts';
import type { Projection, TableClass } from '../../model/tables/table-description.ts';
import type {
  GlobalIndexInput,
  LocalIndexInput,
  SseInput,
  StreamInput,
  TagInput,
} from '../shapes/table-shapes.ts';
import type { CreateTableInput } from './create-table.ts';
import type { GlobalIndexUpdate, UpdateTableInput } from './update-table.ts';

/** Checked inputs as the requests of the engine's commands. */

export function newTableOf(input: CreateTableInput, tableName: string): NewTable {
  return {
    tableName,
    keySchema: input.KeySchema ?? [],
    attributeDefinitions: input.AttributeDefinitions ?? [],
    billingMode: input.BillingMode ?? 'PROVISIONED',
    ...capacityOf(input),
    indexes: {
      local: (input.LocalSecondaryIndexes ?? []).map(localIndexOf),
      global: (input.GlobalSecondaryIndexes ?? []).map(globalIndexOf),
    },
    stream: streamOf(input.StreamSpecification),
    encryption: encryptionOf(input.SSESpecification),
    deletionProtection: input.DeletionProtectionEnabled,
    // The check of the request has seen to it that there is such a class.
    tableClass: input.TableClass as TableClass | undefined,
    tags: tagsOf(input.Tags ?? []),
  };
}

export function tableChangeOf(input: UpdateTableInput): TableChange {
  return {
    attributeDefinitions: input.AttributeDefinitions,
    billingMode: input.BillingMode,
    ...capacityOf(input),
    indexes: input.GlobalSecondaryIndexUpdates?.map(indexChangeOf),
    stream: streamOf(input.StreamSpecification),
    encryption: encryptionOf(input.SSESpecification),
    deletionProtection: input.DeletionProtectionEnabled,
    // The check of the request has seen to it that there is such a class.
    tableClass: input.TableClass as TableClass | undefined,
  };
}

/** The check of the request has seen to it that there is exactly one action. */
function indexChangeOf({ Create, Update, Delete }: GlobalIndexUpdate): IndexChange {
  if (Create !== undefined) return { kind: 'create', index: globalIndexOf(Create) };
  return Update !== undefined
    ? { kind: 'update', indexName: Update.IndexName, ...capacityOf(Update) }
    : { kind: 'delete', indexName: Delete!.IndexName };
}

export function localIndexOf(index: LocalIndexInput): NewLocalIndex {
  return {
    indexName: index.IndexName,
    keySchema: index.KeySchema,
    projection: index.Projection as Projection,
  };
}

export function globalIndexOf(index: GlobalIndexInput): NewGlobalIndex {
  return { ...localIndexOf(index), ...capacityOf(index) };
}

function capacityOf(
  input: Pick<GlobalIndexInput, 'ProvisionedThroughput' | 'OnDemandThroughput' | 'WarmThroughput'>,
) {
  return {
    throughput: input.ProvisionedThroughput,
    onDemandThroughput: input.OnDemandThroughput,
    warmThroughput: input.WarmThroughput,
  };
}

export function streamOf(stream: StreamInput | undefined): RequestedStream | undefined {
  return stream && { enabled: stream.StreamEnabled, viewType: stream.StreamViewType };
}

export function encryptionOf(sse: SseInput | undefined): RequestedEncryption | undefined {
  return sse && { enabled: sse.Enabled, type: sse.SSEType, key: sse.KMSMasterKeyId };
}

export function tagsOf(tags: readonly TagInput[]): Tags {
  return Object.fromEntries(tags.map(({ Key, Value }) => [Key!, Value!]));
}
