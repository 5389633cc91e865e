import type { MaybePromise } from './dispatch.ts';
import type { HeaderFields } from './header-fields.ts';

/** A request that is not for a DynamoDB operation: a browser's, or one for the control API. */
export interface PageRequest {
  readonly method: string;
  /** The path alone, still percent-encoded. */
  readonly path: string;
  /** What follows the question mark, still percent-encoded; empty where nothing does. */
  readonly query: string;
  readonly headers: HeaderFields;
  readonly body: Uint8Array;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** A body that is iterated is sent as it comes, such as events for a page that watches. */
export interface Page {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array>;
}

/** `undefined` leaves the request to be answered with 404. Cross-origin headers are the page's own affair. */
export type Pages = (request: PageRequest) => MaybePromise<Page | undefined>;

/** Everything under this prefix belongs to the control API, whatever the method. */
export const controlPrefix = '/_stator/';
