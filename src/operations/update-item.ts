import { checkUpdateTargets } from '../expressions/key-paths.ts';
import type { LegacyUpdate } from '../expressions/legacy-updates.ts';
import { attributesChanged, noNames } from '../expressions/named-attributes.ts';
import type { Update } from '../expressions/tree.ts';
import { updateCharge } from '../expressions/update-charge.ts';
import { DynamoError } from '../model/errors.ts';
import { checkKey } from '../model/key-checks.ts';
import { itemLimits } from '../model/limits.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { consumedCapacity } from './consumed-capacity.ts';
import { itemAnswer } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { operation } from './operation.ts';
import { returnedJson } from './returned-json.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ConditionInput, WireAttributeMap } from './shapes/item-input.ts';
import {
  attributeMap,
  attributeUpdates,
  conditionalOperator,
  expected,
  expressionNames,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValues,
  returnValuesOnConditionCheckFailure,
  tableName,
} from './shapes/item-shapes.ts';
import { required, string } from './shapes/shape.ts';
import { tableReference } from './table-reference.ts';
import { updatedItem, updateTooLarge } from './updated-item.ts';
import { conditionError, lookingAt, readWriteRequest, showsItem } from './write-request.ts';

/** The two ways to say what shall change. */
export interface UpdateParameters {
  readonly UpdateExpression?: string;
  readonly AttributeUpdates?: Readonly<Record<string, LegacyUpdate>>;
}

export interface UpdateItemInput extends ConditionInput, UpdateParameters {
  readonly TableName: string;
  readonly Key: WireAttributeMap;
}

/** The order of the first six was observed: without the operator in September, with it and no key in October 2026. */
export const updateItemShape = inputShape<UpdateItemInput>('UpdateItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  TableName: required(tableName),
  ReturnValues: returnValues,
  ConditionalOperator: conditionalOperator,
  Key: required(attributeMap),
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
  AttributeUpdates: attributeUpdates,
  Expected: expected,
  UpdateExpression: string(),
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
});

export const updateItem = operation(updateItemShape, (road, input) => {
  const { engine, caller } = road;
  const asked = readWriteRequest(engine, 'UpdateItem', input, input.Key, () => undefined);
  if (asked instanceof DynamoError) return asked;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { item: key, condition, update } = asked;
  const written = engine.writeItem(
    road,
    reference,
    ({ schema }) =>
      checkKey(schema, key) ??
      (update && (checkUpdateTargets(update, schema) ?? checkCharge(update))) ?? {
        key,
        ...lookingAt(showsItem(input), condition, update),
        changes: update === undefined ? noNames : attributesChanged(update),
        next: (before, beforeBytes) =>
          conditionError(condition, before, showsItem(input)) ??
          // Without an update, an item that is not there is made of its key alone.
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
});

/** Before any condition is looked at; AttributeUpdates are not charged for (October 2026). */
function checkCharge(update: Update): DynamoError | undefined {
  const isTooLarge = update.form === 'expression' && updateCharge(update) > itemLimits.itemBytesMax;
  return isTooLarge ? updateTooLarge() : undefined;
}
