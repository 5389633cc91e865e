import { DynamoError } from '../../model/errors.ts';
import { ownCopy } from '../../model/json/json-reader.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import type { Mutation, Store } from '../../storage/store.ts';
import { encodeLogNote } from '../change-log/log-note.ts';
import { pagesOf } from '../check/range-pages.ts';
import {
  accountPrefix,
  droppedKey,
  epochKey,
  expiringKey,
  fillingKey,
  historyNoteKey,
  logNoteKey,
  partitionsKey,
  readRecordKey,
  recordKey,
  recordPrefix,
  retiredKey,
  type Scope,
} from '../store-keys.ts';
import { statusAt } from './parts/lifecycle.ts';
import {
  decodeRecord,
  encodeEpoch,
  encodeRecord,
  fillingSlots,
  prepareTable,
  type Table,
  type TableRecord,
} from './table-record.ts';

/** A change of a table's record. */
export type RecordChange =
  | {
      readonly put: TableRecord;
      /** Mutations to commit together with the record. */
      readonly also?: readonly Mutation[];
    }
  /** Drops the table: its data goes. Its record goes too, or stays as `keepAs` until the deletion is over. */
  | {
      readonly drop: TableRecord;
      readonly keepAs?: TableRecord;
      /** Whether jobs still read the table, so that the last of them lets its entries be removed. */
      readonly retires?: boolean;
      readonly also?: readonly Mutation[];
    };

/**
 * All tables. The records are in the Store; the catalogue caches them for requests that read and write items. If
 * several processes share a store, a cached table may be out of date. So every such request compares the cached epoch
 * with the stored one, in the same round trip. If they differ, it calls `forget` and tries again. Control-plane
 * requests read the record itself.
 */
export class Catalogue {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #cache = new Map<string, Table>();
  #latest: Table | undefined;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The cached table, if it is cached and usable. For callers that can do without. */
  known(scope: Scope, name: string): Table | undefined {
    const cached = this.#cached(scope, name);
    return cached !== undefined && this.#isUsable(cached.record) ? cached : undefined;
  }

  /** The table, cached or loaded. Undefined if it does not exist or cannot be read or written now. */
  table(scope: Scope, name: string): MaybePromise<Table | undefined> {
    const known = this.known(scope, name);
    if (known !== undefined) return known;
    return whenDone(this.record(scope, name), (record) => {
      if (record === undefined || !this.#isUsable(record)) return undefined;
      const table = prepareTable(scope, record);
      if (this.#cache.size >= cachedTablesMax) this.#cache.clear();
      this.#cache.set(ownCopy(cacheKey(scope, name)), table);
      this.#latest = table;
      return table;
    });
  }

  /** Finds a cached table. Most requests are for the same table as the request before, which needs no cache key. */
  #cached({ account, region }: Scope, name: string): Table | undefined {
    const latest = this.#latest;
    if (latest?.name === name && latest.scope.account === account && latest.scope.region === region)
      return latest;
    this.#latest = this.#cache.get(cacheKey({ account, region }, name));
    return this.#latest;
  }

  forget(table: Table): void {
    this.#drop(table.scope, table.name);
  }

  #drop(scope: Scope, name: string): void {
    this.#latest = undefined;
    this.#cache.delete(cacheKey(scope, name));
  }

  /** Reads the record of a table. Undefined if the table does not exist or its deletion is over. */
  record(scope: Scope, name: string): MaybePromise<TableRecord | undefined> {
    return whenDone(this.#store.get(recordKey(scope, name)), (bytes) => this.#living(bytes));
  }

  /**
   * Changes a table's record in one unit. `change` gets the current record and returns the change, or an error or
   * undefined to change nothing. It may be called more than once.
   */
  change(
    scope: Scope,
    name: string,
    change: (current: TableRecord | undefined) => RecordChange | DynamoError,
  ): MaybePromise<TableRecord | DynamoError>;
  change(
    scope: Scope,
    name: string,
    change: (current: TableRecord | undefined) => RecordChange | undefined,
  ): MaybePromise<TableRecord | undefined>;
  change(
    scope: Scope,
    name: string,
    change: (current: TableRecord | undefined) => RecordChange | DynamoError | undefined,
  ): MaybePromise<TableRecord | DynamoError | undefined> {
    const key = recordKey(scope, name);
    const outcome = this.#store.transact<TableRecord | DynamoError | undefined>({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        const current = this.#living(bytes);
        const decision = change(current);
        if (decision === undefined || decision instanceof DynamoError)
          return { result: decision, mutations: [] };
        return 'put' in decision
          ? {
              result: decision.put,
              mutations: [...putMutations(key, decision.put), ...(decision.also ?? [])],
              changesSettings: isOtherEpoch(current, decision.put),
            }
          : {
              result: decision.keepAs ?? decision.drop,
              mutations: [...dropMutations(key, scope, decision), ...(decision.also ?? [])],
              changesSettings: true,
            };
      },
    });
    return whenDone(outcome, (result) => {
      this.#drop(scope, name);
      return result;
    });
  }

  /** Lists the names of at most `limit` tables after `after`, in order. */
  async names(scope: Scope, after: string | undefined, limit: number): Promise<string[]> {
    const prefix = recordPrefix(scope);
    const names: string[] = [];
    let from = after === undefined ? prefix : keyAfter(recordKey(scope, after));
    for (;;) {
      const page = await this.#store.range({ from, to: prefixEnd(prefix)!, limit: limit - names.length });
      for (const { key, value } of page.entries)
        if (this.#living(value) !== undefined) names.push(readRecordKey(key).tableName);
      if (!page.more || names.length === limit) return names;
      from = keyAfter(page.entries.at(-1)!.key);
    }
  }

  /** Lists the Regions of the account that have a table of this name. */
  async regionsWith(account: string, name: string): Promise<string[]> {
    const prefix = accountPrefix(account);
    const regions: string[] = [];
    for await (const entries of pagesOf(this.#store, prefix, prefixEnd(prefix)))
      for (const { key, value } of entries) {
        const found = readRecordKey(key);
        if (found.tableName === name && this.#living(value) !== undefined) regions.push(found.region);
      }
    return regions;
  }

  #living(bytes: Uint8Array | undefined): TableRecord | undefined {
    if (bytes === undefined) return undefined;
    const record = decodeRecord(bytes);
    return statusAt(record, nowMs(this.#clock)) === 'gone' ? undefined : record;
  }

  /** Whether items can be read and written: the table is neither being created nor being deleted. */
  #isUsable(record: TableRecord): boolean {
    const { creatingUntil, deletingUntil, filledByJob } = record.phases;
    if (creatingUntil === undefined && deletingUntil === undefined && filledByJob === undefined) return true;
    const status = statusAt(record, nowMs(this.#clock));
    return status === 'ACTIVE' || status === 'UPDATING';
  }
}

/** The maximum number of cached tables. It is far more than one process uses and only bounds the memory. */
const cachedTablesMax = 10_000;

function cacheKey(scope: Scope, name: string): string {
  return `${scope.account}/${scope.region}/${name}`;
}

function putMutations(key: Uint8Array, record: TableRecord): Mutation[] {
  return [
    { kind: 'put', key, value: encodeRecord(record) },
    { kind: 'put', key: epochKey(record.storageId), value: encodeEpoch(record.epoch) },
  ];
}

/**
 * Whether a change replaces the epoch of an existing table. A new table has no writers yet, and a change that keeps the
 * epoch, such as a new tag, concerns none.
 */
function isOtherEpoch(before: TableRecord | undefined, after: TableRecord): boolean {
  return before?.storageId === after.storageId && before.epoch !== after.epoch;
}

/**
 * The mutations of a drop. Without its epoch no writer can reach the table. The note stays until all entries are
 * removed.
 */
function dropMutations(
  key: Uint8Array,
  { account, region }: Scope,
  change: Extract<RecordChange, { drop: TableRecord }>,
): Mutation[] {
  const { drop, keepAs, retires = false } = change;
  const note = (retires ? retiredKey : droppedKey)(drop.storageId);
  const { log, description } = drop;
  return [
    keepAs === undefined ? { kind: 'delete', key } : { kind: 'put', key, value: encodeRecord(keepAs) },
    { kind: 'delete', key: epochKey(drop.storageId) },
    { kind: 'put', key: note, value: encodeRecord(drop) },
    ...(log === undefined
      ? []
      : [
          {
            kind: 'put',
            key: logNoteKey(drop.storageId),
            value: encodeLogNote({ account, region, tableName: description.tableName, log }),
          } as const,
        ]),
    ...(drop.history === undefined ? [] : [{ kind: 'delete', key: historyNoteKey(drop.storageId) } as const]),
    ...fillingSlots(drop).map((slot) => ({ kind: 'delete', key: fillingKey(drop.storageId, slot) }) as const),
    ...[0, ...Object.values(drop.slots)].map(
      (slot) => ({ kind: 'delete', key: partitionsKey(drop.storageId, slot) }) as const,
    ),
    ...(drop.expiry === undefined ? [] : [{ kind: 'delete', key: expiringKey(drop.storageId) } as const]),
  ];
}
