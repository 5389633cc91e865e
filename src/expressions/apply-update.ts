import { DynamoError, validationError } from '../model/errors.ts';
import { itemLimits } from '../model/limits.ts';
import {
  type AttributeValue,
  type Item,
  membersOf,
  type SetType,
  type SetValue,
  setOf,
  typeOf,
} from '../model/values/attribute-value.ts';
import { addNumbers, subtractNumbers } from '../model/values/numbers.ts';
import { type ChangeTree, changedItem, recordChange } from './changes.ts';
import { memberOf, valueAt } from './path.ts';
import type { DocumentPath, Update, UpdateAction, UpdateOperand, UpdateValue } from './tree.ts';

type ListAppend = Extract<UpdateOperand, { readonly kind: 'list_append' }>;

/**
 * The item after an update, or the error that DynamoDB answers. Everything the update reads, values and list indexes
 * alike, it reads from the item before; where there is none, from its key, whose attributes can be read (inferred:
 * DynamoDB Local, which answers 200 to `SET b = a` on an absent item with the key `a`). What does not change is shared
 * with the item before.
 *
 * Nothing comes of an update that only clears and finds no item: it does not create one (observed: Alternator's tests),
 * while an update without any action does.
 */
export function applyUpdate(
  update: Update,
  before: Item | undefined,
  key: Item,
): { readonly item: Item | undefined } | DynamoError {
  const { actions } = update;
  const old = before ?? key;
  const values = newValues(update, old);
  if (values instanceof DynamoError) return values;

  const changes: ChangeTree = new Map();
  for (const [i, action] of actions.entries()) {
    const { path } = action;
    if (!hasParent(old, path)) {
      // Removing `a.b` from an item that is not there is fine, though from one without `a` it is not.
      if (before === undefined && isClearing(action)) continue;
      return invalidPath();
    }
    const value = values[i];
    if (value !== undefined && isTooDeep(path, value)) return tooDeep();
    recordChange(changes, path, value);
  }
  if (before === undefined && actions.length > 0 && actions.every(isClearing)) return { item: undefined };
  return { item: changedItem(before ?? key, changes) };
}

function isClearing({ kind }: UpdateAction): boolean {
  return kind === 'remove' || kind === 'delete';
}

/** For each action the value that it leaves at its path; undefined where it leaves none. */
function newValues(
  { actions, form }: Update,
  old: Item,
): readonly (AttributeValue | undefined)[] | DynamoError {
  const wrongType = form === 'legacy' ? legacyMismatch : wrongOperand;
  const values: (AttributeValue | undefined)[] = [];
  const room: Room = { elements: elementsMax };
  for (const action of actions) {
    const value = newValue(action, old, wrongType, room);
    if (value instanceof DynamoError) return value;
    values.push(value);
  }
  return values;
}

function newValue(
  action: UpdateAction,
  old: Item,
  wrongType: () => DynamoError,
  room: Room,
): AttributeValue | undefined | DynamoError {
  switch (action.kind) {
    case 'set':
      return setValue(action.value, old, room);
    case 'remove':
      return undefined;
    case 'add':
      return sumOf(valueAt(old, action.path), action.value, wrongType);
    case 'delete':
      return differenceOf(valueAt(old, action.path), action.value, wrongType);
  }
}

function setValue(value: UpdateValue, old: Item, room: Room): AttributeValue | DynamoError {
  if (value.kind !== 'arithmetic') return operandOf(value, old, room);
  const left = setValue(value.left, old, room);
  if (left instanceof DynamoError) return left;
  const right = setValue(value.right, old, room);
  if (right instanceof DynamoError) return right;
  if (!('N' in left) || !('N' in right)) return wrongOperand();
  const number = value.operator === '+' ? addNumbers(left.N, right.N) : subtractNumbers(left.N, right.N);
  return number instanceof DynamoError ? number : { N: number };
}

/**
 * How many elements the update may still make longer lists of. Two hundred `list_append(a, a)` would make gigabytes of an
 * item before its size is known. What is beyond the room is left out: the item is then too large whatever else it has, as
 * each element takes a byte, and the update is refused for its size.
 */
interface Room {
  elements: number;
}

const elementsMax = itemLimits.itemBytesMax + 1;

/** Joins the lists of nested `list_append`s, so that each element is copied once however deep they nest. */
function appended(
  { first, second }: ListAppend,
  old: Item,
  room: Room,
): readonly (readonly AttributeValue[])[] | DynamoError {
  const one = appendedPart(first, old, room);
  if (one instanceof DynamoError) return one;
  const other = appendedPart(second, old, room);
  if (other instanceof DynamoError) return other;
  return one === notAList || other === notAList ? wrongOperand() : [...one, ...other];
}

const notAList = Symbol('not a list');

function appendedPart(
  operand: UpdateOperand,
  old: Item,
  room: Room,
): readonly (readonly AttributeValue[])[] | typeof notAList | DynamoError {
  let part = operand;
  while (part.kind === 'if_not_exists' && valueAt(old, part.path) === undefined) part = part.otherwise;
  if (part.kind === 'list_append') return appended(part, old, room);
  const value = operandOf(part, old, room);
  if (value instanceof DynamoError) return value;
  return 'L' in value ? [value.L] : notAList;
}

function joined(lists: readonly (readonly AttributeValue[])[], room: Room): AttributeValue[] {
  const all: AttributeValue[] = [];
  for (const list of lists) {
    const taken = list.length <= room.elements ? list : list.slice(0, room.elements);
    room.elements -= taken.length;
    for (const element of taken) all.push(element);
  }
  return all;
}

function operandOf(operand: UpdateOperand, old: Item, room: Room): AttributeValue | DynamoError {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'path':
      return valueAt(old, operand.path) ?? missingAttribute();
    case 'if_not_exists':
      return valueAt(old, operand.path) ?? operandOf(operand.otherwise, old, room);
    case 'list_append': {
      const lists = appended(operand, old, room);
      return lists instanceof DynamoError ? lists : { L: joined(lists, room) };
    }
  }
}

/** ADD: numbers are added, sets united; a list, which only AttributeUpdates can add, is appended. */
function sumOf(
  old: AttributeValue | undefined,
  added: AttributeValue,
  wrongType: () => DynamoError,
): AttributeValue | DynamoError {
  if (old === undefined) return added;
  if ('N' in added && 'N' in old) {
    const sum = addNumbers(old.N, added.N);
    return sum instanceof DynamoError ? sum : { N: sum };
  }
  if ('L' in added && 'L' in old) return { L: [...old.L, ...added.L] };
  if (isSet(added) && isSet(old) && typeOf(old) === typeOf(added)) {
    return setOf(typeOf(old) as SetType, [...membersOf(old), ...membersOf(added)]);
  }
  return wrongType();
}

/** DELETE: what is left of a set; nothing when all of it goes. */
function differenceOf(
  old: AttributeValue | undefined,
  removed: SetValue,
  wrongType: () => DynamoError,
): AttributeValue | undefined | DynamoError {
  if (old === undefined) return undefined;
  if (!isSet(old) || typeOf(old) !== typeOf(removed)) return wrongType();
  const gone = new Set(membersOf(removed));
  const left = membersOf(old).filter((member) => !gone.has(member));
  return left.length === 0 ? undefined : setOf(typeOf(old) as SetType, left);
}

function isSet(value: AttributeValue): value is SetValue {
  return 'SS' in value || 'NS' in value || 'BS' in value;
}

/** Whether the item has a map or list, as the path takes it for, to hold what the path ends with. */
function hasParent(item: Item, path: DocumentPath): boolean {
  if (path.length === 1) return true;
  let parent = item.get(path[0]);
  for (let i = 1; i < path.length - 1 && parent !== undefined; i++) parent = memberOf(parent, path[i]!);
  if (parent === undefined) return false;
  return typeof path[path.length - 1] === 'number' ? 'L' in parent : 'M' in parent;
}

/** A value may stand too deep at the end of a path; that of a transaction may be too deep by itself. */
function isTooDeep(path: DocumentPath, value: AttributeValue): boolean {
  return !fits(value, itemLimits.nestingLevelsMax - path.length + 1);
}

/** Whether a value has no more levels than these. */
function fits(value: AttributeValue, levels: number): boolean {
  if (levels < 1) return false;
  if ('L' in value) return value.L.every((element) => fits(element, levels - 1));
  if (!('M' in value)) return true;
  for (const member of value.M.values()) if (!fits(member, levels - 1)) return false;
  return true;
}

function missingAttribute(): DynamoError {
  return validationError('The provided expression refers to an attribute that does not exist in the item');
}

function wrongOperand(): DynamoError {
  return validationError('An operand in the update expression has an incorrect data type');
}

function legacyMismatch(): DynamoError {
  return validationError('Type mismatch for attribute to update');
}

function invalidPath(): DynamoError {
  return validationError('The document path provided in the update expression is invalid for update');
}

function tooDeep(): DynamoError {
  return validationError(
    'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit',
  );
}
