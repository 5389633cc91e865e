import type { AttributeValue, Item } from './attribute-value.ts';
import { CanonicalWriter, notWellFormed } from './canonical-json.ts';
import { DynamoError } from './errors.ts';
import { documentBytes, elementBytes, numberSize, valueSize } from './item-size.ts';
import { closeBrace, closeBracket, comma, openBrace } from './json-marks.ts';
import { itemLimits } from './limits.ts';
import { canonicalNumber } from './numbers.ts';
import { isOrdinary, type JsonObject, soleMember } from './ordinary-json.ts';
import { checkAttributeName, readAttributeValue } from './read-attribute-value.ts';
import { decodeAttributes, decodeItem, headerBytes, type ItemHeader, writeHeader } from './stored-item.ts';
import { compareUtf8, encodeUtf8, utf8Length } from './utf8.ts';

/**
 * An item of a request that was checked, measured and encoded in one walk. Nothing is made of it but bytes, except for
 * the few attributes that tell its places: whoever puts an item needs no more of it.
 */
export class SentItem {
  /** Its attributes of some names. */
  readonly attributes: Item;
  /** Those names, whether it has them or not. */
  readonly names: ReadonlySet<string>;
  /** Its size in DynamoDB's own bytes. */
  readonly bytes: number;
  readonly #spans: readonly number[];
  readonly #stored: Uint8Array;
  #isHandedOut = false;

  /** `stored` is its stored form but for the header. */
  constructor({ attributes, spans, bytes }: Written, names: ReadonlySet<string>, stored: Uint8Array) {
    if (attributes === undefined) writeHeader(stored, noHeader);
    this.attributes = attributes ?? decodeAttributes(stored, names);
    this.names = names;
    this.bytes = bytes;
    this.#spans = spans;
    this.#stored = stored;
  }

  /** The stored form. Who asks again gets another, since the first is no longer ours to change. */
  stored(header: ItemHeader): Uint8Array {
    const stored = this.#isHandedOut ? new Uint8Array(this.#stored) : this.#stored;
    this.#isHandedOut = true;
    writeHeader(stored, header);
    return stored;
  }

  /** All its attributes. */
  item(): Item {
    const stored = new Uint8Array(this.#stored);
    writeHeader(stored, noHeader);
    return decodeItem(stored);
  }

  /** The same item with its attributes of other names, for a table that has changed since it was sent. */
  withNames(names: ReadonlySet<string>): SentItem {
    if (names === this.names) return this;
    const written = { attributes: undefined, spans: [], bytes: this.bytes };
    return new SentItem(written, names, new Uint8Array(this.#stored));
  }

  /**
   * What something stored has in common with this: it is the same, or at least all attributes of the names have the
   * values that they have here. Most often a glance tells, for what stands before the first byte that differs is the
   * same, and so is what stands behind the last. Undefined may also mean that a glance does not tell.
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
    // The unit before an attribute counts: a name that ends like another one has a backslash there.
    for (let i = 0; i < spans.length; i += 2) if (spans[i + 1]! > same && spans[i]! <= end) return undefined;
    return 'same places';
  }
}

/** Only to be readable. */
const noHeader: ItemHeader = {
  encrypted: false,
  tombstone: false,
  itemBytes: 0,
  writtenMicros: 0,
  region: 0,
  version: 1,
};

/** What is known of an item that was written. */
interface Written {
  /** Undefined when they are best read from what was written. */
  readonly attributes: Item | undefined;
  /** Where each of these attributes begins and ends. */
  readonly spans: readonly number[];
  readonly bytes: number;
}

/**
 * Writes items as they were sent. Whatever is not ordinary (wrong, or merely unusual, such as a value with a second
 * member or an object of some class) is left to those who read values and know all errors. Nothing is read twice, since
 * a getter may answer something else the second time.
 */
export class SentItemWriter extends CanonicalWriter {
  readonly #names = new KnownNames();
  /** What kind of value was written last, and its text if it was a string or a number. */
  #kind: 'S' | 'N' | 'another' = 'another';
  #text = '';

  sent(json: unknown, names: ReadonlySet<string>): Written | undefined {
    const order = isOrdinary(json) ? this.#names.of(json) : undefined;
    if (order === undefined) return undefined;
    let attributes: Map<string, AttributeValue> | undefined = new Map();
    const spans: number[] = [];
    const { sorted, heads } = order;
    const isAmong = order.among(names);
    let bytes = order.bytes;
    this.unit(openBrace);
    for (let i = 0; i < sorted.length; i++) {
      const sent = (json as JsonObject)[sorted[i]!];
      if (i > 0) this.unit(comma);
      const start = this.at;
      this.append(heads[i]!);
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

  /** Writes a value and answers its size, or that it is not ordinary. */
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
    const order = isOrdinary(json) ? this.#names.of(json) : undefined;
    if (order === undefined) return notOrdinary;
    const { sorted, heads } = order;
    let bytes = documentBytes + sorted.length * elementBytes + order.bytes;
    this.unit(openBrace);
    for (let i = 0; i < sorted.length; i++) {
      if (i > 0) this.unit(comma);
      this.append(heads[i]!);
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

  /** The rarer types take the usual way. */
  #read(type: string, content: unknown): number {
    const value = readAttributeValue({ [type]: content }, 'newer');
    if (value instanceof DynamoError) return notOrdinary;
    this.value(value);
    return valueSize(value);
  }
}

/** No size is negative. */
const notOrdinary = -1;

/** The names of an item or a map, with what is made of them once for all that have the same. */
class NameOrder {
  readonly given: readonly string[];
  readonly sorted: readonly string[];
  /** Each as it stands before its value: `"name":`. */
  readonly heads: readonly Uint8Array[];
  /** The sum of their sizes. */
  readonly bytes: number;
  #names: ReadonlySet<string> | undefined;
  #isAmong: readonly boolean[] = [];

  constructor(given: readonly string[], bytes: number) {
    this.given = given;
    this.sorted = given.toSorted(compareUtf8);
    this.heads = this.sorted.map((name) => encodeUtf8(`${JSON.stringify(name)}:`));
    this.bytes = bytes;
  }

  /** Of each sorted name whether it is one of these, who mostly are the same as the last time. */
  among(names: ReadonlySet<string>): readonly boolean[] {
    if (names !== this.#names) {
      this.#names = names;
      this.#isAmong = this.sorted.map((name) => names.has(name));
    }
    return this.#isAmong;
  }
}

/** Items of one kind have the same names in the same order, and there are few kinds. */
class KnownNames {
  readonly #known: (NameOrder | undefined)[] = new Array<undefined>(knownOrders).fill(undefined);

  /** Undefined when a name is not ordinary. */
  of(json: JsonObject): NameOrder | undefined {
    const given = Object.keys(json);
    const place = placeOf(given);
    const known = this.#known[place];
    if (known !== undefined && isSame(known.given, given)) return known;
    const order = orderOf(given);
    if (order !== undefined && given.length <= knownNamesMax && order.bytes <= knownBytesMax)
      this.#known[place] = order;
    return order;
  }
}

const knownOrders = 256;
const knownNamesMax = 64;
const knownBytesMax = 1_024;

/** By the lengths of the names: different kinds seldom have the same. */
function placeOf(names: readonly string[]): number {
  let hash = names.length;
  for (let i = 0; i < names.length; i++) hash = (hash * 31 + names[i]!.length) | 0;
  return hash & (knownOrders - 1);
}

function isSame(known: readonly string[], given: readonly string[]): boolean {
  if (known.length !== given.length) return false;
  for (let i = 0; i < known.length; i++) if (known[i] !== given[i]) return false;
  return true;
}

function orderOf(given: readonly string[]): NameOrder | undefined {
  let bytes = 0;
  for (const name of given) {
    if (!name.isWellFormed() || checkAttributeName(name) !== undefined) return undefined;
    bytes += utf8Length(name);
  }
  return new NameOrder(given, bytes);
}
