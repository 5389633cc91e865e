import { METHODS } from 'node:http';
import { HeaderFields } from './header-fields.ts';

/** Request line and header fields of one request. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, also where the client sent a whole address, as to a proxy. */
  readonly url: string;
  /** HTTP/1.0: no chunks, no 100 Continue, and the connection ends with the answer unless the client asks to stay. */
  readonly isOld: boolean;
  readonly fields: HeaderFields;
}

interface RequestLine {
  readonly method: string;
  readonly url: string;
  readonly isOld: boolean;
}

/** What nearly every client sends. */
const usualLine = 'POST / HTTP/1.1\r\n';
/** Nobody is led elsewhere through us. */
const methods = new Set(METHODS.filter((method) => method !== 'CONNECT'));

const usual: RequestLine = { method: 'POST', url: '/', isOld: false };

/**
 * Reads the heads of requests, those of all connections one after the other. Clients send the same names in the same
 * order, and mostly the same values, so that what stands where it stood in the head before is not made again: of a dozen
 * fields two or three are.
 */
export class HeadReader {
  #latest = new HeaderFields([]);
  /** The latest of another kind of client, so that two kinds may take turns. */
  #other = new HeaderFields([]);

  /**
   * Reads a head, which ends in an empty line that begins at `end`. `undefined` where it is not exactly what RFC 9112
   * allows: whatever two readers could understand in two ways (folded lines, blanks before a colon, lone CR or LF) is
   * refused, since a proxy before us may be the other reader.
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

/** Whether the client wants the connection to stay: by default since HTTP/1.1, before that if it says so. */
export function keepsAlive({ fields: { connection }, isOld }: RequestHead): boolean {
  if (connection === undefined) return !isOld;
  if (connection === 'keep-alive') return true;
  const options = connection.split(',').map((option) => option.trim().toLowerCase());
  return !options.includes('close') && (!isOld || options.includes('keep-alive'));
}

export function readRequestLine(line: string): RequestLine | undefined {
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
 * Names and values, alternating, of the lines from `at` up to the empty line that begins at `end`; blanks around a
 * value are no part of it. Of what is `expected`, in the same form, whatever is there in its place is taken over.
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
    // This is where a lone CR or LF is found, and any other control character.
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

/** How many characters of a text stand there as bytes, from its first on. */
function begins(bytes: Buffer, at: number, text: string): number {
  const { length } = text;
  for (let i = 0; i < length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return i;
  return length;
}

/** By byte: may it stand in the name of a field, in a value? */
const isOfName = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isOfName[character.charCodeAt(0)] = 1;
}
const isOfValue = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === tab || (byte >= blank && byte !== 0x7f) ? 1 : 0,
);

const impossible = /[^\t\r\n\x20-\x7e\x80-\xff]|(?<!\r)\n|\r(?!\n|$)/;

/**
 * Whether the beginning of a head can no longer become one. A client that speaks another protocol, or ends its
 * lines in LF alone, would else wait for an answer until its time is up.
 */
export function isHopeless(beginning: string): boolean {
  if (impossible.test(beginning)) return true;
  const lineEnd = beginning.indexOf('\r\n');
  return lineEnd > 0 && readRequestLine(beginning.slice(0, lineEnd)) === undefined;
}
