import type { Engine } from '../../engine/engine.ts';
import { checkFilterKeys, checkScalarKeys, pathsOf } from '../../expressions/key-paths.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { checkKeyValueSizes } from '../../model/keys/key-checks.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import { nowMs } from '../../runtime/clock.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import { legacyConditions, readMembers } from '../shapes/read-shapes.ts';
import { boolean, string } from '../shapes/shape.ts';
import { tableReference } from '../table-reference.ts';
import { type AnswerPlan, type PageOutput, pageAnswer, pageOutput } from './page-answer.ts';
import { PageItems } from './page-items.ts';
import { queryPlan } from './query-plan.ts';
import { readSearchRequest, type SearchRequest } from './read-request.ts';
import { checkAllAttributes, checkProjected, needsItems } from './read-selection.ts';
import {
  checkConsistency,
  checkReadable,
  findTarget,
  noSuchIndex,
  type ReadTarget,
  readConsistency,
} from './read-target.ts';
import { searchIntent } from './search-intent.ts';
import { isOneItemPerPartition, queryCondition } from './start-key.ts';

export const queryShape = inputShape(
  'Query',
  {
    ...readMembers,
    ScanIndexForward: boolean,
    KeyConditions: legacyConditions,
    QueryFilter: legacyConditions,
    KeyConditionExpression: string(),
  },
  { layer: 'newer', enums: 'first-bare' },
);
export interface QueryInput extends InputOf<typeof queryShape> {}

export interface QueryOutput extends PageOutput {}

type QueryRequest = SearchRequest & { readonly keyClauses: NonNullable<SearchRequest['keyClauses']> };

export const query = operation<QueryInput, QueryOutput, ReadRequest<QueryInput, QueryRequest>>(
  queryShape,
  pageOutput,
  ({ input, request }, road) => [searchIntent(road, input, request)],
  (road, { input, request }) => {
    const { engine, caller } = road;
    const reference = tableReference(input.TableName, caller);
    if (reference instanceof DynamoError) return reference;
    const read = engine.readPage(road, reference, (table, h16): AnswerPlan | DynamoError => {
      const target = findTarget(table, input.IndexName);
      if (target === undefined) return noSuchIndex(input.IndexName!);
      const { startKey, keyClauses, projection } = request;
      const unreadable =
        checkReadable(target, nowMs(engine.clock)) ?? checkConsistency(target, input.ConsistentRead);
      if (unreadable !== undefined) return unreadable;
      const condition = queryCondition(target, keyClauses, startKey);
      if (condition instanceof DynamoError) return condition;
      const wrong = checkAgainstSchema(target, input, request) ?? checkKeyValueSizes(condition);
      if (wrong !== undefined) return wrong;
      return queryPlan(
        target,
        condition,
        {
          startKey,
          limit: input.Limit,
          reverse: input.ScanIndexForward === false,
          fetches: needsItems(target, input.Select, projection),
          consistency: readConsistency(input.ConsistentRead),
          sink: new PageItems(request, input.Select, engine.slices),
        },
        h16,
      );
    });
    return whenDone(read, (done) => {
      if (done instanceof DynamoError) return done;
      const isLast = isOneItemPerPartition(done.plan.target);
      return pageAnswer(road, input, isLast ? { ...done, page: { ...done.page, stopped: false } } : done);
    });
  },
  reading(queryShape, readRequest),
);

function readRequest(engine: Engine, input: QueryInput): QueryRequest | DynamoError {
  const request = readSearchRequest(engine, queryShape, input);
  if (request instanceof DynamoError) return request;
  const { keyClauses } = request;
  if (keyClauses === undefined) {
    return validationError(
      'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
    );
  }
  return { ...request, keyClauses };
}

/** The other checks against the schema, in the service's order (observed: dynalite's tests). */
function checkAgainstSchema(
  target: ReadTarget,
  input: QueryInput,
  { projection, filter }: SearchRequest,
): DynamoError | undefined {
  const { schema } = target.table;
  const parameter = input.QueryFilter === undefined ? 'Filter Expression' : 'QueryFilter';
  return (
    (projection && checkScalarKeys(projection.paths, schema)) ??
    (filter && checkFilterKeys(filter, target.key, parameter)) ??
    checkAllAttributes(target, input.Select) ??
    (filter && checkScalarKeys(pathsOf(filter), schema)) ??
    checkProjected(target, projection, filter)
  );
}
