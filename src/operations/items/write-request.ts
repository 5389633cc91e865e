import type { Engine } from '../../engine/engine.ts';
import type { ItemWrite } from '../../engine/writes/write-item.ts';
import { ConditionWork, unfinished, type WorkLimit } from '../../expressions/condition-work.ts';
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

/** The parts of a write request that can be read without the table. */
export interface WriteRequest {
  /** The item of a PutItem; the key of an UpdateItem or DeleteItem. */
  readonly item: Item;
  readonly condition: Condition | undefined;
  readonly update: Update | undefined;
}

/**
 * Checks a PutItem, UpdateItem or DeleteItem before its table is known, in the service's order: parameters that exclude each other, names and
 * values without expressions, the item or key, the legacy parameters, `checkBetween`, and then the expressions with
 * their names and values.
 */
export function readWriteRequest(
  engine: Engine,
  { operation, layer }: Pick<InputShape<unknown, WriteOperation>, 'operation' | 'layer'>,
  input: WriteInput,
  sent: AttributeMapInput,
  checkBetween: (item: Item, layer: ValidationLayer) => DynamoError | undefined,
): WriteRequest | DynamoError {
  const request = readIn(layer, engine, operation, input, sent, checkBetween);
  // A request that is nested so deep is always refused, so only an error needs a second look.
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
  const wrapped = (error: DynamoError) => requestCheck(error, layer);
  const wrong =
    checkMixing(operation, input) ??
    checkConditionalOperator(input.ConditionalOperator, input.Expected) ??
    checkSubstitutionsHaveExpressions(input, expressionsOf[operation], layer);
  if (wrong !== undefined) return wrapped(wrong);
  const item = readItem(sent, layer);
  if (item instanceof DynamoError) return wrapped(item);
  const legacyUpdate = input.AttributeUpdates && attributeUpdates(input.AttributeUpdates, layer);
  if (legacyUpdate instanceof DynamoError) return wrapped(legacyUpdate);
  const legacyCondition = expectedCondition(input.Expected, input.ConditionalOperator, layer);
  if (legacyCondition instanceof DynamoError) return wrapped(legacyCondition);
  const between = checkBetween(item, layer);
  if (between !== undefined) return between;
  const read = readExpressions(input, layer, engine.parsedExpressions);
  if (read instanceof DynamoError) return wrapped(read);
  return { item, condition: legacyCondition ?? read.condition, update: legacyUpdate ?? read.update };
}

const expressionsOf = {
  PutItem: ['ConditionExpression'],
  DeleteItem: ['ConditionExpression'],
  UpdateItem: ['UpdateExpression', 'ConditionExpression'],
} as const;

/** The attributes that a write reads. It reads the whole item if the answer shows the item that fails the condition. */
export function lookingAt(
  showsItem: boolean,
  condition: Condition | undefined,
  update?: Update | undefined,
): Pick<ItemWrite, 'looksAt'> {
  return showsItem && condition !== undefined ? {} : { looksAt: attributesNamed(condition, update) };
}

/** Whether a failed condition returns the item. */
export function showsItem(input: Pick<WriteInput, 'ReturnValuesOnConditionCheckFailure'>): boolean {
  return input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
}

/**
 * The error of a failed condition, with the item if the request asks for it. Undefined if the item meets the condition,
 * and `unfinished` if the evaluation was stopped.
 */
export function conditionError(
  condition: Condition | undefined,
  before: Item | undefined,
  showsItem: boolean,
  limit: WorkLimit,
): DynamoError | typeof unfinished | undefined {
  if (condition === undefined) return undefined;
  const work = typeof limit === 'number' ? new ConditionWork(limit, true) : limit;
  const isMet = meetsCondition(condition, before, work);
  if (work.isStopped) return unfinished;
  if (isMet) return undefined;
  return conditionalCheckFailed(showsItem && before !== undefined ? plainItem(before) : undefined);
}
