import type { Authorize, Requester } from '../model/access/authorize.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Identity } from './authenticate.ts';
import type { HeaderFields } from './header-fields.ts';

/** The head of a request that is not for a DynamoDB operation: from a browser, or for the control API. */
export interface PageHead {
  readonly method: string;
  /** The path alone, still percent-encoded. */
  readonly path: string;
  /** The text after the question mark, still percent-encoded, or empty. */
  readonly query: string;
  readonly headers: HeaderFields;
}

export interface PageRequest extends PageHead {
  readonly body: Uint8Array;
  /** Aborts when the client has gone, and for a body that is iterated also when the server closes. */
  readonly signal: AbortSignal;
  /** Takes the sender, once a signature has named one. */
  readonly noteCaller?: (caller: Identity) => void;
  /** The sender with the authorizer that judges it, for a page that runs operations for the sender. */
  readonly requester?: JudgedRequester;
}

export interface JudgedRequester extends Requester {
  readonly authorize: Authorize | undefined;
}

/** An answer to a page request. An iterated body is sent as it comes, such as events for a page that watches. */
export interface Page {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** Answers a page request. Undefined makes the server answer 404. The page adds cross-origin headers itself. */
export interface Pages {
  (request: PageRequest): MaybePromise<Page | undefined>;
  /** Refuses a request before its body has arrived. */
  readonly refuseHead?: (head: PageHead) => Page | undefined;
}

/** Everything under this prefix belongs to the control API, whatever the method. */
export const controlPrefix = '/_stator/';
