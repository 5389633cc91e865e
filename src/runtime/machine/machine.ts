import { randomFillSync, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { pooledWords, type RandomWords } from '../randomness.ts';
import type { Secrets } from '../runtime.ts';

/** A turn of the event loop, and a wait that a signal can end; the process stays alive unless the wait says otherwise. */
export { nextTurn, wait };

/**
 * The time and the chance of the machine: the one file that reads the system's clock, sets timers and draws from the
 * system's randomness.
 */
export const machine = {
  clock: { nowMicros: () => Date.now() * 1000 } satisfies Clock,
  nowMs: (): number => Date.now(),
  now: (): Date => new Date(),
  stopwatchMs: (): number => performance.now(),
  turn: (): Promise<void> => nextTurn(),
  sleep: (ms: number): Promise<void> => (ms === 0 ? nextTurn() : wait(ms)),
  async pause(ms: number, signal: AbortSignal): Promise<void> {
    await (ms === 0 ? nextTurn() : wait(ms, undefined, { signal, ref: false }).catch(() => {}));
  },
  /** Runs something once. The process stays alive for it. */
  timer(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  /** The same, but the process may end before. */
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms: number, run: () => void): () => void {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
  /** Keeps the process alive until that is ended. */
  stayAlive(): () => void {
    const timer = setInterval(() => {}, 60_000);
    return () => clearInterval(timer);
  },
  /** Runs something in the next turn, and keeps the process alive until then. */
  soon: (run: () => void): void => void setImmediate(run),
  /** Spreads the attempts of several callers; nothing that is stored or compared depends on it. */
  random: (): number => Math.random(),
  deadline: (ms: number): AbortSignal => AbortSignal.timeout(ms),
};

/** Cryptographic randomness. */
export const secrets: Secrets = {
  bytes: (length) => randomFillSync(new Uint8Array(length)),
  uuid: () => randomUUID(),
};

/** Words that nobody can foretell. */
export const secretWords = (): RandomWords => pooledWords(randomFillSync);
