import { keyAfter } from '../../model/values/bytes.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { pagesOf } from '../check/range-pages.ts';
import { fillingKey, fillingRange, fillingTableCount } from '../store-keys.ts';
import { fillingSlot } from '../tables/parts/index-phase.ts';
import { fillingSlots, type TableRecord } from '../tables/table-record.ts';
import { decodeNote, type FillDeps, type FillingNote, type FillResult, fillStep } from './fill-index.ts';

interface FillerDeps extends FillDeps {
  readonly log: (line: string) => void;
  /** Called after the expiries of a table were filled: some of them may be due. */
  readonly filledExpiries: () => void;
}

/** The progress of filling an index or the expiries of a table. */
export interface Filling extends Omit<FillingNote, 'after'> {
  /** The current number of items in the table. */
  readonly items: number;
}

/** Fills new indexes, and the expiries of tables that already have items, in the background and one after another. */
export class IndexFiller {
  readonly #deps: FillerDeps;
  readonly #worker: Worker;

  constructor(deps: FillDeps, background: Background, filledExpiries: () => void) {
    this.#deps = { ...deps, log: background.log, filledExpiries };
    this.#worker = new Worker(background, {
      name: 'Filling an index',
      run: () => this.#fillAll(),
      retry: { minMs: 100, maxMs: 30_000 },
    });
  }

  /** Works until nothing is left to fill. If it is called during the work, the worker looks once more. */
  start(): void {
    this.#worker.wake();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  /** Fills the new index of a small table at once. The background work fills the rest of a larger one. */
  async begin(record: TableRecord, slot: number = fillingSlot(record)!): Promise<void> {
    const key = fillingKey(record.storageId, slot);
    try {
      for (let step = 0; step < stepsAtOnce; step++)
        if (this.#isOver(await fillStep(this.#deps, key))) return;
    } catch {
      // The background work meets the same error and logs it.
    }
    this.start();
  }

  /** Takes over if the process that fills the table's new index, or its expiries, seems to have stopped. */
  async attend(record: TableRecord): Promise<void> {
    const slots = fillingSlots(record);
    if (slots.length === 0 || this.#worker.isWorking) return;
    const keys = slots.map((slot) => fillingKey(record.storageId, slot));
    const notes = await this.#deps.store.getMany(keys);
    const isStopped = (note: Uint8Array | undefined, i: number) =>
      note !== undefined && this.#deps.nowMs() - decodeNote(note, keys[i]!).steppedAt > stoppedAfterMs;
    if (notes.some(isStopped)) this.start();
  }

  /** Lists everything that is being filled, by any process. */
  async underway(): Promise<Filling[]> {
    const found: Filling[] = [];
    for await (const entries of pagesOf(this.#deps.store, fillingRange.from, fillingRange.to)) {
      const counts = await this.#deps.store.counters(entries.map(({ key }) => fillingTableCount(key)));
      for (const [i, { key, value }] of entries.entries()) {
        const { after, ...note } = decodeNote(value, key);
        found.push({ ...note, items: counts[i]! });
      }
    }
    return found;
  }

  #isOver(result: FillResult): boolean {
    if (typeof result === 'object' && result.attributeName !== undefined) this.#deps.filledExpiries();
    if (typeof result === 'object' && result.itemsLeftOut > 0)
      this.#deps.log(
        `Index ${result.indexName} of table ${result.tableName} is filled without ${result.itemsLeftOut} items, ` +
          'whose key attributes are of another type, empty or too long.',
      );
    return result !== 'more';
  }

  async *#fillAll(): AsyncGenerator<Pace, void> {
    for (let from: Uint8Array = fillingRange.from; ; ) {
      const { entries } = await this.#deps.store.range({ from, to: fillingRange.to, limit: 1 });
      const found = entries[0];
      if (found === undefined) return;
      do yield 'turn';
      while (!this.#isOver(await fillStep(this.#deps, found.key)));
      from = keyAfter(found.key);
    }
  }
}

/** The number of steps at once: a thousand items, which take about as long as a few requests. */
const stepsAtOnce = 10;
/** The time after which a process without progress counts as stopped. A step takes milliseconds. */
const stoppedAfterMs = 10_000;
