import { object, text, whole } from '../../model/json/fields.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import { type Randomness, randomBytes } from '../../runtime/randomness.ts';
import type { Store } from '../../storage/store.ts';
import { jsonRecord } from '../json-record.ts';
import type { Background } from './background-worker.ts';

/** Who has a lease, and until when by the clock. */
export interface LeaseTerm {
  readonly holder: string;
  readonly untilMs: number;
}

export const leaseTerm = object<LeaseTerm>({ holder: text, untilMs: whole });

/** The codec of leases that are records of their own. */
const leaseRecord = jsonRecord<LeaseTerm>('a lease', 1, leaseTerm);

/** Where a lease lies in the store: a value of its own, or a part of one that has its own life. */
export interface LeasePlace {
  readonly key: Uint8Array;
  /** The lease in a stored value; `gone` when there is no longer anything to lease. */
  read(stored: Uint8Array | undefined): LeaseTerm | undefined | 'gone';
  /** The value with this lease, or without any; undefined deletes it. */
  write(stored: Uint8Array | undefined, lease: LeaseTerm | undefined): Uint8Array | undefined;
}

/** The place of a lease that is a record of its own. */
export function leaseAt(key: Uint8Array): LeasePlace {
  return {
    key,
    read: (stored) => stored && leaseRecord.decode(stored, key),
    write: (_, lease) => lease && leaseRecord.encode(lease),
  };
}

/** The lease under a key of its own. This process draws its name when it first takes it. */
export function newLease(
  { clock, pause, stopwatchMs, signal }: Omit<Background, 'log'>,
  { store, random }: { readonly store: Store; readonly random: Randomness },
  key: Uint8Array,
  terms: Pick<LeaseDeps, 'termMs' | 'retryMs'>,
): Lease {
  return new Lease({
    ...{ store, pause, stopwatchMs, signal, ...terms },
    nowMs: () => nowMs(clock),
    holder: () => toHex(randomBytes(random, 8)),
    place: leaseAt(key),
  });
}

export interface LeaseDeps extends Pick<Background, 'pause' | 'signal' | 'stopwatchMs'> {
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
 * Lets one of the processes that share a store do some work. A lease ends by the clock. Clocks may be wrong, now or when
 * the lease was written, so real time counts too. The holder's lease ends a term after its latest renewal by its own
 * stopwatch, whatever its clock says. Another process takes a lease that it has seen unchanged for a whole term by its
 * own stopwatch, however far in the future the lease ends: a living holder renews it in that time. A store of one process
 * needs no lease, and every answer is yes.
 */
export class Lease {
  readonly #deps: LeaseDeps;
  #holder: string | undefined;
  #untilMs = 0;
  /** The end of the term by the stopwatch. */
  #termEndMs = 0;
  /** The stored lease of another process, and since when it has not changed, by the stopwatch. */
  #seen: { readonly value: Uint8Array; readonly sinceMs: number } | undefined;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** Whether the lease has been ours until now: nobody else has worked since we took it. */
  get isCurrent(): boolean {
    return this.#msLeft > 0;
  }

  /** Waits until the lease is ours; false when there is nothing to lease any more, or the signal is aborted. */
  async take(waits: () => void = () => {}): Promise<boolean> {
    const { pause, signal, retryMs } = this.#deps;
    while (!signal.aborted) {
      const answer = this.#isFresh ? 'held' : await this.#try();
      if (answer !== 'other') return answer === 'held';
      waits();
      await pause(retryMs, signal);
    }
    return this.#isFresh;
  }

  /** Whether the lease is ours for another half of its term; renews it if need be, and never waits. */
  async isHeld(): Promise<boolean> {
    return this.#isFresh || (await this.#try()) === 'held';
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
    const { store, nowMs, stopwatchMs } = this.#deps;
    if (store.exclusive) return Number.POSITIVE_INFINITY;
    return Math.min(this.#untilMs - nowMs(), this.#termEndMs - stopwatchMs());
  }

  /** Takes or renews the lease. */
  async #try(): Promise<'held' | 'gone' | 'other'> {
    const { store, nowMs, stopwatchMs, place, termMs } = this.#deps;
    this.#holder ??= this.#deps.holder();
    const now = nowMs();
    const began = stopwatchMs();
    const seen = this.#seen;
    const dead = seen !== undefined && began - seen.sinceMs >= termMs ? seen.value : undefined;
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
          (dead !== undefined && equalBytes(dead, stored!));
        if (!isFree) return { result: stored!, mutations: [] };
        return { result: 'held', mutations: [mutation(place, stored, ours)] };
      },
    });
    this.#untilMs = answer === 'held' ? ours.untilMs : 0;
    this.#termEndMs = answer === 'held' ? began + termMs : 0;
    if (!(answer instanceof Uint8Array)) {
      this.#seen = undefined;
      return answer;
    }
    if (seen === undefined || !equalBytes(seen.value, answer)) this.#seen = { value: answer, sinceMs: began };
    return 'other';
  }
}

function mutation({ key, write }: LeasePlace, stored: Uint8Array | undefined, lease: LeaseTerm | undefined) {
  const value = write(stored, lease);
  return value === undefined ? { kind: 'delete' as const, key } : { kind: 'put' as const, key, value };
}
