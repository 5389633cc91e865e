import { requestLimits } from '../model/limits.ts';
import { HeaderFields } from './header-fields.ts';
import { readFieldLines } from './request-head.ts';

const lineEnd = Buffer.from('\r\n');
const emptyLine = Buffer.from('\r\n\r\n');

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const quoted = '"[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]*"';
/** Thirteen hexadecimal digits exceed every allowed body and still make an exact number. */
const sizeLine = new RegExp(`^([0-9A-Fa-f]{1,13})(?:;${token}(?:=(?:${token}|${quoted}))?)*$`);
const sizeLineBeginning = /^[0-9A-Fa-f]{0,13}(?:;[\t\x20-\x7e\x80-\xff]*)?\r?$/;

const nothingExpected: readonly string[] = [];

/**
 * Decodes a chunked body. It checks the form of extensions and trailers and drops them. They count to no body, so the
 * limit on headers bounds them.
 */
export class ChunkedBody {
  #part: 'size' | 'data' | 'data end' | 'trailers' = 'size';
  #left = 0;
  /** The length of size lines and extensions so far, without the digits of the sizes. */
  #overheadBytes = 0;
  /** The reader's position in the last input. */
  at = 0;
  /** The piece that `next` found last. */
  piece: Uint8Array = lineEnd;

  /** Reads on from `at` and returns what it found. */
  next(input: Buffer): 'hungry' | 'piece' | 'end' | 'malformed' {
    while (true) {
      switch (this.#part) {
        case 'size': {
          const found = this.#readSize(input);
          if (found !== undefined) return found;
          break;
        }
        case 'data': {
          const length = Math.min(this.#left, input.length - this.at);
          if (length === 0) return 'hungry';
          this.piece = input.subarray(this.at, this.at + length);
          this.at += length;
          this.#left -= length;
          if (this.#left === 0) this.#part = 'data end';
          return 'piece';
        }
        case 'data end': {
          const rest = input.length - this.at;
          if (rest > 0 && input[this.at] !== 0x0d) return 'malformed';
          if (rest > 1 && input[this.at + 1] !== 0x0a) return 'malformed';
          if (rest < 2) return 'hungry';
          this.at += 2;
          this.#part = 'size';
          break;
        }
        case 'trailers':
          return this.#readTrailers(input);
      }
    }
  }

  #readSize(input: Buffer): 'hungry' | 'malformed' | undefined {
    const end = input.indexOf(lineEnd, this.at);
    const line = input.toString('latin1', this.at, end === -1 ? input.length : end);
    if (this.#overheadBytes + line.length > requestLimits.headersBytesMax) return 'malformed';
    if (end === -1) return sizeLineBeginning.test(line) ? 'hungry' : 'malformed';
    const size = sizeLine.exec(line)?.[1];
    if (size === undefined) return 'malformed';
    this.#overheadBytes += line.length - size.length;
    this.#left = Number.parseInt(size, 16);
    this.#part = this.#left === 0 ? 'trailers' : 'data';
    // Before trailers the line end stays in the input. Trailers then end in an empty line even if there are none.
    this.at = this.#left === 0 ? end : end + 2;
    return undefined;
  }

  #readTrailers(input: Buffer): 'hungry' | 'end' | 'malformed' {
    const end = input.indexOf(emptyLine, this.at);
    const length = (end === -1 ? input.length : end) - this.at;
    if (this.#overheadBytes + length > requestLimits.headersBytesMax) return 'malformed';
    if (end === -1) return 'hungry';
    const raw = readFieldLines(input, this.at + 2, end, nothingExpected);
    if (raw === undefined) return 'malformed';
    // It is too late to change the framing of the body.
    const { contentLength, transferEncoding } = new HeaderFields(raw);
    if (contentLength !== undefined || transferEncoding !== undefined) return 'malformed';
    this.at = end + 4;
    return 'end';
  }
}
