import { toHex } from '../../model/values/hex.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import { type Background, Worker } from '../background/background-worker.ts';
import { decodeReader } from '../change-log/reader-note.ts';
import { pagesOf } from '../check/range-pages.ts';
import { readerRange, storageIdBytes } from '../store-keys.ts';
import { Delivery, type DeliveryDeps, type DeliveryOrder } from './delivery.ts';
import { isDestinationReader } from './destination.ts';

interface DestinationsDeps extends Omit<DeliveryDeps, 'holder'> {
  readonly random: Randomness;
}

/** The deliveries to Kinesis destinations that this process does, or stands by for while another one does them. */
export class Destinations {
  readonly #deps: DestinationsDeps;
  readonly #background: Background;
  readonly #worker: Worker;
  /** By the names of their readers, which are unique. */
  readonly #deliveries = new Map<string, { readonly delivery: Delivery; readonly off: AbortController }>();
  #holder: string | undefined;

  constructor(deps: DestinationsDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#worker = new Worker(background, {
      name: 'Looking for Kinesis destinations',
      run: () => this.#look(),
      // Other processes may enable destinations, or be killed.
      rested: () => {
        if (!deps.store.exclusive) this.#worker.wakeAfter(lookMs);
      },
    });
  }

  /** Goes on with the destinations that are noted in the store; called when it is opened. */
  start(): void {
    this.#worker.wake();
  }

  /** Delivers for a destination, unless that is done already. */
  attend(order: DeliveryOrder): Delivery {
    const known = this.#deliveries.get(order.reader);
    if (known !== undefined) return known.delivery;
    this.#holder ??= toHex(randomBytes(this.#deps.random, 8));
    const off = new AbortController();
    const delivery = new Delivery({ ...this.#deps, holder: this.#holder }, order, {
      ...this.#background,
      signal: AbortSignal.any([this.#background.signal, off.signal]),
    });
    this.#deliveries.set(order.reader, { delivery, off });
    void delivery.ended().then(() => this.#deliveries.delete(order.reader));
    return delivery;
  }

  /** The delivery for a reader, if this process is one that does it. */
  find(reader: string): Delivery | undefined {
    return this.#deliveries.get(reader)?.delivery;
  }

  /** Whether this process does no delivery. */
  get isIdle(): boolean {
    return this.#deliveries.size === 0;
  }

  /** Ends a delivery whose destination was disabled. */
  async stop(reader: string): Promise<void> {
    const found = this.#deliveries.get(reader);
    found?.off.abort();
    await found?.delivery.ended();
  }

  /** Resolves when all records are delivered that can be. */
  async settled(): Promise<void> {
    await this.#worker.settled();
    await Promise.all([...this.#deliveries.values()].map(({ delivery }) => delivery.caughtUp()));
  }

  /** Resolves when nothing goes on any more, once the signal was given. */
  async ended(): Promise<void> {
    await this.#worker.settled();
    await Promise.all([...this.#deliveries.values()].map(({ delivery }) => delivery.ended()));
  }

  async #look(): Promise<void> {
    for await (const entries of pagesOf(this.#deps.store, readerRange.from, readerRange.to)) {
      if (this.#background.signal.aborted) return;
      for (const { key, value } of entries) {
        const { account, region, tableName, name } = decodeReader(value, key);
        if (!isDestinationReader(name)) continue;
        const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
        this.attend({ scope: { account, region }, tableName, storageId, reader: name });
      }
    }
  }
}

/** How soon a destination is noticed that another process has enabled, should that process be gone. */
const lookMs = 15_000;
