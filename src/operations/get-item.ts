import { DynamoError } from '../model/errors.ts';
import { checkKey } from '../model/key-checks.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { readItem } from '../model/read-attribute-value.ts';
import { itemJson, readItemBytes } from '../model/stored-item.ts';
import { readUnits } from '../physics/units.ts';
import { readCapacity } from './consumed-capacity.ts';
import { itemAnswer } from './item-answer.ts';
import { refuseNotYet } from './not-yet.ts';
import { operation } from './operation.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ReturnConsumedCapacity, WireAttributeMap } from './shapes/item-input.ts';
import {
  attributeMap,
  attributesToGet,
  expressionNames,
  returnConsumedCapacity,
  tableName,
} from './shapes/item-shapes.ts';
import { boolean, required, string } from './shapes/shape.ts';
import { tableReference } from './table-reference.ts';

export interface GetItemInput {
  readonly TableName: string;
  readonly Key: WireAttributeMap;
  readonly AttributesToGet?: readonly string[];
  readonly ConsistentRead?: boolean;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

export const getItemShape = inputShape<GetItemInput>('GetItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: required(tableName),
  Key: required(attributeMap),
  AttributesToGet: attributesToGet,
  ConsistentRead: boolean,
  ProjectionExpression: string(),
  ExpressionAttributeNames: expressionNames,
});

export const getItem = operation(getItemShape, (engine, input, caller) => {
  const key =
    refuseNotYet(input, 'AttributesToGet', 'ProjectionExpression', 'ExpressionAttributeNames') ??
    readItem(input.Key, 'newer');
  if (key instanceof DynamoError) return key;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const found = engine.readItem(
    reference.scope,
    reference.tableName,
    ({ schema }) => checkKey(schema, key) ?? key,
  );
  return whenDone(found, (stored) => {
    if (stored instanceof DynamoError) return stored;
    const consistency = input.ConsistentRead === true ? 'strong' : 'eventual';
    const units = readUnits(stored === undefined ? 0 : readItemBytes(stored), consistency);
    return itemAnswer('Item', stored && itemJson(stored), {
      ConsumedCapacity: readCapacity(input.ReturnConsumedCapacity, input.TableName, units),
    });
  });
});
