import type { Consumed } from '../../engine/consumed.ts';
import type { Engine } from '../../engine/engine.ts';
import { itemTouch, passed, type Road, type Touch } from '../../engine/road.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import { onTables } from '../../engine/tables/table-requests.ts';
import { DynamoError, type ErrorName, validationError } from '../../model/errors.ts';
import { tableKey } from '../../model/keys/keys.ts';
import { requestLimits } from '../../model/limits.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import { primaryKeyOf } from '../../model/tables/table-schema.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import { consumedCapacity, consumedCapacityShape } from '../consumed-capacity.ts';
import { type Answer, operation, RawJson, type ReadRequest, reading } from '../operation.ts';
import type { RequestRoad } from '../request-road.ts';
import { readConsistency } from '../search/read-target.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  returnConsumedCapacity,
  returnValuesOnConditionCheckFailure,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import { boolean, list, required, string, structure } from '../shapes/shape.ts';
import type { InputValue, Named, OutputValue } from '../shapes/shape-types.ts';
import type { TableReference } from '../table-reference.ts';
import {
  checkOneKind,
  type Member,
  memberKey,
  planMemberRead,
  planMemberWrite,
  type RunnableMember,
  readMember,
} from './batch-members.ts';
import { selectedItem } from './select-answer.ts';
import { statementIntent, unreadableStatement } from './statement-intent.ts';
import { statementMembers } from './statement-request.ts';
import { returnedBy, type WriteStatement } from './write-plan.ts';

const batchStatementRequest = structure('BatchStatementRequest', {
  ...statementMembers,
  ConsistentRead: boolean,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
});
export interface BatchStatementRequest extends InputValue<typeof batchStatementRequest> {}

const batchExecuteStatementShape = inputShape('BatchExecuteStatement', {
  Statements: required(list(batchStatementRequest, { min: 1, max: requestLimits.batchStatementsMax })),
  ReturnConsumedCapacity: returnConsumedCapacity,
});
export interface BatchExecuteStatementInput extends InputOf<typeof batchExecuteStatementShape> {}

const anonymousResponse = structure('BatchStatementResponse', {
  Error: structure('BatchStatementError', {
    Code: required(string()),
    Message: string(),
  }),
  TableName: string(),
  Item: attributeMap,
});
export interface BatchStatementResponse extends OutputValue<typeof anonymousResponse> {}
const batchStatementResponse: Named<BatchStatementResponse, typeof anonymousResponse> = anonymousResponse;

const batchExecuteStatementOutput = outputShape({
  Responses: required(list(batchStatementResponse)),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface BatchExecuteStatementOutput extends OutputOf<typeof batchExecuteStatementOutput> {}

export const batchExecuteStatement = operation<
  BatchExecuteStatementInput,
  BatchExecuteStatementOutput,
  ReadRequest<BatchExecuteStatementInput, readonly Member[]>
>(
  batchExecuteStatementShape,
  batchExecuteStatementOutput,
  ({ input, request }, road) =>
    request.map((member, i) =>
      member instanceof DynamoError
        ? unreadableStatement(road)
        : statementIntent(road, member.statement, input.Statements[i]!),
    ),
  (road, { input, request }) => {
    const { engine } = road;
    const members = request.map((member, i) => road.denials[i] ?? member);
    const mixed = checkOneKind(members);
    if (mixed !== undefined) return mixed;
    const runnable = members.filter((member): member is RunnableMember => !(member instanceof DynamoError));
    return onTables<readonly (Touch | undefined)[], Answer, Table | DynamoError>(engine, road, {
      names: runnable.map(({ reference }) => reference),
      plansMissing: true,
      plan: (tables) => memberTouches(engine, runnable, tables),
      touches: (touches) => touches.filter((touch) => touch !== undefined),
      refused: ({ isWhole, first, each }, touches) => {
        if (isWhole) return first;
        const errors = [...each];
        const refused = touches.map((touch) => (touch === undefined ? undefined : errors.shift()));
        return run(touches, refused);
      },
      run: (touches) => run(touches, []),
    });

    /** `touches` and `refused` are those of the runnable statements, in their order. */
    function run(
      touches: readonly (Touch | undefined)[],
      refused: readonly (DynamoError | undefined)[],
    ): MaybePromise<Answer> {
      const runs = members.map((member, i) => (): MaybePromise<Done> => {
        if (member instanceof DynamoError) return { error: member };
        const position = runnable.indexOf(member);
        const error = refused[position];
        if (error !== undefined) return { error };
        // A statement that could not be planned has not passed. Should its table have changed, it passes by itself.
        const ownRoad = touches[position] === undefined ? road : passed(road);
        return runMember(road, ownRoad, member, input.Statements[i]!);
      });
      return whenDone(engine.eachApart(runs), (results) =>
        batchAnswer(
          members,
          results.map((result) => (result instanceof DynamoError ? { error: result } : result)),
          input,
        ),
      );
    }
  },
  reading(batchExecuteStatementShape, (engine, { Statements }, caller) =>
    Statements.map((statement) => readMember(engine, statement, caller)),
  ),
);

/**
 * The touch of each statement that can be planned; the others have errors of their own later. That an item is not named
 * twice is certain of the service; that this is its text is taken from BatchGetItem.
 */
function memberTouches(
  { clock, h16 }: Engine,
  members: readonly RunnableMember[],
  tables: readonly (Table | DynamoError)[],
): readonly (Touch | undefined)[] | DynamoError {
  const seen = new Set<string>();
  const touches: (Touch | undefined)[] = [];
  for (const [i, member] of members.entries()) {
    const table = tables[i]!;
    const key = table instanceof DynamoError ? undefined : memberKey(table, member, nowMs(clock));
    if (table instanceof DynamoError || key === undefined) {
      touches.push(undefined);
      continue;
    }
    const storeKey = tableKey(table.prefix, primaryKeyOf(table.schema, key), h16);
    const id = toHex(storeKey);
    if (seen.has(id)) return validationError('Provided list of item keys contains duplicates');
    seen.add(id);
    touches.push(itemTouch(member.statement.kind === 'select' ? 'read' : 'write', table, storeKey, key));
  }
  return touches;
}

/** What became of one statement. */
type Done =
  | { readonly json: Uint8Array | undefined; readonly consumed: Consumed }
  | { readonly error: DynamoError; readonly consumed?: Consumed };

function runMember(
  road: RequestRoad,
  ownRoad: Road,
  { statement, reference }: RunnableMember,
  { ConsistentRead }: BatchStatementRequest,
): MaybePromise<Done> {
  const { engine } = road;
  if (statement.kind !== 'select') return runWrite(road.engine, ownRoad, statement, reference);
  const read = engine.readItem(ownRoad, reference, readConsistency(ConsistentRead), (table) =>
    planMemberRead(table, statement, ConsistentRead, nowMs(engine.clock)),
  );
  return whenDone(read, (found): Done => {
    if (found instanceof DynamoError) return { error: found };
    const { stored, consumed } = found;
    if (stored === undefined) return { json: undefined, consumed };
    road.returns(1, readItemBytes(stored));
    return { json: selectedItem(stored, statement.columns), consumed };
  });
}

/** A write that its item forbids is charged too, and its answer tells so. */
function runWrite(
  engine: Engine,
  road: Road,
  statement: WriteStatement,
  reference: TableReference,
): MaybePromise<Done> {
  let charged: Consumed | undefined;
  const ofStatement: Road = {
    pass: (touches) => road.pass(touches),
    rejudge: (tables) => road.rejudge(tables),
    indexRefusal: road.indexRefusal,
    chargeEach: (table, access, consumed) => road.chargeEach(table, access, consumed),
    chargeTogether: (charges) => road.chargeTogether(charges),
    countThrottle: (throttle) => road.countThrottle(throttle),
    charge(table, access, consumed) {
      charged = consumed;
      road.charge(table, access, consumed);
    },
  };
  const written = engine.writeItem(ofStatement, reference, (table) => planMemberWrite(table, statement));
  return whenDone(written, (outcome): Done => {
    if (outcome instanceof DynamoError) return { error: outcome, ...(charged && { consumed: charged }) };
    return { json: returnedBy(statement, outcome), consumed: outcome.consumed };
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
 * its table; all others do (observed: public captures, 2026). Capacities are listed in the order of the statements too.
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
    const capacity = result.consumed && consumedCapacity(ReturnConsumedCapacity, table, result.consumed);
    if (capacity !== undefined) capacities.push(capacity);
    if ('error' in result) {
      const { name, message } = result.error;
      const error = { Code: codes[name] ?? 'InternalServerError', Message: message };
      chunks.push(
        JSON.stringify({ Error: error, TableName: result.consumed === undefined ? undefined : table }),
      );
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
