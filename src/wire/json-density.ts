import { backslash, quote } from '../model/json/json-marks.ts';
import { bodyShapeLimits } from './wire-limits.ts';

/** The one bit in which `[` and `{` differ, and likewise `]` and `}`. */
const bracketCase = 0x20;

/**
 * Tells whether a body has more objects and arrays than its length allows, or nests them deeper than `depthMax`.
 * Brackets inside strings do not count. It reads the bytes once and makes nothing of them, so it stands before the
 * parser, which takes up to 64 bytes of memory and a microsecond for every three bytes. If the body is not JSON, the
 * result does not matter.
 */
export function isTooDense(bytes: Uint8Array, depthMax: number): boolean {
  const { length } = bytes;
  const containersMax = Math.floor(
    Math.max(length, bodyShapeLimits.jsonBytesUncounted) / bodyShapeLimits.jsonBytesPerContainerMin,
  );
  let containers = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
    } else if ((byte | bracketCase) === 0x7b) {
      if (++depth > depthMax || ++containers > containersMax) return true;
    } else if ((byte | bracketCase) === 0x7d) {
      depth--;
    }
  }
  return false;
}

/** The position of the closing quote of the string around `at`, or the end of the bytes. */
function endOfString(bytes: Uint8Array, at: number): number {
  const { length } = bytes;
  for (let end = at; end < length; end++) {
    const byte = bytes[end]!;
    if (byte === quote) return end;
    if (byte === backslash) end++;
  }
  return length;
}
