import { keyAfter } from '../../model/values/bytes.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Entry } from '../../storage/store.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { type Lease, newLease } from '../background/lease.ts';
import { pagesOf } from '../check/range-pages.ts';
import { expiringRange, type Scope, storageIdOfExpiring, sweepKey } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { type NewExpiry, stale } from '../writes/write-item.ts';
import { type DeletionDeps, deleteExpired } from './delete-expired.ts';
import { decodeExpiringTable } from './expiring-table.ts';
import type { ExpiryDelay } from './expiry-delay.ts';
import { livingRange, secondOfEntry } from './expiry-entries.ts';

export interface SweepDeps extends DeletionDeps {
  readonly catalogue: Catalogue;
  readonly random: Randomness;
  readonly delay: ExpiryDelay;
}

/** A table with Time to Live, and when its next item is due, as far as this process knows. */
interface WatchedTable {
  readonly scope: Scope;
  readonly tableName: string;
  readonly storageId: string;
  dueMs: number;
}

/**
 * Deletes items whose time to live is over, in the background, a few at a time between other work. It knows when the
 * next item of each table is due: it searches the store once and then watches the writes of this process. Where other
 * processes write too, it searches the store again from time to time.
 */
export class Sweeper {
  readonly #deps: SweepDeps;
  readonly #background: Background;
  readonly #lease: Lease;
  readonly #worker: Worker;
  /** Tables by storage id; undefined when the store has to be searched. */
  #watched: Map<string, WatchedTable> | undefined;

  constructor(deps: SweepDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#lease = newLease(background, deps, sweepKey, { termMs: 10_000, retryMs: 200 });
    this.#worker = new Worker(background, {
      name: 'Deleting expired items',
      run: () => this.#sweepAll(),
      retry: { minMs: 100, maxMs: 30_000 },
      lease: this.#lease,
      followsClock: true,
      rested: () => this.#wakeAt(this.#nextMs()),
    });
  }

  /** Deletes what is due; called again meanwhile, looks once more. */
  wake(): void {
    this.#worker.wake();
  }

  /** Wakes unless no table expires. A store in memory answers that at once: tests make forks by the thousand. */
  wakeIfAny(): void {
    const found = this.#deps.store.range({ limit: 1, ...expiringRange });
    if (found instanceof Promise) found.catch(() => {});
    else if (found.entries.length === 0) this.#watched = new Map();
    if (this.#watched === undefined) this.wake();
  }

  /** Called when Time to Live is switched on or off for a table, and when its expiry entries have been filled. */
  tablesChanged(): void {
    this.#watched = undefined;
    this.wake();
  }

  /** Called with every write that gives an item a new expiry. */
  expects({ table, expiresMs, entry }: NewExpiry): void {
    const { delay } = this.#deps;
    const watched = this.#watched?.get(table.record.storageId);
    if (watched === undefined) {
      this.tablesChanged();
      return;
    }
    const dueMs = delay.dueMs(expiresMs, entry, table);
    if (dueMs >= watched.dueMs) return;
    watched.dueMs = dueMs;
    if (dueMs <= this.#nowMs()) this.wake();
    else this.#wakeAt(dueMs);
  }

  /** Resolves when everything that is due by now is deleted. */
  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#sweepAll(): AsyncGenerator<Pace, void> {
    try {
      const isKnown = this.#watched !== undefined && this.#deps.store.exclusive;
      const tables = isKnown ? this.#watched! : await this.#search();
      for (const table of tables.values()) {
        if (table.dueMs > this.#nowMs()) continue;
        // A write that is noted meanwhile may be one that the sweep did not see.
        table.dueMs = Number.POSITIVE_INFINITY;
        const dueMs = yield* this.#sweep(table);
        table.dueMs = Math.min(table.dueMs, dueMs);
      }
    } catch (error) {
      this.#watched = undefined;
      // Another process may have better luck.
      await this.#lease.release();
      throw error;
    }
  }

  /** Watches all tables that expire; each may have something due. Another search follows if tables change meanwhile. */
  async #search(): Promise<Map<string, WatchedTable>> {
    const tables = new Map<string, WatchedTable>();
    this.#watched = tables;
    for await (const entries of pagesOf(this.#deps.store, expiringRange.from, expiringRange.to))
      for (const { key, value } of entries) {
        const { scope, tableName } = decodeExpiringTable(value, key);
        const storageId = storageIdOfExpiring(key);
        tables.set(storageId, { scope, tableName, storageId, dueMs: Number.NEGATIVE_INFINITY });
      }
    return tables;
  }

  /** Deletes the due items of a table, and returns when the next one is due. */
  async *#sweep({ scope, tableName, storageId }: WatchedTable): AsyncGenerator<Pace, number> {
    const { store, catalogue } = this.#deps;
    let nextMs = Number.POSITIVE_INFINITY;
    let limit = entriesInStep;
    for (let after: Uint8Array | undefined; ; ) {
      const table = await catalogue.table(scope, tableName);
      // The table was dropped, or its Time to Live switched off: nothing is due until `tablesChanged`.
      if (table?.expiry === undefined || table.record.storageId !== storageId) return nextMs;
      const now = this.#nowMs();
      const { from, to } = livingRange(table.expiry, now);
      const page = await store.range({
        from: after === undefined ? from : keyAfter(after),
        to,
        limit,
        also: [table.epochKey],
      });
      if (!sameEpoch(page.also[0], table.epoch)) {
        catalogue.forget(table);
        after = undefined;
        continue;
      }
      let pace: Pace = 'share if busy';
      const found = this.#sortOut(table, page.entries, now);
      nextMs = Math.min(nextMs, found.nextMs);
      if (found.due.length > 0) {
        const wasOurs = this.#lease.isCurrent;
        if (!(await this.#lease.take())) return nextMs;
        // The process that had the lease before has probably deleted these items.
        if (!wasOurs) continue;
        const outcome = await deleteExpired(this.#deps, table, found.due);
        if (outcome === stale) {
          catalogue.forget(table);
          after = undefined;
          continue;
        }
        if (outcome === 'waited') {
          // A store that has to be waited for has its own work, and is always given time.
          pace = 'share';
          limit = entriesInWait;
        }
      }
      if (found.isEnd || !page.more) return nextMs;
      after = page.entries.at(-1)!.key;
      yield pace;
    }
  }

  /** Finds the entries that are due, and when the next one is. */
  #sortOut(
    table: Table,
    entries: readonly Entry[],
    now: number,
  ): { readonly due: readonly Entry[]; readonly nextMs: number; readonly isEnd: boolean } {
    const { delay } = this.#deps;
    const due: Entry[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const entry of entries) {
      const expiresMs = secondOfEntry(entry.key)! * 1000;
      if (expiresMs > now) return { due, nextMs: Math.min(nextMs, expiresMs), isEnd: true };
      const dueMs = delay.dueMs(expiresMs, entry.key, table);
      if (dueMs <= now) due.push(entry);
      else nextMs = Math.min(nextMs, dueMs);
    }
    return { due, nextMs, isEnd: false };
  }

  /** When the next item is due, as far as this process knows. */
  #nextMs(): number {
    const tables = [...(this.#watched?.values() ?? [])];
    if (tables.length === 0) return Number.POSITIVE_INFINITY;
    const lookAgainMs = this.#deps.store.exclusive ? Number.POSITIVE_INFINITY : this.#nowMs() + lookMs;
    return tables.reduce((least, { dueMs }) => Math.min(least, dueMs), lookAgainMs);
  }

  #wakeAt(dueMs: number): void {
    this.#worker.wakeAt(Math.max(dueMs, this.#nowMs() + this.#deps.delay.betweenLooksMs));
  }

  #nowMs(): number {
    return nowMs(this.#background.clock);
  }
}

/** Entries in a step: so few that requests hardly wait for them. */
const entriesInStep = 10;
/** Entries in a step that waits for the disk or the network: requests go on meanwhile, and one wait serves more. */
const entriesInWait = 100;
/** How soon the sweeper notices expiries that other processes wrote. */
const lookMs = 60_000;
