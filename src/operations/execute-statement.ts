import type { Select } from '../expressions/partiql/resolve-statement.ts';
import { DynamoError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { consumedCapacity } from './consumed-capacity.ts';
import { type Answer, operation } from './operation.ts';
import { tokenMismatch } from './partiql/next-token.ts';
import { runSelect } from './partiql/run-select.ts';
import { itemsAnswer, selectedJson } from './partiql/select-answer.ts';
import {
  existsElsewhere,
  readStatement,
  type StatementInput,
  statementParameters,
  statementText,
} from './partiql/statement-request.ts';
import { planWrite, returnedBy, type WriteStatement } from './partiql/write-plan.ts';
import type { RequestRoad } from './request-road.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure } from './shapes/item-input.ts';
import { returnConsumedCapacity, returnValuesOnConditionCheckFailure } from './shapes/item-shapes.ts';
import { boolean, integer, required, string } from './shapes/shape.ts';
import { type TableReference, tableReference } from './table-reference.ts';

export interface ExecuteStatementInput extends StatementInput {
  readonly ConsistentRead?: boolean;
  readonly NextToken?: string;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly Limit?: number;
  readonly ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure;
}

/** The order of the model; in which the service lists several broken constraints was not observed. */
export const executeStatementShape = inputShape<ExecuteStatementInput>('ExecuteStatement', {
  Statement: required(statementText),
  Parameters: statementParameters,
  ConsistentRead: boolean,
  NextToken: string({ min: 1, max: requestLimits.nextTokenLengthMax }),
  ReturnConsumedCapacity: returnConsumedCapacity,
  Limit: integer({ min: requestLimits.limitMin }),
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
});

export const executeStatement = operation(executeStatementShape, (road, input) => {
  const { engine, caller } = road;
  const statement = readStatement(engine, input);
  if (statement instanceof DynamoError) return statement;
  if (statement.kind === 'exists') return existsElsewhere();
  const reference = tableReference(statement.source.table, caller);
  if (reference instanceof DynamoError) return reference;
  return statement.kind === 'select'
    ? executeSelect(road, statement, input, reference)
    : executeWrite(road, statement, input, reference);
});

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
  return whenDone(selected, (done): Answer => {
    if (done instanceof DynamoError) return done;
    return itemsAnswer(selectedJson(done.found, select.columns), {
      NextToken: done.next?.token,
      ConsumedCapacity: consumedCapacity(input.ReturnConsumedCapacity, select.source.table, done.consumed),
      LastEvaluatedKey: done.next?.lastKey,
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
