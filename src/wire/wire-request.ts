import type { Identity } from './authenticate.ts';
import type { HeaderFields } from './header-fields.ts';

/** A request without its body, independent of HTTP. */
export interface WireHead {
  readonly method: string;
  /** Path and query as in the request line. */
  readonly url: string;
  readonly headers: HeaderFields;
  /** The other end of the connection, if there is one. */
  readonly peer?: { readonly remoteAddress?: string | undefined } | undefined;
}

/** One request. */
export interface WireRequest extends WireHead {
  /** The body as sent, which the signature covers. A caller in this process may pass it as text. */
  readonly sent: Uint8Array | string;
  /** The decoded body; the same as `sent` if there is no Content-Encoding. */
  readonly body: Uint8Array | string;
  /** The sender, if the signature was verified before the body was decoded. */
  readonly sender?: Identity | undefined;
}

/** A request whose body nobody has decoded yet. */
export type SentRequest = Omit<WireRequest, 'body' | 'sender'>;

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** The names and values of the query in their order, still percent-encoded. */
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

/** Decodes percent-encoding. Leaves an ill-formed text as it is, because any client can send one. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
