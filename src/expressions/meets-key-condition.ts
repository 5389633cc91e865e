import type { RangeCondition } from '../model/keys/key-bounds.ts';
import { keyValueOf } from '../model/tables/table-schema.ts';
import { compareKeyValues, equalValues, type Item, type KeyValue } from '../model/values/attribute-value.ts';
import { decodeBase64 } from '../model/values/base64.ts';
import type { KeyCondition, QueriedKey } from './key-condition.ts';

/** Whether an item, or a start key, lies in the partition that a query looks at. */
export function meetsHash({ hash }: KeyCondition, key: QueriedKey, item: Item): boolean {
  return key.hash.every((attribute, i) => {
    const value = keyValueOf(item, attribute);
    return value !== undefined && equalValues(value, hash[i]!);
  });
}

/** Whether an item of that partition meets what the query asks of its RANGE attributes. */
export function meetsRange({ equal, range }: KeyCondition, key: QueriedKey, item: Item): boolean {
  for (const [i, expected] of equal.entries()) {
    const value = keyValueOf(item, key.range[i]!);
    if (value === undefined || !equalValues(value, expected)) return false;
  }
  if (range === undefined) return true;
  const value = keyValueOf(item, key.range[equal.length]!);
  return value !== undefined && meets(range, value);
}

function meets(condition: RangeCondition, value: KeyValue): boolean {
  const order = (other: KeyValue) => compareKeyValues(value, other) ?? Number.NaN;
  switch (condition.operator) {
    case 'BETWEEN':
      return order(condition.low) >= 0 && order(condition.high) <= 0;
    case 'begins_with':
      return beginsWith(value, condition.value);
    case '=':
      return order(condition.value) === 0;
    case '<':
      return order(condition.value) < 0;
    case '<=':
      return order(condition.value) <= 0;
    case '>':
      return order(condition.value) > 0;
    case '>=':
      return order(condition.value) >= 0;
  }
}

function beginsWith(value: KeyValue, beginning: KeyValue): boolean {
  if ('S' in value) return 'S' in beginning && value.S.startsWith(beginning.S);
  if (!('B' in value) || !('B' in beginning)) return false;
  const bytes = decodeBase64(value.B);
  const start = decodeBase64(beginning.B);
  return bytes.length >= start.length && start.every((byte, i) => bytes[i] === byte);
}
