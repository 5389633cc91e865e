import type { Engine } from '../../engine/engine.ts';
import { checkScalarKeys } from '../../expressions/key-paths.ts';
import { attributesToGet as legacyProjection } from '../../expressions/legacy-projection.ts';
import { checkMixing } from '../../expressions/mixing.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../../expressions/request-expressions.ts';
import type { Projection } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import { type JsonObject, soleMember } from '../../model/json/ordinary-json.ts';
import { checkKey } from '../../model/keys/key-checks.ts';
import { requestLimits } from '../../model/limits.ts';
import { whenDone } from '../../model/maybe-promise.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { readItem } from '../../model/values/read-attribute-value.ts';
import { consumedCapacityShape } from '../consumed-capacity.ts';
import { tableIntent } from '../intents.ts';
import { operation, type ReadRequest, reading } from '../operation.ts';
import { readItems } from '../requested-items.ts';
import { readConsistency } from '../search/read-target.ts';
import { type InputOf, inputShape } from '../shapes/input-shape.ts';
import {
  attributeMap,
  attributesToGet,
  expressionNames,
  name,
  returnConsumedCapacity,
} from '../shapes/item-shapes.ts';
import { type OutputOf, outputShape } from '../shapes/output-shape.ts';
import type { AttributeMapInput } from '../shapes/plain-attribute-value.ts';
import { boolean, list, map, required, string, structure } from '../shapes/shape.ts';
import type { InputValue, OutputValue } from '../shapes/shape-types.ts';
import { tableReferences } from '../table-reference.ts';
import { batchGetAnswer } from './batch-get-answer.ts';

const keysAndAttributes = structure('KeysAndAttributes', {
  Keys: required(list(attributeMap, { min: 1, max: requestLimits.batchGetKeysMax })),
  AttributesToGet: attributesToGet,
  ConsistentRead: boolean,
  ProjectionExpression: string(),
  ExpressionAttributeNames: expressionNames,
});
export interface KeysAndAttributesInput extends InputValue<typeof keysAndAttributes> {}
export interface KeysAndAttributes extends OutputValue<typeof keysAndAttributes> {}

export const batchGetItemShape = inputShape(
  'BatchGetItem',
  {
    /** The requests by table. The client names a table by its name or its ARN. */
    RequestItems: required(
      map(keysAndAttributes, {
        min: 1,
        max: requestLimits.batchGetTablesMax,
        keys: { ...name, orArn: true },
      }),
    ),
    ReturnConsumedCapacity: returnConsumedCapacity,
  },
  { layer: 'newer' },
);
export interface BatchGetItemInput extends InputOf<typeof batchGetItemShape> {}

const batchGetItemOutput = outputShape({
  Responses: required(map(list(attributeMap))),
  UnprocessedKeys: required(map(keysAndAttributes)),
  ConsumedCapacity: list(consumedCapacityShape),
});
export interface BatchGetItemOutput extends OutputOf<typeof batchGetItemOutput> {}

export const batchGetItem = operation<
  BatchGetItemInput,
  BatchGetItemOutput,
  ReadRequest<BatchGetItemInput, readonly TableRead[]>
>(
  batchGetItemShape,
  batchGetItemOutput,
  ({ input, request }, road) =>
    request.map(({ tableName, keys, projection }) =>
      tableIntent(road, tableName, { items: readItems(keys, projection, input.ReturnConsumedCapacity) }),
    ),
  (road, { input, request: reads }) => {
    const { engine, caller } = road;
    const references = tableReferences(
      reads.map(({ tableName }) => tableName),
      caller,
    );
    if (references instanceof DynamoError) return references;
    const found = engine.readItems(
      road,
      reads.map(({ keys, sent, projection }, i) => ({
        consistency: readConsistency(sent.ConsistentRead),
        ...references[i]!,
        keysOn: ({ schema }) =>
          firstOf(keys, (key) => checkKey(schema, key)) ??
          (projection && checkScalarKeys(projection.paths, schema)) ??
          keys,
      })),
    );
    return whenDone(found, (tables) =>
      tables instanceof DynamoError
        ? tables
        : batchGetAnswer(road, reads, tables, input.ReturnConsumedCapacity),
    );
  },
  reading(batchGetItemShape, readRequest),
);

/** The reads of one table, as far as they can be checked without the table. */
export interface TableRead {
  /** The name or ARN as the client sent it. The answer uses the same text. */
  readonly tableName: string;
  readonly sent: KeysAndAttributesInput;
  /** The keys in the order of `sent.Keys`. */
  readonly keys: readonly Item[];
  readonly projection: Projection | undefined;
}

/**
 * Checks the request before its tables are known. Legacy parameters and expressions must not be mixed, not even across
 * tables. The other checks go table by table, expressions before keys (observed: dynalite's tests, older layer). The
 * newer layer wraps none of these errors in its envelope.
 */
function readRequest(engine: Engine, { RequestItems }: BatchGetItemInput): TableRead[] | DynamoError {
  const requests = Object.entries(RequestItems);
  const mixed = checkMixing('GetItem', ...requests.map(([, sent]) => sent));
  if (mixed !== undefined) return mixed;
  const reads: TableRead[] = [];
  let count = 0;
  for (const [tableName, sent] of requests) {
    const projection = readProjection(engine, sent);
    if (projection instanceof DynamoError) return projection;
    const keys = readKeys(sent.Keys);
    if (keys instanceof DynamoError) return keys;
    count += keys.length;
    if (count > requestLimits.batchGetKeysMax)
      return validationError('Too many items requested for the BatchGetItem call');
    reads.push({ tableName, sent, keys, projection });
  }
  return reads;
}

function readProjection(engine: Engine, sent: KeysAndAttributesInput): Projection | undefined | DynamoError {
  const wrong = checkSubstitutionsHaveExpressions(sent, ['ProjectionExpression'], batchGetItemShape.layer);
  if (wrong !== undefined) return wrong;
  if (sent.AttributesToGet !== undefined) return legacyProjection(sent.AttributesToGet);
  const read = readExpressions(sent, batchGetItemShape.layer, engine.parsedExpressions);
  return read instanceof DynamoError ? read : read.projection;
}

/**
 * Reads the keys of a table. Two keys are duplicates if they were sent with the same text. The numbers `1` and `1.0`
 * are two keys, and their item is returned twice.
 */
function readKeys(sent: readonly AttributeMapInput[]): Item[] | DynamoError {
  const seen = new Set<string>();
  const keys: Item[] = [];
  for (const wire of sent) {
    const key = readItem(wire, batchGetItemShape.layer);
    if (key instanceof DynamoError) return key;
    keys.push(key);
    seen.add(sentText(wire));
    if (seen.size < keys.length) return validationError('Provided list of item keys contains duplicates');
  }
  return keys;
}

/** A text that is equal for two keys exactly if they were sent with the same text, in any order of their attributes. */
function sentText(wire: AttributeMapInput): string {
  let text = '';
  for (const name of Object.keys(wire).sort()) {
    const value = wire[name] as unknown as JsonObject;
    const type = soleMember(value);
    const content = type === undefined ? undefined : value[type];
    // Each part has its length before it, so that no two keys give the same text by accident.
    text += `${name.length} ${name}`;
    text += typeof content === 'string' ? `${type}${content.length} ${content}` : JSON.stringify(value);
  }
  return text;
}

function firstOf<T>(
  values: readonly T[],
  check: (value: T) => DynamoError | undefined,
): DynamoError | undefined {
  for (const value of values) {
    const wrong = check(value);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
