import type { KeyValue } from './attribute-value.ts';
import type { PrimaryKey } from './keys.ts';
import { itemLimits } from './limits.ts';
import { canonicalNumber } from './numbers.ts';
import { isOrdinary, soleMember } from './ordinary-json.ts';
import type { KeyAttribute, TableSchema } from './table-schema.ts';

/**
 * The primary key that a request names, read in one go. Undefined for one that is not ordinary: that has to be read the
 * long way, which knows what is wrong with it.
 */
export function sentKey({ hash, range }: TableSchema, json: unknown): PrimaryKey | undefined {
  if (!isOrdinary(json)) return undefined;
  let members = 0;
  for (const _ in json) members++;
  if (members !== (range === undefined ? 1 : 2)) return undefined;
  const hashValue = sentKeyValue(hash, json[hash.name]);
  if (hashValue === undefined) return undefined;
  if (range === undefined) return { hash: hashValue, range: undefined };
  const rangeValue = sentKeyValue(range, json[range.name]);
  return rangeValue && { hash: hashValue, range: rangeValue };
}

/** Long strings are left to others too: to be too long takes some counting. */
function sentKeyValue({ type }: KeyAttribute, json: unknown): KeyValue | undefined {
  if (!isOrdinary(json) || soleMember(json) !== type) return undefined;
  const content = json[type];
  if (typeof content !== 'string' || content === '') return undefined;
  if (type === 'S') {
    return content.length * 3 <= itemLimits.sortKeyBytesMax && content.isWellFormed()
      ? { S: content }
      : undefined;
  }
  const number = type === 'N' ? canonicalNumber(content, 'newer') : undefined;
  return typeof number === 'string' ? { N: number } : undefined;
}
