import type { Engine } from '../../engine/engine.ts';
import { looking } from '../../engine/road.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { onTables } from '../../engine/tables/table-requests.ts';
import type { ActionPlan, TransactAction } from '../../engine/transactions/transact-actions.ts';
import type { TransactRead } from '../../engine/transactions/transact-items.ts';
import type { WritePlan } from '../../engine/transactions/transact-unit.ts';
import type { Statement } from '../../expressions/partiql/resolve-statement.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { keyMismatch } from '../../model/keys/key-checks.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { nowMs } from '../../runtime/clock.ts';
import { transactCapacities } from '../consumed-capacity.ts';
import { type Caller, RawJson } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { type ReturnConsumedCapacity, returnValuesOnConditionCheckFailure } from '../shapes/item-shapes.ts';
import { structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import { type TableReference, tableReference } from '../table-reference.ts';
import { isKeyTypeMismatch } from './key-reads.ts';
import { selectedItem } from './select-answer.ts';
import { planSelect } from './select-plan.ts';
import { readStatement, statementMembers } from './statement-request.ts';
import { isItemCheck, planCheck, planWrite } from './write-plan.ts';

export const parameterizedStatement = structure('ParameterizedStatement', {
  ...statementMembers,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
});
export interface ParameterizedStatement extends InputValue<typeof parameterizedStatement> {}

/** A statement of a transaction. */
export interface TransactMember {
  readonly statement: Statement;
  readonly reference: TableReference;
  readonly showsItem: boolean;
}

export function readTransactMember(
  engine: Engine,
  sent: ParameterizedStatement,
  caller: Caller,
): TransactMember | DynamoError {
  const statement = readStatement(engine, sent);
  if (statement instanceof DynamoError) return statement;
  const reference = tableReference(statement.source.table, caller);
  if (reference instanceof DynamoError) return reference;
  return { statement, reference, showsItem: sent.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' };
}

/** What is wrong with one statement, as an error of the whole request. */
export function inStatement(position: number, { name, message, fields }: DynamoError): DynamoError {
  if (name !== 'ValidationException') return new DynamoError(name, message, fields);
  return validationError(`Validation failed in TransactStatements[${position}]: ${message}`);
}

/**
 * What refuses a transaction as a whole: a statement that no transaction can have, told of tables that exist; then
 * tables that do not, for which it is cancelled (observed: public captures, the order of the two, September 2026).
 */
export function unrunnable(
  road: RequestRoad,
  members: readonly TransactMember[],
): MaybePromise<DynamoError | undefined> {
  const { engine } = road;
  return onTables<object, undefined, Table | DynamoError>(engine, looking(road), {
    names: members.map(({ reference }) => reference),
    plansMissing: true,
    plan(found) {
      for (const [i, table] of found.entries()) {
        if (table instanceof DynamoError) continue;
        const wrong = unfit(table, members[i]!.statement, nowMs(engine.clock));
        if (wrong !== undefined) return inStatement(i, wrong);
      }
      return found.some((table) => table instanceof DynamoError) ? cancelledForTables(found) : runnable;
    },
    touches: () => [],
    run: () => undefined,
  });
}

const runnable = {};

function unfit(table: Table, statement: Statement, now: number): DynamoError | undefined {
  switch (statement.kind) {
    case 'select': {
      if (statement.source.index !== undefined) {
        return validationError('Reads on indices are not supported within transactions.');
      }
      const plan = planSelect(table, statement, undefined, now);
      if (plan instanceof DynamoError) return isKeyTypeMismatch(plan) ? undefined : plan;
      if (plan.kind === 'get') return undefined;
      return validationError(
        'Select statements within ExecuteTransaction must specify the primary key in the where clause.',
      );
    }
    case 'exists':
      if (statement.source.index !== undefined) {
        return validationError('Operations on indices are not supported in transactions');
      }
      return isItemCheck(table, statement)
        ? undefined
        : validationError('EXISTS() must contain a single item read with additional condition');
    case 'insert':
      return undefined;
    case 'update':
    case 'delete':
      return statement.returning === undefined
        ? undefined
        : validationError('RETURNING clause is not supported in ExecuteTransaction.');
  }
}

/**
 * Unlike TransactWriteItems, which tells a missing table as such, this is cancelled (observed: public captures,
 * September 2026).
 */
function cancelledForTables(found: readonly (Table | DynamoError)[]): DynamoError {
  const reasons = found.map((table) =>
    table instanceof DynamoError ? { Code: 'ResourceNotFound', Message: table.message } : { Code: 'None' },
  );
  return new DynamoError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(', ')}]`,
    { CancellationReasons: reasons },
  );
}

export function transactReadAction(
  engine: Engine,
  { statement, reference }: TransactMember,
): TransactAction<ActionPlan> {
  return {
    ...reference,
    refusal: () => undefined,
    plan(table) {
      if (statement.kind !== 'select') throw new Error('a write among the reads of a transaction');
      const plan = planSelect(table, statement, undefined, nowMs(engine.clock));
      // Whatever else is wrong was told before; a table that changed since then has its key told here.
      return plan instanceof DynamoError || plan.kind !== 'get' ? keyMismatch() : { key: plan.key };
    },
  };
}

export function transactWriteAction(
  { statement, reference, showsItem }: TransactMember,
  wrongKey: DynamoError,
): TransactAction<WritePlan> {
  return {
    ...reference,
    refusal: () => undefined,
    plan(table) {
      if (statement.kind === 'select') throw new Error('a read among the writes of a transaction');
      return statement.kind === 'exists'
        ? planCheck(table, statement, showsItem, wrongKey)
        : planWrite(table, statement, showsItem, wrongKey);
    },
  };
}

/** One response for each statement; a SELECT that finds nothing has an empty one. */
export function transactReadAnswer(
  road: RequestRoad,
  members: readonly TransactMember[],
  { stored, consumed }: TransactRead,
  asked: ReturnConsumedCapacity | undefined,
): RawJson {
  const chunks: (string | Uint8Array)[] = ['{"Responses":['];
  for (const [i, { statement }] of members.entries()) {
    const found = stored[i];
    if (found !== undefined) road.returns(1, readItemBytes(found));
    const columns = statement.kind === 'select' ? statement.columns : undefined;
    if (i > 0) chunks.push(',');
    if (found === undefined) chunks.push('{}');
    else chunks.push('{"Item":', selectedItem(found, columns), '}');
  }
  const tableNames = members.map(({ statement }) => statement.source.table);
  const capacities = transactCapacities(asked, tableNames, consumed, 'ReadCapacityUnits');
  const told = capacities.length === 0 ? '' : `,"ConsumedCapacity":${JSON.stringify(capacities)}`;
  chunks.push(`]${told}}`);
  return new RawJson(chunks);
}
