import type { Table } from '../engine/table-record.ts';
import type { ItemWrite, WriteOutcome } from '../engine/write-item.ts';
import { noNames } from '../expressions/named-attributes.ts';
import { DynamoError } from '../model/errors.ts';
import { itemSize } from '../model/item-size.ts';
import { checkIndexKeys, checkItemKey } from '../model/key-checks.ts';
import { whenDone } from '../model/maybe-promise.ts';
import type { SentItem } from '../model/sent-item.ts';
import { itemJson } from '../model/stored-item.ts';
import { tableOfBare } from './bare-request.ts';
import { writeCapacity } from './consumed-capacity.ts';
import { itemAnswer, noMembers } from './item-answer.ts';
import { itemCollectionMetrics } from './item-collection-metrics.ts';
import { type Answer, type Operation, operation } from './operation.ts';
import { checkItemSize, returnsOldOnly } from './request-checks.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ConditionInput, WireAttributeMap } from './shapes/item-input.ts';
import {
  attributeMap,
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
import type { ValidationLayer } from './shapes/validation-layer.ts';
import { tableReference } from './table-reference.ts';
import { conditionError, lookingAt, readWriteRequest, showsItem } from './write-request.ts';

export interface PutItemInput extends ConditionInput {
  readonly TableName: string;
  readonly Item: WireAttributeMap;
}

/**
 * The order of enums is that of the capture `o_put_three_bad_enums` (September 2026); that `returnValues` comes
 * before `tableName` is what the Regions of the older layer still said in October 2026.
 */
export const putItemShape = inputShape<PutItemInput>('PutItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnValues: returnValues,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  ConditionalOperator: conditionalOperator,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
  TableName: required(tableName),
  Item: required(attributeMap),
  Expected: expected,
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
});

/**
 * Most requests put an item and say no more about it. Such an item is encoded while it is checked, and the rest of the
 * request is judged without it: what is wrong with an item is found the long way only.
 */
export const putItem: Operation = {
  name: 'PutItem',
  handle(engine, body, caller) {
    const table = tableOfBare(engine, body, caller, bareMembers);
    const sent = table && engine.encoder.sent((body as PutItemInput).Item, table.placingNames);
    if (sent === undefined) return putRead.handle(engine, body, caller);
    if (!hasOptions(body as object)) {
      const wrong = checkItemSize(sent.bytes);
      return wrong ?? whenDone(engine.writeKnown(table!, planOf(sent)), bareAnswer);
    }
    // Not the body itself, which is the caller's to change while a store is at work.
    const input = putItemShape.check({ ...(body as object), Item: {} });
    if (input instanceof DynamoError) return input;
    const wrong = checkBetween(input, sent.bytes);
    return wrong ?? whenDone(engine.writeKnown(table!, planOf(sent)), (outcome) => answer(input, outcome));
  },
};

/** None of a condition: an item that may be refused is not encoded beforehand. */
const bareMembers: ReadonlySet<string> = new Set([
  'TableName',
  'Item',
  'ReturnValues',
  'ReturnConsumedCapacity',
  'ReturnItemCollectionMetrics',
  'ReturnValuesOnConditionCheckFailure',
]);

/** A request without options says nothing else that could be wrong: a table of that name is known. */
function hasOptions(body: object): boolean {
  for (const name in body) if (name !== 'TableName' && name !== 'Item') return true;
  return false;
}

function planOf(sent: SentItem): (table: Table) => ItemWrite | DynamoError {
  return checked((table) => {
    const placed = sent.withNames(table.placingNames);
    const { attributes: item, bytes } = placed;
    return { key: item, looksAt: noNames, sent: placed, next: () => ({ item, bytes }) };
  });
}

function bareAnswer(outcome: WriteOutcome | DynamoError): Answer {
  return outcome instanceof DynamoError ? outcome : noMembers;
}

/** The long way: the item is read into values, which tells all errors and goes with conditions. */
const putRead = operation(putItemShape, (engine, input, caller) => {
  let bytes = 0;
  const request = readWriteRequest(engine, 'PutItem', input, input.Item, (item, layer) => {
    bytes = itemSize(item);
    return checkBetween(input, bytes, layer);
  });
  if (request instanceof DynamoError) return request;
  const { item, condition } = request;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const written = engine.writeItem(
    reference.scope,
    reference.tableName,
    checked(() => ({
      key: item,
      ...lookingAt(showsItem(input), condition),
      next: (before) => conditionError(condition, before, showsItem(input)) ?? { item, bytes },
    })),
  );
  return whenDone(written, (outcome) => answer(input, outcome));
});

function checkBetween(
  { ReturnValues }: PutItemInput,
  bytes: number,
  layer?: ValidationLayer,
): DynamoError | undefined {
  return returnsOldOnly('PutItem', ReturnValues, layer) ?? checkItemSize(bytes);
}

/** The plan of an item whose keys the table allows. */
function checked(plan: (table: Table) => ItemWrite): (table: Table) => ItemWrite | DynamoError {
  return (table) => {
    const write = plan(table);
    return checkItemKey(table.schema, write.key) ?? checkIndexKeys(table.schema, write.key, 'put') ?? write;
  };
}

function answer(input: PutItemInput, outcome: WriteOutcome | DynamoError): Answer {
  if (outcome instanceof DynamoError) return outcome;
  const old = input.ReturnValues === 'ALL_OLD' ? outcome.storedBefore : undefined;
  return itemAnswer('Attributes', old && itemJson(old), {
    ConsumedCapacity: writeCapacity(input.ReturnConsumedCapacity, input.TableName, outcome.capacity),
    ItemCollectionMetrics: itemCollectionMetrics(input.ReturnItemCollectionMetrics, outcome, outcome.after!),
  });
}
