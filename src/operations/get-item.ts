import type { Engine } from '../engine/engine.ts';
import { stale } from '../engine/write-item.ts';
import { attributesToGet as legacyProjection } from '../expressions/legacy-projection.ts';
import { checkMixing } from '../expressions/mixing.ts';
import { checkSubstitutionsHaveExpressions, readExpressions } from '../expressions/request-expressions.ts';
import type { Projection } from '../expressions/tree.ts';
import type { Item } from '../model/attribute-value.ts';
import { DynamoError } from '../model/errors.ts';
import { checkKey } from '../model/key-checks.ts';
import type { PrimaryKey } from '../model/keys.ts';
import { whenDone } from '../model/maybe-promise.ts';
import { readItem } from '../model/read-attribute-value.ts';
import { sentKey } from '../model/sent-key.ts';
import { readItemBytes } from '../model/stored-item.ts';
import type { TableSchema } from '../model/table-schema.ts';
import { readUnits } from '../physics/units.ts';
import { tableOfBare } from './bare-request.ts';
import { readCapacity } from './consumed-capacity.ts';
import { itemAnswer, storedItemAnswer } from './item-answer.ts';
import { type Operation, operation } from './operation.ts';
import { projectedJson } from './projected-json.ts';
import { inputShape } from './shapes/input-shape.ts';
import type { ReturnConsumedCapacity, WireAttributeMap } from './shapes/item-input.ts';
import {
  attributeMap,
  attributesToGet,
  expressionNames,
  returnConsumedCapacity,
  tableName,
} from './shapes/item-shapes.ts';
import { boolean, required, string } from './shapes/shape.ts';
import { tableReference } from './table-reference.ts';

export interface GetItemInput {
  readonly TableName: string;
  readonly Key: WireAttributeMap;
  readonly AttributesToGet?: readonly string[];
  readonly ConsistentRead?: boolean;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}

export const getItemShape = inputShape<GetItemInput>('GetItem', {
  ReturnConsumedCapacity: returnConsumedCapacity,
  TableName: required(tableName),
  Key: required(attributeMap),
  AttributesToGet: attributesToGet,
  ConsistentRead: boolean,
  ProjectionExpression: string(),
  ExpressionAttributeNames: expressionNames,
});

/** Most requests name a table and a key and ask for nothing else. Such a one is read in one go. */
export const getItem: Operation = {
  name: 'GetItem',
  handle(engine, body, caller) {
    const table = tableOfBare(engine, body, caller, bareMembers);
    const key = table && bareKey(table.schema, body as GetItemInput);
    if (key === undefined) return getRead.handle(engine, body, caller);
    return whenDone(engine.readKnown(table!, key), (stored) =>
      stored === stale
        ? getRead.handle(engine, { ...(body as object), Key: keyOf(table!.schema, key) }, caller)
        : storedItemAnswer(stored),
    );
  },
};

const bareMembers: ReadonlySet<string> = new Set(['TableName', 'Key', 'ConsistentRead']);

/** A read that says how consistent it shall be reads the same; only its price, which nobody asked for, is another. */
function bareKey(schema: TableSchema, { Key, ConsistentRead = false }: GetItemInput): PrimaryKey | undefined {
  return typeof ConsistentRead === 'boolean' ? sentKey(schema, Key) : undefined;
}

/** The key again as it was sent: the caller may have changed his own since. */
function keyOf({ hash, range }: TableSchema, key: PrimaryKey): object {
  return { [hash.name]: key.hash, ...(range && { [range.name]: key.range }) };
}

/** The long way, which knows all parameters and all errors. */
const getRead = operation(getItemShape, (engine, input, caller) => {
  const request = readRequest(engine, input);
  if (request instanceof DynamoError) return request;
  const reference = tableReference(input.TableName, caller);
  if (reference instanceof DynamoError) return reference;
  const { key, projection } = request;
  const found = engine.readItem(
    reference.scope,
    reference.tableName,
    ({ schema }) => checkKey(schema, key) ?? key,
  );
  return whenDone(found, (stored) => {
    if (stored instanceof DynamoError) return stored;
    const consistency = input.ConsistentRead === true ? 'strong' : 'eventual';
    const units = readUnits(stored === undefined ? 0 : readItemBytes(stored), consistency);
    return itemAnswer('Item', stored && projectedJson(stored, projection), {
      ConsumedCapacity: readCapacity(input.ReturnConsumedCapacity, input.TableName, units),
    });
  });
});

/** Step 10, in the service's order. GetItem's own checks are never put in the newer layer's envelope. */
function readRequest(
  engine: Engine,
  input: GetItemInput,
): { readonly key: Item; readonly projection: Projection | undefined } | DynamoError {
  const wrong =
    checkMixing('GetItem', input) ??
    checkSubstitutionsHaveExpressions(input, ['ProjectionExpression'], 'newer');
  if (wrong !== undefined) return wrong;
  const key = readItem(input.Key, 'newer');
  if (key instanceof DynamoError) return key;
  const legacy = input.AttributesToGet && legacyProjection(input.AttributesToGet);
  if (legacy instanceof DynamoError) return legacy;
  const read = readExpressions(input, 'newer', engine.parsedExpressions);
  if (read instanceof DynamoError) return read;
  return { key, projection: legacy ?? read.projection };
}
