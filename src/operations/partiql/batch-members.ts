import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { ItemWrite } from '../../engine/writes/write-item.ts';
import type { Select, Statement } from '../../expressions/partiql/resolve-statement.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import type { Caller } from '../operation.ts';
import { findTarget } from '../search/read-target.ts';
import { type TableReference, tableReference } from '../table-reference.ts';
import { checkKeyOfIndex, planSelect } from './select-plan.ts';
import { existsElsewhere, readStatement, type StatementInput } from './statement-request.ts';
import { planWrite, type WriteStatement } from './write-plan.ts';

/** A statement of a batch that can be run, or why it cannot be. */
export type Member = RunnableMember | DynamoError;

export interface RunnableMember {
  readonly statement: Select | WriteStatement;
  readonly reference: TableReference;
}

export function readMember(engine: Engine, input: StatementInput, caller: Caller): Member {
  const statement: Statement | DynamoError = readStatement(engine, input);
  if (statement instanceof DynamoError) return statement;
  if (statement.kind === 'exists') return existsElsewhere();
  const reference = tableReference(statement.source.table, caller);
  return reference instanceof DynamoError ? reference : { statement, reference };
}

/** Reads and writes do not go together; what cannot be read as a statement is neither. */
export function checkOneKind(members: readonly Member[]): DynamoError | undefined {
  const kinds = members.flatMap((member) => (member instanceof DynamoError ? [] : [member.statement.kind]));
  const reads = kinds.filter((kind) => kind === 'select').length;
  if (reads === 0 || reads === kinds.length) return undefined;
  return validationError('Read and write requests together in the same batch is not supported.');
}

/** The key that a SELECT of a batch reads: the whole key of the table, and nothing besides. */
export function planMemberRead(
  table: Table,
  select: Select,
  consistent: boolean | undefined,
  nowMs: number,
): Item | DynamoError {
  const { source, columnProblem } = select;
  if (source.index !== undefined)
    return checkKeyOfIndex(findTarget(table, source.index)) ?? columnProblem ?? keyNeeded();
  const plan = planSelect(table, select, consistent, nowMs);
  if (plan instanceof DynamoError) return plan;
  return plan.kind === 'get' ? plan.key : keyNeeded();
}

function keyNeeded(): DynamoError {
  return validationError(
    'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
  );
}

/** Per-statement ReturnValuesOnConditionCheckFailure has no effect on the service (observed: public captures, 2026). */
export function planMemberWrite(table: Table, statement: WriteStatement): ItemWrite | DynamoError {
  return planWrite(table, statement, false);
}

/** The key of the item that a statement names; undefined when the statement cannot be planned on its table. */
export function memberKey(table: Table, { statement }: RunnableMember, nowMs: number): Item | undefined {
  const plan =
    statement.kind === 'select'
      ? planMemberRead(table, statement, undefined, nowMs)
      : planMemberWrite(table, statement);
  if (plan instanceof DynamoError) return undefined;
  return 'next' in plan ? plan.key : plan;
}
