import { decodeUtf8 } from '../values/utf8.ts';
import { backslash, closeBrace, openBrace, quote } from './json-marks.ts';

/**
 * A cursor over the canonical JSON of a stored item, in UTF-8. `canonical-json.ts` wrote these bytes, so there is no
 * white space, and every attribute value is an object with one member. Any other input is a bug or damage: the cursor
 * throws.
 *
 * The decoder reads strings with it; the encoder of changed items and the key finder of streams only pass over members
 * and copy bytes. `passString` is the one place that searches for the end of a string.
 */
export class CanonicalCursor {
  readonly bytes: Uint8Array;
  at: number;
  /** The JSON as text, decoded from the first string that was read to the end. */
  #text: string | undefined;
  /** The cursor's byte position minus its position in the text. */
  #lead = 0;
  /** Whether every byte of the text is one character, so that `#lead` does not change. */
  #isAscii = true;
  /** Whether any string of the text contains an escape. */
  #hasEscape = true;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Reads the string at the cursor. It is a slice of the text unless it contains an escape. */
  string(): string {
    const text = this.#text ?? this.#decode();
    const start = this.at - this.#lead + 1;
    const mayHaveEscape = this.passString();
    const content = text.slice(start, this.at - this.#lead - 1);
    return mayHaveEscape && content.includes('\\') ? (JSON.parse(`"${content}"`) as string) : content;
  }

  /** Reads the string at the cursor but neither moves nor decodes anything else. */
  peekString(): string {
    const { at } = this;
    const lead = this.#lead;
    this.passString();
    const end = this.at;
    this.at = at;
    this.#lead = lead;
    return JSON.parse(decodeUtf8(this.bytes.subarray(at, end))) as string;
  }

  /** Passes the string at the cursor. Returns false if the string certainly contains no escape. */
  passString(): boolean {
    this.expect(quote);
    const { bytes } = this;
    const { length } = bytes;
    let { at } = this;
    let mayHaveEscape = false;
    // A native search is faster for long strings only, and cannot count characters of several bytes.
    const near = this.#isAscii && at + nearBytes < length ? at + nearBytes : length;
    for (; at < near; at++) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.at = at + 1;
        return mayHaveEscape;
      }
      if (byte === backslash) {
        mayHaveEscape = true;
        at++;
      } else if (byte >= 0x80) {
        this.#lead += leadOf(byte);
      }
    }
    do at = this.#quoteFrom(at) + 1;
    while (isEscaped(bytes, at - 1));
    this.at = at;
    return this.#hasEscape;
  }

  /** Searches the text if there is one: V8 searches strings faster than arrays of bytes. */
  #quoteFrom(at: number): number {
    const text = this.#text;
    const found = text === undefined ? this.bytes.indexOf(quote, at) : text.indexOf('"', at - this.#lead);
    if (found < 0) throw this.unexpected();
    return text === undefined ? found : found + this.#lead;
  }

  /** Passes the attribute value at the cursor without looking into it. */
  passValue(): void {
    const { bytes } = this;
    let depth = 0;
    do {
      const byte = bytes[this.at];
      if (byte === quote) {
        this.passString();
        continue;
      }
      if (byte === openBrace) depth++;
      else if (byte === closeBrace) depth--;
      else if (byte === undefined) throw this.unexpected();
      this.at++;
    } while (depth > 0);
  }

  expect(byte: number): void {
    if (this.bytes[this.at] !== byte) throw this.unexpected();
    this.at++;
  }

  take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  unexpected(): Error {
    return new Error(`stored item is not canonical JSON at byte ${this.at} of ${this.bytes.length}`);
  }

  #decode(): string {
    const text = decodeUtf8(this.bytes.subarray(this.at));
    this.#text = text;
    this.#lead = this.at;
    this.#isAscii = text.length === this.bytes.length - this.at;
    this.#hasEscape = text.includes('\\');
    return text;
  }
}

/** The bytes of a character minus its UTF-16 units, summed over its bytes: four bytes make two units. */
function leadOf(byte: number): number {
  return byte < 0xc0 ? 1 : byte < 0xf0 ? 0 : -1;
}

/** Tells whether an odd number of backslashes precedes a byte. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === backslash) backslashes++;
  return backslashes % 2 === 1;
}

const nearBytes = 16;
