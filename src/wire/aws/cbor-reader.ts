import { isUtf8 } from 'node:buffer';
import { bodyShapeLimits } from '../wire-limits.ts';
import { WireWork } from '../wire-work.ts';

/** The result for bytes that are not the CBOR of one value. It is a symbol because no value is one. */
export const notCbor = Symbol('not CBOR');

/** Deeper nesting is refused, so that later stages may recurse over a request. CloudWatch's inputs nest nine deep. */
const depthMax = 64;
/** Each byte could be a value, and each value takes memory. */
const { cborValuesMax } = bodyShapeLimits;

/**
 * Reads one CBOR value (RFC 8949) as Smithy's RPC v2 uses it: maps have text keys, tag 1 is a time in seconds, bytes
 * stay bytes. A time becomes its number of seconds, because the shape of a member says what the number means. Whole
 * numbers beyond 2^53 lose digits, as they do in JSON. Lengths are checked against the bytes that are there before
 * anything is made of them.
 */
export function readCbor(bytes: Uint8Array, work = new WireWork()): unknown {
  const reader = new Reader(bytes);
  try {
    const value = reader.value(0);
    return reader.isAtEnd ? value : notCbor;
  } catch (error) {
    if (error instanceof Malformed) return notCbor;
    throw error;
  } finally {
    work.cborValues += reader.values;
  }
}

class Malformed extends Error {}

const Major = { Unsigned: 0, Negative: 1, Bytes: 2, Text: 3, List: 4, Map: 5, Tag: 6 } as const;

const indefinite = 31;
const stop = Symbol('break');
const epochTag = 1;
/** Says nothing but that CBOR follows. */
const selfDescribedTag = 55_799;

class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): unknown {
    const value = this.#next(depth);
    if (value === stop) throw new Malformed();
    return value;
  }

  #next(depth: number): unknown {
    if (depth > depthMax || ++this.values > cborValuesMax) throw new Malformed();
    const first = this.#byte();
    const major = first >> 5;
    const info = first & 0x1f;
    switch (major) {
      case Major.Unsigned:
        return this.#number(info);
      case Major.Negative:
        return -1 - this.#number(info);
      case Major.Bytes:
        return info === indefinite ? Buffer.concat(this.#chunks(major)) : this.#taken(this.#number(info));
      case Major.Text:
        return this.#text(info);
      case Major.List:
        return this.#list(info, depth);
      case Major.Map:
        return this.#map(info, depth);
      case Major.Tag:
        return this.#tagged(this.#number(info), depth);
      default:
        return this.#simple(info);
    }
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new Malformed();
    return this.#bytes[this.#at++]!;
  }

  /** The number in the low bits of a first byte, or in the bytes that follow it. */
  #number(info: number): number {
    if (info < 24) return info;
    const size = info === 24 ? 1 : info === 25 ? 2 : info === 26 ? 4 : info === 27 ? 8 : 0;
    if (size === 0 || this.#at + size > this.#bytes.length) throw new Malformed();
    const at = this.#at;
    this.#at += size;
    if (size === 1) return this.#bytes[at]!;
    if (size === 2) return this.#view.getUint16(at);
    if (size === 4) return this.#view.getUint32(at);
    return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
  }

  #taken(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new Malformed();
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return taken;
  }

  /** The pieces of a text or of bytes of indefinite length, each of which has a length. */
  #chunks(major: number): Uint8Array[] {
    const chunks: Uint8Array[] = [];
    for (;;) {
      const first = this.#byte();
      if (first === 0xff) return chunks;
      if (first >> 5 !== major || (first & 0x1f) === indefinite || ++this.values > cborValuesMax)
        throw new Malformed();
      chunks.push(this.#taken(this.#number(first & 0x1f)));
    }
  }

  #text(info: number): string {
    const bytes =
      info === indefinite ? Buffer.concat(this.#chunks(Major.Text)) : this.#taken(this.#number(info));
    if (!isUtf8(bytes)) throw new Malformed();
    return Buffer.prototype.utf8Slice.call(bytes, 0, bytes.length);
  }

  #list(info: number, depth: number): unknown[] {
    const items: unknown[] = [];
    if (info === indefinite) {
      for (;;) {
        const item = this.#next(depth + 1);
        if (item === stop) return items;
        items.push(item);
      }
    }
    const length = this.#number(info);
    if (length > this.#bytes.length - this.#at) throw new Malformed();
    for (let i = 0; i < length; i++) items.push(this.value(depth + 1));
    return items;
  }

  #map(info: number, depth: number): object {
    const members: Record<string, unknown> = {};
    const isOpen = info === indefinite;
    const length = isOpen ? Number.POSITIVE_INFINITY : this.#number(info);
    if (!isOpen && length > (this.#bytes.length - this.#at) / 2) throw new Malformed();
    for (let i = 0; i < length; i++) {
      const key = this.#next(depth + 1);
      if (key === stop && isOpen) break;
      if (typeof key !== 'string') throw new Malformed();
      const value = this.value(depth + 1);
      // A member of this name would otherwise replace the prototype.
      if (key === '__proto__')
        Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
      else members[key] = value;
    }
    return members;
  }

  #tagged(tag: number, depth: number): unknown {
    const value = this.value(depth + 1);
    if (tag === selfDescribedTag) return value;
    if (tag !== epochTag || typeof value !== 'number') throw new Malformed();
    return value;
  }

  #simple(info: number): unknown {
    switch (info) {
      case 20:
        return false;
      case 21:
        return true;
      // Null and undefined: the member counts as absent.
      case 22:
      case 23:
        return null;
      case 25:
        return half(this.#number(info));
      case 26:
        this.#need(4);
        return this.#view.getFloat32(this.#at - 4);
      case 27:
        this.#need(8);
        return this.#view.getFloat64(this.#at - 8);
      case indefinite:
        return stop;
      default:
        throw new Malformed();
    }
  }

  #need(size: number): void {
    if (this.#at + size > this.#bytes.length) throw new Malformed();
    this.#at += size;
  }
}

/** A number of 16 bits: sign, five bits of exponent, ten of fraction. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}
