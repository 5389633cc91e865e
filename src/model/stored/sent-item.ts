import { DynamoError } from '../errors.ts';
import { CanonicalWriter, notWellFormed } from '../json/canonical-json.ts';
import { closeBrace, closeBracket, comma, openBrace } from '../json/json-marks.ts';
import { invalidName, nameOrder } from '../json/name-orders.ts';
import { isOrdinary, type JsonObject, soleMember } from '../json/ordinary-json.ts';
import { itemLimits } from '../limits.ts';
import type { AttributeValue, Item } from '../values/attribute-value.ts';
import { documentBytes, elementBytes, numberSize, valueSize } from '../values/item-size.ts';
import { canonicalNumber } from '../values/numbers.ts';
import { readAttributeValue } from '../values/read-attribute-value.ts';
import { decodeAttributes, decodeItem, headerBytes, type ItemHeader, writeHeader } from './stored-item.ts';

/**
 * An item of a request, validated, measured and encoded in one pass. It holds encoded bytes and the values of a few
 * attributes: the keys of the table and its indexes, and what else the write needs. A put needs no other values.
 */
export class SentItem {
  /** The values of the attributes that the write needs. */
  readonly attributes: Item;
  /** The names of these attributes. The item may lack some of them. */
  readonly names: ReadonlySet<string>;
  /** The item's size in DynamoDB's bytes. */
  readonly bytes: number;
  readonly #spans: readonly number[];
  readonly #stored: Uint8Array;
  #isHandedOut = false;

  /** `stored` is the stored form with an empty header. */
  constructor({ attributes, spans, bytes }: Written, names: ReadonlySet<string>, stored: Uint8Array) {
    if (attributes === undefined) writeHeader(stored, noHeader);
    this.attributes = attributes ?? decodeAttributes(stored, names);
    this.names = names;
    this.bytes = bytes;
    this.#spans = spans;
    this.#stored = stored;
  }

  /** The stored form. The caller owns it, so every call but the first returns a copy. */
  stored(header: ItemHeader): Uint8Array {
    const stored = this.#isHandedOut ? new Uint8Array(this.#stored) : this.#stored;
    this.#isHandedOut = true;
    writeHeader(stored, header);
    return stored;
  }

  /** Decodes all attributes. */
  item(): Item {
    const stored = new Uint8Array(this.#stored);
    writeHeader(stored, noHeader);
    return decodeItem(stored);
  }

  /** The same item with the values of other attributes, for a table that changed after the item was encoded. */
  withNames(names: ReadonlySet<string>): SentItem {
    if (names === this.names) return this;
    const written = { attributes: undefined, spans: [], bytes: this.bytes };
    return new SentItem(written, names, new Uint8Array(this.#stored));
  }

  /**
   * Compares a stored item with this one. `same` means equal items; `same places` means that the attributes in
   * `names` are equal, so the stored item need not be decoded. The comparison looks only for the first and the last
   * byte that differ: attributes outside of that range are equal. Undefined means unequal, or not known.
   */
  likeness(stored: Uint8Array): 'same' | 'same places' | undefined {
    const ours = this.#stored;
    const shift = stored.length - ours.length;
    const shorter = Math.min(stored.length, ours.length);
    let same = headerBytes;
    while (same < shorter && ours[same] === stored[same]) same++;
    if (shift === 0 && same === shorter) return 'same';
    const spans = this.#spans;
    if (spans.length !== this.names.size * 2) return undefined;
    let end = ours.length;
    while (end > same && end + shift > same && ours[end - 1] === stored[end + shift - 1]) end--;
    // Includes the byte before the attribute: the end of a longer name can look like this name, behind a backslash.
    for (let i = 0; i < spans.length; i += 2) if (spans[i + 1]! > same && spans[i]! <= end) return undefined;
    return 'same places';
  }
}

/** A header that makes the bytes decodable. */
const noHeader: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 0,
  era: 0,
  writtenMicros: 0,
  region: 0,
  version: 1,
};

/** The result of encoding an item. */
interface Written {
  /** Undefined if one of the values is neither a string nor a number: then decode them from the encoded item. */
  readonly attributes: Item | undefined;
  /** The start and the end of each of these attributes. */
  readonly spans: readonly number[];
  readonly bytes: number;
}

/**
 * Encodes items of requests while it validates them. It gives up on an item that is invalid or merely unusual (a value
 * with a second member, an object of a class): `readItem` then finds the error, or reads the item. Each property is
 * read once, since a getter may return another value the second time.
 */
export class SentItemWriter extends CanonicalWriter {
  /** The type of the last value, and its text if it was a string or a number. */
  #kind: 'S' | 'N' | 'another' = 'another';
  #text = '';

  sent(json: unknown, names: ReadonlySet<string>): Written | undefined {
    const order = isOrdinary(json) ? nameOrder(Object.keys(json)) : undefined;
    if (order === undefined || order.bytes === invalidName) return undefined;
    let attributes: Map<string, AttributeValue> | undefined = new Map();
    const spans: number[] = [];
    const { sorted } = order;
    const isAmong = order.among(names);
    let bytes = order.bytes;
    this.unit(openBrace);
    for (let i = 0; i < sorted.length; i++) {
      const sent = (json as JsonObject)[sorted[i]!];
      if (i > 0) this.unit(comma);
      const start = this.at;
      this.name(order, i);
      const size = this.#value(sent, 1);
      if (size === notOrdinary) return undefined;
      bytes += size;
      if (!isAmong[i]) continue;
      if (this.#kind === 'another') attributes = undefined;
      else attributes?.set(sorted[i]!, this.#kind === 'S' ? { S: this.#text } : { N: this.#text });
      spans.push(start, this.at);
    }
    this.unit(closeBrace);
    this.#text = '';
    return { attributes, spans, bytes };
  }

  /** Encodes a value. Returns its size or `notOrdinary`. */
  #value(json: unknown, level: number): number {
    if (!isOrdinary(json) || level > itemLimits.nestingLevelsMax) return notOrdinary;
    const type = soleMember(json);
    const content = type === undefined ? undefined : json[type];
    let size: number;
    switch (type) {
      case 'S':
        if (typeof content !== 'string') return notOrdinary;
        this.ascii('{"S":');
        size = this.string(content);
        if (size === notWellFormed) return notOrdinary;
        this.unit(closeBrace);
        this.#kind = 'S';
        this.#text = content;
        return size;
      case 'N': {
        const number = typeof content === 'string' ? canonicalNumber(content, 'newer') : undefined;
        if (typeof number !== 'string') return notOrdinary;
        this.ascii('{"N":');
        this.string(number);
        this.unit(closeBrace);
        this.#kind = 'N';
        this.#text = number;
        return numberSize(number);
      }
      case 'BOOL':
        if (typeof content !== 'boolean') return notOrdinary;
        this.ascii(content ? '{"BOOL":true' : '{"BOOL":false');
        size = 1;
        break;
      case 'M':
        this.ascii('{"M":');
        size = this.#map(content, level + 1);
        break;
      case 'L':
        this.ascii('{"L":[');
        size = this.#list(content, level + 1);
        this.unit(closeBracket);
        break;
      case 'B':
      case 'NULL':
      case 'SS':
      case 'NS':
      case 'BS':
        this.#kind = 'another';
        return this.#read(type, content);
      default:
        return notOrdinary;
    }
    this.unit(closeBrace);
    this.#kind = 'another';
    return size;
  }

  #map(json: unknown, level: number): number {
    const order = isOrdinary(json) ? nameOrder(Object.keys(json)) : undefined;
    if (order === undefined || order.bytes === invalidName) return notOrdinary;
    const { sorted } = order;
    let bytes = documentBytes + sorted.length * elementBytes + order.bytes;
    this.unit(openBrace);
    for (let i = 0; i < sorted.length; i++) {
      if (i > 0) this.unit(comma);
      this.name(order, i);
      const size = this.#value((json as JsonObject)[sorted[i]!], level);
      if (size === notOrdinary) return notOrdinary;
      bytes += size;
    }
    this.unit(closeBrace);
    return bytes;
  }

  #list(json: unknown, level: number): number {
    if (!Array.isArray(json)) return notOrdinary;
    let bytes = documentBytes + json.length * elementBytes;
    for (let i = 0; i < json.length; i++) {
      if (i > 0) this.unit(comma);
      const size = this.#value(json[i], level);
      if (size === notOrdinary) return notOrdinary;
      bytes += size;
    }
    return bytes;
  }

  /** Reads and encodes a value of a rare type. */
  #read(type: string, content: unknown): number {
    const value = readAttributeValue({ [type]: content }, 'newer');
    if (value instanceof DynamoError) return notOrdinary;
    this.value(value);
    return valueSize(value);
  }
}

/** No size is negative. */
const notOrdinary = -1;
