import type { Engine } from '../../engine/engine.ts';
import type { TransactRead } from '../../engine/transactions/transact-items.ts';
import { checkScalarKeys } from '../../expressions/key-paths.ts';
import { projectItem } from '../../expressions/project.ts';
import type { Projection } from '../../expressions/tree.ts';
import { DynamoError } from '../../model/errors.ts';
import { checkEmptyKey, checkKey } from '../../model/keys/key-checks.ts';
import { requestLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { decodeItem, itemJson, readItemBytes } from '../../model/stored/stored-item.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { consumedCapacityShape, transactCapacities } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { jsonOf } from '../items/item-answer.ts';
import { operation, RawJson, type ReadRequest, reading } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { readItems } from '../requested-items.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  expressionNames,
  type ReturnConsumedCapacity,
  returnConsumedCapacity,
  tableName,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, required, string, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import { tableReferences } from '../table-reference.ts';
import { readActionExpressions, storedTooLarge } from './transact-action.ts';

const transactGetItem = structure('TransactGetItem', {
  Get: required(
    structure('Get', {
      TableName: required(tableName),
      Key: required(attributeMap),
      ProjectionExpression: string(),
      ExpressionAttributeNames: expressionNames,
    }),
  ),
});
export interface TransactGetItemInput extends InputValue<typeof transactGetItem> {}

const transactGetItemsShape = inputShape('TransactGetItems', {
  TransactItems: required(list(transactGetItem, { min: 1, max: requestLimits.transactionItemsMax })),
  ReturnConsumedCapacity: returnConsumedCapacity,
});
export interface TransactGetItemsInput extends InputOf<typeof transactGetItemsShape> {}

/**
 * `Responses` has the order of the request. A response has no `Item` if the item does not exist or the projection finds
 * nothing.
 */
const transactGetItemsOutput = outputShape({
  Responses: required(list(structure('ItemResponse', { Item: attributeMap }))),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface TransactGetItemsOutput extends OutputOf<typeof transactGetItemsOutput> {}

export const transactGetItems = operation<
  TransactGetItemsInput,
  TransactGetItemsOutput,
  ReadRequest<TransactGetItemsInput, readonly ReadAction[]>
>(
  transactGetItemsShape,
  transactGetItemsOutput,
  ({ input, request }, road) =>
    request.map(({ tableName, key, projection }) =>
      tableIntent(road, tableName, {
        action: 'GetItem',
        enclosing: road.operation,
        items: readItems([key], projection, input.ReturnConsumedCapacity),
      }),
    ),
  (road, { input, request: reads }) => {
    const { engine, caller } = road;
    const references = tableReferences(
      reads.map(({ tableName }) => tableName),
      caller,
    );
    if (references instanceof DynamoError) return references;
    const found = engine.transactRead(
      road,
      reads.map(({ key, projection }, i) => ({
        refusal: ({ schema }) => checkEmptyKey(schema, key),
        plan: ({ schema }) =>
          checkKey(schema, key) ?? (projection && checkScalarKeys(projection.paths, schema)) ?? { key },
        ...references[i]!,
      })),
    );
    return whenDone(found, (read) => {
      if (read instanceof DynamoError) return read;
      return storedTooLarge(read.stored) ?? answer(road, reads, read, input.ReturnConsumedCapacity);
    });
  },
  reading(transactGetItemsShape, readActions),
);

interface ReadAction {
  /** The name or ARN as the client sent it. The answer uses the same text. */
  readonly tableName: string;
  readonly key: Item;
  readonly projection: Projection | undefined;
}

/** Checks the actions before the tables are known, in the order of the request, with the texts of the older layer, which have no envelope. */
function readActions(engine: Engine, { TransactItems }: TransactGetItemsInput): ReadAction[] | DynamoError {
  const reads: ReadAction[] = [];
  for (const { Get } of TransactItems) {
    const key = readItem(Get.Key, 'older');
    if (key instanceof DynamoError) return key;
    const read = readActionExpressions(engine, Get);
    if (read instanceof DynamoError) return read;
    reads.push({ tableName: Get.TableName, key, projection: read.projection });
  }
  return reads;
}

function answer(
  road: RequestRoad,
  reads: readonly ReadAction[],
  { stored, consumed }: TransactRead,
  detail: ReturnConsumedCapacity | undefined,
): RawJson {
  const chunks: (string | Uint8Array)[] = ['{"Responses":['];
  for (const [i, { projection }] of reads.entries()) {
    const found = stored[i];
    if (found !== undefined) road.returns(1, readItemBytes(found));
    const item = found && shownJson(found, projection);
    if (i > 0) chunks.push(',');
    if (item === undefined) chunks.push('{}');
    else chunks.push('{"Item":', item, '}');
  }
  chunks.push(']');
  const capacities = transactCapacities(
    detail,
    reads.map(({ tableName }) => tableName),
    consumed,
    'ReadCapacityUnits',
  );
  if (capacities.length > 0) chunks.push(`,"ConsumedCapacity":${JSON.stringify(capacities)}`);
  chunks.push('}');
  return new RawJson(chunks);
}

/**
 * The JSON of a stored item. Unlike in GetItem, a projection that finds nothing gives no item at all (observed:
 * ExtendDB's tests, issue 74, May 2026).
 */
function shownJson(stored: Uint8Array, projection: Projection | undefined): Uint8Array | undefined {
  if (projection === undefined) return itemJson(stored);
  const shown = projectItem(projection, decodeItem(stored));
  return shown.size === 0 ? undefined : jsonOf(shown);
}
