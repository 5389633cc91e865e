import type { Authorize, Requester } from '../model/access/authorize.ts';
import type { DynamoError } from '../model/errors.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { Verdict } from '../physics/verdict.ts';
import type { Consumed } from './consumed.ts';
import type { Touch } from './road.ts';
import type { Scope } from './store-keys.ts';
import type { Table, TableIndex } from './tables/table-record.ts';

/** The sender of a request. HTTP fills it from the signature; an embedding program chooses the values. */
export interface Caller extends Requester {
  readonly requestId: string;
  /** Judges what the caller wants, before anything is looked up. Undefined permits everything. Each door states it. */
  readonly authorize: Authorize | undefined;
  /** True for a request that came through a socket. */
  readonly isRemote?: boolean;
  /** The address that the request came from. Behind a proxy it is the proxy's. */
  readonly address?: string | undefined;
  /** Returns a header of the request by its lower-case name. */
  header(name: string): string | undefined;
}

/** Capacity units charged to a table and its indexes. */
export interface Charge {
  readonly table: Table;
  readonly access: 'read' | 'write';
  readonly consumed: Consumed;
}

/** The end of a request: answered, refused with a DynamoDB error, or failed because of a bug or the store. */
export type RequestOutcome =
  | { readonly kind: 'answered' }
  | { readonly kind: 'refused'; readonly error: DynamoError }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A request, recorded after it has its answer. */
export interface RequestEvent {
  readonly operation: string;
  readonly caller: Caller;
  /** The body of the request as it was sent: parameters by name, if it is an object at all. */
  readonly input: unknown;
  /** The tables, indexes and keys of the plan. Empty if the request was refused before it was planned. */
  readonly touches: readonly Touch[];
  readonly charges: readonly Charge[];
  /** The number of items that the answer holds or counts, or of a stream's records. Returned old and new values do not count. */
  readonly returnedItems: number;
  /** The number of items that were read for the answer, before filters. */
  readonly readItems: number;
  /** The size of the items that were read for the answer, before filters and projections, in DynamoDB's bytes. */
  readonly readBytes: number;
  /** The age of the newest record that GetRecords returned. */
  readonly recordAgeMs?: number | undefined;
  readonly durationMs: number;
  readonly outcome: RequestOutcome;
  /** The access pattern that the caller named in the header `x-stator-pattern`. */
  readonly pattern: string | undefined;
  /** Whether an injected fault made the request fail. */
  readonly isInjected: boolean;
  /** Whether the request repeated a transaction that had been committed before under the same token. */
  readonly isReplay: boolean;
  /** Whether an eventually consistent read was answered with an older state. */
  readonly isStale: boolean;
  /** Whether the request only observes the database, as the studio and the doctor do. It counts as no traffic. */
  readonly isObserver?: boolean;
}

/** A touch that was refused for lack of capacity, or in shadow would have been. */
export interface ThrottleEvent {
  readonly table: Table;
  /** The index whose capacity was exhausted. */
  readonly index: TableIndex | undefined;
  readonly access: 'read' | 'write';
  readonly verdict: Verdict;
  /** The store key of the item, range or index entry. */
  readonly key: Uint8Array;
  /** The attributes that are known of the item or entry. */
  readonly attributes: Item | undefined;
}

/** A request that was refused before any operation had it: its page, its body, its JSON, its target or its signature. */
export interface WireRefusal {
  readonly target: string | undefined;
  readonly requestId: string | undefined;
  readonly status: number;
  /** The name of the error, or the reason phrase of the status. */
  readonly reason: string;
  /** The access key that the request names. Nothing proves that it was the sender's. */
  readonly claimedKeyId?: string | undefined;
  readonly address?: string | undefined;
}

/** A request to the control API, when it has its answer, or the beginning of one that goes on. */
export interface ControlEvent {
  readonly method: string;
  /** Without the query, which may name items. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  /** The sender; undefined if nothing was signed or the signature was refused. */
  readonly caller: { readonly accountId: string; readonly accessKeyId: string } | undefined;
  readonly address: string | undefined;
}

/** A step of background work. */
export interface BackgroundEvent {
  readonly work: 'expiry' | 'index fill' | 'expiry fill';
  readonly scope: Scope;
  readonly tableName: string;
  /** The index that is being filled. */
  readonly indexName: string | undefined;
  readonly items: number;
  /** How many items a fill has seen before this step. */
  readonly itemsBefore?: number;
  /** Whether a fill has come to its end. */
  readonly isLast?: boolean;
  readonly charges: readonly Charge[];
}

/** A batch of records that was offered to a Kinesis stream, and how many of them had which outcome. */
export interface DeliveryEvent {
  readonly scope: Scope;
  readonly tableName: string;
  readonly streamArn: string;
  readonly delivered: number;
  /** Too large: left out for good. */
  readonly refused: number;
  /** Tried again later, as are those that failed for other reasons. */
  readonly throttled: number;
  readonly failed: number;
  /** The units of change data capture that the delivered records took. */
  readonly units: number;
}

/** Receives events of a database, after the answer is made. It must not throw. */
export interface Observer {
  request?(event: RequestEvent): void;
  refused?(event: WireRefusal): void;
  control?(event: ControlEvent): void;
  background?(event: BackgroundEvent): void;
  throttled?(event: ThrottleEvent): void;
  delivered?(event: DeliveryEvent): void;
}

/** One observer for all of them. It has a function only if one of them has it, since events nobody takes are not made. */
export function joinObservers(all: readonly Observer[]): Observer | undefined {
  if (all.length < 2) return all[0];
  const has = (name: keyof Observer) => all.some((each) => each[name] !== undefined);
  return {
    ...(has('request') && { request: (event) => all.forEach((each) => void each.request?.(event)) }),
    ...(has('refused') && { refused: (event) => all.forEach((each) => void each.refused?.(event)) }),
    ...(has('control') && { control: (event) => all.forEach((each) => void each.control?.(event)) }),
    ...(has('background') && { background: (event) => all.forEach((each) => void each.background?.(event)) }),
    ...(has('throttled') && { throttled: (event) => all.forEach((each) => void each.throttled?.(event)) }),
    ...(has('delivered') && { delivered: (event) => all.forEach((each) => void each.delivered?.(event)) }),
  };
}
