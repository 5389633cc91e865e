import {
  type AttributeValue,
  type BinarySetValue,
  type BinaryValue,
  type BooleanValue,
  type Item,
  type ListValue,
  type MapValue,
  memberOrder,
  type NumberSetValue,
  type NumberValue,
  type SetType,
  type StringSetValue,
  type StringValue,
  typeOf,
} from '../values/attribute-value.ts';
import { utf8Length } from '../values/utf8.ts';
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, quote } from './json-marks.ts';
import { type NameOrder, nameOrder } from './name-orders.ts';

/**
 * Canonical DynamoDB JSON in UTF-8: map keys and set members sorted, no white space, strings escaped as
 * `JSON.stringify` escapes them. Two items are equal exactly if their bytes are equal, and the bytes can be sent to a
 * client unchanged.
 *
 * The writer puts bytes directly into an array, which is measurably faster than building objects for `JSON.stringify`
 * and encoding its text. `parse-canonical-json.ts` decodes them.
 */

const ownRoom = { take: (length: number) => new Uint8Array(length) };

/** Writes canonical JSON into an array that grows. The caller fills the `reserved` bytes at the start. */
export class CanonicalWriter {
  private bytes: Uint8Array;
  protected at: number;

  constructor(capacity: number, reserved = 0) {
    this.bytes = new Uint8Array(Math.max(capacity, reserved));
    this.at = reserved;
  }

  /** Starts the next item in the same array, but replaces an array that has grown large. */
  restart(reserved: number): void {
    if (this.bytes.length > keptBytesMax) this.bytes = new Uint8Array(keptBytesMax);
    this.at = reserved;
  }

  /** Copies the bytes into an array of exactly their length. */
  finish(room: { take(length: number): Uint8Array } = ownRoom): Uint8Array {
    const whole = room.take(this.at);
    whole.set(this.bytes.subarray(0, this.at));
    return whole;
  }

  item(item: Item): void {
    const order = nameOrder([...item.keys()]);
    const { sorted } = order;
    this.unit(openBrace);
    for (let i = 0; i < sorted.length; i++) {
      if (i > 0) this.unit(comma);
      this.name(order, i);
      this.value(item.get(sorted[i]!)!);
    }
    this.unit(closeBrace);
  }

  /** Writes the name with this index in the sorted order, and a colon. */
  protected name({ sorted, heads }: NameOrder, i: number): void {
    if (heads !== undefined) {
      this.append(heads[i]!);
      return;
    }
    this.string(sorted[i]!);
    this.unit(colon);
  }

  value(value: AttributeValue): void {
    switch (typeOf(value)) {
      case 'S':
        this.ascii('{"S":');
        this.string((value as StringValue).S);
        break;
      case 'N':
        this.ascii('{"N":');
        this.string((value as NumberValue).N);
        break;
      case 'B':
        this.ascii('{"B":');
        this.string((value as BinaryValue).B);
        break;
      case 'BOOL':
        this.ascii((value as BooleanValue).BOOL ? '{"BOOL":true' : '{"BOOL":false');
        break;
      case 'NULL':
        this.ascii('{"NULL":true');
        break;
      case 'M':
        this.ascii('{"M":');
        this.item((value as MapValue).M);
        break;
      case 'L':
        this.list((value as ListValue).L);
        break;
      case 'SS':
        this.set('SS', (value as StringSetValue).SS);
        break;
      case 'NS':
        this.set('NS', (value as NumberSetValue).NS);
        break;
      case 'BS':
        this.set('BS', (value as BinarySetValue).BS);
        break;
    }
    this.unit(closeBrace);
  }

  private list(values: readonly AttributeValue[]): void {
    this.ascii('{"L":[');
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.unit(comma);
      this.value(values[i]!);
    }
    this.unit(closeBracket);
  }

  private set(type: SetType, members: readonly string[]): void {
    this.ascii('{"');
    this.ascii(type);
    this.ascii('":[');
    const sorted = isSorted(members, memberOrder[type]) ? members : members.toSorted(memberOrder[type]);
    for (let i = 0; i < sorted.length; i++) {
      if (i > 0) this.unit(comma);
      this.string(sorted[i]!);
    }
    this.unit(closeBracket);
  }

  /**
   * Writes a string. Encodes short strings without escapes here, and leaves the others to the native encoders, which
   * are faster for long strings only. Returns the string's length in UTF-8. Writes nothing and returns `notWellFormed`
   * if the string contains a lone surrogate; values of the model never do.
   */
  protected string(text: string): number {
    const length = text.length;
    if (length > shortUnits) return this.encodedString(text);
    this.reserve(length * 3 + 2);
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = quote;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < 0x80) {
        if (unit < 0x20 || unit === quote || unit === backslash) return this.encodedString(text);
        bytes[at++] = unit;
      } else if (unit < 0x800) {
        bytes[at++] = 0xc0 | (unit >> 6);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else if (unit < 0xd800 || unit > 0xdfff) {
        bytes[at++] = 0xe0 | (unit >> 12);
        bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
        bytes[at++] = 0x80 | (unit & 0x3f);
      } else {
        return this.encodedString(text);
      }
    }
    bytes[at++] = quote;
    const written = at - this.at - 2;
    this.at = at;
    return written;
  }

  private encodedString(text: string): number {
    if (!text.isWellFormed()) return notWellFormed;
    const json = JSON.stringify(text);
    this.reserve(json.length * 3 < this.bytes.length - this.at ? 0 : utf8Length(json));
    this.at += encoder.encodeInto(json, this.bytes.subarray(this.at)).written;
    return utf8Length(text);
  }

  protected ascii(text: string): void {
    const length = text.length;
    this.reserve(length);
    const { bytes, at } = this;
    for (let i = 0; i < length; i++) bytes[at + i] = text.charCodeAt(i);
    this.at = at + length;
  }

  private append(bytes: Uint8Array): void {
    const length = bytes.length;
    this.reserve(length);
    const { bytes: target, at } = this;
    for (let i = 0; i < length; i++) target[at + i] = bytes[i]!;
    this.at = at + length;
  }

  /** Copies a part of an array, mostly longer than a name, with the native copy. */
  protected part(bytes: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    this.bytes.set(bytes.subarray(start, end), this.at);
    this.at += end - start;
  }

  protected unit(unit: number): void {
    if (this.at === this.bytes.length) this.reserve(1);
    this.bytes[this.at++] = unit;
  }

  private reserve(count: number): void {
    const needed = this.at + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
  }
}

/** Returned in place of a length. */
export const notWellFormed = -1;

const encoder = new TextEncoder();
const shortUnits = 128;
const keptBytesMax = 64 * 1024;

function isSorted(members: readonly string[], order: (a: string, b: string) => number): boolean {
  for (let i = 1; i < members.length; i++) if (order(members[i - 1]!, members[i]!) > 0) return false;
  return true;
}
