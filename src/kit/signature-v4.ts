import { toHex } from '../model/values/hex.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import { decodePercent, pathOf, queryOf } from './request-url.ts';

/**
 * AWS signature version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * The server verifies with these functions. The commands, the studio, the benchmarks and the tests sign with them.
 */

/** SHA-256 of the place where the code runs: Node's own, or plain code in a browser. */
export interface Digest {
  /** The digest as lower-case hexadecimal digits. Text is UTF-8, or has a byte in each character (`latin1`). */
  sha256(data: string | Uint8Array, encoding?: 'utf8' | 'latin1'): string;
  /** HMAC with SHA-256 (RFC 2104) of a text in UTF-8. */
  hmac(key: Uint8Array, text: string): Uint8Array;
}

export const algorithm = 'AWS4-HMAC-SHA256';
export const terminator = 'aws4_request';

/** The credential scope: the day, Region and service for which a signing key is valid. */
export interface SigningScope {
  /** `YYYYMMDD`. */
  readonly scopeDate: string;
  readonly region: string;
  readonly service: string;
}

/** The parts of a request that its signature covers. */
export interface SignedParts {
  readonly method: string;
  /** Path and query as sent. */
  readonly url: string;
  /** The names of the signed headers in lower case, sorted. */
  readonly names: readonly string[];
  /** Returns the values of a header in the order in which they were sent. */
  readonly valuesOf: (name: string) => readonly string[];
  /** SHA-256 of the body, as lower-case hexadecimal digits. */
  readonly bodyHash: string;
}

/** The text `YYYYMMDD/region/service/aws4_request`. */
export function scopeText({ scopeDate, region, service }: SigningScope): string {
  return `${scopeDate}/${region}/${service}/${terminator}`;
}

export function deriveSigningKey(
  digest: Digest,
  secret: string,
  { scopeDate, region, service }: SigningScope,
): Uint8Array {
  let key = encodeUtf8(`AWS4${secret}`);
  for (const part of [scopeDate, region, service, terminator]) key = digest.hmac(key, part);
  return key;
}

/** The signature as lower-case hexadecimal digits. `dateTime` is the time of signing, `YYYYMMDDTHHMMSSZ`. */
export function signatureOf(
  digest: Digest,
  key: Uint8Array,
  scope: SigningScope,
  dateTime: string,
  parts: SignedParts,
): string {
  // Header values were decoded as Latin-1, one character per byte, so encoding as Latin-1 restores the bytes that the
  // client signed.
  const canonical = digest.sha256(canonicalRequest(parts), 'latin1');
  return toHex(digest.hmac(key, `${algorithm}\n${dateTime}\n${scopeText(scope)}\n${canonical}`));
}

/** A time in milliseconds since 1970 as `YYYYMMDDTHHMMSSZ`. */
export function basicDateTimeOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function canonicalRequest({ method, url, names, valuesOf, bodyHash }: SignedParts): string {
  let headers = '';
  for (const name of names) headers += `${name}:${canonicalValue(valuesOf(name))}\n`;
  return `${method}\n${canonicalPath(url)}\n${canonicalQuery(url)}\n${headers}\n${names.join(';')}\n${bodyHash}`;
}

function canonicalValue(values: readonly string[]): string {
  return values.map((value) => value.trim().replaceAll(/ +/g, ' ')).join(',');
}

/** Removes dot segments and doubled slashes, and percent-encodes a second time what is already encoded. */
function canonicalPath(url: string): string {
  const path = pathOf(url);
  if (path === '/' || path === '') return '/';
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(encode(segment));
  }
  const tail = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.join('/')}${tail}`;
}

function canonicalQuery(url: string): string {
  const pairs = queryOf(url)
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]): [string, string] => [encode(decodePercent(name)), encode(decodePercent(value))]);
  // Sorted by the encoded names, then by the encoded values; both are ASCII.
  pairs.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Percent-encodes everything but unreserved characters, also the five that encodeURIComponent leaves alone. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
