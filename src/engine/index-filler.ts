import { keyAfter } from '../model/bytes.ts';
import { decodeNote, type FillDeps, type FillingNote, type FillResult, fillStep } from './fill-index.ts';
import { fillingKey, fillingRange, fillingTableCount } from './store-keys.ts';
import { fillingSlot, fillingSlots, type TableRecord } from './table-record.ts';

interface FillerSettings {
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  /** Called when the expiries of a table have got entries: some of them may be due. */
  readonly filledExpiries: () => void;
}

/** An index, or the expiries of a table, that are being filled, and how far that has come. */
export interface Filling extends Omit<FillingNote, 'format' | 'after'> {
  /** How many items the table has by now. */
  readonly items: number;
}

/**
 * Fills new indexes, and the expiries of tables that had items before, in the background, one after another, step by
 * step between other work. Trouble with the store is told and tried again later, each time after a longer while.
 */
export class IndexFiller {
  readonly #deps: FillDeps;
  readonly #settings: FillerSettings;
  #working: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(deps: FillDeps, settings: FillerSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /** Works until there is nothing left to fill; called again meanwhile, looks once more. */
  start(): void {
    this.#isAskedAgain = true;
    this.#working ??= this.#work();
  }

  async settled(): Promise<void> {
    await this.#working;
  }

  /** Fills the new index of a small table at once, so that it can be used at once; that of a larger one goes on. */
  async begin(record: TableRecord, slot: number = fillingSlot(record)!): Promise<void> {
    const key = fillingKey(record.storageId, slot);
    try {
      for (let step = 0; step < stepsAtOnce; step++)
        if (this.#isOver(await fillStep(this.#deps, key))) return;
    } catch {
      // Met again, and told, by the work in the background.
    }
    this.start();
  }

  /** Takes over when whoever filled the table's new index, or its expiries, seems to have been stopped. */
  async attend(record: TableRecord): Promise<void> {
    const slots = fillingSlots(record);
    if (slots.length === 0 || this.#working !== undefined) return;
    const notes = await this.#deps.store.getMany(slots.map((slot) => fillingKey(record.storageId, slot)));
    const isStopped = (note: Uint8Array | undefined) =>
      note !== undefined && this.#deps.nowMs() - decodeNote(note).steppedAt > stoppedAfterMs;
    if (notes.some(isStopped)) this.start();
  }

  /** What is being filled, by whichever process. */
  async underway(): Promise<Filling[]> {
    const found: Filling[] = [];
    for (let from: Uint8Array = fillingRange.from; ; ) {
      const page = await this.#deps.store.range({ from, to: fillingRange.to, limit: 100 });
      const counters = page.entries.map(({ key }) => fillingTableCount(key));
      const counts = await this.#deps.store.counters(counters);
      for (const [i, { value }] of page.entries.entries()) {
        const { format, after, ...note } = decodeNote(value);
        found.push({ ...note, items: counts[i]! });
      }
      if (!page.more) return found;
      from = keyAfter(page.entries.at(-1)!.key);
    }
  }

  /** Ends in the very step in which it finds that nobody has asked again: whoever asks later begins anew. */
  async #work(): Promise<void> {
    const { pause, signal, log } = this.#settings;
    for (let failures = 0; this.#isAskedAgain && !signal.aborted; ) {
      this.#isAskedAgain = false;
      try {
        await this.#fillAll();
        failures = 0;
      } catch (error) {
        if (signal.aborted) break;
        if (failures === 0) log(`Filling an index was interrupted and will be tried again: ${String(error)}`);
        this.#isAskedAgain = true;
        await pause(Math.min(retryMsMin * 2 ** failures++, retryMsMax), signal);
      }
    }
    this.#working = undefined;
  }

  #isOver(result: FillResult): boolean {
    if (typeof result === 'object' && result.attributeName !== undefined) this.#settings.filledExpiries();
    if (typeof result === 'object' && result.itemsLeftOut > 0)
      this.#settings.log(
        `Index ${result.indexName} of table ${result.tableName} is filled without ${result.itemsLeftOut} items, ` +
          'whose key attributes are of another type, empty or too long.',
      );
    return result !== 'more';
  }

  async #fillAll(): Promise<void> {
    const { store } = this.#deps;
    const { pause, signal } = this.#settings;
    for (let from: Uint8Array = fillingRange.from; ; ) {
      const { entries } = await store.range({ from, to: fillingRange.to, limit: 1 });
      const found = entries[0];
      if (found === undefined) return;
      do {
        await pause(0, signal);
        if (signal.aborted) return;
      } while (!this.#isOver(await fillStep(this.#deps, found.key)));
      from = keyAfter(found.key);
    }
  }
}

/** A thousand items are filled in about the time of a few requests. */
const stepsAtOnce = 10;
/** A step takes milliseconds; nobody works on an index that has had none for so long. */
const stoppedAfterMs = 10_000;
const retryMsMin = 100;
const retryMsMax = 30_000;
