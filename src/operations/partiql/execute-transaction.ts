import type { Engine } from '../../engine/engine.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { keyMismatch } from '../../model/keys/key-checks.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { itemSize, valueSize } from '../../model/values/item-size.ts';
import { consumedCapacityShape } from '../consumed-capacity.ts';
import { type Answer, type Caller, operation, type ReadRequest, reading } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { attributeMap, returnConsumedCapacity } from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { list, required, string, structure } from '../shapes/shape.ts';
import { requestToken } from '../transactions/request-token.ts';
import { payloadTooLarge, storedTooLarge } from '../transactions/transact-action.ts';
import { transactWriteAnswer } from '../transactions/transact-write-answer.ts';
import { statementIntent } from './statement-intent.ts';
import { readParameters } from './statement-request.ts';
import {
  inStatement,
  parameterizedStatement,
  readTransactMember,
  type TransactMember,
  transactReadAction,
  transactReadAnswer,
  transactWriteAction,
  unrunnable,
} from './transact-members.ts';

/** In the order of TransactWriteItems. */
const executeTransactionShape = inputShape('ExecuteTransaction', {
  ClientRequestToken: string({ min: 1, max: requestLimits.clientRequestTokenLengthMax }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  TransactStatements: required(
    list(parameterizedStatement, { min: 1, max: requestLimits.transactionStatementsMax }),
  ),
});
export interface ExecuteTransactionInput extends InputOf<typeof executeTransactionShape> {}

const executeTransactionOutput = outputShape({
  Responses: required(list(structure('ItemResponse', { Item: attributeMap }))),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface ExecuteTransactionOutput extends OutputOf<typeof executeTransactionOutput> {}

export const executeTransaction = operation<
  ExecuteTransactionInput,
  ExecuteTransactionOutput,
  ReadRequest<ExecuteTransactionInput, readonly TransactMember[]>
>(
  executeTransactionShape,
  executeTransactionOutput,
  ({ input, request }, road) =>
    request.map(({ statement }, i) =>
      statementIntent(road, statement, input.TransactStatements[i]!, 'ExecuteTransaction'),
    ),
  (road, { input, request: members }) => {
    return whenDone(unrunnable(road, members), (wrong) => {
      if (wrong !== undefined) return wrong;
      return members[0]!.statement.kind === 'select'
        ? executeReads(road, members, input)
        : executeWrites(road, members, input);
    });
  },
  reading(executeTransactionShape, readMembers),
);

/** All parameters are judged before any statement is (observed: public captures, September 2026). */
function readMembers(
  engine: Engine,
  { TransactStatements }: ExecuteTransactionInput,
  caller: Caller,
): readonly TransactMember[] | DynamoError {
  const parameterBytes: number[] = [];
  for (const sent of TransactStatements) {
    const parameters = readParameters(sent);
    if (parameters instanceof DynamoError) return parameters;
    parameterBytes.push(parameters.reduce((bytes, value) => bytes + valueSize(value), 0));
  }
  const members: TransactMember[] = [];
  let bytes = 0;
  for (const [i, sent] of TransactStatements.entries()) {
    const member = readTransactMember(engine, sent, caller);
    if (member instanceof DynamoError) return inStatement(i, member);
    members.push(member);
    const { statement } = member;
    bytes += statement.kind === 'insert' ? itemSize(statement.item) : parameterBytes[i]!;
  }
  const reads = members.filter(({ statement }) => statement.kind === 'select').length;
  if (reads > 0 && reads < members.length) {
    return validationError(
      'ExecuteTransaction API does not support both read and write operations in the same request.',
    );
  }
  return payloadTooLarge(bytes) ?? members;
}

function executeReads(
  road: RequestRoad,
  members: readonly TransactMember[],
  { ReturnConsumedCapacity }: ExecuteTransactionInput,
): MaybePromise<Answer> {
  const { engine } = road;
  const found = engine.transactRead(
    road,
    members.map((member) => transactReadAction(engine, member)),
  );
  return whenDone(found, (read) => {
    if (read instanceof DynamoError) return read;
    return storedTooLarge(read.stored) ?? transactReadAnswer(road, members, read, ReturnConsumedCapacity);
  });
}

function executeWrites(
  road: RequestRoad,
  members: readonly TransactMember[],
  input: ExecuteTransactionInput,
): MaybePromise<Answer> {
  const { engine, caller } = road;
  const { ClientRequestToken } = input;
  const done = engine.transactWrite(road, {
    actions: members.map((member) => transactWriteAction(member, keyMismatch())),
    ...(ClientRequestToken !== undefined && {
      token: requestToken(ClientRequestToken, input, caller),
    }),
  });
  return whenDone(done, (result): Answer => {
    if (result instanceof DynamoError) return result;
    const actions = members.map(({ statement: { source } }) => ({
      tableName: source.table,
      item: new Map(),
    }));
    // Unlike reads, writes have no response each (observed: public captures, four Regions, October 2026).
    return { Responses: [], ...transactWriteAnswer(actions, result, input) };
  });
}
