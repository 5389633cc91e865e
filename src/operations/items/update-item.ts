import { checkWritePaths } from '../../expressions/key-paths.ts';
import { attributesChanged, noNames } from '../../expressions/named-attributes.ts';
import type { Update } from '../../expressions/tree.ts';
import { updateCharge } from '../../expressions/update-charge.ts';
import { DynamoError } from '../../model/errors.ts';
import { checkKey } from '../../model/keys/key-checks.ts';
import { itemLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { consumedCapacity } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { writtenItem } from '../requested-items.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  conditionalOperator,
  conditionMembers,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValues,
  returnValuesOnConditionCheckFailure,
  tableName,
  updateMembers,
} from '../shapes/item-shapes.ts';
import { required } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { itemAnswer } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { returnedJson } from './returned-json.ts';
import { updatedItem, updateTooLarge } from './updated-item.ts';
import { type WriteItemOutput, writeItemOutput } from './write-output.ts';
import {
  conditionError,
  lookingAt,
  readWriteRequest,
  showsItem,
  type WriteRequest,
} from './write-request.ts';

/**
 * The order of the first six members (observed: public captures, without ConditionalOperator in September 2026, with it
 * but without a key in October 2026).
 */
export const updateItemShape = inputShape(
  'UpdateItem',
  {
    ReturnConsumedCapacity: returnConsumedCapacity,
    ReturnItemCollectionMetrics: returnItemCollectionMetrics,
    TableName: required(tableName),
    ReturnValues: returnValues,
    ConditionalOperator: conditionalOperator,
    Key: required(attributeMap),
    ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
    ...updateMembers,
    ...conditionMembers,
  },
  { layer: 'newer', enums: 'first' },
);
export interface UpdateItemInput extends InputOf<typeof updateItemShape> {}

export interface UpdateItemOutput extends WriteItemOutput {}

export const updateItem = operation<
  UpdateItemInput,
  UpdateItemOutput,
  ReadRequest<UpdateItemInput, WriteRequest>
>(
  updateItemShape,
  writeItemOutput,
  ({ input, request }, road) => [tableIntent(road, input.TableName, { items: writtenItem(request, input) })],
  (road, { input, request }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const { item: key, condition, update } = request;
    const written = engine.writeItem(
      road,
      reference,
      ({ schema }) =>
        checkKey(schema, key) ??
        checkWritePaths(schema, condition, update) ??
        (update && checkCharge(update)) ?? {
          key,
          ...lookingAt(showsItem(input), condition, update),
          changes: update === undefined ? noNames : attributesChanged(update),
          next: (before, beforeBytes, work) =>
            conditionError(condition, before, showsItem(input), work) ??
            // Without an update, a missing item is created from its key alone.
            (update === undefined
              ? { item: before ?? key }
              : updatedItem(update, before, beforeBytes, key, schema)),
        },
    );
    return whenDone(written, (outcome) => {
      if (outcome instanceof DynamoError) return outcome;
      return itemAnswer('Attributes', returnedJson(input.ReturnValues, update, outcome), {
        ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.consumed),
        ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, key),
      });
    });
  },
  reading(updateItemShape, (engine, input) =>
    readWriteRequest(engine, updateItemShape, input, input.Key, () => undefined),
  ),
);

/**
 * Checks the size charged for an UpdateExpression, before any condition is evaluated. AttributeUpdates have no such
 * charge (observed: public captures, October 2026).
 */
function checkCharge(update: Update): DynamoError | undefined {
  const isTooLarge = update.form === 'expression' && updateCharge(update) > itemLimits.itemBytesMax;
  return isTooLarge ? updateTooLarge() : undefined;
}
