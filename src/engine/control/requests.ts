import type { IndexKind } from '../../model/tables/index-kind.ts';
import type {
  AttributeDefinition,
  BillingMode,
  KeySchemaElement,
  LocalIndexDescription,
  OnDemandThroughput,
  ProvisionedThroughput,
  StreamViewType,
  TableClass,
  WarmThroughput,
} from '../../model/tables/table-description.ts';

/** What commands of the control plane are asked for: requests without the spelling of any API. */

/** The capacity that a request gives a table or an index. */
export interface RequestedCapacity {
  readonly throughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly warmThroughput?: WarmThroughput | undefined;
}

export type NewLocalIndex = LocalIndexDescription;
export interface NewGlobalIndex extends LocalIndexDescription, RequestedCapacity {}

/** The indexes of a new table, by kind. */
export interface NewIndexes extends Readonly<Record<IndexKind, readonly NewLocalIndex[]>> {
  readonly local: readonly NewLocalIndex[];
  readonly global: readonly NewGlobalIndex[];
}

/** `key` names a KMS key by ARN, alias or id. */
export interface RequestedEncryption {
  readonly enabled?: boolean | undefined;
  readonly type?: 'AES256' | 'KMS' | undefined;
  readonly key?: string | undefined;
}

/** A stream that is to be switched on or off. */
export interface RequestedStream {
  readonly enabled: boolean;
  readonly viewType?: StreamViewType | undefined;
}

export type Tags = Readonly<Record<string, string>>;

export interface NewTable extends RequestedCapacity {
  readonly tableName: string;
  readonly keySchema: readonly KeySchemaElement[];
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly billingMode: BillingMode;
  readonly indexes: NewIndexes;
  readonly stream?: RequestedStream | undefined;
  readonly encryption?: RequestedEncryption | undefined;
  readonly deletionProtection?: boolean | undefined;
  readonly tableClass?: TableClass | undefined;
  readonly tags: Tags;
}

export interface IndexUpdate extends RequestedCapacity {
  readonly kind: 'update';
  readonly indexName: string;
}

/** A change of one global index. */
export type IndexChange =
  | { readonly kind: 'create'; readonly index: NewGlobalIndex }
  | IndexUpdate
  | { readonly kind: 'delete'; readonly indexName: string };

export interface TableChange extends RequestedCapacity {
  readonly attributeDefinitions?: readonly AttributeDefinition[] | undefined;
  readonly billingMode?: BillingMode | undefined;
  readonly indexes?: readonly IndexChange[] | undefined;
  readonly stream?: RequestedStream | undefined;
  readonly encryption?: RequestedEncryption | undefined;
  readonly deletionProtection?: boolean | undefined;
  readonly tableClass?: TableClass | undefined;
}

/** What a restored table has in place of its source's. */
export interface Overrides {
  readonly billingMode?: BillingMode | undefined;
  /** By kind: undefined where the indexes of the source stay. */
  readonly indexes: { readonly [Kind in IndexKind]: NewIndexes[Kind] | undefined };
  readonly throughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly encryption?: RequestedEncryption | undefined;
}

export function addsOrRemoves({ kind }: IndexChange): boolean {
  return kind !== 'update';
}

/** The change of an index that stays. */
export function updateOf({ indexes = [] }: TableChange, indexName: string): IndexUpdate | undefined {
  return indexes.find(
    (change): change is IndexUpdate => change.kind === 'update' && change.indexName === indexName,
  );
}

/** What a table is given beside the request that changes it. */
export interface ChangeMoment {
  readonly nowMs: number;
  readonly account: string;
  readonly region: string;
  /** The id of the key that the service would take when none is named. */
  readonly kmsKeyId: string;
}

/** Likewise of a new table. */
export interface Birth extends ChangeMoment {
  readonly tableId: string;
}
