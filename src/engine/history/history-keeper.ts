import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { readableRecords } from '../background/readable-records.ts';
import { elapsedOf, Sightings } from '../background/sightings.ts';
import { historyNoteRange, jobKey } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { KeptHistory } from '../tables/parts/recovery.ts';
import type { TableRecord } from '../tables/table-record.ts';
import {
  beginEra,
  cutAt,
  decodeHistoryNote,
  endIdleHistory,
  endOfMs,
  erasOf,
  type HistoryNote,
} from './eras.ts';
import {
  eraNoteKey,
  type HistoryPlace,
  historyPlace,
  periodIn,
  segmentStart,
  segmentsEnd,
} from './history-keys.ts';
import { trustedNowMs } from './trusted-time.ts';

interface KeeperDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  /** Called when a history has ended: its entries can be removed. */
  readonly ended: () => void;
}

/**
 * Forgets old images that no cut can ask for any more, period by period. Also ends the history of a
 * table that is kept for nobody, which a killed process leaves behind.
 */
export class HistoryKeeper {
  readonly #deps: KeeperDeps;
  readonly #background: Background;
  readonly #worker: Worker;
  readonly #sightings: Sightings;
  /** The notes that cannot be read, which were logged. */
  readonly #unreadable = new Set<string>();
  #nextMs = Number.POSITIVE_INFINITY;

  constructor(deps: KeeperDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#sightings = new Sightings(elapsedOf(background));
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
    const notes = readableRecords(store, historyNoteRange, decodeHistoryNote, (key, { message }) => {
      const id = toHex(key);
      if (!this.#unreadable.has(id)) this.#background.log(`${message}. Old images of its table are kept.`);
      this.#unreadable.add(id);
    });
    for await (const { record } of notes) {
      nextMs = Math.min(nextMs, await this.#keep(record));
      yield 'share if busy';
    }
    this.#nextMs = nextMs;
    // A clock that a test moved meanwhile found nothing due.
    if (nowMs(this.#background.clock) >= nextMs) this.wake();
  }

  /** Forgets what it can of one table, and returns when to look again. */
  async #keep({ scope, tableName }: HistoryNote): Promise<number> {
    const { catalogue } = this.#deps;
    const record = await this.#withoutLostReaders(scope, tableName);
    if (record?.history === undefined) return Number.POSITIVE_INFINITY;
    const now = nowMs(this.#background.clock);
    if (record.recovery === undefined && (record.readers?.length ?? 0) === 0) {
      // Whoever has just begun the history says so in a moment.
      if (!this.#isStill(`${record.storageId}/${record.epoch}`)) return now + idleMs;
      await catalogue.change(scope, tableName, (current) =>
        current?.storageId === record.storageId && current.history?.slot === record.history!.slot
          ? endIdleHistory(current)
          : undefined,
      );
      this.#deps.ended();
      return Number.POSITIVE_INFINITY;
    }
    const rolled = await this.#withNewPeriod(scope, record, now);
    if (rolled === undefined) return Number.POSITIVE_INFINITY;
    await this.#forget(scope, rolled);
    if (this.#hasJobless) return now + idleMs;
    if (rolled.recovery === undefined) return Number.POSITIVE_INFINITY;
    const periodEndMs = Math.floor(rolled.history!.periodBeganMicros / 1000) + dayMs;
    return periodEndMs > now ? Math.min(periodEndMs, now + lookMs) : now + lookMs;
  }

  /** The record, with a new period if images have been kept under the present one for a day. */
  async #withNewPeriod(
    scope: HistoryNote['scope'],
    record: TableRecord,
    now: number,
  ): Promise<TableRecord | undefined> {
    const { store, catalogue } = this.#deps;
    const { history, storageId, description } = record;
    if (record.recovery === undefined) return record;
    if (Math.abs(now - history!.periodBeganMicros / 1000) < dayMs) return record;
    const place = historyPlace(storageId, history!.slot);
    const from = segmentStart(place, history!.period);
    const { entries } = await store.range({ from, to: segmentsEnd(place), limit: 1 });
    if (entries.length === 0) return record;
    return catalogue.change(scope, description.tableName, (current) => {
      if (!isSameHistory(current, record) || current.phases.deletingUntil !== undefined) return undefined;
      return current.history.period === history!.period
        ? beginEra(current, scope, this.#background.clock.nowMicros())
        : { put: current };
    });
  }

  /**
   * Deletes the periods that no cut can ask for any more. First the record says so: whoever asks for a time in the past,
   * by whatever clock, is refused before the images are gone.
   */
  async #forget(scope: HistoryNote['scope'], record: TableRecord): Promise<void> {
    const { store, catalogue } = this.#deps;
    const { recovery, storageId, description } = record;
    const place = historyPlace(storageId, record.history!.slot);
    const needed = await this.#neededPeriod(record);
    const isEarliest = recovery === undefined || recovery.era >= needed;
    const images = await store.range({
      from: segmentStart(place, 0),
      to: segmentStart(place, needed),
      limit: 1,
    });
    if (isEarliest && images.entries.length === 0) return;
    const sinceMs = await this.#beginningOf(place, needed);
    const changed = await catalogue.change(scope, description.tableName, (current) => {
      if (!isSameHistory(current, record) || current.order?.era !== record.order?.era) return undefined;
      if (current.readers?.some(({ period }) => period < needed)) return undefined;
      if (current.recovery === undefined || current.recovery.era >= needed) return { put: current };
      const since = Math.max(current.recovery.since, sinceMs);
      const raised = { ...current.recovery, since, era: needed };
      return { put: { ...current, epoch: current.epoch + 1, recovery: raised } };
    });
    if (changed === undefined) return;
    const { signal } = this.#background;
    const first = images.entries[0];
    if (first !== undefined)
      await store.deleteRange(segmentStart(place, periodIn(first.key)), segmentStart(place, needed), {
        signal,
      });
    await store.deleteRange(segmentsEnd(place), eraNoteKey(place, needed), { signal });
  }

  /** The first period whose images somebody may ask for. */
  async #neededPeriod(record: TableRecord): Promise<number> {
    const { store } = this.#deps;
    const { recovery, history, readers = [] } = record;
    const periods = readers.map(({ period }) => period);
    if (recovery === undefined) return Math.min(history!.period, ...periods);
    const trustedMs = await trustedNowMs(store, this.#background);
    const windowMs = trustedMs - recovery.periodDays * dayMs;
    const { period } = await cutAt(store, record, endOfMs(windowMs), recovery.era);
    return Math.min(period, ...periods);
  }

  /** The first time, in milliseconds, that means an era or a later one. */
  async #beginningOf(place: HistoryPlace, first: number): Promise<number> {
    let micros = Number.MAX_SAFE_INTEGER;
    for await (const { era, beganMicros } of erasOf(this.#deps.store, place)) {
      if (era < first) break;
      micros = Math.min(micros, beganMicros);
    }
    return Math.floor(micros / 1000);
  }

  /** Whether the table that was looked at last has readers whose jobs have not begun, or never will. */
  #hasJobless = false;

  /** Whether this process has seen something for a while that may pass. */
  #isStill(id: string): boolean {
    return this.#sightings.ageMs(id) >= idleMs;
  }

  /** The record without notes of jobs that never came to be: their process was killed in between. */
  async #withoutLostReaders(
    scope: HistoryNote['scope'],
    tableName: string,
  ): Promise<TableRecord | undefined> {
    const { store, catalogue } = this.#deps;
    const record = await catalogue.record(scope, tableName);
    const { readers = [], storageId } = record ?? {};
    const jobs = await store.getMany(readers.map(({ jobId }) => jobKey(jobId)));
    const jobless = readers.filter((_, i) => jobs[i] === undefined);
    this.#hasJobless = jobless.length > 0;
    const lost = new Set(
      jobless.flatMap(({ jobId }) => (this.#isStill(`${storageId}/${jobId}`) ? [jobId] : [])),
    );
    if (record === undefined || lost.size === 0) return record;
    return catalogue.change(scope, tableName, (current) => {
      if (current?.storageId !== record.storageId) return undefined;
      const { readers, ...rest } = current;
      const left = readers?.filter(({ jobId }) => !lost.has(jobId)) ?? [];
      return { put: left.length === 0 ? rest : { ...rest, readers: left } };
    });
  }
}

function isSameHistory(
  current: TableRecord | undefined,
  record: TableRecord,
): current is TableRecord & { readonly history: KeptHistory } {
  return current?.storageId === record.storageId && current.history?.slot === record.history?.slot;
}

const dayMs = 86_400_000;
const idleMs = 60_000;
const lookMs = 6 * 3_600_000;
