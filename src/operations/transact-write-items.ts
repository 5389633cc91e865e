import type { Engine } from '../engine/engine.ts';
import { DynamoError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { operation } from './operation.ts';
import { requestToken } from './request-token.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ReturnConsumedCapacity, ReturnItemCollectionMetrics } from './shapes/item-input.ts';
import {
  attributeMap,
  expressionNames,
  returnConsumedCapacity,
  returnItemCollectionMetrics,
  returnValuesOnConditionCheckFailure,
  tableName,
} from './shapes/item-shapes.ts';
import { list, required, string, structure } from './shapes/shape.ts';
import { tableReferences } from './table-reference.ts';
import {
  payloadTooLarge,
  readAction,
  type TransactWriteItem,
  transactAction,
  type WriteAction,
} from './transact-action.ts';
import { transactWriteAnswer } from './transact-write-answer.ts';

export interface TransactWriteItemsInput {
  readonly TransactItems: readonly TransactWriteItem[];
  readonly ClientRequestToken?: string;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ReturnItemCollectionMetrics?: ReturnItemCollectionMetrics;
}

const conditionMembers = {
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
};

/** That the token is reported before ReturnConsumedCapacity was observed in 2026; where TransactItems stands was not. */
export const transactWriteItemsShape = inputShape<TransactWriteItemsInput>('TransactWriteItems', {
  ClientRequestToken: string({ min: 1, max: requestLimits.clientRequestTokenLengthMax }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  TransactItems: required(
    list(
      structure('TransactWriteItem', {
        ConditionCheck: structure('ConditionCheck', {
          TableName: required(tableName),
          Key: required(attributeMap),
          ...conditionMembers,
          ConditionExpression: required(string()),
        }),
        Put: structure('Put', {
          TableName: required(tableName),
          Item: required(attributeMap),
          ...conditionMembers,
        }),
        Delete: structure('Delete', {
          TableName: required(tableName),
          Key: required(attributeMap),
          ...conditionMembers,
        }),
        Update: structure('Update', {
          TableName: required(tableName),
          Key: required(attributeMap),
          UpdateExpression: required(string()),
          ...conditionMembers,
        }),
      }),
      { min: 1, max: requestLimits.transactionItemsMax },
    ),
  ),
});

export const transactWriteItems = operation(transactWriteItemsShape, (road, input) => {
  const { engine, caller } = road;
  const actions = readActions(engine, input);
  if (actions instanceof DynamoError) return actions;
  const references = tableReferences(
    actions.map(({ tableName }) => tableName),
    caller,
  );
  if (references instanceof DynamoError) return references;
  const { ClientRequestToken } = input;
  const done = engine.transactWrite(road, {
    actions: actions.map((action, i) => transactAction(action, references[i]!)),
    ...(ClientRequestToken !== undefined && {
      token: requestToken(ClientRequestToken, input, caller),
    }),
  });
  return whenDone(done, (result) =>
    result instanceof DynamoError ? result : transactWriteAnswer(actions, result, input),
  );
});

/** Step 10: the first action with a defect is told, whatever it is, in the bare words of the older layer. */
function readActions(
  engine: Engine,
  { TransactItems }: TransactWriteItemsInput,
): WriteAction[] | DynamoError {
  const actions: WriteAction[] = [];
  let bytes = 0;
  for (const sent of TransactItems) {
    const action = readAction(engine, sent);
    if (action instanceof DynamoError) return action;
    actions.push(action);
    bytes += action.payloadBytes;
  }
  return payloadTooLarge(bytes) ?? actions;
}
