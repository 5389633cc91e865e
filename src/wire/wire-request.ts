import type { HeaderFields } from './header-fields.ts';

/** One request after HTTP has been taken off it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they stood in the request line. */
  readonly url: string;
  readonly headers: HeaderFields;
  /** The body as it travelled, which is what the signature covers. A caller in this process may have it as text. */
  readonly sent: Uint8Array | string;
  /** The body after Content-Encoding was undone; the same as `sent` where there was none. */
  readonly body: Uint8Array | string;
}

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** Names and values of the query as sent, still percent-encoded, in their order. */
export function queryOf(url: string): [name: string, value: string][] {
  const query = url.indexOf('?');
  if (query === -1 || query === url.length - 1) return [];
  return url
    .slice(query + 1)
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
}

/** Percent-decoding that leaves an ill-formed text as it is, since any client can send one. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
