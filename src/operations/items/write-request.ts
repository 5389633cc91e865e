import type { Engine } from '../../engine/engine.ts';
import type { ItemWrite } from '../../engine/writes/write-item.ts';
import { meetsCondition } from '../../expressions/evaluate-condition.ts';
import { checkConditionalOperator, expectedCondition } from '../../expressions/legacy-conditions.ts';
import { attributeUpdates } from '../../expressions/legacy-updates.ts';
import { checkMixing } from '../../expressions/mixing.ts';
import { attributesNamed } from '../../expressions/named-attributes.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../../expressions/request-expressions.ts';
import type { Condition, Update } from '../../expressions/tree.ts';
import { conditionalCheckFailed, DynamoError } from '../../model/errors.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { isCutOff } from '../shapes/attribute-value-shape.ts';
import type { InputShape } from '../shapes/input-shape.ts';
import type { WriteInput } from '../shapes/item-shapes.ts';
import type { ValidationLayer } from '../shapes/operation-layers.ts';
import type { AttributeMapInput } from '../shapes/plain-attribute-value.ts';
import { plainItem } from './item-answer.ts';
import { requestCheck } from './request-checks.ts';

export type WriteOperation = 'PutItem' | 'UpdateItem' | 'DeleteItem';

/** What a write asks for, as far as it can be known without the table. */
export interface WriteRequest {
  /** The item of a PutItem; the key of the others. */
  readonly item: Item;
  readonly condition: Condition | undefined;
  readonly update: Update | undefined;
}

/**
 * Step 10 of PutItem, UpdateItem and DeleteItem, in the service's order: parameters that do not go together, names and
 * values without expressions, the item or key, the legacy parameters, what `checkBetween` looks at, and then the
 * expressions with their names and values.
 */
export function readWriteRequest(
  engine: Engine,
  { operation, layer }: Pick<InputShape<unknown, WriteOperation>, 'operation' | 'layer'>,
  input: WriteInput,
  sent: AttributeMapInput,
  checkBetween: (item: Item, layer: ValidationLayer) => DynamoError | undefined,
): WriteRequest | DynamoError {
  const request = readIn(layer, engine, operation, input, sent, checkBetween);
  // A request that is nested so deep is always refused, so that only an error is worth a second look.
  return request instanceof DynamoError && isCutOff(input)
    ? readIn('older', engine, operation, input, sent, checkBetween)
    : request;
}

function readIn(
  layer: ValidationLayer,
  engine: Engine,
  operation: WriteOperation,
  input: WriteInput,
  sent: AttributeMapInput,
  checkBetween: (item: Item, layer: ValidationLayer) => DynamoError | undefined,
): WriteRequest | DynamoError {
  const inWords = (error: DynamoError) => requestCheck(error, layer);
  const wrong =
    checkMixing(operation, input) ??
    checkConditionalOperator(input.ConditionalOperator, input.Expected) ??
    checkSubstitutionsHaveExpressions(input, expressionsOf[operation], layer);
  if (wrong !== undefined) return inWords(wrong);
  const item = readItem(sent, layer);
  if (item instanceof DynamoError) return inWords(item);
  const legacyUpdate = input.AttributeUpdates && attributeUpdates(input.AttributeUpdates, layer);
  if (legacyUpdate instanceof DynamoError) return inWords(legacyUpdate);
  const legacyCondition = expectedCondition(input.Expected, input.ConditionalOperator, layer);
  if (legacyCondition instanceof DynamoError) return inWords(legacyCondition);
  const between = checkBetween(item, layer);
  if (between !== undefined) return between;
  const read = readExpressions(input, layer, engine.parsedExpressions);
  if (read instanceof DynamoError) return inWords(read);
  return { item, condition: legacyCondition ?? read.condition, update: legacyUpdate ?? read.update };
}

const expressionsOf = {
  PutItem: ['ConditionExpression'],
  DeleteItem: ['ConditionExpression'],
  UpdateItem: ['UpdateExpression', 'ConditionExpression'],
} as const;

/** What a write says that it looks at: all, if an item that does not meet the condition is to be shown. */
export function lookingAt(
  showsItem: boolean,
  condition: Condition | undefined,
  update?: Update | undefined,
): Pick<ItemWrite, 'looksAt'> {
  return showsItem && condition !== undefined ? {} : { looksAt: attributesNamed(condition, update) };
}

/** Whether the caller wants to see the item that does not meet the condition. */
export function showsItem(input: Pick<WriteInput, 'ReturnValuesOnConditionCheckFailure'>): boolean {
  return input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
}

/** The error of a write whose condition the item does not meet; with the item, if the caller wants to see it. */
export function conditionError(
  condition: Condition | undefined,
  before: Item | undefined,
  showsItem: boolean,
): DynamoError | undefined {
  if (condition === undefined || meetsCondition(condition, before)) return undefined;
  return conditionalCheckFailed(showsItem && before !== undefined ? plainItem(before) : undefined);
}
