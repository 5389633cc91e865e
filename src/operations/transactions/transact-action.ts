import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { TransactAction } from '../../engine/transactions/transact-actions.ts';
import type { WritePlan } from '../../engine/transactions/transact-unit.ts';
import type { WorkLimit } from '../../expressions/condition-work.ts';
import { checkWritePaths } from '../../expressions/key-paths.ts';
import { attributesChanged } from '../../expressions/named-attributes.ts';
import { readNames, readValues } from '../../expressions/read-substitutions.ts';
import { type ExpressionInput, readExpressions } from '../../expressions/request-expressions.ts';
import type { Condition, Projection, Update } from '../../expressions/tree.ts';
import { DynamoError, validationError } from '../../model/errors.ts';
import {
  checkEmptyIndexKeys,
  checkEmptyKey,
  checkIndexKeys,
  checkItemKey,
  checkKey,
} from '../../model/keys/key-checks.ts';
import { itemLimits, requestLimits } from '../../model/limits.ts';
import { readItemBytes } from '../../model/stored/stored-item.ts';
import type { TableSchema } from '../../model/tables/table-schema.ts';
import type { AttributeValue, Item } from '../../model/values/attribute-value.ts';
import { itemSize, valueSize } from '../../model/values/item-size.ts';
import { isNestingError, readItem } from '../../model/values/read-attribute-value.ts';
import { checkItemSize } from '../items/request-checks.ts';
import { inShortWords, updatedItem } from '../items/updated-item.ts';
import { conditionError, lookingAt, showsItem } from '../items/write-request.ts';
import { isCutOff } from '../shapes/attribute-value-shape.ts';
import {
  attributeMap,
  expressionNames,
  type ReturnValuesOnConditionCheckFailure,
  returnValuesOnConditionCheckFailure,
  tableName,
} from '../shapes/item-shapes.ts';
import { required, string, structure } from '../shapes/shape.ts';
import type { InputValue } from '../shapes/shape-types.ts';
import type { TableReference } from '../table-reference.ts';

const actionMembers = {
  ConditionExpression: string(),
  ExpressionAttributeNames: expressionNames,
  ExpressionAttributeValues: attributeMap,
  ReturnValuesOnConditionCheckFailure: returnValuesOnConditionCheckFailure,
};

/** Exactly one of the four members. The type allows more because the service's type does. */
export const transactWriteItem = structure('TransactWriteItem', {
  ConditionCheck: structure('ConditionCheck', {
    TableName: required(tableName),
    Key: required(attributeMap),
    ...actionMembers,
    ConditionExpression: required(string()),
  }),
  Put: structure('Put', {
    TableName: required(tableName),
    Item: required(attributeMap),
    ...actionMembers,
  }),
  Delete: structure('Delete', {
    TableName: required(tableName),
    Key: required(attributeMap),
    ...actionMembers,
  }),
  Update: structure('Update', {
    TableName: required(tableName),
    Key: required(attributeMap),
    UpdateExpression: required(string()),
    ...actionMembers,
  }),
});
export interface TransactWriteItemInput extends InputValue<typeof transactWriteItem> {}

/** The parts of one action that can be read without its table. */
export interface WriteAction {
  readonly kind: 'check' | 'put' | 'delete' | 'update';
  /** The name or ARN as the client sent it. The answer uses the same text. */
  readonly tableName: string;
  /** The item of a put; the key of the other actions. */
  readonly item: Item;
  readonly bytes: number;
  /** The size that counts for the limit of the transaction: the item or key, and the values of the expressions. */
  readonly payloadBytes: number;
  readonly condition: Condition | undefined;
  readonly update: Update | undefined;
  readonly shown: { readonly ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure };
}

/**
 * Reads an action. The item or key is checked before the expressions, with one exception: if a key is nested so deep
 * that it was not read to its end, the expressions are checked first (observed: public captures, a Delete with a key of
 * 100 levels in ten Regions, October 2026). Other actions with keys do the same (inferred); for the items of Puts it is
 * unknown (guess).
 */
export function readAction(engine: Engine, sent: TransactWriteItemInput): WriteAction | DynamoError {
  const { ConditionCheck, Put, Delete, Update } = sent;
  const given = [ConditionCheck, Put, Delete, Update].filter((action) => action !== undefined);
  if (given.length === 0) return noAction();
  if (given.length > 1) {
    return validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  const action = given[0]!;
  const kind = ConditionCheck ? 'check' : Put ? 'put' : Delete ? 'delete' : 'update';
  const sentItem = 'Item' in action ? action.Item : action.Key;
  const item = readItem(sentItem, 'older');
  if (item instanceof DynamoError) {
    const isLate = kind !== 'put' && isNestingError(item) && isCutOff(sentItem);
    const earlier = isLate ? readActionExpressions(engine, action) : undefined;
    return earlier instanceof DynamoError ? earlier : item;
  }
  const bytes = itemSize(item);
  const tooLarge = kind === 'put' ? checkItemSize(bytes) : undefined;
  if (tooLarge !== undefined) return tooLarge;
  const read = readActionExpressions(engine, action);
  if (read instanceof DynamoError) return read;
  const { condition, update, values } = read;
  return {
    kind,
    tableName: action.TableName,
    item,
    bytes,
    payloadBytes: bytes + sizeOfValues(values),
    condition,
    update,
    shown: action,
  };
}

function sizeOfValues(values: ActionExpressions['values']): number {
  let bytes = 0;
  for (const value of values.values()) bytes += valueSize(value);
  return bytes;
}

/**
 * The text of Regions on the older layer (observed: public captures, us-east-1, October 2026). It does not mention
 * ConditionCheck.
 */
function noAction(): DynamoError {
  return validationError(
    'Invalid Request: TransactWriteRequest should contain Delete or Put or Update request',
  );
}

interface ActionExpressions {
  readonly condition?: Condition | undefined;
  readonly update?: Update | undefined;
  readonly projection?: Projection | undefined;
  readonly values: ReadonlyMap<string, AttributeValue>;
}

/**
 * Reads the expressions of an action. Their values may be nested one level deeper than an item. If such a value is
 * compared, the condition fails; if it would be stored, the transaction is cancelled (observed: conformance suite, 30
 * of 33 Regions, October 2026, where three refuse it with the request).
 *
 * Unlike single requests, a transaction accepts names and values without any expression (observed: ExtendDB's tests,
 * pull request 169, June 2026). They must still be well formed (guess).
 */
export function readActionExpressions(
  engine: Engine,
  sent: ExpressionInput,
): ActionExpressions | DynamoError {
  const { UpdateExpression, ConditionExpression, ProjectionExpression } = sent;
  if ((UpdateExpression ?? ConditionExpression ?? ProjectionExpression) !== undefined)
    return readExpressions(sent, 'older', engine.parsedExpressions, valueLevelsMax);
  const names = readNames(sent.ExpressionAttributeNames, 'older');
  if (names instanceof DynamoError) return names;
  const values = readValues(sent.ExpressionAttributeValues, 'older', names, valueLevelsMax);
  return values instanceof DynamoError ? values : { values };
}

const valueLevelsMax = itemLimits.transactionValueLevelsMax;

export function transactAction(
  action: WriteAction,
  { scope, tableName }: TableReference,
): TransactAction<WritePlan> {
  return {
    scope,
    tableName,
    refusal: (table) => refusalOf(action, table),
    plan: ({ schema }) => cancellingError(action, schema) ?? writePlan(action, schema),
  };
}

/**
 * The error that refuses the whole request. Empty keys, also of indexes, are refused before the transaction starts.
 * Keys with any other fault cancel it (observed: conformance suite, four Regions, June 2026; observed: ExtendDB's
 * tests, pull request 211, July 2026, for keys that are too long).
 */
function refusalOf({ kind, item, update }: WriteAction, { schema }: Table): DynamoError | undefined {
  return (
    checkEmptyKey(schema, item) ??
    (kind === 'put' ? checkEmptyIndexKeys(schema, item, 'put') : undefined) ??
    (update && checkEmptyIndexKeys(schema, attributesSetToValues(update), 'update'))
  );
}

/** The attributes that an update sets to values of the request, independent of the item. */
function attributesSetToValues({ actions }: Update): Item {
  const item = new Map();
  for (const action of actions) {
    if (action.kind === 'set' && action.path.length === 1 && action.value.kind === 'value')
      item.set(action.path[0], action.value.value);
  }
  return item;
}

/** Paths into key attributes cancel the transaction too (inferred), although DynamoDB Local refuses the request. */
function cancellingError(
  { kind, item, condition, update }: WriteAction,
  schema: TableSchema,
): DynamoError | undefined {
  const wrong =
    kind === 'put'
      ? (checkItemKey(schema, item) ?? checkIndexKeys(schema, item, 'put'))
      : checkKey(schema, item);
  return wrong ?? checkWritePaths(schema, condition, update);
}

function writePlan(action: WriteAction, schema: TableSchema): WritePlan {
  const { kind, item, bytes, condition, update, shown } = action;
  const shows = showsItem(shown);
  const check = (before: Item | undefined, work: WorkLimit) => conditionError(condition, before, shows, work);
  const looking = lookingAt(shows, condition, update);
  switch (kind) {
    case 'check':
      return { key: item, ...looking, check };
    case 'put':
      return { key: item, ...looking, next: (before, _, work) => check(before, work) ?? { item, bytes } };
    case 'delete':
      return { key: item, ...looking, next: (before, _, work) => check(before, work) ?? { item: undefined } };
    case 'update':
      return {
        key: item,
        ...looking,
        changes: attributesChanged(update!),
        next: (before, beforeBytes, work) =>
          check(before, work) ?? inShortWords(updatedItem(update!, before, beforeBytes, item, schema)),
      };
  }
}

/**
 * Checks the size of the items that a transaction read. The limit and the error type are documented; the service's text
 * is recorded nowhere.
 */
export function storedTooLarge(stored: readonly (Uint8Array | undefined)[]): DynamoError | undefined {
  let bytes = 0;
  for (const item of stored) if (item !== undefined) bytes += readItemBytes(item);
  return bytes > requestLimits.transactionBytesMax ? readTooLarge() : undefined;
}

function readTooLarge(): DynamoError {
  return validationError('The aggregate size of the items in the transaction exceeds the limit of 4 MB');
}

/**
 * Checks the size of the items and values that the request sends. Stored items do not count: deleting 5 MB of them is
 * accepted (observed: public captures, 2026). The text, with its repetition, comes from a client's tests, whose author
 * parses the size from it (observed: user reports, 2026). How exactly the service computes the size is unknown, so its
 * figure may differ slightly from ours (guess).
 */
export function payloadTooLarge(bytes: number): DynamoError | undefined {
  if (bytes <= requestLimits.transactionBytesMax) return undefined;
  const text = 'Transaction payload size cannot exceed 4MB. Payload Size: ';
  return validationError(`${text}: ${text}${bytes}`);
}
