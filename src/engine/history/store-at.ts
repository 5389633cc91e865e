import type { Hash16 } from '../../model/keys/keys.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Bytes, Entry, Outcome, RangePage, RangeRequest, Snapshot, Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { RestoredItems } from '../backups/restored-items.ts';
import { readEntryPlace } from '../check/known-kinds.ts';
import { entryKind, entryPrefix, recordKind, type Scope, scopeInRecordKey } from '../store-keys.ts';
import { decodeRecord, encodeRecord, prepareTable, type TableRecord } from '../tables/table-record.ts';
import type { EraWatch } from './era-watch.ts';
import { cutAt, endOfMs } from './eras.ts';
import { readPastItem } from './past-item.ts';
import { type PastSource, readPastPage } from './past-pages.ts';
import { pastSource } from './recovery.ts';
import { type Cut, firstEra } from './stamp.ts';

/** A table of which a view shows the past. */
export interface ViewedTable {
  readonly scope: Scope;
  readonly record: TableRecord;
  /** What the time of the view means for this table. */
  readonly cut: Cut;
}

interface StoreAtDeps {
  readonly store: Store;
  readonly atMs: number;
  readonly h16: Hash16;
  /** Makes an empty store in memory. */
  readonly newStore: () => Store;
  /** Lets other requests go first, between the pages of a long read. */
  readonly turn: () => Promise<void>;
  readonly eras: EraWatch;
}

/**
 * A store whose tables have the items of a moment. Records of tables are those of now, with the indexes that they have
 * now; nothing can be written. An engine on it reads the past with everything that it has for reading: keys, filters,
 * pages. The entries of indexes are not kept: the first read of an index makes them from all items of that moment.
 */
export class StoreAt implements Store {
  /** False: requests compare epochs, so that they notice when a table changes or its history ends. */
  readonly exclusive = false;
  readonly immediate = false;
  readonly #store: Store;
  readonly #deps: StoreAtDeps;
  readonly #tables = new Map<string, ViewedTable>();
  readonly #indexes = new Map<string, Promise<Store>>();

  constructor(deps: StoreAtDeps) {
    this.#deps = deps;
    this.#store = deps.store;
  }

  /** The table of a name, once a request has looked it up. */
  tableOf({ account, region }: Scope, tableName: string): ViewedTable | undefined {
    for (const viewed of this.#tables.values()) {
      const { scope, record } = viewed;
      const isScope = scope.account === account && scope.region === region;
      if (isScope && record.description.tableName === tableName) return viewed;
    }
    return undefined;
  }

  async get(key: Bytes): Promise<Bytes | undefined> {
    if (key[0] === recordKind) return this.#record(key);
    const place = key[0] === entryKind ? readEntryPlace(key) : undefined;
    if (place === undefined) return this.#store.get(key);
    if (place.slot !== 0) return (await this.#index(place.storageId)).get(key);
    const { source, cut } = this.#past(place.storageId);
    return readPastItem(this.#store, source, key, cut);
  }

  /** The epochs last: while an epoch is the same, no old image that was read before it has been forgotten. */
  async getMany(keys: readonly Bytes[]): Promise<(Bytes | undefined)[]> {
    const values: (Bytes | undefined)[] = keys.map(() => undefined);
    for (const [i, key] of keys.entries()) if (key[0] === entryKind) values[i] = await this.get(key);
    for (const [i, key] of keys.entries()) if (key[0] !== entryKind) values[i] = await this.get(key);
    return values;
  }

  counters(keys: readonly Bytes[]) {
    return this.#store.counters(keys);
  }

  async range(request: RangeRequest): Promise<RangePage> {
    const { from, also = [] } = request;
    const place = from?.[0] === entryKind ? readEntryPlace(keyAfter(from)) : undefined;
    if (place === undefined) return this.#store.range(request);
    const { also: _, ...rest } = request;
    const page =
      place.slot === 0
        ? await this.#pastRange(this.#past(place.storageId), request)
        : await (await this.#index(place.storageId)).range(rest);
    // After the page, for the same reason as in `getMany`.
    return { ...page, also: await this.getMany(also) };
  }

  async #pastRange({ source, cut }: TablePast, request: RangeRequest): Promise<Omit<RangePage, 'also'>> {
    const { reverse = false, limit, maxBytes = Number.POSITIVE_INFINITY } = request;
    const end = prefixEnd(source.itemPrefix)!;
    let from = request.from!;
    let to = request.to === undefined || compareBytes(request.to, end) >= 0 ? undefined : request.to;
    for (;;) {
      const bounds = { from, to, reverse };
      const page = await readPastPage(this.#store, source, {
        ...{ bounds, limit, maxBytes },
        cuts: [cut],
      });
      const entries = page.items.map(({ key, states }): Entry => ({ key, value: states[0]! }));
      if (entries.length > 0 || page.next === undefined) return { entries, more: page.next !== undefined };
      if (reverse) to = page.next;
      else from = page.next;
      await this.#deps.turn();
    }
  }

  async #record(key: Bytes): Promise<Bytes | undefined> {
    const bytes = await this.#store.get(key);
    if (bytes === undefined) return undefined;
    const scope = scopeInRecordKey(key);
    const found = decodeRecord(bytes);
    const record = await this.#deps.eras.settled(scope, found);
    const known = this.#tables.get(record.storageId);
    const isKnown =
      known !== undefined &&
      known.record.history?.slot === record.history?.slot &&
      known.cut.era >= (record.recovery?.era ?? firstEra);
    const cut = isKnown
      ? known.cut
      : await cutAt(this.#store, record, endOfMs(this.#deps.atMs), record.recovery?.era);
    if (!isKnown) this.#indexes.delete(record.storageId);
    this.#tables.set(record.storageId, { scope, record, cut });
    return record === found ? bytes : encodeRecord(record);
  }

  #past(storageId: string): TablePast {
    const viewed = this.#tables.get(storageId);
    if (viewed?.record.history === undefined)
      throw new StoreError('unavailable', 'The table no longer keeps its past');
    return { source: pastSource(viewed.record), cut: viewed.cut };
  }

  /** All index entries of a table at the moment, made when an index is first read. */
  #index(storageId: string): Promise<Store> {
    const viewed = this.#tables.get(storageId);
    const id = `${storageId}/${viewed?.record.epoch}`;
    const made = this.#indexes.get(id) ?? this.#makeIndexes(storageId);
    if (!this.#indexes.has(id)) {
      this.#indexes.clear();
      this.#indexes.set(id, made);
      made.catch(() => this.#indexes.delete(id));
    }
    return made;
  }

  async #makeIndexes(storageId: string): Promise<Store> {
    const { scope, record } = this.#tables.get(storageId)!;
    const table = prepareTable(scope, record);
    const { newStore, h16 } = this.#deps;
    const made = newStore();
    const { source, cut } = this.#past(storageId);
    let bytes = 0;
    for (let from: Bytes | undefined = entryPrefix(storageId, 0); from !== undefined; ) {
      const bounds: { from: Bytes; to: undefined; reverse: false } = { from, to: undefined, reverse: false };
      const page = await readPastPage(this.#store, source, {
        bounds,
        cuts: [cut],
        limit: 200,
        maxBytes: 1024 * 1024,
      });
      const restored = new RestoredItems(table, h16);
      for (const { key, states } of page.items) {
        restored.add(key.subarray(table.prefix.length), states[0]!);
        bytes += states[0]!.length;
      }
      if (bytes > indexedBytesMax)
        throw new StoreError(
          'full',
          `The past of the indexes of table ${table.name} does not fit into memory: restore the table instead`,
        );
      const mutations = restored.mutations();
      await made.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
      from = page.next;
      await this.#deps.turn();
    }
    return made;
  }

  async snapshot(): Promise<Snapshot> {
    return {
      get: (key) => this.get(key),
      getMany: (keys) => this.getMany(keys),
      counters: (keys) => this.counters(keys),
      range: (request) => this.range(request),
      close: () => {},
    };
  }

  transact(): Promise<never> {
    return Promise.reject(readOnly());
  }

  transactMany<R>(): Promise<Outcome<R>[]> {
    return Promise.reject(readOnly());
  }

  deleteRange(): Promise<never> {
    return Promise.reject(readOnly());
  }

  readLog() {
    return [];
  }

  logEnd() {
    return 0;
  }

  trimLog(): Promise<never> {
    return Promise.reject(readOnly());
  }

  async close(): Promise<void> {}
}

interface TablePast {
  readonly source: PastSource;
  readonly cut: Cut;
}

/** So much of a table at most is kept in memory to answer reads of its indexes. */
const indexedBytesMax = 512 * 1024 * 1024;

function readOnly(): StoreError {
  return new StoreError('unavailable', 'The past can only be read');
}
