import { createHash, createHmac } from 'node:crypto';
import { decodePercent, pathOf, queryOf } from './wire-request.ts';

/**
 * AWS signature version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 *
 * The server verifies with these functions. The CLI, the benchmarks and the tests sign with them.
 */

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

export function deriveSigningKey(secret: string, { scopeDate, region, service }: SigningScope): Buffer {
  let key: Buffer = Buffer.from(`AWS4${secret}`);
  for (const part of [scopeDate, region, service, terminator]) {
    key = createHmac('sha256', key).update(part).digest();
  }
  return key;
}

/** The signature as lower-case hexadecimal digits. `dateTime` is the time of signing, `YYYYMMDDTHHMMSSZ`. */
export function signatureOf(key: Buffer, scope: SigningScope, dateTime: string, parts: SignedParts): string {
  // Header values were decoded as Latin-1, one character per byte, so encoding as Latin-1 restores the bytes that the
  // client signed.
  const canonical = createHash('sha256').update(canonicalRequest(parts), 'latin1').digest('hex');
  return createHmac('sha256', key)
    .update(`${algorithm}\n${dateTime}\n${scopeText(scope)}\n${canonical}`)
    .digest('hex');
}

export function hashOfBody(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
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
