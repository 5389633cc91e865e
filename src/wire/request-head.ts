import { METHODS } from 'node:http';
import { HeaderFields } from './header-fields.ts';

/** The request line and the header fields of one request. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, even if the client sent a whole address, as to a proxy. */
  readonly url: string;
  /**
   * Whether the request is HTTP/1.0: no chunks, no 100 Continue, and the connection ends with the answer unless the
   * client asks to keep it.
   */
  readonly isOld: boolean;
  readonly fields: HeaderFields;
}

interface RequestLine {
  readonly method: string;
  readonly url: string;
  readonly isOld: boolean;
}

/** The request line of nearly every client. */
const usualLine = 'POST / HTTP/1.1\r\n';
/** This server is no proxy, so it does not know CONNECT. */
const methods = new Set(METHODS.filter((method) => method !== 'CONNECT'));

const usual: RequestLine = { method: 'POST', url: '/', isOld: false };

/**
 * Parses the heads of the requests of all connections. Clients send the same names in the same order, and mostly the
 * same values. The reader reuses strings from the previous head when the bytes are equal, so it makes only two or
 * three of a dozen fields anew.
 */
export class HeadReader {
  #latest = new HeaderFields([]);
  /** The latest fields of another kind of client, so that two kinds may alternate. */
  #other = new HeaderFields([]);

  /**
   * Parses a head. The empty line that ends it begins at `end`. Returns undefined unless the head is exactly what RFC
   * 9112 allows. Anything that two readers could understand differently (folded lines, blanks before a colon, a lone
   * CR or LF) is refused, because a proxy before us may be the other reader.
   */
  read(bytes: Buffer, start: number, end: number): RequestHead | undefined {
    const isUsual = begins(bytes, start, usualLine) === usualLine.length;
    const lineEnd = isUsual ? start + usualLine.length - 2 : bytes.indexOf('\r\n', start, 'latin1');
    const line = isUsual ? usual : readRequestLine(textOf(bytes, start, lineEnd));
    if (line === undefined) return undefined;
    if (!isNamed(bytes, lineEnd + 2, this.#latest.raw[0])) {
      const other = this.#other;
      this.#other = this.#latest;
      this.#latest = other;
    }
    const raw = readFieldLines(bytes, lineEnd + 2, end, this.#latest.raw);
    if (raw === undefined) return undefined;
    const fields = this.#latest.next(raw);
    this.#latest = fields;
    return { method: line.method, url: line.url, isOld: line.isOld, fields };
  }
}

/** Tells whether the client wants to keep the connection: by default in HTTP/1.1, on request in HTTP/1.0. */
export function keepsAlive({ fields: { connection }, isOld }: RequestHead): boolean {
  if (connection === undefined) return !isOld;
  if (connection === 'keep-alive') return true;
  const options = connection.split(',').map((option) => option.trim().toLowerCase());
  return !options.includes('close') && (!isOld || options.includes('keep-alive'));
}

function readRequestLine(line: string): RequestLine | undefined {
  const version = line.length - ' HTTP/1.x'.length;
  const isOld = line.endsWith(' HTTP/1.0');
  if (!isOld && !line.endsWith(' HTTP/1.1')) return undefined;
  const methodEnd = line.indexOf(' ');
  const method = line.slice(0, methodEnd);
  if (methodEnd === version || !methods.has(method)) return undefined;
  const url = urlOf(line.slice(methodEnd + 1, version));
  return url === undefined ? undefined : { method, url, isOld };
}

const wholeAddress = /^https?:\/\/[^/?#]+/i;

function urlOf(target: string): string | undefined {
  for (let at = 0; at < target.length; at++) {
    const unit = target.charCodeAt(at);
    if (unit <= 0x20 || unit >= 0x7f) return undefined;
  }
  if (target.startsWith('/') || target === '*') return target;
  const address = wholeAddress.exec(target)?.[0];
  if (address === undefined) return undefined;
  const url = target.slice(address.length);
  return url.startsWith('/') ? url : `/${url}`;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;
const colon = 0x3a;

/**
 * Parses the header lines from `at` to the empty line that begins at `end`. Returns names and values, alternating,
 * without the blanks around a value. Reuses a string of `expected`, which has the same form, if the same bytes are in
 * its place.
 */
export function readFieldLines(
  bytes: Buffer,
  at: number,
  end: number,
  expected: readonly string[],
): string[] | undefined {
  const raw = new Array<string>(expected.length);
  let count = 0;
  while (at < end) {
    let name = expected[count];
    let stop: number;
    if (isNamed(bytes, at, name)) {
      stop = at + name.length;
    } else {
      stop = at;
      while (isOfName[bytes[stop]!] === 1) stop++;
      if (stop === at || bytes[stop] !== colon) return undefined;
      name = textOf(bytes, at, stop);
    }
    let from = stop + 1;
    while (bytes[from] === blank || bytes[from] === tab) from++;
    let value = expected[count + 1];
    const same = value === undefined ? 0 : begins(bytes, from, value);
    stop = from + same;
    while (isOfValue[bytes[stop]!] === 1) stop++;
    // This check finds a lone CR or LF, and any other control character.
    if (bytes[stop] !== carriageReturn || bytes[stop + 1] !== lineFeed) return undefined;
    at = stop + 2;
    if (value === undefined || same !== value.length || stop !== from + same) {
      while (stop > from && (bytes[stop - 1] === blank || bytes[stop - 1] === tab)) stop--;
      value = textOf(bytes, from, stop);
    }
    raw[count++] = name;
    raw[count++] = value;
  }
  raw.length = count;
  return raw;
}

function isNamed(bytes: Buffer, at: number, name: string | undefined): name is string {
  return name !== undefined && bytes[at + name.length] === colon && begins(bytes, at, name) === name.length;
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

/** Counts the characters of a text, from its first, that equal the bytes at a position. */
function begins(bytes: Buffer, at: number, text: string): number {
  const { length } = text;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return i;
  return length;
}

/** For each byte, 1 if it may occur in a field name or a field value. */
const isOfName = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isOfName[character.charCodeAt(0)] = 1;
}
const isOfValue = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === tab || (byte >= blank && byte !== 0x7f) ? 1 : 0,
);

const impossible = /[^\t\r\n\x20-\x7e\x80-\xff]|(?<!\r)\n|\r(?!\n|$)/;

/**
 * Tells whether the beginning of a head can no longer become a valid one. Without this check, a client that speaks
 * another protocol, or ends its lines in LF alone, would wait for an answer until its time is up.
 */
export function isHopeless(beginning: string): boolean {
  if (impossible.test(beginning)) return true;
  const lineEnd = beginning.indexOf('\r\n');
  return lineEnd > 0 && readRequestLine(beginning.slice(0, lineEnd)) === undefined;
}
