import { equalBytes } from '../../model/bytes.ts';
import { toHex } from '../../model/hex.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/utf8.ts';
import type { Store } from '../../storage/store.ts';
import { type Randomness, randomBytes } from '../randomness.ts';
import { sweepKey } from '../store-keys.ts';

interface Lease {
  readonly format: 1;
  readonly holder: string;
  readonly untilMs: number;
}

export interface LeaseDeps {
  readonly store: Store;
  readonly random: Randomness;
  readonly nowMs: () => number;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Where several processes share a store, one of them at a time deletes what has expired; the others would only do the
 * same work in vain. Nothing depends on it: two at once delete nothing twice.
 */
export class SweepLease {
  readonly #deps: LeaseDeps;
  #holder: string | undefined;
  #untilMs = 0;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /**
   * Waits until the lease is ours. `kept` when it was all the time, `new` when others may have worked meanwhile,
   * undefined when told to stop. A lease ends by the clock. The clock of a process that is gone may have been ahead,
   * and ours may stand still: a lease that nobody renews for its whole term, in real time, has ended as well.
   */
  async take(): Promise<'kept' | 'new' | undefined> {
    const { nowMs, pause, signal } = this.#deps;
    if (this.#isFresh(nowMs())) return 'kept';
    const isRenewal = this.#untilMs > nowMs();
    let seen: Uint8Array | undefined;
    for (let waitedMs = 0; !signal.aborted; waitedMs += retryMs) {
      const other = await this.#try(waitedMs >= termMs ? seen : undefined);
      if (other === undefined) return isRenewal ? 'kept' : 'new';
      if (seen === undefined || !equalBytes(seen, other)) waitedMs = 0;
      seen = other;
      await pause(retryMs, signal);
    }
    return undefined;
  }

  async release(): Promise<void> {
    if (this.#untilMs === 0) return;
    this.#untilMs = 0;
    const holder = this.#holder;
    await this.#deps.store.transact({
      reads: [sweepKey],
      decide: ({ values: [found] }) => ({
        result: undefined,
        mutations:
          found !== undefined && decodeLease(found).holder === holder
            ? [{ kind: 'delete', key: sweepKey }]
            : [],
      }),
    });
  }

  /** Whether there is so much left of it that it need not be renewed. */
  #isFresh(now: number): boolean {
    return this.#untilMs - now > termMs / 2;
  }

  /** Takes or renews the lease, also one that was seen to be dead; answers the lease of another that is in the way. */
  async #try(dead: Uint8Array | undefined): Promise<Uint8Array | undefined> {
    const { store, random, nowMs } = this.#deps;
    this.#holder ??= toHex(randomBytes(random, 8));
    const now = nowMs();
    const ours: Lease = { format: 1, holder: this.#holder, untilMs: now + termMs };
    const other = await store.transact<Uint8Array | undefined>({
      reads: [sweepKey],
      decide: ({ values: [found] }) => {
        const isFree = found === undefined || (dead !== undefined && equalBytes(found, dead));
        const lease = isFree ? undefined : decodeLease(found);
        if (lease !== undefined && lease.holder !== ours.holder && lease.untilMs > now)
          return { result: found, mutations: [] };
        return {
          result: undefined,
          mutations: [{ kind: 'put', key: sweepKey, value: encodeUtf8(JSON.stringify(ours)) }],
        };
      },
    });
    if (other === undefined) this.#untilMs = ours.untilMs;
    return other;
  }
}

const termMs = 10_000;
const retryMs = 200;

export function decodeLease(bytes: Uint8Array): Lease {
  const lease = JSON.parse(decodeUtf8(bytes)) as Lease;
  if (lease.format !== 1) throw new Error(`a lease of the unknown format ${lease.format}`);
  return lease;
}
