import { equalBytes } from '../../model/bytes.ts';
import type { Store } from '../../storage/store.ts';
import { decodeReader, encodeReader, type ReaderNote } from '../change-log/reader-note.ts';
import { deliveryMsMax } from './deliverer.ts';

interface LeaseDeps {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Who asks; another one in every process. */
  readonly holder: string;
  /** Where the reader's note lies, which the lease is kept in. */
  readonly key: Uint8Array;
  readonly signal: AbortSignal;
}

/**
 * Where several processes share a store, one of them at a time delivers for a destination. The term is longer than a
 * delivery can last, so that what a process that lost its lease has sent has arrived, or never will, before another one
 * sends: the order of an item's records holds. A store of one process needs no lease.
 */
export class DeliveryLease {
  readonly #deps: LeaseDeps;
  #untilMs = 0;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /**
   * Waits until the lease is ours; false when the reader is gone or it is told to stop. As the clock of a process that
   * is gone may have been ahead, a lease that nobody renews for its whole term, in real time, has ended as well.
   */
  async take(waits: () => void): Promise<boolean> {
    const { store, pause, signal } = this.#deps;
    if (store.exclusive) return true;
    let seen: Uint8Array | undefined;
    for (let waitedMs = 0; !signal.aborted; waitedMs += retryMs) {
      const answer = await this.#try(waitedMs >= termMs ? seen : undefined);
      if (answer === 'held') return true;
      if (answer === 'gone') return false;
      if (seen === undefined || !equalBytes(seen, answer)) waitedMs = 0;
      seen = answer;
      waits();
      await pause(retryMs, signal);
    }
    return false;
  }

  /** Whether there is enough left of it for a delivery; renews it when there is not. */
  async isHeld(): Promise<boolean> {
    const { store, nowMs } = this.#deps;
    if (store.exclusive || this.#untilMs - nowMs() > termMs / 2) return true;
    return (await this.#try(undefined)) === 'held';
  }

  async release(): Promise<void> {
    const { store, key, holder } = this.#deps;
    if (store.exclusive || this.#untilMs === 0) return;
    this.#untilMs = 0;
    await store.transact({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        const note = bytes && decodeReader(bytes);
        if (note === undefined || note.lease?.holder !== holder) return { result: undefined, mutations: [] };
        const { lease: _, ...rest } = note;
        return { result: undefined, mutations: [{ kind: 'put', key, value: encodeReader(rest) }] };
      },
    });
  }

  /** Answers the lease of another that is in the way, by its bytes: a renewed one has others. */
  async #try(dead: Uint8Array | undefined): Promise<'held' | 'gone' | Uint8Array> {
    const { store, key, holder, nowMs } = this.#deps;
    const now = nowMs();
    const untilMs = now + termMs;
    const answer = await store.transact<'held' | 'gone' | Uint8Array>({
      reads: [key],
      decide: ({ values: [bytes] }) => {
        if (bytes === undefined) return { result: 'gone', mutations: [] };
        const note: ReaderNote = decodeReader(bytes);
        const { lease } = note;
        const isFree =
          lease === undefined ||
          lease.holder === holder ||
          lease.untilMs <= now ||
          lease.untilMs > now + skewMsMax;
        if (!isFree && (dead === undefined || !equalBytes(dead, bytes)))
          return { result: bytes, mutations: [] };
        const value = encodeReader({ ...note, lease: { holder, untilMs } });
        return { result: 'held', mutations: [{ kind: 'put', key, value }] };
      },
    });
    this.#untilMs = answer === 'held' ? untilMs : 0;
    return answer;
  }
}

const termMs = 3 * deliveryMsMax;
const retryMs = 500;
/** A lease that ends later than any could was made before the clock was set back. */
const skewMsMax = 10 * termMs;
