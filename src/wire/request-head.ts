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
const usualLine = 'POST / HTTP/1.1';
/** Nobody is led elsewhere through us. */
const methods = new Set(METHODS.filter((method) => method !== 'CONNECT'));

const usual: RequestLine = { method: 'POST', url: '/', isOld: false };

/**
 * Reads a head, which ends in an empty line that begins at `end`. `undefined` where it is not exactly what RFC 9112
 * allows: whatever two readers could understand in two ways (folded lines, blanks before a colon, lone CR or LF) is
 * refused, since a proxy before us may be the other reader.
 */
export function readHead(bytes: Buffer, start: number, end: number): RequestHead | undefined {
  const text = bytes.toString('latin1', start, end);
  const firstEnd = text.indexOf('\r\n');
  const lineEnd = firstEnd === -1 ? text.length : firstEnd;
  const line = readRequestLine(text.slice(0, lineEnd));
  if (line === undefined) return undefined;
  const raw = readFieldLines(bytes, start + lineEnd + 2, end, text, start);
  if (raw === undefined) return undefined;
  return { method: line.method, url: line.url, isOld: line.isOld, fields: new HeaderFields(raw) };
}

/** Whether the client wants the connection to stay: by default since HTTP/1.1, before that if it says so. */
export function keepsAlive({ fields: { connection }, isOld }: RequestHead): boolean {
  if (connection === undefined) return !isOld;
  if (connection === 'keep-alive') return true;
  const options = connection.split(',').map((option) => option.trim().toLowerCase());
  return !options.includes('close') && (!isOld || options.includes('keep-alive'));
}

export function readRequestLine(line: string): RequestLine | undefined {
  if (line === usualLine) return usual;
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
 * value are no part of it. `text` has the same bytes from `textStart` on: to look at bytes and to cut text is several
 * times as fast as to do both with either.
 */
export function readFieldLines(
  bytes: Uint8Array,
  at: number,
  end: number,
  text: string,
  textStart: number,
): string[] | undefined {
  const raw: string[] = [];
  while (at < end) {
    let stop = at;
    while (isOfName[bytes[stop]!] === 1) stop++;
    if (stop === at || bytes[stop] !== colon) return undefined;
    raw.push(text.slice(at - textStart, stop - textStart));
    let from = stop + 1;
    while (bytes[from] === blank || bytes[from] === tab) from++;
    stop = from;
    while (isOfValue[bytes[stop]!] === 1) stop++;
    // This is where a lone CR or LF is found, and any other control character.
    if (bytes[stop] !== carriageReturn || bytes[stop + 1] !== lineFeed) return undefined;
    at = stop + 2;
    while (stop > from && (bytes[stop - 1] === blank || bytes[stop - 1] === tab)) stop--;
    raw.push(text.slice(from - textStart, stop - textStart));
  }
  return raw;
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
