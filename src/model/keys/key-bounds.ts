import type { KeyValue } from '../values/attribute-value.ts';
import { concatBytes, keyAfter, prefixEnd } from '../values/bytes.ts';
import { encodeGroup, encodeGroupPrefix, encodeKeyValue } from './key-encoding.ts';
import { cutBound, reachesCut } from './keys.ts';

/** A condition on the sort key, or on the last RANGE attribute that a query names. */
export type RangeCondition =
  | { readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'begins_with'; readonly value: KeyValue }
  | { readonly operator: 'BETWEEN'; readonly low: KeyValue; readonly high: KeyValue };

/** The range of keys with `from <= key < to`. Without `to` the range has no end. */
export interface KeyBounds {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
  /**
   * Whether the range holds exactly the keys that meet the condition. It is false if a bound reached the length at
   * which keys are cut: the range then also holds some keys that do not meet it, which the caller must filter by
   * their values.
   */
  readonly exact: boolean;
}

/**
 * The bounds of one partition of a table, or of the part that meets a condition on the sort key. `partition` is a
 * result of `partitionPrefix`.
 */
export function tableBounds(partition: Uint8Array, condition?: RangeCondition): KeyBounds {
  const end = prefixEnd(partition);
  const at = (value: KeyValue) => concatBytes(partition, encodeKeyValue(value));
  if (condition === undefined) return exactly(partition, end);
  if (condition.operator === 'BETWEEN') return exactly(at(condition.low), keyAfter(at(condition.high)));
  const key = at(condition.value);
  switch (condition.operator) {
    case '=':
      return exactly(key, keyAfter(key));
    case '<':
      return exactly(partition, key);
    case '<=':
      return exactly(partition, keyAfter(key));
    case '>':
      return exactly(keyAfter(key), end);
    case '>=':
      return exactly(key, end);
    case 'begins_with':
      if ('N' in condition.value) throw new Error('a number has no beginning');
      return exactly(key, prefixEnd(key));
  }
}

function exactly(from: Uint8Array, to: Uint8Array | undefined): KeyBounds {
  return { from, to, exact: true };
}

/**
 * The bounds of one partition of an index. `equal` are the values of its first RANGE attributes; the condition, if
 * any, applies to the next one.
 */
export function indexBounds(
  partition: Uint8Array,
  equal: readonly KeyValue[],
  condition?: RangeCondition,
): KeyBounds {
  const prefix = concatBytes(partition, ...equal.map(encodeGroup));
  const at = (value: KeyValue) => concatBytes(prefix, encodeGroup(value));
  if (condition === undefined) return between(startOf(prefix), endOf(prefix));
  if (condition.operator === 'BETWEEN') return between(startOf(at(condition.low)), endOf(at(condition.high)));
  if (condition.operator === 'begins_with') {
    const beginning = concatBytes(prefix, encodeGroupPrefix(condition.value));
    return between(startOf(beginning), endOf(beginning));
  }
  const group = at(condition.value);
  switch (condition.operator) {
    case '=':
      return between(startOf(group), endOf(group));
    case '<':
      return between(startOf(prefix), before(group));
    case '<=':
      return between(startOf(prefix), endOf(group));
    case '>':
      return between(after(group), endOf(prefix));
    case '>=':
      return between(startOf(group), endOf(prefix));
  }
}

/** One end of a range, and whether keys cut to the maximal length leave it exact. */
interface Bound {
  readonly bytes: Uint8Array | undefined;
  readonly exact: boolean;
}

/** A start at the first key with this prefix. */
function startOf(bytes: Uint8Array): Bound {
  return { bytes: cutBound(bytes), exact: !reachesCut(bytes) };
}

/** An end after the last key with this prefix. */
function endOf(bytes: Uint8Array): Bound {
  return { bytes: prefixEnd(cutBound(bytes)), exact: !reachesCut(bytes) };
}

/** An end before the first key with this prefix. If keys are cut here, an end after the last key that may have it. */
function before(bytes: Uint8Array): Bound {
  return reachesCut(bytes) ? endOf(bytes) : startOf(bytes);
}

/** A start after the last key with this prefix. If keys are cut here, a start at the first key that may have it. */
function after(bytes: Uint8Array): Bound {
  return reachesCut(bytes) ? startOf(bytes) : endOf(bytes);
}

/**
 * Makes a range of two bounds. A start without bytes would be behind all possible keys; the ids in use never cause
 * one.
 */
function between(from: Bound, to: Bound): KeyBounds {
  if (from.bytes === undefined) throw new Error('a key range starts behind all keys');
  return { from: from.bytes, to: to.bytes, exact: from.exact && to.exact };
}
