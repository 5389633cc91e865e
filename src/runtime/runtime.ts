import type { Chance } from './chance.ts';
import type { Clock } from './clock.ts';
import type { Randomness, RandomWords } from './randomness.ts';
import type { Cancel } from './virtual-timers.ts';

/**
 * Time and chance, handed in by the composition root: the only source of both. A real runtime goes by the machine. On a
 * virtual one, waits and timers go by virtual time, in the order of their times and of asking, and two runs from one seed
 * do the same. All members are own functions, so that a copy of a runtime may have another clock.
 */
export interface Runtime {
  /** Dates and ages: the time that a request sees. */
  readonly clock: Clock;
  /** Measures durations in milliseconds from any origin; never goes back. */
  readonly stopwatchMs: () => number;
  /** Waits in the background, at least for a turn. The wait keeps no process alive, and ends early when it is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Waits on behalf of a request, at least for a turn; the process stays alive. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Waits for a turn of the event loop. */
  readonly turn: () => Promise<void>;
  /** Runs something once, or again and again. Neither keeps a process alive. */
  readonly after: (ms: number, run: () => void) => Cancel;
  readonly every: (ms: number, run: () => void) => Cancel;
  /** A signal that aborts after a while. */
  readonly deadline: (ms: number) => AbortSignal;
  readonly chance: Chance;
  /** Draws for stored data: ids, delays, lags. Repeatable from a seed, so never for secrets. */
  readonly random: Randomness;
  /** Words of request ids, apart from `random`: ids of tables must not depend on how many requests came before. */
  readonly words: RandomWords;
  readonly secrets: Secrets;
  /**
   * Awaits background work as far as it can get now. Work that waits for a later virtual time would never end while a
   * clock stands still; so a virtual runtime resolves once nothing but such waits is left.
   */
  readonly settle: (work: Promise<void>) => Promise<void>;
  /**
   * Runs a call to the world outside: a disk, a network, another thread. A virtual runtime holds its turns until the call
   * has ended, and gives the answers of several calls in the order of asking, so that runs do not depend on the machine.
   */
  readonly outside: <T>(call: () => Promise<T>) => Promise<T>;
  /** The same time with another chance. */
  readonly withChance: (chance: Chance) => Runtime;
}

/**
 * Cryptographic randomness: for whatever must not be guessed or must never repeat. It is always real; a fork or a replayed
 * seed gets other values.
 */
export interface Secrets {
  bytes(length: number): Uint8Array;
  uuid(): string;
}
