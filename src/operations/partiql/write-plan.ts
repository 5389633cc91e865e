import type { Table } from '../../engine/tables/table-record.ts';
import type { ItemCheck } from '../../engine/transactions/transact-unit.ts';
import type { ItemWrite, WriteOutcome } from '../../engine/writes/write-item.ts';
import type { WorkLimit } from '../../expressions/condition-work.ts';
import { checkScalarKeys, checkWritePaths, pathsOf } from '../../expressions/key-paths.ts';
import { attributesChanged, noNames } from '../../expressions/named-attributes.ts';
import type { Delete, Exists, Insert, UpdateStatement } from '../../expressions/partiql/resolve-statement.ts';
import type { Returning } from '../../expressions/partiql/statement-tree.ts';
import type { Condition } from '../../expressions/tree.ts';
import { conditionalCheckFailed, DynamoError, validationError } from '../../model/errors.ts';
import { checkIndexKeys, checkItemKey, checkKey } from '../../model/keys/key-checks.ts';
import { keyAttributes, type TableSchema } from '../../model/tables/table-schema.ts';
import { type AttributeValue, equalValues, type Item, typeOf } from '../../model/values/attribute-value.ts';
import { itemSize } from '../../model/values/item-size.ts';
import { checkItemSize } from '../items/request-checks.ts';
import { returnedJson } from '../items/returned-json.ts';
import { inShortWords, updatedItem } from '../items/updated-item.ts';
import { conditionError, lookingAt } from '../items/write-request.ts';
import type { ReturnValues } from '../shapes/item-shapes.ts';
import { keyLeaf } from './key-leaves.ts';
import { keyTypeMismatch } from './key-reads.ts';

export type WriteStatement = Insert | UpdateStatement | Delete;

/** The write that a statement is on a table; a transaction takes it as well as a statement that stands alone. */
export function planWrite(
  { schema }: Table,
  statement: WriteStatement,
  showsItem: boolean,
  wrongKey?: DynamoError,
): ItemWrite | DynamoError {
  if (statement.kind === 'insert') return planInsert(schema, statement.item);
  const one = oneItem(schema, statement.where, wrongKey);
  if (one instanceof DynamoError) return one;
  return statement.kind === 'update'
    ? planUpdate(schema, statement, one, showsItem)
    : planDelete(one, showsItem);
}

/** A look at an item that a transaction leaves as it is; the whole key and something besides have to be named. */
export function planCheck(
  { schema }: Table,
  { where }: Exists,
  showsItem: boolean,
  wrongKey: DynamoError | undefined,
): ItemCheck | DynamoError {
  const one = oneItem(schema, where, wrongKey, 'first');
  if (one instanceof DynamoError) return one;
  const { key, condition } = one;
  const check = (before: Item | undefined, work: WorkLimit) =>
    conditionError(condition, before, showsItem, work);
  return { key, ...lookingAt(showsItem, condition), check };
}

/** Whether an EXISTS names the whole key by equality, and something besides. */
export function isItemCheck({ schema }: Table, { where }: Exists): boolean {
  const leaves = where === undefined ? [] : conjuncts(where).map(keyLeaf);
  const equal = new Set(leaves.map((leaf) => (leaf?.operator === '=' ? leaf.name : undefined)));
  if (!keyAttributes(schema).every(({ name }) => equal.has(name))) return false;
  const one = oneItem(schema, where, undefined, 'first');
  // A key with values that no key can have cancels the transaction later.
  return one instanceof DynamoError || one.condition !== undefined;
}

function planInsert(schema: TableSchema, item: Item): ItemWrite | DynamoError {
  const bytes = itemSize(item);
  const wrong = checkItemKey(schema, item) ?? checkIndexKeys(schema, item, 'put') ?? checkItemSize(bytes);
  if (wrong !== undefined) return wrong;
  return {
    key: item,
    looksAt: noNames,
    next: (before) => (before === undefined ? { item, bytes } : duplicateItem()),
  };
}

function duplicateItem(): DynamoError {
  return new DynamoError('DuplicateItemException', 'Duplicate primary key exists in table');
}

/** An update changes what is there and creates nothing: without an item the condition has failed. */
function planUpdate(
  schema: TableSchema,
  { update }: UpdateStatement,
  { key, condition }: OneItem,
  showsItem: boolean,
): ItemWrite | DynamoError {
  const wrong = checkWritePaths(schema, undefined, update);
  if (wrong !== undefined) return wrong;
  return {
    key,
    ...lookingAt(showsItem, condition, update),
    changes: attributesChanged(update),
    next: (before, beforeBytes, work) => {
      if (before === undefined) return conditionalCheckFailed();
      const failed = conditionError(condition, before, showsItem, work);
      return failed ?? inShortWords(updatedItem(update, before, beforeBytes, key, schema));
    },
  };
}

/** Nothing is deleted where nothing is, whatever else is asked of it (observed: public captures, 2026). */
function planDelete({ key, condition }: OneItem, showsItem: boolean): ItemWrite {
  return {
    key,
    ...lookingAt(showsItem, condition),
    next: (before, _, work) => {
      const failed = before && conditionError(condition, before, showsItem, work);
      return failed ?? { item: undefined };
    },
  };
}

/** The key of the one item that a WHERE clause means, and what else it asks of it. */
interface OneItem {
  readonly key: Item;
  readonly condition: Condition | undefined;
}

/**
 * Writes need the whole key by equality; IN is not enough, even of one value. A key attribute that has two values has a
 * text of its own. A value of another type has the text of reads (inferred). A transaction is cancelled for all of it
 * with one text, `wrongKey`; and its EXISTS takes the first value for the key and others for conditions (observed:
 * public captures, September 2026).
 */
export function oneItem(
  schema: TableSchema,
  where: Condition | undefined,
  wrongKey: DynamoError | undefined,
  ofSeveral: 'none' | 'first' = 'none',
): OneItem | DynamoError {
  const parts = where === undefined ? [] : conjuncts(where);
  const attributes = new Map(keyAttributes(schema).map((attribute) => [attribute.name, attribute]));
  const key = new Map<string, AttributeValue>();
  const rest: Condition[] = [];
  for (const part of parts) {
    const leaf = keyLeaf(part);
    const attribute = leaf?.operator === '=' ? attributes.get(leaf.name) : undefined;
    if (leaf === undefined || attribute === undefined) {
      rest.push(part);
      continue;
    }
    const [value] = leaf.values as readonly [AttributeValue];
    const earlier = key.get(leaf.name);
    if (earlier !== undefined && !equalValues(earlier, value)) {
      if (ofSeveral === 'first') {
        rest.push(part);
        continue;
      }
      if (wrongKey !== undefined) return wrongKey;
      return validationError(
        `Multiple conditions on same key ${leaf.name}. Only single item Update/Insert/Delete are supported`,
      );
    }
    key.set(leaf.name, value);
  }
  if (key.size < attributes.size) {
    if (wrongKey !== undefined) return wrongKey;
    return validationError('Where clause does not contain a mandatory equality on all key attributes');
  }
  for (const [name, attribute] of attributes) {
    if (typeOf(key.get(name)!) !== attribute.type) return wrongKey ?? keyTypeMismatch(attribute);
  }
  const wrong = checkKey(schema, key) ?? (where && checkScalarKeys(pathsOf(where), schema));
  if (wrong !== undefined) return wrong;
  return { key, condition: rest.length > 1 ? { kind: 'and', conditions: rest } : rest[0] };
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.kind === 'and' ? condition.conditions.flatMap(conjuncts) : [condition];
}

/** What RETURNING shows of a write: one item or none. */
export function returnedBy(statement: WriteStatement, outcome: WriteOutcome): Uint8Array | undefined {
  if (statement.kind === 'insert' || statement.returning === undefined) return undefined;
  const update = statement.kind === 'update' ? statement.update : undefined;
  return returnedJson(returnedValues[statement.returning], update, outcome);
}

/** RETURNING in the words of ReturnValues. */
export const returnedValues: Readonly<Record<Returning, ReturnValues>> = {
  'ALL OLD': 'ALL_OLD',
  'ALL NEW': 'ALL_NEW',
  'MODIFIED OLD': 'UPDATED_OLD',
  'MODIFIED NEW': 'UPDATED_NEW',
};
