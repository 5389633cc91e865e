import { keyAfter } from '../../model/bytes.ts';
import { toHex } from '../../model/hex.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import type { RangePage } from '../../storage/store.ts';
import { decodeReader } from '../change-log/reader-note.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
import { readerRange, storageIdBytes } from '../store-keys.ts';
import { Delivery, type DeliveryDeps, type DeliveryOrder } from './delivery.ts';
import { isDestinationReader } from './destination.ts';

interface DestinationsSettings {
  readonly random: Randomness;
  readonly signal: AbortSignal;
}

/** The deliveries to Kinesis destinations that this process does, or stands by for while another one does them. */
export class Destinations {
  readonly #deps: Omit<DeliveryDeps, 'holder'>;
  readonly #settings: DestinationsSettings;
  /** By the names of their readers, which are unique. */
  readonly #deliveries = new Map<string, { readonly delivery: Delivery; readonly off: AbortController }>();
  #holder: string | undefined;
  #looking: Promise<void> | undefined;

  constructor(deps: Omit<DeliveryDeps, 'holder'>, settings: DestinationsSettings) {
    this.#deps = deps;
    this.#settings = settings;
  }

  /**
   * Goes on with the destinations that the store tells of; called when one is opened. Where other processes may enable
   * some, or be killed, it is looked for them again from time to time.
   */
  start(): void {
    const { store, log } = this.#deps;
    const { signal } = this.#settings;
    const failed = (error: unknown) => {
      if (!signal.aborted) log(`Looking for Kinesis destinations failed: ${String(error)}`);
    };
    try {
      const looked = this.#look();
      // A fork in memory, which mostly has none, is done by now.
      if (!(looked instanceof Promise) && store.exclusive) return;
      this.#looking = Promise.resolve(looked)
        .catch(failed)
        .then(() => {
          if (!store.exclusive) this.#lookLater();
        });
    } catch (error) {
      failed(error);
    }
  }

  /** Delivers for a destination, unless that is done already. */
  attend(order: DeliveryOrder): Delivery {
    const known = this.#deliveries.get(order.reader);
    if (known !== undefined) return known.delivery;
    const { random, signal } = this.#settings;
    this.#holder ??= toHex(randomBytes(random, 8));
    const off = new AbortController();
    const delivery = new Delivery(
      { ...this.#deps, holder: this.#holder },
      order,
      AbortSignal.any([signal, off.signal]),
    );
    this.#deliveries.set(order.reader, { delivery, off });
    void delivery.ended().then(() => this.#deliveries.delete(order.reader));
    return delivery;
  }

  /** The delivery for a reader, if this process is one that does it. */
  find(reader: string): Delivery | undefined {
    return this.#deliveries.get(reader)?.delivery;
  }

  /** Ends a delivery whose destination was disabled. */
  async stop(reader: string): Promise<void> {
    const found = this.#deliveries.get(reader);
    found?.off.abort();
    await found?.delivery.ended();
  }

  /** Resolves when all records are delivered that can be. */
  async settled(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#deliveries.values()].map(({ delivery }) => delivery.caughtUp()));
  }

  /** Resolves when nothing goes on any more, once the signal was given. */
  async ended(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#deliveries.values()].map(({ delivery }) => delivery.ended()));
  }

  #look(): MaybePromise<void> {
    return this.#lookFrom(readerRange.from);
  }

  #lookFrom(from: Uint8Array): MaybePromise<void> {
    return whenDone(
      this.#deps.store.range({ from, to: readerRange.to, limit: 100 }),
      ({ entries, more }: RangePage) => {
        if (this.#settings.signal.aborted) return;
        for (const { key, value } of entries) {
          const { account, region, tableName, name } = decodeReader(value);
          if (!isDestinationReader(name)) continue;
          const storageId = toHex(key.subarray(1, 1 + storageIdBytes));
          this.attend({ scope: { account, region }, tableName, storageId, reader: name });
        }
        return more ? this.#lookFrom(keyAfter(entries.at(-1)!.key)) : undefined;
      },
    );
  }

  #lookLater(): void {
    const { signal } = this.#settings;
    const self = new WeakRef<Destinations>(this);
    void this.#deps.pause(lookMs, signal).then(() => {
      if (!signal.aborted) self.deref()?.start();
    });
  }
}

/** How soon a destination is noticed that another process has enabled, should that process be gone. */
const lookMs = 15_000;
