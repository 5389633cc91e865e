import { hmacSha256, sha256 } from './sha256.ts';

/**
 * Signs requests of the page with AWS signature version 4, as SDKs do. The server's own signer stands on Node, and the
 * page has neither Node nor, on plain HTTP, `crypto.subtle`.
 */

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface ToSign {
  readonly method: string;
  readonly path: string;
  /** After the question mark, encoded. */
  readonly query?: string;
  readonly host: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly region: string;
  readonly service?: string;
  readonly nowMs: number;
}

const encoder = new TextEncoder();

/** The headers to add to a request: date, token and authorization. The browser itself adds Host. */
export function signedHeaders(credentials: Credentials, request: ToSign): Record<string, string> {
  const { region, service = 'dynamodb' } = request;
  const dateTime = basicDateTime(request.nowMs);
  const own = {
    'x-amz-date': dateTime,
    ...(credentials.sessionToken && { 'x-amz-security-token': credentials.sessionToken }),
  };
  const signed: Record<string, string> = { host: request.host, ...request.headers, ...own };
  const names = Object.keys(signed).sort();
  const canonical = [
    request.method,
    encodedPath(request.path),
    canonicalQuery(request.query ?? ''),
    ...names.map((name) => `${name}:${signed[name]!.trim()}`),
    '',
    names.join(';'),
    hex(sha256(encoder.encode(request.body))),
  ].join('\n');
  const scope = `${dateTime.slice(0, 8)}/${region}/${service}/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${dateTime}\n${scope}\n${hex(sha256(encoder.encode(canonical)))}`;
  let key: Uint8Array = encoder.encode(`AWS4${credentials.secretAccessKey}`);
  for (const part of scope.split('/')) key = hmacSha256(key, encoder.encode(part));
  const signature = hex(hmacSha256(key, encoder.encode(toSign)));
  return { ...own, authorization: authorization(credentials.accessKeyId, scope, names, signature) };
}

/**
 * The headers for a server that takes any signature. It reads the account and the Region from them, so they must be
 * there; computing digits that nobody checks would only take time.
 */
export function namedHeaders(
  accessKeyId: string,
  region: string,
  nowMs: number,
  service = 'dynamodb',
): Record<string, string> {
  const dateTime = basicDateTime(nowMs);
  const scope = `${dateTime.slice(0, 8)}/${region}/${service}/aws4_request`;
  const signature = '0'.repeat(64);
  return {
    'x-amz-date': dateTime,
    authorization: authorization(accessKeyId, scope, ['host', 'x-amz-date'], signature),
  };
}

function authorization(id: string, scope: string, names: readonly string[], signature: string): string {
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}

function basicDateTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Percent-encoded once more, as the rules for all services but S3 want it. */
function encodedPath(path: string): string {
  return path.split('/').map(encode).join('/');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return `${encode(decodeURIComponent(name))}=${encode(decodeURIComponent(value))}`;
  });
  return pairs.sort().join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
