import { add, type BigDecimal, decimal, decimalText, subtract, unstorable } from './big-decimal.ts';
import type { Path, SetValue, Update, UpdateAction, UpdateOperand } from './expression-trees.ts';
import { valueAt } from './naive-paths.ts';
import { invalid, NotKnown, Refused } from './outcome.ts';
import { type Attributes, attributes, canonicalText, contentOf, typeOf, type Value } from './values.ts';

export const updateTexts = {
  missing: 'The provided expression refers to an attribute that does not exist in the item',
  wrongType: 'An operand in the update expression has an incorrect data type',
  badPath: 'The document path provided in the update expression is invalid for update',
} as const;

/**
 * An item's attributes after an update; a missing item, `before` being undefined, has none to begin with. Every right
 * side and every index is that of the item before. Of several faults the service may report any.
 */
export function updated(update: Update, before: Attributes | undefined, key: Attributes): Attributes {
  const faults: string[] = [];
  const changes: Change[] = [];
  for (const action of update) {
    // Of a missing item anything may be removed, whatever its path.
    if (action.kind === 'remove' && before === undefined) continue;
    const change = collecting(faults, () => changeOf(action, before ?? key));
    if (change !== undefined) changes.push(change);
  }
  if (faults.length > 0) throw invalid(...faults);
  const after = changed({ M: before ?? attributes() }, changes);
  return after !== undefined && 'M' in after ? after.M : attributes();
}

/** What shall stand at the end of some steps; nothing, where `value` is undefined. */
interface Change {
  readonly steps: readonly (string | number)[];
  readonly value: Value | undefined;
}

function changeOf(action: UpdateAction, before: Attributes): Change {
  const faults: string[] = [];
  if (!hasPlace(before, action.path)) {
    if (action.kind === 'delete') throw new NotKnown('whether DELETE minds a missing parent');
    faults.push(updateTexts.badPath);
  }
  const value = collecting(faults, () => newValue(action, before));
  if (faults.length > 0) throw invalid(...faults);
  refuseToGuess(action, before);
  return { steps: action.path, value };
}

/** The result, or undefined with the faults added to those already found. */
function collecting<T>(faults: string[], run: () => T): T | undefined {
  try {
    return run();
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    faults.push(...fault.refusal.messages);
    return undefined;
  }
}

function refuseToGuess({ kind, path }: UpdateAction, before: Attributes): void {
  const last = path.at(-1);
  if (
    (kind === 'add' || kind === 'delete') &&
    typeof last === 'number' &&
    valueAt(before, path) === undefined
  )
    throw new NotKnown(`what ${kind} does beyond the end of a list`);
}

/** Whether the parent is there, and of the kind that the last step goes into. */
function hasPlace(item: Attributes, path: Path): boolean {
  if (path.length === 1) return true;
  const parent = valueAt(item, path.slice(0, -1) as unknown as Path);
  if (parent === undefined) return false;
  return typeof path.at(-1) === 'number' ? 'L' in parent : 'M' in parent;
}

function newValue(action: UpdateAction, before: Attributes): Value | undefined {
  const old = valueAt(before, action.path);
  switch (action.kind) {
    case 'remove':
      return undefined;
    case 'set':
      return setValue(action.value, before);
    case 'add':
      return added(old, action.value);
    case 'delete':
      return without(old, action.value);
  }
}

function setValue(value: SetValue, before: Attributes): Value {
  if (value.kind !== 'arithmetic') return operandValue(value, before);
  const [left, right] = bothOfType('N', value.left, value.right, before);
  const calculate = value.sign === '+' ? add : subtract;
  return stored(calculate(decimal(left), decimal(right)));
}

function operandValue(operand: UpdateOperand, before: Attributes): Value {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'path': {
      const value = valueAt(before, operand.path);
      if (value === undefined) throw invalid(updateTexts.missing);
      return value;
    }
    case 'ifNotExists': {
      const value = valueAt(before, operand.path);
      if (value === undefined) return operandValue(operand.otherwise, before);
      refuseUnusedFault(operand.otherwise, before);
      return value;
    }
    case 'listAppend': {
      const [first, second] = bothOfType('L', operand.first, operand.second, before);
      return { L: [...first, ...second] };
    }
  }
}

interface OperandContent {
  readonly N: string;
  readonly L: readonly Value[];
}

/** The contents of two operands that must be of one type, or the faults of both. */
function bothOfType<T extends 'N' | 'L'>(
  type: T,
  first: UpdateOperand,
  second: UpdateOperand,
  before: Attributes,
): [OperandContent[T], OperandContent[T]] {
  const faults: string[] = [];
  const contents = [first, second].map((operand) => {
    const value = collecting(faults, () => operandValue(operand, before));
    if (value !== undefined && typeOf(value) !== type) faults.push(updateTexts.wrongType);
    return value && contentOf(value);
  });
  if (faults.length > 0) throw invalid(...faults);
  return contents as [OperandContent[T], OperandContent[T]];
}

function refuseUnusedFault(operand: UpdateOperand, before: Attributes): void {
  try {
    operandValue(operand, before);
  } catch (fault) {
    if (fault instanceof Refused)
      throw new NotKnown('whether an unused fallback of if_not_exists is evaluated');
    throw fault;
  }
}

function added(old: Value | undefined, value: Value): Value {
  if ('N' in value) {
    if (old !== undefined && !('N' in old)) throw invalid(updateTexts.wrongType);
    return stored(add(decimal(old?.N ?? '0'), decimal(value.N)));
  }
  const [type, members] = setOf(value);
  if (old === undefined) return value;
  if (!(type in old)) throw invalid(updateTexts.wrongType);
  const known = setOf(old)[1];
  return setValueOf(type, [...known, ...members.filter((member) => !known.some(same(type, member)))]);
}

function without(old: Value | undefined, value: Value): Value | undefined {
  const [type, members] = setOf(value);
  if (old === undefined) return undefined;
  if (!(type in old)) throw invalid(updateTexts.wrongType);
  const left = setOf(old)[1].filter((member) => !members.some(same(type, member)));
  return left.length === 0 ? undefined : setValueOf(type, left);
}

type SetName = 'SS' | 'NS' | 'BS';

function setOf(value: Value): [SetName, readonly string[]] {
  if ('SS' in value) return ['SS', value.SS];
  if ('NS' in value) return ['NS', value.NS];
  if ('BS' in value) return ['BS', value.BS];
  throw new Error(`${JSON.stringify(value)} is no set`);
}

function setValueOf(type: SetName, members: readonly string[]): Value {
  return type === 'SS' ? { SS: members } : type === 'NS' ? { NS: members } : { BS: members };
}

function same(type: SetName, member: string): (other: string) => boolean {
  return (other) => canonicalText(setValueOf(type, [other])) === canonicalText(setValueOf(type, [member]));
}

function stored(sum: BigDecimal): Value {
  const wrong = unstorable(sum);
  if (wrong !== undefined) throw invalid(wrong);
  return { N: decimalText(sum) };
}

/** The value with all changes below it made at once. */
function changed(value: Value, changes: readonly Change[]): Value | undefined {
  // No two paths of an update overlap, so a change of the value itself is the only one.
  const here = changes.find((change) => change.steps.length === 0);
  if (here !== undefined) return here.value;
  if (changes.length === 0) return value;
  const steps = [...new Set(changes.map((change) => change.steps[0]!))];
  const under = (step: string | number) =>
    changes
      .filter((change) => change.steps[0] === step)
      .map((change) => ({ steps: change.steps.slice(1), value: change.value }));
  if ('M' in value) {
    const map = attributes(Object.entries(value.M));
    for (const name of steps as string[]) {
      const member = changedOrNew(value.M[name], under(name));
      if (member === undefined) delete map[name];
      else map[name] = member;
    }
    return { M: map };
  }
  if ('L' in value) {
    const inside = value.L.map((element, i) => changed(element, under(i)));
    const beyond = (steps as number[])
      .filter((index) => index >= value.L.length)
      .sort((a, b) => a - b)
      .map((index) => changedOrNew(undefined, under(index)));
    return { L: [...inside, ...beyond].filter((element) => element !== undefined) };
  }
  throw new Error('a change has no place, which was to be found before');
}

function changedOrNew(old: Value | undefined, changes: readonly Change[]): Value | undefined {
  return old === undefined ? changes[0]!.value : changed(old, changes);
}
