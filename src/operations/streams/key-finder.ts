import { base64Bytes } from '../../model/base64.ts';
import { numberSize } from '../../model/item-size.ts';
import { backslash, closeBrace, openBrace, quote } from '../../model/json-marks.ts';
import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from '../../model/utf8.ts';

/**
 * Finds the key attributes in the canonical JSON of items, one item after another, without making anything of the rest:
 * an item may be large, and its key is all that is wanted of it. The JSON was written by us (`canonical-json.ts`), so
 * that there is no white space, and every value is an object with one member.
 */
export class KeyFinder {
  readonly #keys: readonly KeyMember[];
  #json: Uint8Array = new Uint8Array();

  constructor(names: readonly string[]) {
    this.#keys = names.toSorted(compareUtf8).map((name) => ({
      quotedName: encodeUtf8(JSON.stringify(name)),
      nameBytes: utf8Length(name),
      start: 0,
      valueStart: 0,
      end: 0,
    }));
  }

  /** Looks at an item. The other methods are about the one looked at last. */
  find(json: Uint8Array): void {
    this.#json = json;
    let missing = this.#keys.length;
    for (let at = 1; missing > 0; at++) {
      const start = at;
      const valueStart = stringEnd(json, start) + 1;
      at = valueEnd(json, valueStart);
      const key = this.#keyNamed(start, valueStart - 1);
      if (key === undefined) continue;
      key.start = start;
      key.valueStart = valueStart;
      key.end = at;
      missing--;
    }
  }

  /** The key attributes as members of a JSON object, in canonical order: names and values as they stand in the item. */
  members(): Uint8Array[] {
    return this.#keys.map(({ start, end }) => this.#json.subarray(start, end));
  }

  /** The size of the key by the rules of `item-size.ts`. */
  sizeBytes(): number {
    let size = 0;
    for (const key of this.#keys) size += key.nameBytes + this.#valueSize(key);
    return size;
  }

  #keyNamed(start: number, end: number): KeyMember | undefined {
    for (const key of this.#keys) if (this.#hasAt(start, end, key.quotedName)) return key;
    return undefined;
  }

  #hasAt(start: number, end: number, wanted: Uint8Array): boolean {
    if (end - start !== wanted.length) return false;
    for (let i = 0; i < wanted.length; i++) if (this.#json[start + i] !== wanted[i]) return false;
    return true;
  }

  /** A key is `{"S":"…"}`, `{"N":"…"}` or `{"B":"…"}`. */
  #valueSize({ valueStart, end }: KeyMember): number {
    const content = this.#json.subarray(valueStart + '{"S":"'.length, end - '"}'.length);
    switch (this.#json[valueStart + '{"'.length]) {
      case letterS:
        return content.includes(backslash) ? utf8Length(unescaped(content)) : content.length;
      case letterN:
        return numberSize(decodeUtf8(content));
      case letterB:
        return base64Bytes(decodeUtf8(content));
      default:
        throw new Error('the key of a stored item is of no type that a key can have');
    }
  }
}

interface KeyMember {
  /** As it stands in JSON. */
  readonly quotedName: Uint8Array;
  readonly nameBytes: number;
  /** Where name and value stand in the item looked at last. */
  start: number;
  valueStart: number;
  end: number;
}

/** Where a string ends that begins at a quote: behind its last quote. */
function stringEnd(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length; at++) {
    const unit = json[at];
    if (unit === quote) return at + 1;
    if (unit === backslash) at++;
  }
  throw damaged(start);
}

/** Where a value ends that begins at a brace: behind the brace that belongs to it. */
function valueEnd(json: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; ) {
    const unit = json[at];
    if (unit === quote) {
      at = stringEnd(json, at);
      continue;
    }
    at++;
    if (unit === openBrace) depth++;
    else if (unit === closeBrace && --depth === 0) return at;
  }
  throw damaged(start);
}

function damaged(at: number): Error {
  return new Error(`a stored item is damaged, or has not its key, at byte ${at} of its JSON`);
}

function unescaped(content: Uint8Array): string {
  return JSON.parse(`"${decodeUtf8(content)}"`) as string;
}

const letterB = 0x42;
const letterN = 0x4e;
const letterS = 0x53;
