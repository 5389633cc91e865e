import { equalBytes } from '../../model/values/bytes.ts';
import type { Store } from '../../storage/store.ts';
import type { Background } from './background-worker.ts';

/** Who has a lease, and until when by the clock. */
export interface LeaseTerm {
  readonly holder: string;
  readonly untilMs: number;
}

/** Where a lease lies in the store: a value of its own, or a part of one that has its own life. */
export interface LeasePlace {
  readonly key: Uint8Array;
  /** The lease in a stored value; `gone` when there is no longer anything to lease. */
  read(stored: Uint8Array | undefined): LeaseTerm | undefined | 'gone';
  /** The value with this lease, or without any; undefined deletes it. */
  write(stored: Uint8Array | undefined, lease: LeaseTerm | undefined): Uint8Array | undefined;
}

export interface LeaseDeps extends Pick<Background, 'pause' | 'signal'> {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly place: LeasePlace;
  /** Names this process among those that share the store; called when a lease is first taken. */
  readonly holder: () => string;
  readonly termMs: number;
  /** How often a lease of another process is looked at. */
  readonly retryMs: number;
}

/**
 * Lets one of the processes that share a store do some work. A lease ends by the clock. The clock of a process that is
 * gone may have been ahead, and ours may stand still: a lease that nobody renews for its whole term, in real time, has
 * ended as well. A store of one process needs no lease, and every answer is yes.
 */
export class Lease {
  readonly #deps: LeaseDeps;
  #holder: string | undefined;
  #untilMs = 0;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** Whether the lease has been ours until now: nobody else has worked since we took it. */
  get isCurrent(): boolean {
    return this.#msLeft > 0;
  }

  /** Waits until the lease is ours; false when there is nothing to lease any more, or the signal is aborted. */
  async take(waits: () => void = () => {}): Promise<boolean> {
    const { pause, signal, termMs, retryMs } = this.#deps;
    if (this.#isFresh) return true;
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

  /** Whether the lease is ours for another half of its term; renews it if need be, and never waits. */
  async isHeld(): Promise<boolean> {
    return this.#isFresh || (await this.#try(undefined)) === 'held';
  }

  async release(): Promise<void> {
    if (this.#untilMs === 0) return;
    this.#untilMs = 0;
    const { store, place } = this.#deps;
    await store.transact({
      reads: [place.key],
      decide: ({ values: [stored] }) => {
        const lease = place.read(stored);
        const isOurs = typeof lease === 'object' && lease.holder === this.#holder;
        return { result: undefined, mutations: isOurs ? [mutation(place, stored, undefined)] : [] };
      },
    });
  }

  get #isFresh(): boolean {
    return this.#msLeft > this.#deps.termMs / 2;
  }

  get #msLeft(): number {
    const { store, nowMs } = this.#deps;
    return store.exclusive ? Number.POSITIVE_INFINITY : this.#untilMs - nowMs();
  }

  /** Takes or renews the lease. Answers the stored value when it holds the lease of another, unless that is `dead`. */
  async #try(dead: Uint8Array | undefined): Promise<'held' | 'gone' | Uint8Array> {
    const { store, nowMs, place, termMs } = this.#deps;
    this.#holder ??= this.#deps.holder();
    const now = nowMs();
    const ours: LeaseTerm = { holder: this.#holder, untilMs: now + termMs };
    const answer = await store.transact<'held' | 'gone' | Uint8Array>({
      reads: [place.key],
      decide: ({ values: [stored] }) => {
        const lease = place.read(stored);
        if (lease === 'gone') return { result: 'gone', mutations: [] };
        const isFree =
          lease === undefined ||
          lease.holder === ours.holder ||
          lease.untilMs <= now ||
          lease.untilMs > now + termMs * skewTerms ||
          (dead !== undefined && equalBytes(dead, stored!));
        if (!isFree) return { result: stored!, mutations: [] };
        return { result: 'held', mutations: [mutation(place, stored, ours)] };
      },
    });
    this.#untilMs = answer === 'held' ? ours.untilMs : 0;
    return answer;
  }
}

function mutation({ key, write }: LeasePlace, stored: Uint8Array | undefined, lease: LeaseTerm | undefined) {
  const value = write(stored, lease);
  return value === undefined ? { kind: 'delete' as const, key } : { kind: 'put' as const, key, value };
}

/** A lease that ends later than so many terms from now was made before the clock was set back. */
const skewTerms = 10;
