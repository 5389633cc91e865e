import {
  type AttributeValue,
  compareKeyValues,
  equalValues,
  type Item,
  isKeyValue,
  typeOf,
} from '../model/values/attribute-value.ts';
import { base64Bytes, decodeBase64 } from '../model/values/base64.ts';
import { bytesContain, textContains } from '../model/values/find-part.ts';
import { noItem, valueAt } from './path.ts';
import type { Comparison, Condition, Operand } from './tree.ts';

/**
 * Whether an item meets a condition; an item that is not there has no attributes. Nothing is copied and nothing fails:
 * what an item lacks, or has with another type, meets no condition except `<>` and what NOT makes of it.
 */
export function meetsCondition(condition: Condition, item: Item | undefined): boolean {
  return meets(condition, item ?? noItem);
}

function meets(condition: Condition, item: Item): boolean {
  switch (condition.kind) {
    case 'and':
      for (const part of condition.conditions) if (!meets(part, item)) return false;
      return true;
    case 'or':
      for (const part of condition.conditions) if (meets(part, item)) return true;
      return false;
    case 'not':
      return !meets(condition.condition, item);
    case 'compare':
      return compare(condition, item);
    case 'between':
      return (
        ordered(operandOf(condition.low, item), operandOf(condition.operand, item), '<=') &&
        ordered(operandOf(condition.operand, item), operandOf(condition.high, item), '<=')
      );
    case 'in': {
      const value = operandOf(condition.operand, item);
      return condition.list.some((operand) => equal(value, operandOf(operand, item)));
    }
    case 'attribute_exists':
      return valueAt(item, condition.path) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, condition.path) === undefined;
    case 'attribute_type': {
      const value = operandOf(condition.operand, item);
      return value !== undefined && typeOf(value) === condition.type;
    }
    case 'begins_with':
      return beginsWith(operandOf(condition.operand, item), operandOf(condition.prefix, item));
    case 'contains':
      return contains(operandOf(condition.container, item), operandOf(condition.element, item));
  }
}

function compare({ comparator, left, right }: Comparison, item: Item): boolean {
  const a = operandOf(left, item);
  const b = operandOf(right, item);
  switch (comparator) {
    case '=':
      return equal(a, b);
    case '<>':
      return !equal(a, b);
    default:
      return ordered(a, b, comparator);
  }
}

/** What is missing equals nothing, not even something else that is missing. */
function equal(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  return a !== undefined && b !== undefined && equalValues(a, b);
}

/** Only strings, numbers and binary values have an order, each among themselves. */
function ordered(
  a: AttributeValue | undefined,
  b: AttributeValue | undefined,
  comparator: '<' | '<=' | '>' | '>=',
): boolean {
  if (a === undefined || b === undefined || !isKeyValue(a) || !isKeyValue(b)) return false;
  const order = compareKeyValues(a, b);
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

function operandOf(operand: Operand, item: Item): AttributeValue | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path);
    case 'value':
      return operand.value;
    case 'size': {
      const value = operandOf(operand.operand, item);
      const size = value && sizeOf(value);
      return size === undefined ? undefined : { N: String(size) };
    }
    case 'condition':
      return { BOOL: meets(operand.condition, item) };
  }
}

/**
 * What `size` answers. The length of a string is in UTF-16 units: of "é𝄞" it is 3, neither its 6 bytes nor its 2
 * characters (seen on the live service in May 2026, ExtendDB's issue 60). Numbers, booleans and null have no size.
 */
function sizeOf(value: AttributeValue): number | undefined {
  if ('S' in value) return value.S.length;
  if ('B' in value) return base64Bytes(value.B);
  if ('L' in value) return value.L.length;
  if ('M' in value) return value.M.size;
  if ('SS' in value) return value.SS.length;
  if ('NS' in value) return value.NS.length;
  return 'BS' in value ? value.BS.length : undefined;
}

function beginsWith(value: AttributeValue | undefined, prefix: AttributeValue | undefined): boolean {
  if (value === undefined || prefix === undefined) return false;
  if ('S' in value) return 'S' in prefix && value.S.startsWith(prefix.S);
  return 'B' in value && 'B' in prefix && startsWithBytes(value.B, prefix.B);
}

/** Part of a text, member of a set or element of a list; maps contain nothing. */
function contains(container: AttributeValue | undefined, element: AttributeValue | undefined): boolean {
  if (container === undefined || element === undefined) return false;
  if ('S' in container) return 'S' in element && textContains(container.S, element.S);
  if ('B' in container) return 'B' in element && containsBytes(container.B, element.B);
  if ('SS' in container) return 'S' in element && container.SS.includes(element.S);
  if ('NS' in container) return 'N' in element && container.NS.includes(element.N);
  if ('BS' in container) return 'B' in element && container.BS.includes(element.B);
  return 'L' in container && container.L.some((member) => equalValues(member, element));
}

/**
 * Lengths are compared before anything is decoded: a long operand would otherwise cost its length at every short value.
 * Whole groups of four characters stand for whole groups of three bytes, so only the last group of a prefix is decoded.
 */
function startsWithBytes(value: string, prefix: string): boolean {
  const bytes = base64Bytes(prefix);
  if (bytes > base64Bytes(value)) return false;
  const whole = (bytes - (bytes % 3)) / 3;
  if (!value.startsWith(prefix.slice(0, 4 * whole))) return false;
  const [last, rest] = [
    decodeBase64(prefix.slice(4 * whole)),
    decodeBase64(value.slice(4 * whole, 4 * whole + 4)),
  ];
  return last.every((byte, i) => byte === rest[i]);
}

function containsBytes(whole: string, part: string): boolean {
  return base64Bytes(part) <= base64Bytes(whole) && bytesContain(decodeBase64(whole), decodeBase64(part));
}
