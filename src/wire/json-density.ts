import { backslash, colon, comma, quote } from '../model/json/json-marks.ts';
import { bodyShapeLimits } from './wire-limits.ts';

/** The one bit in which `[` and `{` differ, and likewise `]` and `}`. */
const bracketCase = 0x20;

/**
 * Classifies a body by one pass over its bytes, before it is parsed. If the body is not JSON, the result does not matter.
 *
 * `too dense`: more objects and arrays than its length allows, deeper than `depthMax`, or an object of more members than
 * an item has. The parser would take up to 64 bytes of memory and a microsecond for every three bytes. Brackets inside
 * strings do not count.
 *
 * `many shapes`: names in more orders than programs have. For each new sequence of names V8 makes a hidden class: 16 MB
 * of objects with a hundred names of their own take `JSON.parse` fifteen seconds.
 */
export function jsonShape(bytes: Uint8Array, depthMax: number): 'too dense' | 'many shapes' | 'usual' {
  const { length } = bytes;
  const containersMax = Math.floor(
    Math.max(length, bodyShapeLimits.jsonBytesUncounted) / bodyShapeLimits.jsonBytesPerContainerMin,
  );
  const sequences = new Sequences();
  let containers = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === quote) {
      const start = at + 1;
      at = endOfString(bytes, start);
      if (!isName(bytes, at + 1)) continue;
      sequences.add(depth, bytes, start, at);
      if (sequences.membersAt(depth) > bodyShapeLimits.jsonMembersMax) return 'too dense';
    } else if ((byte | bracketCase) === 0x7b) {
      if (++depth > depthMax || ++containers > containersMax) return 'too dense';
      sequences.begin(depth);
    } else if ((byte | bracketCase) === 0x7d) {
      if (depth > 0) depth--;
    }
  }
  return sequences.areMany ? 'many shapes' : 'usual';
}

/** Whether a string that ended before `at` is the name of a member. */
function isName(bytes: Uint8Array, at: number): boolean {
  let next = at;
  while (isSpace(bytes[next])) next++;
  return bytes[next] === colon;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Counts the different sequences of names that objects begin with, by their hashes. */
class Sequences {
  /** The hash of the names so far in the object at each depth. */
  readonly #hashes: number[] = [0];
  /** The members so far of the object at each depth. */
  readonly #members: number[] = [0];
  /** The last sequence with each of these ends of a hash: most of the names repeat those of the object before. */
  readonly #latest = new Int32Array(latestSlots);
  readonly #seen = new Set<number>();

  get areMany(): boolean {
    return this.#seen.size > bodyShapeLimits.jsonShapesMax;
  }

  begin(depth: number): void {
    this.#hashes[depth] = 0x811c9dc5 | 0;
    this.#members[depth] = 0;
  }

  membersAt(depth: number): number {
    return this.#members[depth]!;
  }

  add(depth: number, bytes: Uint8Array, start: number, end: number): void {
    let hash = Math.imul(this.#hashes[depth]! ^ quote, 0x01000193);
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    this.#hashes[depth] = hash;
    this.#members[depth]!++;
    const slot = (hash ^ (hash >>> 15)) & (latestSlots - 1);
    if (this.#latest[slot] === hash) return;
    this.#latest[slot] = hash;
    if (!this.areMany) this.#seen.add(hash);
  }
}

/** A power of two. */
const latestSlots = 4_096;

/**
 * The bytes without white space between its values and marks. A blank stays between two values, where it is an error.
 */
export function withoutSpace(bytes: Uint8Array): Uint8Array {
  const kept = new Uint8Array(bytes.length);
  let length = 0;
  let behindSpace = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (isSpace(byte)) {
      behindSpace = true;
      continue;
    }
    if (behindSpace && length > 0 && !isMark(kept[length - 1]!) && !isMark(byte)) kept[length++] = 0x20;
    behindSpace = false;
    const end = byte === quote ? Math.min(endOfString(bytes, at + 1), bytes.length - 1) : at;
    for (; at < end; at++) kept[length++] = bytes[at]!;
    kept[length++] = bytes[end]!;
  }
  return kept.subarray(0, length);
}

/** Whether a byte is one of `{}[],:`. */
function isMark(byte: number): boolean {
  return byte === comma || byte === colon || (byte | bracketCase) === 0x7b || (byte | bracketCase) === 0x7d;
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
