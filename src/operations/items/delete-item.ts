import { checkWritePaths } from '../../expressions/key-paths.ts';
import { DynamoError } from '../../model/errors.ts';
import { checkKey } from '../../model/keys/key-checks.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { itemJson } from '../../model/stored/stored-item.ts';
import { consumedCapacity } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { writtenItem } from '../requested-items.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { attributeMap, conditionMembers, returnMembers, tableName } from '../shapes/item-shapes.ts';
import { required } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { itemAnswer } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { returnsOldOnly } from './request-checks.ts';
import { type WriteItemOutput, writeItemOutput } from './write-output.ts';
import {
  conditionError,
  lookingAt,
  readWriteRequest,
  showsItem,
  type WriteRequest,
} from './write-request.ts';

/**
 * `returnConsumedCapacity` comes first (observed: conformance suite, probe `o_del_two_bad_enums`); the order of the
 * rest follows PutItem (inferred).
 */
export const deleteItemShape = inputShape(
  'DeleteItem',
  {
    ...returnMembers,
    TableName: required(tableName),
    Key: required(attributeMap),
    ...conditionMembers,
  },
  { layer: 'newer' },
);
export interface DeleteItemInput extends InputOf<typeof deleteItemShape> {}

export interface DeleteItemOutput extends WriteItemOutput {}

export const deleteItem = operation<
  DeleteItemInput,
  DeleteItemOutput,
  ReadRequest<DeleteItemInput, WriteRequest>
>(
  deleteItemShape,
  writeItemOutput,
  ({ input, request }, road) => [tableIntent(road, input.TableName, { items: writtenItem(request, input) })],
  (road, { input, request }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { item: key, condition } = request;
    const written = engine.writeItem(
      road,
      reference,
      ({ schema }) =>
        checkKey(schema, key) ??
        checkWritePaths(schema, condition) ?? {
          key,
          ...lookingAt(showsItem(input), condition),
          next: (before, _, work) =>
            conditionError(condition, before, showsItem(input), work) ?? { item: undefined },
        },
    );
    return whenDone(written, (outcome) => {
      if (outcome instanceof DynamoError) return outcome;
      const old = input.ReturnValues === 'ALL_OLD' ? outcome.storedBefore : undefined;
      return itemAnswer('Attributes', old && itemJson(old), {
        ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.consumed),
        ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, key),
      });
    });
  },
  reading(deleteItemShape, (engine, input) =>
    readWriteRequest(engine, deleteItemShape, input, input.Key, (_, layer) =>
      returnsOldOnly(input.ReturnValues, layer),
    ),
  ),
);
