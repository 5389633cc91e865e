import type { Store } from '../../storage/store.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { pagesOf } from '../check/range-pages.ts';
import { nowMs } from '../clock.ts';
import { historyNoteRange, jobKey } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { dayIn, dayOf, historyPlace, segmentStart } from './history-keys.ts';
import { decodeHistoryNote, endIdleHistory, type HistoryNote } from './history-life.ts';

interface KeeperDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  /** Called when a history has ended: its entries can be removed. */
  readonly ended: () => void;
}

/**
 * Forgets old images that nobody can ask for any more, day by day, by the database's clock. Also ends the history of a
 * table that is kept for nobody, which a killed process leaves behind.
 */
export class HistoryKeeper {
  readonly #deps: KeeperDeps;
  readonly #background: Background;
  readonly #worker: Worker;
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(deps: KeeperDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#worker = new Worker(background, {
      name: 'Forgetting old images',
      run: () => this.#keepAll(),
      retry: { minMs: 1_000, maxMs: 60_000 },
      followsClock: true,
      isDue: (now) => now >= this.#nextMs,
      rested: () => this.#worker.wakeAt(this.#nextMs),
    });
  }

  /** Looks at all tables. Called when a store is opened, and when recovery is switched on or changed. */
  wake(): void {
    this.#worker.wake();
  }

  /** Wakes unless no table keeps old images. A store in memory tells at once. */
  wakeIfAny(): void {
    const found = this.#deps.store.range({ ...historyNoteRange, limit: 1 });
    if (found instanceof Promise || found.entries.length > 0) this.wake();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#keepAll(): AsyncGenerator<Pace, void> {
    const { store } = this.#deps;
    let nextMs = Number.POSITIVE_INFINITY;
    for await (const page of pagesOf(store, historyNoteRange.from, historyNoteRange.to))
      for (const { value } of page) {
        nextMs = Math.min(nextMs, await this.#keep(decodeHistoryNote(value)));
        yield 'share if busy';
      }
    this.#nextMs = nextMs;
  }

  /** Forgets what it can of one table, and returns when to look again. */
  async #keep({ scope, tableName }: HistoryNote): Promise<number> {
    const { store, catalogue } = this.#deps;
    const record = await this.#withoutLostReaders(scope, tableName);
    if (record?.history === undefined) return Number.POSITIVE_INFINITY;
    const now = nowMs(this.#background.clock);
    if (record.recovery === undefined && (record.readers?.length ?? 0) === 0) {
      // Whoever has just begun the history says so in a moment.
      if (!(await this.#isStillIdle(record))) return now + idleMs;
      await catalogue.change(scope, tableName, (current) =>
        current?.storageId === record.storageId && current.history?.slot === record.history!.slot
          ? endIdleHistory(current)
          : undefined,
      );
      this.#deps.ended();
      return Number.POSITIVE_INFINITY;
    }
    const neededMs = neededSince(record, now);
    const place = historyPlace(record.storageId, record.history.slot);
    const { entries } = await store.range({
      from: segmentStart(place, 0),
      to: segmentStart(place, dayOf(neededMs * 1000)),
      limit: 1,
    });
    const first = entries[0];
    if (first !== undefined)
      await store.deleteRange(
        segmentStart(place, dayIn(first.key)),
        segmentStart(place, dayOf(neededMs * 1000)),
        { signal: this.#background.signal },
      );
    // When the next day lies behind the window.
    const period = (record.recovery?.periodDays ?? 0) * dayMs;
    return record.recovery === undefined ? Number.POSITIVE_INFINITY : nextDayMs(now - period) + period;
  }

  #idleSince = new Map<string, number>();

  /** A history that is idle in two looks apart is kept for nobody. */
  async #isStillIdle({ storageId, epoch }: TableRecord): Promise<boolean> {
    const id = `${storageId}/${epoch}`;
    const now = nowMs(this.#background.clock);
    const since = this.#idleSince.get(id);
    // A clock that was set back since begins anew.
    if (since === undefined || since > now) this.#idleSince = new Map([[id, now]]);
    return since !== undefined && now - since >= idleMs;
  }

  /** The record without notes of jobs that never came to be: their process was killed in between. */
  async #withoutLostReaders(
    scope: HistoryNote['scope'],
    tableName: string,
  ): Promise<TableRecord | undefined> {
    const { store, catalogue } = this.#deps;
    const record = await catalogue.record(scope, tableName);
    const now = nowMs(this.#background.clock);
    const old = record?.readers?.filter(({ notedAt }) => now - notedAt >= idleMs) ?? [];
    if (record === undefined || old.length === 0) return record;
    const jobs = await store.getMany(old.map(({ jobId }) => jobKey(jobId)));
    const lost = new Set(old.filter((_, i) => jobs[i] === undefined).map(({ jobId }) => jobId));
    if (lost.size === 0) return record;
    return catalogue.change(scope, tableName, (current) => {
      if (current?.storageId !== record.storageId) return undefined;
      const { readers, ...rest } = current;
      const left = readers?.filter(({ jobId }) => !lost.has(jobId)) ?? [];
      return { put: left.length === 0 ? rest : { ...rest, readers: left } };
    });
  }
}

/** The time since which images must be kept, in milliseconds. */
function neededSince({ recovery, readers = [] }: TableRecord, nowMs: number): number {
  const window = recovery === undefined ? nowMs : nowMs - recovery.periodDays * dayMs;
  return Math.min(window, ...readers.map(({ atMicros }) => Math.floor(atMicros / 1000)));
}

function nextDayMs(ms: number): number {
  return (Math.floor(ms / dayMs) + 1) * dayMs;
}

const dayMs = 86_400_000;
const idleMs = 60_000;
