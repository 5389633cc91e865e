import type {
  TransactConditionCheck as ConditionCheckRequest,
  TransactDelete as DeleteRequest,
  TransactPut as PutRequest,
  TransactUpdate as UpdateRequest,
} from '../operations/transact-action.ts';
import type {
  TransactGetItemsInput as TransactGetItemsRequest,
  TransactGet as TransactGetRequest,
} from '../operations/transact-get-items.ts';
import type { TransactWriteItemsInput as TransactWriteItemsRequest } from '../operations/transact-write-items.ts';
import type { AttributeMap, AttributeMapInput } from './attribute-value.ts';
import type { ConsumedCapacity, ItemCollectionMetrics } from './item-operations.ts';

/** Requests and answers of transactions. */

/** The same request with plain values for attributes. */
type Plain<Request, Attributes extends string> = Omit<Request, Attributes | 'ExpressionAttributeValues'> &
  Readonly<Record<Attributes, AttributeMapInput>> & {
    readonly ExpressionAttributeValues?: AttributeMapInput;
  };

/** One of the four; the type allows more because the service's own does. */
export interface TransactWriteItemInput {
  readonly ConditionCheck?: Plain<ConditionCheckRequest, 'Key'>;
  readonly Put?: Plain<PutRequest, 'Item'>;
  readonly Delete?: Plain<DeleteRequest, 'Key'>;
  readonly Update?: Plain<UpdateRequest, 'Key'>;
}

export interface TransactWriteItemsInput extends Omit<TransactWriteItemsRequest, 'TransactItems'> {
  readonly TransactItems: readonly TransactWriteItemInput[];
}

export interface TransactWriteItemsOutput {
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
  readonly ItemCollectionMetrics?: Readonly<Record<string, readonly ItemCollectionMetrics[]>>;
}

export interface TransactGetItemInput {
  readonly Get: Omit<TransactGetRequest, 'Key'> & { readonly Key: AttributeMapInput };
}

export interface TransactGetItemsInput extends Omit<TransactGetItemsRequest, 'TransactItems'> {
  readonly TransactItems: readonly TransactGetItemInput[];
}

export interface TransactGetItemsOutput {
  /** In the order of the request; without an `Item` where there is none, or none of what was asked for. */
  readonly Responses: readonly { readonly Item?: AttributeMap }[];
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
}
