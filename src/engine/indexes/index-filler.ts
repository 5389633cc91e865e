import type { JobKind } from '../background/job-runner.ts';
import { pagesOf } from '../check/range-pages.ts';
import { fillingKey, fillingRange, fillingTableCount } from '../store-keys.ts';
import { fillingSlot } from '../tables/parts/index-phase.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { decodeNote, type FillDeps, type FillingNote, type FillResult, fillStep } from './fill-index.ts';

interface FillerDeps extends FillDeps {
  readonly log: (line: string) => void;
  /** Called after the expiries of a table were filled: some of them may be due. */
  readonly filledExpiries: () => void;
  /** Wakes the runner of jobs. */
  readonly begun: () => void;
}

/** The progress of filling an index or the expiries of a table. */
export interface Filling extends Omit<FillingNote, 'after'> {
  /** The current number of items in the table. */
  readonly items: number;
}

/** Fills new indexes, and the expiries of tables that already have items. */
export class IndexFiller implements JobKind {
  readonly name = 'Filling an index';
  readonly range = fillingRange;
  /** Requests wait for it. */
  readonly pace = 'turn';
  readonly #deps: FillerDeps;

  constructor(deps: FillerDeps) {
    this.#deps = deps;
  }

  /** Fills the new index of a small table at once. The runner fills the rest of a larger one. */
  async begin(record: TableRecord, slot: number = fillingSlot(record)!): Promise<void> {
    const key = fillingKey(record.storageId, slot);
    try {
      for (let step = 0; step < stepsAtOnce; step++)
        if (this.#isOver(await fillStep(this.#deps, key))) return;
    } catch {
      // The runner meets the same error and logs it.
    }
    this.#deps.begun();
  }

  isUnderWay(): boolean {
    return true;
  }

  async *steps(_: Uint8Array, key: Uint8Array): AsyncGenerator<void, void> {
    // It begins in a later turn: the answer to the request goes first.
    do yield;
    while (!this.#isOver(await fillStep(this.#deps, key)));
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
}

/** The number of steps at once: a thousand items, which take about as long as a few requests. */
const stepsAtOnce = 10;
