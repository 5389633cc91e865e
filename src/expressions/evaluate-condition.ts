import {
  type AttributeValue,
  type BinaryValue,
  compareKeyValues,
  equalValues,
  type Item,
  isKeyValue,
  keyText,
  typeOf,
} from '../model/values/attribute-value.ts';
import { base64Bytes, decodeBase64 } from '../model/values/base64.ts';
import { bytesContain, mayTake, textContains } from '../model/values/find-part.ts';
import { ConditionWork } from './condition-work.ts';
import { noItem, valueAt } from './path.ts';
import type { Comparison, Condition, Operand } from './tree.ts';

/**
 * Whether an item meets a condition; an item that is not there has no attributes. Nothing is copied and nothing fails:
 * what an item lacks, or has with another type, meets no condition except `<>` and what NOT makes of it.
 *
 * `work` counts the steps and may stop the evaluation.
 */
export function meetsCondition(
  condition: Condition,
  item: Item | undefined,
  work = new ConditionWork(),
): boolean {
  return meets(condition, item ?? noItem, work);
}

function meets(condition: Condition, item: Item, work: ConditionWork): boolean {
  switch (condition.kind) {
    case 'and':
      for (const part of condition.conditions) if (!meets(part, item, work)) return false;
      return true;
    case 'or':
      for (const part of condition.conditions) if (meets(part, item, work)) return true;
      return false;
    case 'not':
      return !meets(condition.condition, item, work);
    case 'in':
      return isIn(condition, item, work);
    default:
      return work.known(condition) ?? judged(condition, item, work);
  }
}

type Primitive = Exclude<Condition, { readonly kind: 'and' | 'or' | 'not' | 'in' }>;

function judged(condition: Primitive, item: Item, work: ConditionWork): boolean {
  if (work.isStopped) return false;
  const before = work.steps++;
  const result = judge(condition, item, work);
  work.note(condition, result, before);
  return result;
}

function judge(condition: Primitive, item: Item, work: ConditionWork): boolean {
  switch (condition.kind) {
    case 'compare':
      return compare(condition, item, work);
    case 'between': {
      const value = operandOf(condition.operand, item, work);
      return (
        ordered(operandOf(condition.low, item, work), value, '<=', work) &&
        ordered(value, operandOf(condition.high, item, work), '<=', work)
      );
    }
    case 'attribute_exists':
      return valueAt(item, condition.path) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, condition.path) === undefined;
    case 'attribute_type': {
      const value = operandOf(condition.operand, item, work);
      return value !== undefined && typeOf(value) === condition.type;
    }
    case 'begins_with':
      return beginsWith(
        operandOf(condition.operand, item, work),
        operandOf(condition.prefix, item, work),
        work,
      );
    case 'contains':
      return contains(
        operandOf(condition.container, item, work),
        operandOf(condition.element, item, work),
        work,
      );
  }
}

/** Each member of the list is a part of its own, because a list may have a hundred documents. */
function isIn({ operand, list }: Condition & { kind: 'in' }, item: Item, work: ConditionWork): boolean {
  const value = operandOf(operand, item, work);
  for (const member of list) {
    const known = work.known(member);
    if (known === true) return true;
    if (known === false) continue;
    if (work.isStopped) return false;
    const before = work.steps++;
    const result = equal(value, operandOf(member, item, work), work);
    work.note(member, result, before);
    if (result) return true;
  }
  return false;
}

function compare({ comparator, left, right }: Comparison, item: Item, work: ConditionWork): boolean {
  const a = operandOf(left, item, work);
  const b = operandOf(right, item, work);
  switch (comparator) {
    case '=':
      return equal(a, b, work);
    case '<>':
      return !equal(a, b, work);
    default:
      return ordered(a, b, comparator, work);
  }
}

/** What is missing equals nothing, not even something else that is missing. */
function equal(a: AttributeValue | undefined, b: AttributeValue | undefined, work: ConditionWork): boolean {
  return a !== undefined && b !== undefined && equalValues(a, b, work);
}

/** Only strings, numbers and binary values have an order, each among themselves. */
function ordered(
  a: AttributeValue | undefined,
  b: AttributeValue | undefined,
  comparator: '<' | '<=' | '>' | '>=',
  work: ConditionWork,
): boolean {
  if (a === undefined || b === undefined || !isKeyValue(a) || !isKeyValue(b)) return false;
  if (!mayTake(Math.min(keyText(a).length, keyText(b).length) >> 5, work)) return false;
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

function operandOf(operand: Operand, item: Item, work: ConditionWork): AttributeValue | undefined {
  switch (operand.kind) {
    case 'path':
      return valueAt(item, operand.path);
    case 'value':
      return operand.value;
    case 'size': {
      const value = operandOf(operand.operand, item, work);
      const size = value && sizeOf(value);
      return size === undefined ? undefined : { N: String(size) };
    }
    case 'condition':
      return { BOOL: meets(operand.condition, item, work) };
  }
}

/**
 * What `size` answers. The length of a string is in UTF-16 units: of "é𝄞" it is 3, neither its 6 bytes nor its 2
 * characters (observed: ExtendDB's tests, issue 60, May 2026). Numbers, booleans and null have no size.
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

function beginsWith(
  value: AttributeValue | undefined,
  prefix: AttributeValue | undefined,
  work: ConditionWork,
): boolean {
  if (value === undefined || prefix === undefined) return false;
  if ('S' in value) {
    if (!('S' in prefix) || prefix.S.length > value.S.length) return false;
    return mayTake(prefix.S.length >> 6, work) && value.S.startsWith(prefix.S);
  }
  if (!('B' in value) || !('B' in prefix)) return false;
  return mayTake(Math.min(value.B.length, prefix.B.length) >> 6, work) && startsWithBytes(value.B, prefix.B);
}

/** Part of a text, member of a set or element of a list; maps contain nothing. */
function contains(
  container: AttributeValue | undefined,
  element: AttributeValue | undefined,
  work: ConditionWork,
): boolean {
  if (container === undefined || element === undefined) return false;
  if ('S' in container) return 'S' in element && textContains(container.S, element.S, work);
  if ('B' in container) return 'B' in element && containsBytes(container, element, work);
  if ('SS' in container) return 'S' in element && isMember(container.SS, element.S, work);
  if ('NS' in container) return 'N' in element && isMember(container.NS, element.N, work);
  if ('BS' in container) return 'B' in element && isMember(container.BS, element.B, work);
  if (!('L' in container)) return false;
  return (
    mayTake(container.L.length >> 2, work) && container.L.some((member) => equalValues(member, element, work))
  );
}

function isMember(members: readonly string[], text: string, work: ConditionWork): boolean {
  return mayTake(members.length >> 3, work) && members.includes(text);
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

function containsBytes(whole: BinaryValue, part: BinaryValue, work: ConditionWork): boolean {
  if (base64Bytes(part.B) > base64Bytes(whole.B)) return false;
  return bytesContain(work.bytesOf(whole), work.bytesOf(part), work);
}
