import type { Engine } from '../engine/engine.ts';
import { attributesToGet as legacyProjection } from '../expressions/legacy-projection.ts';
import { checkMixing } from '../expressions/mixing.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../expressions/request-expressions.ts';
import type { Projection } from '../expressions/tree.ts';
import type { Item } from '../model/attribute-value.ts';
import { DynamoError } from '../model/errors.ts';
import { checkKey } from '../model/key-checks.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { readItem } from '../model/read-attribute-value.ts';
import { readItemBytes } from '../model/stored-item.ts';
import { consumedCapacity } from './consumed-capacity.ts';
import { itemAnswer, storedItemAnswer } from './item-answer.ts';
import { operation } from './operation.ts';
import { projectedJson } from './projected-json.ts';
import { readConsistency } from './read-target.ts';
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

export const getItem = operation(getItemShape, (road, input) => {
  const { engine, caller } = road;
  const asked = readRequest(engine, input);
  if (asked instanceof DynamoError) return asked;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { key, projection } = asked;
  const read = engine.readItem(
    road,
    reference,
    readConsistency(input.ConsistentRead),
    ({ schema }) => checkKey(schema, key) ?? key,
  );
  return whenDone(read, (found) => {
    if (found instanceof DynamoError) return found;
    const { stored, consumed } = found;
    if (stored !== undefined) road.returns(1, readItemBytes(stored));
    if (projection === undefined && input.ReturnConsumedCapacity === undefined)
      return storedItemAnswer(stored);
    return itemAnswer('Item', stored && projectedJson(stored, projection), {
      ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, input.TableName, consumed),
    });
  });
});

/** Step 10, in the service's order. GetItem's own checks are never put in the newer layer's envelope. */
function readRequest(
  engine: Engine,
  input: GetItemInput,
): { readonly key: Item; readonly projection: Projection | undefined } | DynamoError {
  const wrong =
    checkMixing('GetItem', input) ??
    checkSubstitutionsHaveExpressions(input, ['ProjectionExpression'], 'newer');
  if (wrong !== undefined) return wrong;
  const key = readItem(input.Key, 'newer');
  if (key instanceof DynamoError) return key;
  const legacy = input.AttributesToGet && legacyProjection(input.AttributesToGet);
  if (legacy instanceof DynamoError) return legacy;
  const read = readExpressions(input, 'newer', engine.parsedExpressions);
  if (read instanceof DynamoError) return read;
  return { key, projection: legacy ?? read.projection };
}
