import type { Select, Statement } from '../../expressions/partiql/resolve-statement.ts';
import { DynamoError } from '../../model/errors.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { consumedCapacity, consumedCapacityShape } from '../consumed-capacity.ts';
import { type Answer, operation, type ReadRequest, reading } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  returnConsumedCapacity,
  returnValuesOnConditionCheckFailure,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, integer, list, required, string } from '../shapes/shape.ts';
import { type TableReference, tableReference } from '../table-reference.ts';
import { tokenMismatch } from './next-token.ts';
import { runSelect } from './run-select.ts';
import { itemsAnswer, selectedJson } from './select-answer.ts';
import { statementIntent } from './statement-intent.ts';
import { existsElsewhere, readStatement, statementMembers } from './statement-request.ts';
import { planWrite, returnedBy, type WriteStatement } from './write-plan.ts';

/** Several broken constraints are listed in the order of the model (inferred). */
const executeStatementShape = inputShape('ExecuteStatement', {
  ...statementMembers,
  ConsistentRead: boolean,
  NextToken: string({ min: 1, max: requestLimits.nextTokenLengthMax }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  Limit: integer({ min: requestLimits.limitMin }),
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
});
export interface ExecuteStatementInput extends InputOf<typeof executeStatementShape> {}

const executeStatementOutput = outputShape({
  Items: required(list(attributeMap)),
  NextToken: string(),
  LastEvaluatedKey: attributeMap,
  ConsumedCapacity: consumedCapacityShape,
});
export interface ExecuteStatementOutput extends OutputOf<typeof executeStatementOutput> {}

export const executeStatement = operation<
  ExecuteStatementInput,
  ExecuteStatementOutput,
  ReadRequest<ExecuteStatementInput, Statement>
>(
  executeStatementShape,
  executeStatementOutput,
  ({ input, request }, road) => [statementIntent(road, request, input)],
  (road, { input, request: statement }) => {
    const { caller } = road;
    if (statement.kind === 'exists') return existsElsewhere();
    const reference = tableReference(statement.source.table, caller);
    if (reference instanceof DynamoError) return reference;
    return statement.kind === 'select'
      ? executeSelect(road, statement, input, reference)
      : executeWrite(road, statement, input, reference);
  },
  reading(executeStatementShape, readStatement),
);

function executeSelect(
  road: RequestRoad,
  select: Select,
  input: ExecuteStatementInput,
  reference: TableReference,
): MaybePromise<Answer> {
  const selected = runSelect(road, reference, {
    select,
    consistent: input.ConsistentRead,
    limit: input.Limit,
    token: input.NextToken,
    binding: { statement: input.Statement, parameters: input.Parameters },
  });
  return whenDone(selected, (done): MaybePromise<Answer> => {
    if (done instanceof DynamoError) return done;
    return whenDone(selectedJson(done.found, select.columns, road.engine.slices), (items): Answer => {
      const read = done.found.reduce((count, { entries }) => count + entries.length, 0);
      road.returns(items.length, done.bytes, read);
      return itemsAnswer(items, {
        NextToken: done.next?.token,
        ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, select.source.table, done.consumed),
        LastEvaluatedKey: done.next?.lastKey,
      });
    });
  });
}

function executeWrite(
  road: RequestRoad,
  statement: WriteStatement,
  input: ExecuteStatementInput,
  reference: TableReference,
): MaybePromise<Answer> {
  if (input.NextToken !== undefined) return tokenMismatch();
  const showsItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  const written = road.engine.writeItem(road, reference, (table) => planWrite(table, statement, showsItem));
  return whenDone(written, (outcome): Answer => {
    if (outcome instanceof DynamoError) return outcome;
    const returned = returnedBy(statement, outcome);
    return itemsAnswer(returned === undefined ? [] : [returned], {
      ConsumedCapacity: consumedCapacity(
        input.ReturnConsumedCapacity,
        statement.source.table,
        outcome.consumed,
      ),
    });
  });
}
