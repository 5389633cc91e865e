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
} from './attribute-value.ts';
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, quote } from './json-marks.ts';
import { ownCopy } from './json-reader.ts';
import { compareUtf8, utf8Length } from './utf8.ts';

/**
 * Items as canonical DynamoDB JSON in UTF-8: map keys and set members in order, no white space, strings escaped as
 * `JSON.stringify` does. Equal items have equal bytes and unequal items different ones, so the bytes can stand for
 * the item in comparisons, and can be sent to a client as they are.
 *
 * The writer puts bytes straight into an array, which is measurably faster than making objects for `JSON.stringify`
 * and encoding its text. `parse-canonical-json.ts` is the way back.
 */

const ownRoom = { take: (length: number) => new Uint8Array(length) };

/** Writes canonical JSON into an array that grows; `reserved` bytes at its beginning are left to the caller. */
export class CanonicalWriter {
  private bytes: Uint8Array;
  protected at: number;
  private readonly orders = new NameOrders();

  constructor(capacity: number, reserved = 0) {
    this.bytes = new Uint8Array(Math.max(capacity, reserved));
    this.at = reserved;
  }

  /** Begins anew in the same array; one that has grown large is not kept. */
  restart(reserved: number): void {
    if (this.bytes.length > keptBytesMax) this.bytes = new Uint8Array(keptBytesMax);
    this.at = reserved;
  }

  /** What was written, in an array of its own size, so that keeping it keeps nothing else. */
  finish(room: { take(length: number): Uint8Array } = ownRoom): Uint8Array {
    const whole = room.take(this.at);
    whole.set(this.bytes.subarray(0, this.at));
    return whole;
  }

  item(item: Item): void {
    this.unit(openBrace);
    const names = this.orders.sorted(item);
    if (names === undefined) {
      let first = true;
      for (const [name, value] of item) {
        this.attribute(name, value, first);
        first = false;
      }
    } else {
      for (let i = 0; i < names.length; i++) this.attribute(names[i]!, item.get(names[i]!)!, i === 0);
    }
    this.unit(closeBrace);
  }

  private attribute(name: string, value: AttributeValue, first: boolean): void {
    if (!first) this.unit(comma);
    this.string(name);
    this.unit(colon);
    this.value(value);
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
   * Most strings are short and need no escape: they are encoded here, unit by unit. The native encoders, which are
   * faster only for long strings, get the others. Answers how many bytes the string has in UTF-8; nothing is written
   * of one that is not well-formed, which no value of the model is.
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

  protected append(bytes: Uint8Array): void {
    const length = bytes.length;
    this.reserve(length);
    const { bytes: target, at } = this;
    for (let i = 0; i < length; i++) target[at + i] = bytes[i]!;
    this.at = at + length;
  }

  /** A part of what is mostly longer than a name. */
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

/** In place of a number of bytes. */
export const notWellFormed = -1;

const encoder = new TextEncoder();
const shortUnits = 128;
const keptBytesMax = 64 * 1024;

/** Sorts the names of items. Those of one table mostly come with the same names, which are sorted once for all. */
class NameOrders {
  /** By how many names there are. */
  readonly #known: { readonly given: readonly string[]; readonly sorted: readonly string[] }[] = [];

  /** Undefined for an item whose names are in order, as those of one that was read from the store are. */
  sorted(item: Item): readonly string[] | undefined {
    const known = this.#known[item.size];
    if (known !== undefined && hasNames(item, known.given)) return known.sorted;
    if (isInNameOrder(item)) return undefined;
    const names = [...item.keys()];
    if (item.size > knownNamesMax) return names.sort(compareUtf8);
    const given = names.map(ownCopy);
    const sorted = given.toSorted(compareUtf8);
    this.#known[item.size] = { given, sorted };
    return sorted;
  }
}

const knownNamesMax = 64;

function hasNames(item: Item, names: readonly string[]): boolean {
  let at = 0;
  for (const name of item.keys()) if (name !== names[at++]) return false;
  return true;
}

function isInNameOrder(item: Item): boolean {
  let previous = '';
  for (const name of item.keys()) {
    if (compareUtf8(previous, name) > 0) return false;
    previous = name;
  }
  return true;
}

function isSorted(members: readonly string[], order: (a: string, b: string) => number): boolean {
  for (let i = 1; i < members.length; i++) if (order(members[i - 1]!, members[i]!) > 0) return false;
  return true;
}
