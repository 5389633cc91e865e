import type { Clock } from '../../runtime/clock.ts';
import { StoreError } from '../../storage/store-error.ts';
import { type Background, Worker } from '../background/background-worker.ts';
import type { Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { Table, TableRecord } from '../tables/table-record.ts';
import { beginEra } from './eras.ts';
import { firstEra } from './stamp.ts';

interface WatchDeps {
  readonly catalogue: Catalogue;
  /** Whether the store outlives this process, so that the next one asks for the latest time of writes. */
  readonly isLasting: boolean;
}

/** The latest time that this process has written at, in one era of a table. */
interface Seen {
  readonly scope: Scope;
  readonly tableName: string;
  readonly era: number;
  micros: number;
  notedMicros: number;
}

/** What the watch compares of a table or its record. */
type Watched = Pick<TableRecord, 'storageId' | 'order' | 'recovery' | 'description'>;

/**
 * Begins an era of a table with point-in-time recovery when the clock has gone back: when it is behind the beginning of
 * the table's era, behind a time at which this process has written in it, or behind one that an earlier process noted.
 * Only times in the past depend on this. Moments go by eras alone.
 */
export class EraWatch {
  readonly #deps: WatchDeps;
  readonly #clock: Clock;
  readonly #log: (line: string) => void;
  readonly #seen = new Map<string, Seen>();
  readonly #worker: Worker;

  constructor(deps: WatchDeps, background: Background) {
    this.#deps = deps;
    this.#clock = background.clock;
    this.#log = background.log;
    this.#worker = new Worker(background, {
      name: 'Noting the time of writes',
      run: () => this.#note(noteEveryMicros),
      rested: () => {
        if (this.#seen.size > 0) this.#wakeLater();
      },
    });
  }

  /** Whether a table needs an era before it is written to. Cheap: it is asked for every write. */
  isBehind({ scope, record }: Table): boolean {
    return record.recovery !== undefined && this.#isBehind(scope, record);
  }

  /** Begins an era, unless another request or process has done so. */
  async begin({ scope, record }: Table): Promise<void> {
    await this.#begin(scope, record);
  }

  /** The record of a table whose era suits the clock, for whoever asks for a time in the past. */
  async settled(scope: Scope, record: TableRecord): Promise<TableRecord> {
    if (record.recovery === undefined || !this.#isBehind(scope, record)) return record;
    return (await this.#begin(scope, record)) ?? record;
  }

  /** Notes the latest times for the process that comes next. */
  async leave(): Promise<void> {
    await this.#worker.settled();
    try {
      await this.#note(clockToleranceMicros);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #isBehind(scope: Scope, { storageId, order, description }: Watched): boolean {
    const now = this.#clock.nowMicros();
    const era = order?.era ?? firstEra;
    const known = Math.max(order?.beganMicros ?? 0, order?.seenMicros ?? 0);
    const seen = this.#seen.get(storageId);
    if (seen?.era === era) {
      const latest = Math.max(seen.micros, known);
      if (now < latest - clockToleranceMicros) return true;
      seen.micros = Math.max(now, latest);
      return false;
    }
    if (now < known - clockToleranceMicros) return true;
    if (this.#seen.size >= seenMax) this.#seen.clear();
    const { tableName } = description;
    this.#seen.set(storageId, { scope, tableName, era, micros: now, notedMicros: known });
    this.#wakeLater();
    return false;
  }

  async #begin(
    scope: Scope,
    { storageId, order, description: { tableName } }: Watched,
  ): Promise<TableRecord | undefined> {
    const now = this.#clock.nowMicros();
    let hasBegun = false;
    const record = await this.#deps.catalogue.change(scope, tableName, (current) => {
      hasBegun =
        current?.storageId === storageId &&
        current.order?.era === order?.era &&
        current.recovery !== undefined &&
        current.phases.deletingUntil === undefined;
      return hasBegun ? beginEra(current!, scope, now, 'stepped') : undefined;
    });
    if (hasBegun)
      this.#log(
        `The clock is at ${new Date(now / 1000).toISOString()}, before the latest writes of table ${tableName}. ` +
          'Their times were ahead. Backups hold them all the same; times in the past now mean the clock as it goes on.',
      );
    return record;
  }

  async #note(everyMicros: number): Promise<void> {
    if (!this.#deps.isLasting) return;
    for (const [storageId, seen] of this.#seen) {
      const { scope, tableName, era, micros, notedMicros } = seen;
      if (micros - notedMicros < everyMicros) continue;
      await this.#deps.catalogue.change(scope, tableName, (current) => {
        const order = current?.storageId === storageId ? current.order : undefined;
        if (order === undefined || order.era !== era || (order.seenMicros ?? 0) >= micros) return undefined;
        return { put: { ...current!, order: { ...order, seenMicros: micros } } };
      });
      seen.notedMicros = micros;
    }
  }

  #wakeLater(): void {
    if (this.#deps.isLasting && this.#clock.onMove === undefined) this.#worker.wakeAfter(noteEveryMs);
  }
}

/** Clocks of servers may differ so much, and a clock may be set back so far, without a new era. */
const clockToleranceMicros = 1_000_000;
const noteEveryMs = 60_000;
const noteEveryMicros = noteEveryMs * 1000;
/** More tables than one process writes to in an era; only bounds the memory. */
const seenMax = 10_000;
