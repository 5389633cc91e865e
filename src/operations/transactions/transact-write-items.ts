import type { Engine } from '../../engine/engine.ts';
import type { Intent } from '../../model/access/intent.ts';
import { DynamoError } from '../../model/errors.ts';
import { requestLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { consumedCapacityShape } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { itemCollectionMetricsShape } from '../items/item-collection-metrics.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { writtenItem } from '../requested-items.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { returnConsumedCapacity, returnItemCollectionMetrics } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, map, required, string } from '../shapes/shape.ts';
import { tableReferences } from '../table-reference.ts';
import { requestToken } from './request-token.ts';
import {
  payloadTooLarge,
  readAction,
  transactAction,
  transactWriteItem,
  type WriteAction,
} from './transact-action.ts';
import { transactWriteAnswer } from './transact-write-answer.ts';

/**
 * The token is reported before ReturnConsumedCapacity (observed: public captures, 2026). The position of TransactItems
 * (guess).
 */
export const transactWriteItemsShape = inputShape('TransactWriteItems', {
  ClientRequestToken: string({ min: 1, max: requestLimits.clientRequestTokenLengthMax }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  ReturnItemCollectionMetrics: returnItemCollectionMetrics,
  TransactItems: required(list(transactWriteItem, { min: 1, max: requestLimits.transactionItemsMax })),
});
export interface TransactWriteItemsInput extends InputOf<typeof transactWriteItemsShape> {}

const transactWriteItemsOutput = outputShape({
  ConsumedCapacity: list(consumedCapacityShape),
  ItemCollectionMetrics: map(list(itemCollectionMetricsShape)),
});
export interface TransactWriteItemsOutput extends OutputOf<typeof transactWriteItemsOutput> {}

export const transactWriteItems = operation<
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
  ReadRequest<TransactWriteItemsInput, readonly WriteAction[]>
>(
  transactWriteItemsShape,
  transactWriteItemsOutput,
  ({ input, request }, road) => request.map((action) => actionIntent(road, action, input)),
  (road, { input, request: actions }) => {
    const { engine, caller } = road;
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
  },
  reading(transactWriteItemsShape, readActions),
);

/** A transaction has no action of its own: each of its parts is authorized as what it does to its table. */
function actionIntent(
  road: RequestRoad,
  action: WriteAction,
  { ReturnConsumedCapacity }: TransactWriteItemsInput,
): Intent {
  return tableIntent(road, action.tableName, {
    action: actionNames[action.kind],
    enclosing: road.operation,
    items: writtenItem(action, { ...action.shown, ReturnConsumedCapacity }),
  });
}

const actionNames = {
  check: 'ConditionCheckItem',
  put: 'PutItem',
  delete: 'DeleteItem',
  update: 'UpdateItem',
} as const;

/**
 * Checks the actions before the tables are known. The first action with an error of any kind determines the answer, with the texts of the older layer, which
 * have no envelope.
 */
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
