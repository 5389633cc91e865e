import type { DeleteItemInput as DeleteItemRequest } from '../operations/delete-item.ts';
import type { GetItemInput as GetItemRequest } from '../operations/get-item.ts';
import type { PutItemInput as PutItemRequest } from '../operations/put-item.ts';
import type { ConditionInput } from '../operations/shapes/item-input.ts';
import type { UpdateItemInput as UpdateItemRequest } from '../operations/update-item.ts';
import type { AttributeMap, AttributeMapInput, AttributeValueInput } from './attribute-value.ts';

/** Requests and answers of the operations on single items. */

export type GetItemInput = Omit<GetItemRequest, 'Key'> & { readonly Key: AttributeMapInput };

export interface GetItemOutput {
  readonly Item?: AttributeMap;
  readonly ConsumedCapacity?: ConsumedCapacity;
}

/** The values of a condition are attribute values too. */
type Conditional<Request extends ConditionInput> = Omit<
  Request,
  'Item' | 'Key' | 'Expected' | 'ExpressionAttributeValues'
> & {
  readonly Expected?: Readonly<Record<string, ExpectedAttributeValue>>;
  readonly ExpressionAttributeValues?: AttributeMapInput;
};

type RequestExpected = NonNullable<ConditionInput['Expected']>[string];

export interface ExpectedAttributeValue extends Omit<RequestExpected, 'Value' | 'AttributeValueList'> {
  readonly Value?: AttributeValueInput;
  readonly AttributeValueList?: readonly AttributeValueInput[];
}

export type PutItemInput = Conditional<PutItemRequest> & { readonly Item: AttributeMapInput };
export type DeleteItemInput = Conditional<DeleteItemRequest> & { readonly Key: AttributeMapInput };

export type UpdateItemInput = Omit<Conditional<UpdateItemRequest>, 'AttributeUpdates'> & {
  readonly Key: AttributeMapInput;
  readonly AttributeUpdates?: Readonly<Record<string, AttributeValueUpdate>>;
};

export interface AttributeValueUpdate {
  readonly Value?: AttributeValueInput;
  readonly Action?: 'ADD' | 'PUT' | 'DELETE';
}

export interface WriteItemOutput {
  readonly Attributes?: AttributeMap;
  readonly ConsumedCapacity?: ConsumedCapacity;
  readonly ItemCollectionMetrics?: ItemCollectionMetrics;
}

export type PutItemOutput = WriteItemOutput;
export type DeleteItemOutput = WriteItemOutput;
export type UpdateItemOutput = WriteItemOutput;

export interface Capacity {
  readonly CapacityUnits?: number;
  readonly ReadCapacityUnits?: number;
  readonly WriteCapacityUnits?: number;
}

export interface ConsumedCapacity extends Capacity {
  readonly TableName?: string;
  readonly Table?: Capacity;
  readonly LocalSecondaryIndexes?: Readonly<Record<string, Capacity>>;
  readonly GlobalSecondaryIndexes?: Readonly<Record<string, Capacity>>;
}

export interface ItemCollectionMetrics {
  readonly ItemCollectionKey?: AttributeMap;
  readonly SizeEstimateRangeGB?: readonly number[];
}
