import { CanonicalCursor } from '../../model/json/canonical-cursor.ts';
import { backslash, colon, comma, openBrace } from '../../model/json/json-marks.ts';
import { base64Bytes } from '../../model/values/base64.ts';
import { numberSize } from '../../model/values/item-size.ts';
import { compareUtf8, decodeUtf8, encodeUtf8, utf8Length } from '../../model/values/utf8.ts';

/** Finds the key attributes in the canonical JSON of items, one item after another, and decodes nothing else. */
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

  /** Finds the keys of an item. The other methods are about the last item given here. */
  find(json: Uint8Array): void {
    this.#json = json;
    const cursor = new CanonicalCursor(json, 0);
    cursor.expect(openBrace);
    let missing = this.#keys.length;
    do {
      const start = cursor.at;
      cursor.passString();
      const key = this.#keyNamed(start, cursor.at);
      cursor.expect(colon);
      const valueStart = cursor.at;
      cursor.passValue();
      if (key === undefined) continue;
      key.start = start;
      key.valueStart = valueStart;
      key.end = cursor.at;
      if (--missing === 0) return;
    } while (cursor.take(comma));
    throw new Error('a stored item is damaged: it does not have its key');
  }

  /** The key attributes as members of a JSON object, in canonical order: views of the item's bytes. */
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
  /** The name in JSON. */
  readonly quotedName: Uint8Array;
  readonly nameBytes: number;
  /** The positions of name and value in the last item. */
  start: number;
  valueStart: number;
  end: number;
}

function unescaped(content: Uint8Array): string {
  return JSON.parse(`"${decodeUtf8(content)}"`) as string;
}

const letterB = 0x42;
const letterN = 0x4e;
const letterS = 0x53;
