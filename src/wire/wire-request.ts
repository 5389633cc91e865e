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
