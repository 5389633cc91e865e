import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { type Authorization, algorithm } from './authorization.ts';
import type { HeaderFields } from './header-fields.ts';
import { decodePercent, pathOf, queryOf, type WireRequest } from './wire-request.ts';

/** Whether the signature of `request` was made with `secret`. Takes the same time however nearly it was. */
export function isSignedWith(
  secret: string,
  request: WireRequest,
  authorization: Authorization,
  keys: SigningKeys,
): boolean {
  const expected = sign(secret, request, authorization, keys);
  const given = Buffer.from(authorization.signature, 'latin1');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Signature version 4, as lower-case hexadecimal digits. */
function sign(secret: string, request: WireRequest, authorization: Authorization, keys: SigningKeys): Buffer {
  // Header values were read as Latin-1, one character for each byte, so Latin-1 gives back the very bytes that the
  // client signed.
  const canonical = createHash('sha256')
    .update(canonicalRequest(request, authorization), 'latin1')
    .digest('hex');
  const { scopeDate, region, service, dateTime } = authorization;
  const scope = `${scopeDate}/${region}/${service}/aws4_request`;
  const signature = createHmac('sha256', keys.derive(secret, authorization))
    .update(`${algorithm}\n${dateTime}\n${scope}\n${canonical}`)
    .digest('hex');
  return Buffer.from(signature, 'latin1');
}

function canonicalRequest(request: WireRequest, authorization: Authorization): string {
  const names = authorization.signedHeaders.toLowerCase();
  let headers = '';
  for (const name of names.split(';')) headers += `${name}:${canonicalValue(request.headers, name)}\n`;
  // The body is hashed here, so an x-amz-content-sha256 that does not fit it makes the signature a wrong one.
  const bodyHash = createHash('sha256').update(request.sent).digest('hex');
  return `${request.method}\n${canonicalPath(request.url)}\n${canonicalQuery(request.url)}\n${headers}\n${names}\n${bodyHash}`;
}

function canonicalValue(headers: HeaderFields, name: string): string {
  return headers
    .all(name)
    .map((value) => value.trim().replaceAll(/ +/g, ' '))
    .join(',');
}

/** Dot segments and doubled slashes go; what is already percent-encoded is encoded once more. */
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
  // The order is that of the encoded names, then of the encoded values; both are ASCII.
  pairs.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  return pairs.map(([name, value]) => `${name}=${value}`).join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Everything but unreserved characters is encoded, also the five that encodeURIComponent lets stand. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

interface SigningKey {
  readonly secret: string;
  readonly key: Buffer;
}

/** A key holds for one access key, day, Region and service: remembering it saves four of five HMACs. */
export class SigningKeys {
  readonly #keys = new Map<string, SigningKey>();
  readonly #sizeMax: number;

  constructor(sizeMax = 1000) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#keys.size;
  }

  derive(secret: string, { accessKeyId, scopeDate, region, service }: Authorization): Buffer {
    const id = `${accessKeyId}/${scopeDate}/${region}/${service}`;
    const found = this.#keys.get(id);
    // The secret of an access key may be replaced while we run.
    if (found?.secret === secret) return found.key;
    let key: Buffer = Buffer.from(`AWS4${secret}`);
    for (const part of [scopeDate, region, service, 'aws4_request']) {
      key = createHmac('sha256', key).update(part).digest();
    }
    this.#keys.delete(id);
    if (this.#keys.size >= this.#sizeMax) this.#keys.delete(this.#keys.keys().next().value!);
    this.#keys.set(id, { secret, key });
    return key;
  }
}
