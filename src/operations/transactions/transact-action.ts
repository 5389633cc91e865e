import type { Engine } from '../../engine/engine.ts';
import type { Table } from '../../engine/tables/table-record.ts';
import type { TransactAction } from '../../engine/transactions/transact-actions.ts';
import type { WritePlan } from '../../engine/transactions/transact-unit.ts';
import { checkUpdateTargets } from '../../expressions/key-paths.ts';
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

/** One of the four; the type allows more because the service's own does. */
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

/** What one action asks for, as far as it can be known without its table. */
export interface WriteAction {
  readonly kind: 'check' | 'put' | 'delete' | 'update';
  /** As the client wrote it, which is how the answer names the table. */
  readonly tableName: string;
  /** The item to put; the key of the others. */
  readonly item: Item;
  readonly bytes: number;
  /** What counts for the size of the transaction: the item or key and the values of the expressions. */
  readonly payloadBytes: number;
  readonly condition: Condition | undefined;
  readonly update: Update | undefined;
  readonly shown: { readonly ReturnValuesOnConditionCheckFailure?: ReturnValuesOnConditionCheckFailure };
}

/**
 * The item or key is judged before the expressions, except for a key that is nested so deep that it was not read to its
 * end: then the expressions come first (a Delete with a key of 100 levels in ten Regions, October 2026; that other
 * actions with keys do the same is inferred, and of the items of Puts it is not known).
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

/** The words of Regions on the older layer (us-east-1, October 2026); ConditionCheck is missing in them. */
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
 * The expressions of an action. Their values may be nested one level deeper than an item can be: where such a value is
 * compared with something the condition fails, and where it would be stored the transaction is cancelled (30 of 33
 * Regions, October 2026; three have begun to refuse it with the request).
 *
 * Names and values beside no expression at all are accepted in a transaction, unlike in
 * single requests (ExtendDB's pull request 169, June 2026); that they must still be well formed is assumed.
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

/** An action for the engine. */
export function transactAction(
  action: WriteAction,
  { scope, tableName }: TableReference,
): TransactAction<WritePlan> {
  return {
    scope,
    tableName,
    refusal: (table) => refusalOf(action, table),
    plan: ({ schema }) => wrongFor(action, schema) ?? writePlan(action, schema),
  };
}

/**
 * Empty keys, those of indexes too, are refused before the transaction begins, while keys that are wrong in any other
 * way cancel it (dynamodb-conformance, four Regions, June 2026; too long ones: ExtendDB's pull request 211, July 2026).
 */
function refusalOf({ kind, item, update }: WriteAction, { schema }: Table): DynamoError | undefined {
  return (
    checkEmptyKey(schema, item) ??
    (kind === 'put' ? checkEmptyIndexKeys(schema, item, 'put') : undefined) ??
    (update && checkEmptyIndexKeys(schema, plainlySet(update), 'update'))
  );
}

/** The attributes that an update sets to values of the request, whatever the item is. */
function plainlySet({ actions }: Update): Item {
  const item = new Map();
  for (const action of actions) {
    if (action.kind === 'set' && action.path.length === 1 && action.value.kind === 'value')
      item.set(action.path[0], action.value.value);
  }
  return item;
}

function wrongFor({ kind, item, update }: WriteAction, schema: TableSchema): DynamoError | undefined {
  if (kind === 'put') return checkItemKey(schema, item) ?? checkIndexKeys(schema, item, 'put');
  return checkKey(schema, item) ?? (update && checkUpdateTargets(update, schema));
}

function writePlan(action: WriteAction, schema: TableSchema): WritePlan {
  const { kind, item, bytes, condition, update, shown } = action;
  const shows = showsItem(shown);
  const check = (before: Item | undefined) => conditionError(condition, before, shows);
  const looking = lookingAt(shows, condition, update);
  switch (kind) {
    case 'check':
      return { key: item, ...looking, check };
    case 'put':
      return { key: item, ...looking, next: (before) => check(before) ?? { item, bytes } };
    case 'delete':
      return { key: item, ...looking, next: (before) => check(before) ?? { item: undefined } };
    case 'update':
      return {
        key: item,
        ...looking,
        changes: attributesChanged(update!),
        next: (before, beforeBytes) =>
          check(before) ?? inShortWords(updatedItem(update!, before, beforeBytes, item, schema, 'mismatch')),
      };
  }
}

/**
 * Whether what a transaction has read is too much for it. The limit and the kind of error are documented; the service's
 * words for it are recorded nowhere.
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
 * What the request would write. Items that are stored do not count: deleting 5 MB of them is accepted (observed in
 * 2026). The text, with what it says twice, is that of a client's tests, whose author reads the size from it (2026); what
 * exactly the service adds up is not known, so that its figure may differ from ours by a little.
 */
export function payloadTooLarge(bytes: number): DynamoError | undefined {
  if (bytes <= requestLimits.transactionBytesMax) return undefined;
  const text = 'Transaction payload size cannot exceed 4MB. Payload Size: ';
  return validationError(`${text}: ${text}${bytes}`);
}
