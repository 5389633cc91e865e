import type {
  BatchGetItemInput as BatchGetItemRequest,
  KeysAndAttributes as KeysAndAttributesRequest,
} from '../operations/batch-get-item.ts';
import type { BatchWriteItemInput as BatchWriteItemRequest } from '../operations/batch-write-item.ts';
import type { AttributeMap, AttributeMapInput } from './attribute-value.ts';
import type { ConsumedCapacity, ItemCollectionMetrics } from './item-operations.ts';

/** Requests and answers of the operations on many items. What was left undone can be sent as the next request. */

export interface KeysAndAttributesInput extends Omit<KeysAndAttributesRequest, 'Keys'> {
  readonly Keys: readonly AttributeMapInput[];
}

export interface KeysAndAttributes extends Omit<KeysAndAttributesRequest, 'Keys'> {
  readonly Keys: readonly AttributeMap[];
}

export interface BatchGetItemInput extends Omit<BatchGetItemRequest, 'RequestItems'> {
  readonly RequestItems: Readonly<Record<string, KeysAndAttributesInput>>;
}

export interface BatchGetItemOutput {
  readonly Responses: Readonly<Record<string, readonly AttributeMap[]>>;
  readonly UnprocessedKeys: Readonly<Record<string, KeysAndAttributes>>;
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
}

/** Either a put or a delete; the type allows both because the service's own does. */
interface WriteRequestOf<Attributes> {
  readonly PutRequest?: { readonly Item: Attributes };
  readonly DeleteRequest?: { readonly Key: Attributes };
}

export type WriteRequestInput = WriteRequestOf<AttributeMapInput>;
export type WriteRequest = WriteRequestOf<AttributeMap>;

export interface BatchWriteItemInput extends Omit<BatchWriteItemRequest, 'RequestItems'> {
  readonly RequestItems: Readonly<Record<string, readonly WriteRequestInput[]>>;
}

export interface BatchWriteItemOutput {
  readonly UnprocessedItems: Readonly<Record<string, readonly WriteRequest[]>>;
  readonly ItemCollectionMetrics?: Readonly<Record<string, readonly ItemCollectionMetrics[]>>;
  readonly ConsumedCapacity?: readonly ConsumedCapacity[];
}
