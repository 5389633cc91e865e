import type { DynamoError } from '../model/errors.ts';
import type { Consumed } from './consumed.ts';
import type { Touch } from './road.ts';
import type { Scope } from './store-keys.ts';
import type { Table } from './tables/table-record.ts';

/** Who asks. The same for every door; HTTP fills it from the signature, an embedded caller as it likes. */
export interface Caller {
  readonly accountId: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly requestId: string;
  /** A header of the request, by its lower-case name. */
  header(name: string): string | undefined;
}

/** Units that were charged to a table and its indexes. */
export interface Charge {
  readonly table: Table;
  readonly access: 'read' | 'write';
  readonly consumed: Consumed;
}

/** How a request ended: answered, refused with an error of DynamoDB, or failed by a fault of ours or of the store. */
export type RequestOutcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly error: DynamoError }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Everything that is known of a request once it has its answer. */
export interface RequestEvent {
  readonly operation: string;
  readonly caller: Caller;
  /** The tables, indexes and keys that the request was planned for; none if it was refused before it was planned. */
  readonly touches: readonly Touch[];
  readonly charges: readonly Charge[];
  /** The items that the answer holds, and their size in DynamoDB's bytes; zero for a request that answers none. */
  readonly returnedItems: number;
  readonly returnedBytes: number;
  readonly durationMs: number;
  readonly outcome: RequestOutcome;
  /** The access pattern that the caller named in the header `x-stator-pattern`. */
  readonly pattern: string | undefined;
}

/** A request that was refused before any operation was found for it: its signature, its target or its JSON is wrong. */
export interface WireRefusal {
  readonly target: string | undefined;
  readonly requestId: string;
  readonly error: DynamoError;
}

/** Work that the engine did by itself. */
export interface BackgroundEvent {
  readonly work: 'expiry' | 'index fill' | 'expiry fill';
  readonly scope: Scope;
  readonly tableName: string;
  /** The index that is being filled. */
  readonly indexName: string | undefined;
  readonly items: number;
  readonly charges: readonly Charge[];
}

/** Listens to what happens in a database. It is told after the answer is made and must not throw. */
export interface Observer {
  request?(event: RequestEvent): void;
  refused?(event: WireRefusal): void;
  background?(event: BackgroundEvent): void;
}
