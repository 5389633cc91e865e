import { serializationError } from '../../model/errors.ts';
import { encodeBase64, isBase64 } from '../../model/values/base64.ts';
import type { NumberShape } from './shape.ts';
import { notABlob, notABoolean, notAScalar, wrongBase64, wrongBase64Length } from './type-mismatch.ts';

/**
 * Readers of JSON scalars, and of the bytes and dates that programs in the same process have in their place. A reader returns the very value it was given when that is what the service would work
 * with, another value when the service converts, and an error when it refuses; so callers find out with one `===`
 * whether anything is to be done.
 */

export function readString(value: unknown): unknown {
  return typeof value === 'string' ? value : notAScalar('String', value);
}

/** 'true', '1', 'yes' and their opposites are taken for booleans in any case; numbers are not. */
export function readBoolean(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') {
    const text = value.toLowerCase();
    if (text === 'true' || text === '1' || text === 'yes') return true;
    if (text === 'false' || text === '0' || text === 'no') return false;
  }
  return notABoolean(value);
}

const integerMax = 2 ** 31 - 1;
const longMax = 2 ** 63;

/** How JSON says what its numbers cannot. */
const notFinite: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/**
 * Whole numbers lose their fraction, and what does not fit the Java type is cut to its bounds. JSON.parse turns
 * `1e400` into Infinity, which must not travel further as if it were a count.
 */
export function numberReader(java: NumberShape['java']): (value: unknown) => unknown {
  if (java === 'Double') {
    return (given) => {
      const value = notFinite.get(given) ?? given;
      return typeof value !== 'number'
        ? notAScalar(java, value)
        : Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
    };
  }
  const [min, max] = java === 'Integer' ? [-integerMax - 1, integerMax] : [-longMax, longMax];
  return (value) =>
    typeof value !== 'number' ? notAScalar(java, value) : Math.min(Math.max(Math.trunc(value), min), max);
}

/** The texts for a timestamp of the wrong type are formed like those of the other types (inferred). */
export function readTimestamp(value: unknown): unknown {
  if (value instanceof Date) return readTimestamp(value.getTime() / 1000);
  if (typeof value !== 'number') return notAScalar('Date', value);
  return Number.isFinite(value)
    ? value
    : serializationError('A timestamp must be a finite number of seconds');
}

/**
 * Only the canonical spelling passes: padded, and with no stray bits behind the last byte. Two texts for the same
 * bytes therefore never both enter the database.
 */
export function readBlob(value: unknown): unknown {
  if (typeof value !== 'string') return ArrayBuffer.isView(value) ? base64Of(value) : notABlob(value);
  if (value.length % 4 !== 0) return wrongBase64Length(value.length);
  return isBase64(value) ? value : wrongBase64();
}

function base64Of({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return encodeBase64(new Uint8Array(buffer, byteOffset, byteLength));
}
