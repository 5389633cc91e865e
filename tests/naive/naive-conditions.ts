import type { Comparator, Condition, Operand } from './expression-trees.ts';
import { valueAt } from './naive-paths.ts';
import { NotKnown } from './outcome.ts';
import {
  type Attributes,
  bytesOf,
  canonicalText,
  compareValues,
  equal,
  typeOf,
  type Value,
} from './values.ts';

/** Whether a condition holds for an item; a missing item is one without attributes. */
export function holds(condition: Condition, item: Attributes): boolean {
  switch (condition.kind) {
    case 'and':
      // Every part is looked at, so that what is not known is found wherever it stands.
      return condition.parts.map((part) => holds(part, item)).every(Boolean);
    case 'or':
      return condition.parts.map((part) => holds(part, item)).some(Boolean);
    case 'not':
      return !holds(condition.part, item);
    case 'exists':
      return valueAt(item, condition.path) !== undefined;
    case 'notExists':
      return valueAt(item, condition.path) === undefined;
    case 'type': {
      const value = operandValue(condition.operand, item);
      return value !== undefined && typeOf(value) === condition.type;
    }
    case 'compare': {
      const left = operandValue(condition.left, item);
      const right = operandValue(condition.right, item);
      const sizeless =
        (condition.left.kind === 'size' && left === undefined) ||
        (condition.right.kind === 'size' && right === undefined);
      if (sizeless && condition.comparator === '<>')
        throw new NotKnown('whether the size of what has none is different from a number');
      return compared(condition.comparator, left, right);
    }
    case 'between': {
      const value = operandValue(condition.operand, item);
      const low = operandValue(condition.low, item);
      const high = operandValue(condition.high, item);
      return compared('>=', value, low) && compared('<=', value, high);
    }
    case 'in': {
      const value = operandValue(condition.operand, item);
      return condition.list.some((member) => compared('=', value, operandValue(member, item)));
    }
    case 'beginsWith':
      return beginsWith(operandValue(condition.whole, item), operandValue(condition.start, item));
    case 'contains':
      return contains(operandValue(condition.whole, item), operandValue(condition.part, item));
  }
}

function operandValue(operand: Operand, item: Attributes): Value | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path);
    case 'value':
      return operand.value;
    case 'size': {
      const value = operandValue(operand.of, item);
      const size = value && sizeFunction(value);
      return size === undefined ? undefined : { N: String(size) };
    }
  }
}

/** Numbers, booleans and NULL have no size; a comparison with none is like one with a missing attribute. */
function sizeFunction(value: Value): number | undefined {
  if ('S' in value) {
    if (Buffer.byteLength(value.S) !== value.S.length)
      throw new NotKnown('whether size() counts bytes or characters');
    return value.S.length;
  }
  if ('B' in value) return bytesOf(value.B).length;
  if ('L' in value) return value.L.length;
  if ('M' in value) return Object.keys(value.M).length;
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  if ('BS' in value) return value.BS.length;
  return undefined;
}

function compared(comparator: Comparator, a: Value | undefined, b: Value | undefined): boolean {
  // What is missing differs from everything, from something missing too.
  if (a === undefined || b === undefined) return comparator === '<>';
  if (comparator === '=') return equal(a, b);
  if (comparator === '<>') return !equal(a, b);
  const order = compareValues(a, b);
  if (order === undefined) return false;
  switch (comparator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

function beginsWith(whole: Value | undefined, start: Value | undefined): boolean {
  if (whole === undefined || start === undefined) return false;
  if ('S' in whole && 'S' in start) return whole.S.startsWith(start.S);
  if ('B' in whole && 'B' in start)
    return bytesOf(whole.B).toString('hex').startsWith(bytesOf(start.B).toString('hex'));
  return false;
}

function contains(whole: Value | undefined, part: Value | undefined): boolean {
  if (whole === undefined || part === undefined) return false;
  if ('S' in whole && 'S' in part) return whole.S.includes(part.S);
  if ('B' in whole && 'B' in part) return bytesOf(whole.B).includes(bytesOf(part.B));
  const members: readonly Value[] =
    'SS' in whole
      ? whole.SS.map((S) => ({ S }))
      : 'NS' in whole
        ? whole.NS.map((N) => ({ N }))
        : 'BS' in whole
          ? whole.BS.map((B) => ({ B }))
          : 'L' in whole
            ? whole.L
            : [];
  return members.some((member) => canonicalText(member) === canonicalText(part));
}
