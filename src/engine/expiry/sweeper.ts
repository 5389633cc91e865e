import { keyAfter } from '../../model/bytes.ts';
import type { Entry } from '../../storage/store.ts';
import type { Catalogue } from '../catalogue.ts';
import { type Clock, nowMs } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import { expiringRange, type Scope, storageIdOfExpiring } from '../store-keys.ts';
import { sameEpoch, type Table } from '../table-record.ts';
import { type NewExpiry, stale } from '../write-item.ts';
import { type DeletionDeps, deleteExpired } from './delete-expired.ts';
import { decodeExpiringTable } from './expiring-table.ts';
import type { ExpiryDelay } from './expiry-delay.ts';
import { livingRange, secondOfEntry } from './expiry-entries.ts';
import { SweepLease } from './sweep-lease.ts';

export interface SweepDeps extends DeletionDeps {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly delay: ExpiryDelay;
}

interface SweeperSettings {
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** A table whose items expire, and when there is something to do for it, as far as this process knows. */
interface WatchedTable {
  readonly scope: Scope;
  readonly tableName: string;
  readonly storageId: string;
  dueMs: number;
}

/**
 * Deletes items whose time to live is over, in the background, a few at a time between other work. It follows the
 * clock: one that is moved by hand tells of it, and on one that goes by itself one timer waits for the next item to
 * expire, or none when nothing will. What is due when is found once and then known from the writes of this process;
 * where other processes write too, it is looked for anew from time to time.
 */
export class Sweeper {
  readonly #deps: SweepDeps;
  readonly #settings: SweeperSettings;
  readonly #lease: SweepLease;
  /** By storage id; undefined when the store has to be asked. */
  #watched: Map<string, WatchedTable> | undefined;
  #working: Promise<void> | undefined;
  #isAskedAgain = false;
  #alarm: { readonly atMs: number; readonly off: AbortController } | undefined;

  constructor(deps: SweepDeps, settings: SweeperSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#lease = new SweepLease({
      store: deps.store,
      random: deps.random,
      nowMs: () => nowMs(deps.clock),
      ...settings,
    });
    // Forks are dropped without being closed; neither a clock nor a timer may keep one.
    const self = new WeakRef<Sweeper>(this);
    const end = deps.clock.onMove?.(() => self.deref()?.wake());
    settings.signal.addEventListener('abort', () => {
      end?.();
      self.deref()?.stop();
    });
  }

  /** Deletes what is due; called again meanwhile, looks once more. */
  wake(): void {
    if (this.#settings.signal.aborted) return;
    this.#isAskedAgain = true;
    this.#working ??= this.#work();
  }

  /** Wakes unless there is no table that expires, which a store in memory tells at once: forks are made by the thousand. */
  wakeIfAny(): void {
    const found = this.#deps.store.range({ limit: 1, ...expiringRange });
    if (found instanceof Promise) found.catch(() => {});
    else if (found.entries.length === 0) this.#watched = new Map();
    if (this.#watched === undefined) this.wake();
  }

  /** Called when tables begin or cease to expire, or have got expiries in other ways than by writes. */
  tablesChanged(): void {
    this.#watched = undefined;
    this.wake();
  }

  /** Called with every write that gives an item a new time of expiry. */
  expects({ table: { record, indexes }, expiresMs, entry }: NewExpiry): void {
    const { clock, delay } = this.#deps;
    const table = this.#watched?.get(record.storageId);
    if (table === undefined) {
      this.tablesChanged();
      return;
    }
    const dueMs = delay.dueMs(expiresMs, entry, indexes.length > 0);
    if (dueMs >= table.dueMs) return;
    table.dueMs = dueMs;
    if (dueMs <= nowMs(clock)) this.wake();
    else if (this.#working === undefined) this.#armAt(dueMs);
  }

  /** Resolves when everything that is due by now is deleted. */
  async settled(): Promise<void> {
    await this.#working;
  }

  /** Ends in the very step in which it finds that nobody has asked again: whoever asks later begins anew. */
  async #work(): Promise<void> {
    const { pause, signal, log } = this.#settings;
    for (let failures = 0; this.#isAskedAgain && !signal.aborted; ) {
      this.#isAskedAgain = false;
      try {
        await this.#look();
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (failures === 0)
          log(`Deleting expired items was interrupted and will be tried again: ${String(error)}`);
        this.#isAskedAgain = true;
        this.#watched = undefined;
        await pause(Math.min(retryMsMin * 2 ** failures++, retryMsMax), signal);
      }
    }
    this.#working = undefined;
    this.stop();
    this.#armAt(this.#nextMs());
  }

  async #look(): Promise<void> {
    const { store, clock } = this.#deps;
    const { signal } = this.#settings;
    if (this.#watched === undefined || !store.exclusive) this.#watched = await this.#tables();
    try {
      for (const table of this.#watched.values()) {
        if (table.dueMs > nowMs(clock)) continue;
        // A write that is noted meanwhile may be one that the sweep did not see.
        table.dueMs = Number.POSITIVE_INFINITY;
        const dueMs = await this.#sweep(table);
        table.dueMs = Math.min(table.dueMs, dueMs);
        if (signal.aborted) return;
      }
    } finally {
      await this.#lease.release();
    }
  }

  /** All tables that expire, with everything still to be found out about them. */
  async #tables(): Promise<Map<string, WatchedTable>> {
    const tables = new Map<string, WatchedTable>();
    for (let from: Uint8Array = expiringRange.from; ; ) {
      const page = await this.#deps.store.range({ from, to: expiringRange.to, limit: 100 });
      for (const { key, value } of page.entries) {
        const { scope, tableName } = decodeExpiringTable(value);
        const storageId = storageIdOfExpiring(key);
        tables.set(storageId, { scope, tableName, storageId, dueMs: Number.NEGATIVE_INFINITY });
      }
      if (!page.more) return tables;
      from = keyAfter(page.entries.at(-1)!.key);
    }
  }

  /** Deletes what is due in a table, and answers when there will be more to do. */
  async #sweep({ scope, tableName, storageId }: WatchedTable): Promise<number> {
    const { store, catalogue, clock } = this.#deps;
    const { signal } = this.#settings;
    let nextMs = Number.POSITIVE_INFINITY;
    let limit = entriesInStep;
    for (let after: Uint8Array | undefined; ; ) {
      const table = await catalogue.table(scope, tableName);
      // It was dropped, or expires no more: there is nothing to do for it until somebody says so.
      if (table?.expiry === undefined || table.record.storageId !== storageId) return nextMs;
      const began = performance.now();
      const now = nowMs(clock);
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
      let hasWaited = false;
      const found = this.#sortOut(table, page.entries, now);
      nextMs = Math.min(nextMs, found.nextMs);
      if (found.due.length > 0) {
        const lease = store.exclusive ? 'kept' : await this.#lease.take();
        if (lease === undefined) return nextMs;
        // Whoever had the lease before has probably done this.
        if (lease === 'new') continue;
        const outcome = await deleteExpired(this.#deps, table, found.due);
        if (outcome === stale) {
          catalogue.forget(table);
          after = undefined;
          continue;
        }
        hasWaited = outcome === 'waited';
        if (hasWaited) limit = entriesInWait;
      }
      if (found.isEnd || !page.more) return nextMs;
      after = page.entries.at(-1)!.key;
      await this.#leaveToOthers(performance.now() - began, hasWaited);
      if (signal.aborted) return nextMs;
    }
  }

  /**
   * Others are left most of the time. Whether there are any is seen by how long a turn of the event loop takes; a store
   * that has to be waited for has its own work beside that, and is always given time.
   */
  async #leaveToOthers(stepMs: number, hasWaited: boolean): Promise<void> {
    const { pause, signal } = this.#settings;
    const before = performance.now();
    await pause(0, signal);
    if (hasWaited || performance.now() - before > busyTurnMs)
      await pause(Math.max(othersMs, stepMs * othersShare), signal);
  }

  /** Which of some entries are due, and when there is more to do. */
  #sortOut(
    { indexes }: Table,
    entries: readonly Entry[],
    now: number,
  ): { readonly due: readonly Entry[]; readonly nextMs: number; readonly isEnd: boolean } {
    const { delay } = this.#deps;
    const due: Entry[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const entry of entries) {
      const expiresMs = secondOfEntry(entry.key)! * 1000;
      if (expiresMs > now) return { due, nextMs: Math.min(nextMs, expiresMs), isEnd: true };
      const dueMs = delay.dueMs(expiresMs, entry.key, indexes.length > 0);
      if (dueMs <= now) due.push(entry);
      else nextMs = Math.min(nextMs, dueMs);
    }
    return { due, nextMs, isEnd: false };
  }

  /** When there is something to do next, as far as is known. */
  #nextMs(): number {
    const { store, clock } = this.#deps;
    const tables = [...(this.#watched?.values() ?? [])];
    if (tables.length === 0) return Number.POSITIVE_INFINITY;
    const lookAgainMs = store.exclusive ? Number.POSITIVE_INFINITY : nowMs(clock) + lookMs;
    return tables.reduce((least, { dueMs }) => Math.min(least, dueMs), lookAgainMs);
  }

  /** Sets the timer, unless it rings before; a clock that tells of its moves needs none. */
  #armAt(dueMs: number): void {
    const { clock, delay } = this.#deps;
    const { pause, signal } = this.#settings;
    if (clock.onMove !== undefined || signal.aborted || dueMs === Number.POSITIVE_INFINITY) return;
    const now = nowMs(clock);
    const atMs = Math.min(Math.max(dueMs, now + delay.betweenLooksMs), now + waitMsMax);
    if (this.#alarm !== undefined && this.#alarm.atMs <= atMs) return;
    this.stop();
    const off = new AbortController();
    this.#alarm = { atMs, off };
    const self = new WeakRef<Sweeper>(this);
    void pause(Math.max(1, atMs - now), off.signal).then(() => {
      if (!off.signal.aborted) self.deref()?.wake();
    });
  }

  /** Puts out the timer. */
  stop(): void {
    this.#alarm?.off.abort();
    this.#alarm = undefined;
  }
}

/** So few that others hardly wait for them. */
const entriesInStep = 10;
/** Where a step waits for the disk or the network, others go on meanwhile, and one wait serves more. */
const entriesInWait = 100;
/** How much longer than a step others are left alone, and how long at least. */
const othersShare = 3;
const othersMs = 3;
/** A turn of the event loop in which nothing happens takes a third of this or less. */
const busyTurnMs = 0.1;
/** How soon what other processes write is looked for, where there are any. */
const lookMs = 60_000;
/** A timer that waits no longer than this notices when the system's clock was set, or slept. */
const waitMsMax = 3_600_000;
const retryMsMin = 100;
const retryMsMax = 30_000;
