import type { Engine } from '../../engine/engine.ts';
import { checkScalarKeys } from '../../expressions/key-paths.ts';
import { attributesToGet as legacyProjection } from '../../expressions/legacy-projection.ts';
import { checkMixing } from '../../expressions/mixing.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../../expressions/request-expressions.ts';
import type { Projection } from '../../expressions/tree.ts';
import { DynamoError } from '../../model/errors.ts';
import { checkKey } from '../../model/keys/key-checks.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { consumedCapacity, consumedCapacityShape } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { readItems } from '../requested-items.ts';
import { readConsistency } from '../search/read-target.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  attributesToGet,
  expressionNames,
  returnConsumedCapacity,
  tableName,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, required, string } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { itemAnswer, storedItemAnswer } from './item-answer.ts';
import { projectedJson } from './projected-json.ts';

export const getItemShape = inputShape(
  'GetItem',
  {
    ReturnConsumedCapacity: returnConsumedCapacity,
    TableName: required(tableName),
    Key: required(attributeMap),
    AttributesToGet: attributesToGet,
    ConsistentRead: boolean,
    ProjectionExpression: string(),
    ExpressionAttributeNames: expressionNames,
  },
  { layer: 'newer' },
);
export interface GetItemInput extends InputOf<typeof getItemShape> {}

const getItemOutput = outputShape({ Item: attributeMap, ConsumedCapacity: consumedCapacityShape });
export interface GetItemOutput extends OutputOf<typeof getItemOutput> {}

export const getItem = operation<GetItemInput, GetItemOutput, ReadRequest<GetItemInput, GetRequest>>(
  getItemShape,
  getItemOutput,
  ({ input, request: { key, projection } }, road) => [
    tableIntent(road, input.TableName, { items: readItems([key], projection, input.ReturnConsumedCapacity) }),
  ],
  (road, { input, request }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { key, projection } = request;
    const read = engine.readItem(
      road,
      reference,
      readConsistency(input.ConsistentRead),
      ({ schema }) =>
        checkKey(schema, key) ?? (projection && checkScalarKeys(projection.paths, schema)) ?? key,
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
  },
  reading(getItemShape, readRequest),
);

interface GetRequest {
  readonly key: Item;
  readonly projection: Projection | undefined;
}

/** Checks the request before its table is known, in the service's order. The newer layer never wraps GetItem's own checks in its envelope. */
function readRequest(engine: Engine, input: GetItemInput): GetRequest | DynamoError {
  const { layer } = getItemShape;
  const wrong =
    checkMixing('GetItem', input) ??
    checkSubstitutionsHaveExpressions(input, ['ProjectionExpression'], layer);
  if (wrong !== undefined) return wrong;
  const key = readItem(input.Key, layer);
  if (key instanceof DynamoError) return key;
  const legacy = input.AttributesToGet && legacyProjection(input.AttributesToGet);
  if (legacy instanceof DynamoError) return legacy;
  const read = readExpressions(input, layer, engine.parsedExpressions);
  if (read instanceof DynamoError) return read;
  return { key, projection: legacy ?? read.projection };
}
