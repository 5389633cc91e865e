import { nowMs } from '../engine/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Table } from '../engine/table-record.ts';
import { unlessStale } from '../engine/table-requests.ts';
import type { WriteCapacity } from '../engine/write-item.ts';
import { DynamoError, type ErrorName, validationError } from '../model/errors.ts';
import { requestLimits } from '../model/limits.ts';
import { type MaybePromise, whenAllDone, whenDone } from '../model/maybe-promise.ts';
import { readItemBytes } from '../model/stored-item.ts';
import { itemWriteUnits, readUnits } from '../physics/units.ts';
import { writeCapacity } from './consumed-capacity.ts';
import { operation, RawJson } from './operation.ts';
import {
  checkOneKind,
  itemId,
  type Member,
  planMemberRead,
  planMemberWrite,
  type RunnableMember,
  readMember,
} from './partiql/batch-members.ts';
import { selectedJson } from './partiql/select-answer.ts';
import { type StatementInput, statementParameters, statementText } from './partiql/statement-request.ts';
import { returnedBy, type WriteStatement } from './partiql/write-plan.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure } from './shapes/item-input.ts';
import { returnConsumedCapacity, returnValuesOnConditionCheckFailure } from './shapes/item-shapes.ts';
import { boolean, list, required, structure } from './shapes/shape.ts';

export interface BatchStatementRequest extends StatementInput {
  readonly ConsistentRead?: boolean;
  readonly ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure;
}

export interface BatchExecuteStatementInput {
  readonly Statements: readonly BatchStatementRequest[];
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
}

export const batchExecuteStatementShape = inputShape<BatchExecuteStatementInput>('BatchExecuteStatement', {
  Statements: required(
    list(
      structure('BatchStatementRequest', {
        Statement: required(statementText),
        Parameters: statementParameters,
        ConsistentRead: boolean,
        ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
      }),
      { min: 1, max: requestLimits.batchStatementsMax },
    ),
  ),
  ReturnConsumedCapacity: returnConsumedCapacity,
});

export const batchExecuteStatement = operation(batchExecuteStatementShape, (engine, input, caller) => {
  const members = input.Statements.map((statement) => readMember(engine, statement, caller));
  const mixed = checkOneKind(members);
  if (mixed !== undefined) return mixed;
  return whenDone(checkNoneTwice(engine, members), (twice) => {
    if (twice !== undefined) return twice;
    const runs = members.map(
      (member, i) => (): MaybePromise<Done> =>
        member instanceof DynamoError ? { error: member } : runMember(engine, member, input.Statements[i]!),
    );
    return whenDone(engine.eachApart(runs), (results) =>
      batchAnswer(
        members,
        results.map((result) => (result instanceof DynamoError ? { error: result } : result)),
        input,
      ),
    );
  });
});

/** That an item is not named twice is certain of the service; that this is its text is taken from BatchGetItem. */
function checkNoneTwice(engine: Engine, members: readonly Member[]): MaybePromise<DynamoError | undefined> {
  const runnable = members.filter((member): member is RunnableMember => !(member instanceof DynamoError));
  const tables = runnable.map(({ reference }) => engine.table(reference.scope, reference.tableName));
  return whenDone(whenAllDone(tables), (found) => {
    const seen = new Set<string>();
    for (const [i, table] of found.entries()) {
      const id = table instanceof DynamoError ? undefined : itemId(table, runnable[i]!, nowMs(engine.clock));
      if (id === undefined) continue;
      if (seen.has(id)) {
        const twice = validationError('Provided list of item keys contains duplicates');
        return unlessStale(engine, table as Table, twice, () => checkNoneTwice(engine, members));
      }
      seen.add(id);
    }
    return undefined;
  });
}

/** What became of one statement. */
type Done =
  | { readonly json: Uint8Array | undefined; readonly capacity: WriteCapacity }
  | { readonly error: DynamoError; readonly capacity?: WriteCapacity; readonly ran?: boolean };

function runMember(
  engine: Engine,
  { statement, reference }: RunnableMember,
  { ConsistentRead }: BatchStatementRequest,
): MaybePromise<Done> {
  if (statement.kind !== 'select') return runWrite(engine, statement, reference);
  const read = engine.readItem(reference.scope, reference.tableName, (table) =>
    planMemberRead(table, statement, ConsistentRead, nowMs(engine.clock)),
  );
  return whenDone(read, (stored): Done => {
    if (stored instanceof DynamoError) return { error: stored };
    const bytes = stored === undefined ? 0 : readItemBytes(stored);
    const units = readUnits(bytes, ConsistentRead === true ? 'strong' : 'eventual');
    const found = stored === undefined ? [] : [{ entries: [stored], filter: undefined, seen: undefined }];
    return { json: selectedJson(found, statement.columns)[0], capacity: { table: units, indexes: [] } };
  });
}

/** A write that its item forbids is charged like one that is done, by the item that was there. */
function runWrite(
  engine: Engine,
  statement: WriteStatement,
  { scope, tableName }: RunnableMember['reference'],
): MaybePromise<Done> {
  // What the write met last: `next` may run again, and the last time counts.
  let met: { readonly bytes: number | undefined } | undefined;
  const written = engine.writeItem(scope, tableName, (table) => {
    const write = planMemberWrite(table, statement);
    if (write instanceof DynamoError) return write;
    return {
      ...write,
      next(before, beforeBytes) {
        met = { bytes: before && beforeBytes };
        return write.next(before, beforeBytes);
      },
    };
  });
  return whenDone(written, (outcome): Done => {
    if (!(outcome instanceof DynamoError)) {
      return { json: returnedBy(statement, outcome), capacity: outcome.capacity };
    }
    if (met === undefined) return { error: outcome };
    const units = itemWriteUnits(met.bytes, undefined);
    return { error: outcome, capacity: { table: units, indexes: [] }, ran: true };
  });
}

/** The codes of statements' errors are the exceptions' names, shortened. */
const codes: Readonly<Partial<Record<ErrorName, string>>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ItemCollectionSizeLimitExceededException: 'ItemCollectionSizeLimitExceeded',
  RequestLimitExceeded: 'RequestLimitExceeded',
  ValidationException: 'ValidationError',
  ProvisionedThroughputExceededException: 'ProvisionedThroughputExceeded',
  TransactionConflictException: 'TransactionConflict',
  ThrottlingException: 'ThrottlingError',
  ResourceNotFoundException: 'ResourceNotFound',
  AccessDeniedException: 'AccessDenied',
  DuplicateItemException: 'DuplicateItem',
};

/**
 * One response for each statement, in their order. A statement that was refused before it met its item does not name
 * its table; all others do (seen in 2026). Capacities are listed in the order of the statements too.
 */
function batchAnswer(
  members: readonly Member[],
  results: readonly Done[],
  { ReturnConsumedCapacity }: BatchExecuteStatementInput,
): RawJson {
  const chunks: (string | Uint8Array)[] = ['{"Responses":['];
  const capacities: object[] = [];
  for (const [i, result] of results.entries()) {
    if (i > 0) chunks.push(',');
    const member = members[i]!;
    const table = member instanceof DynamoError ? '' : member.statement.source.table;
    const capacity = result.capacity && writeCapacity(ReturnConsumedCapacity, table, result.capacity);
    if (capacity !== undefined) capacities.push(capacity);
    if ('error' in result) {
      const { name, message } = result.error;
      const error = { Code: codes[name] ?? 'InternalServerError', Message: message };
      chunks.push(JSON.stringify({ Error: error, TableName: result.ran ? table : undefined }));
    } else if (result.json === undefined) {
      chunks.push(JSON.stringify({ TableName: table }));
    } else {
      chunks.push(`{"TableName":${JSON.stringify(table)},"Item":`, result.json, '}');
    }
  }
  const consumed = capacities.length === 0 ? '' : `,"ConsumedCapacity":${JSON.stringify(capacities)}`;
  chunks.push(`]${consumed}}`);
  return new RawJson(chunks);
}
