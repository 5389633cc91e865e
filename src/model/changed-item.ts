import type { AttributeValue, Item } from './attribute-value.ts';
import { CanonicalWriter } from './canonical-json.ts';
import { backslash, closeBrace, colon, comma, openBrace, quote } from './json-marks.ts';
import { jsonStart } from './stored-item.ts';
import { compareUtf8, decodeUtf8 } from './utf8.ts';

/**
 * Writes the canonical JSON of an item from that of the item before: attributes that have changed are encoded, the
 * others are copied as they stand, and what follows the last that has changed is not even looked at.
 */
export class ChangedItemWriter extends CanonicalWriter {
  #stored: Uint8Array = new Uint8Array();
  #place = 0;
  #isFirst = true;

  /** The attributes of these names are now those of `after`, or are gone if that has none. */
  changed(stored: Uint8Array, after: Item, names: ReadonlySet<string>): void {
    this.#stored = stored;
    this.#place = jsonStart(stored) + 1;
    this.#isFirst = true;
    this.unit(openBrace);
    for (const name of names.size > 1 ? [...names].sort(compareUtf8) : names)
      this.#change(name, after.get(name));
    this.#copy(this.#place, stored.length - 1);
    this.unit(closeBrace);
    this.#stored = noBytes;
  }

  #change(name: string, value: AttributeValue | undefined): void {
    const stored = this.#stored;
    const start = this.#place;
    let order = -1;
    while (stored[this.#place] === quote) {
      order = this.#compareName(name);
      if (order >= 0) break;
      this.#passMember();
    }
    this.#copy(start, this.#place);
    if (order === 0) this.#passMember();
    if (value === undefined) return;
    this.#separate();
    this.string(name);
    this.unit(colon);
    this.value(value);
  }

  /** Members from one place to another, with or without a comma behind the last. */
  #copy(start: number, end: number): void {
    if (start === end) return;
    this.#separate();
    this.part(this.#stored, start, this.#stored[end - 1] === comma ? end - 1 : end);
  }

  #separate(): void {
    if (!this.#isFirst) this.unit(comma);
    this.#isFirst = false;
  }

  /** The name that stands at the place, compared with another. */
  #compareName(name: string): number {
    const stored = this.#stored;
    const start = this.#place + 1;
    for (let i = 0; ; i++) {
      const byte = stored[start + i]!;
      if (byte === quote) return i - name.length;
      const unit = name.charCodeAt(i);
      if (Number.isNaN(unit)) return 1;
      if (byte === backslash || byte >= 0x80 || unit >= 0x80) return compareUtf8(this.#name(), name);
      if (byte !== unit) return byte - unit;
    }
  }

  /** With all its escapes and its characters of several bytes. */
  #name(): string {
    const end = this.#stringEnd(this.#place);
    return JSON.parse(decodeUtf8(this.#stored.subarray(this.#place, end))) as string;
  }

  /** Goes behind the member at the place, and behind the comma that follows it. */
  #passMember(): void {
    const stored = this.#stored;
    let at = this.#stringEnd(this.#place) + 1;
    let depth = 0;
    do {
      const byte = stored[at];
      if (byte === quote) {
        at = this.#stringEnd(at);
        continue;
      }
      if (byte === openBrace) depth++;
      else if (byte === closeBrace) depth--;
      else if (byte === undefined) throw unexpected();
      at++;
    } while (depth > 0);
    this.#place = stored[at] === comma ? at + 1 : at;
  }

  /** Behind the string that begins there. The native search is quicker for long ones only. */
  #stringEnd(start: number): number {
    const stored = this.#stored;
    let at = start + 1;
    for (const near = at + shortBytes; at < near; at++) {
      if (stored[at] === quote) return at + 1;
      if (stored[at] === backslash) at++;
    }
    for (let end = stored.indexOf(quote, at); end >= 0; end = stored.indexOf(quote, end + 1))
      if (!isEscaped(stored, end)) return end + 1;
    throw unexpected();
  }
}

/** Whether a backslash stands before a byte that is not itself escaped. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === backslash) backslashes++;
  return backslashes % 2 === 1;
}

/** What is stored is not what we write: a bug, or damage. */
function unexpected(): Error {
  return new Error('stored item is not canonical JSON');
}

const shortBytes = 32;
const noBytes = new Uint8Array();
