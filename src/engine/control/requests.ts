import type {
  AttributeDefinition,
  BillingMode,
  LocalIndexDescription,
  OnDemandThroughput,
  ProvisionedThroughput,
  StreamViewType,
  TableDescription,
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
  readonly keySchema: TableDescription['keySchema'];
  readonly attributeDefinitions: readonly AttributeDefinition[];
  readonly billingMode: BillingMode;
  readonly lsis: readonly NewLocalIndex[];
  readonly gsis: readonly NewGlobalIndex[];
  readonly stream?: RequestedStream | undefined;
  readonly encryption?: RequestedEncryption | undefined;
  readonly deletionProtection?: boolean | undefined;
  readonly tableClass?: string | undefined;
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
  readonly tableClass?: string | undefined;
}

/** What a restored table has in place of its source's. */
export interface Overrides {
  readonly billingMode?: BillingMode | undefined;
  readonly gsis?: readonly NewGlobalIndex[] | undefined;
  readonly lsis?: readonly NewLocalIndex[] | undefined;
  readonly throughput?: ProvisionedThroughput | undefined;
  readonly onDemandThroughput?: OnDemandThroughput | undefined;
  readonly encryption?: RequestedEncryption | undefined;
}

export function addsOrRemoves({ kind }: IndexChange): boolean {
  return kind !== 'update';
}
