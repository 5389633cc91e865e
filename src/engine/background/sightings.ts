import { equalBytes } from '../../model/values/bytes.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Background } from './background-worker.ts';

/**
 * Measures for how long this process has seen things unchanged, by its own stopwatch. The time that another process
 * noted says nothing about their age, because clocks may be wrong (decision 0031).
 */
export class Sightings {
  readonly #elapsedMs: () => number;
  readonly #seen = new Map<string, { readonly value: Uint8Array; readonly sinceMs: number }>();

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** Sees a thing, and returns for how long it has had this value. */
  ageMs(id: string, value: Uint8Array = noValue): number {
    const now = this.#elapsedMs();
    const before = this.#seen.get(id);
    if (before !== undefined && equalBytes(before.value, value)) return now - before.sinceMs;
    if (this.#seen.size >= seenMax) this.#seen.clear();
    this.#seen.set(id, { value, sinceMs: now });
    return 0;
  }
}

/** Elapsed time. A clock that is moved by hand is the only time of its database. */
export function elapsedOf({ clock, stopwatchMs }: Pick<Background, 'clock' | 'stopwatchMs'>): () => number {
  return clock.onMove === undefined ? stopwatchMs : () => nowMs(clock);
}

const noValue = new Uint8Array();
const seenMax = 10_000;
