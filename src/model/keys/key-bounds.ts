import type { KeyValue } from '../values/attribute-value.ts';
import { concatBytes, keyAfter, prefixEnd } from '../values/bytes.ts';
import { encodeGroup, encodeGroupPrefix, encodeKeyValue } from './key-encoding.ts';
import { cutBound, reachesCut } from './keys.ts';

/** A condition on the sort key, or on the last RANGE attribute that a query names. */
export type RangeCondition =
  | { readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'begins_with'; readonly value: KeyValue }
  | { readonly operator: 'BETWEEN'; readonly low: KeyValue; readonly high: KeyValue };

/** The keys with `from <= key < to`; all from `from` on when there is no `to`. */
export interface KeyBounds {
  readonly from: Uint8Array;
  readonly to: Uint8Array | undefined;
  /**
   * True when exactly the keys that meet the condition lie within. False when bounds ran into the length at which
   * keys are cut: then all that meet it lie within, and some that do not, which the caller tells by their values.
   */
  readonly exact: boolean;
}

/**
 * The bounds of one partition of a table, all of it or what a condition on the sort key leaves. `partition` is what
 * `partitionPrefix` returned.
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
 * The bounds of one partition of an index: `equal` are the values of its first RANGE attributes, and the condition,
 * if any, is on the next one.
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

/** One end of a range, and whether it is where it was asked to be. */
interface Bound {
  readonly bytes: Uint8Array | undefined;
  readonly exact: boolean;
}

/** From the first key that begins so. */
function startOf(bytes: Uint8Array): Bound {
  return { bytes: cutBound(bytes), exact: !reachesCut(bytes) };
}

/** To the last key that begins so. */
function endOf(bytes: Uint8Array): Bound {
  return { bytes: prefixEnd(cutBound(bytes)), exact: !reachesCut(bytes) };
}

/** To the last key before those that begin so; if keys are cut there, to the last that may be one of them. */
function before(bytes: Uint8Array): Bound {
  return reachesCut(bytes) ? endOf(bytes) : startOf(bytes);
}

/** From the first key after those that begin so; if keys are cut there, from the first that may be one of them. */
function after(bytes: Uint8Array): Bound {
  return reachesCut(bytes) ? startOf(bytes) : endOf(bytes);
}

/** A start without bytes lies behind all keys there can be; the ids in use never lead there. */
function between(from: Bound, to: Bound): KeyBounds {
  if (from.bytes === undefined) throw new Error('a key range starts behind all keys');
  return { from: from.bytes, to: to.bytes, exact: from.exact && to.exact };
}
