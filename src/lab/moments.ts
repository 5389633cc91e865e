import type { ThrottleEvent } from '../engine/events.ts';
import { count } from '../report/figures.ts';
import type { Moment } from './lab-report.ts';

/** What is worth telling of a run, with its simulated time: collected while it happens. */
export class Moments {
  readonly #startMs: number;
  readonly #nowMs: () => number;
  readonly #list: Moment[] = [];
  readonly #throttling = new Set<string>();
  readonly #seen = new Set<string>();

  /** `nowMs`: milliseconds of simulated time. */
  constructor(startMs: number, nowMs: () => number) {
    this.#startMs = startMs;
    this.#nowMs = nowMs;
  }

  get list(): readonly Moment[] {
    return this.#list.toSorted((a, b) => a.second - b.second);
  }

  add(kind: Moment['kind'], text: string, atMs = this.#nowMs()): void {
    const second = Math.max(0, Math.floor(atMs - this.#startMs)) / 1000;
    this.#list.push({ second, at: new Date(Math.floor(atMs)).toISOString(), kind, text });
  }

  /** Says something the first time only. */
  once(key: string, kind: Moment['kind'], text: string): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.add(kind, text);
  }

  /** The first refusal of a calm time. */
  throttled(arm: string, { verdict, access }: ThrottleEvent): void {
    const key = `${arm} ${access} ${verdict.cause}`;
    if (this.#throttling.has(key)) return;
    this.#throttling.add(key);
    const who = verdict.key === undefined ? '' : ` at ${verdict.key}`;
    const [table, index] = arm.split('/');
    const place =
      verdict.cause === 'KeyRangeThroughputExceeded'
        ? `partition ${verdict.partitionId} of ${verdict.partitions} of ${arm} gives no more than ${count(verdict.allowed)} ${access}s a second`
        : index === undefined || access === 'read'
          ? `${arm} has ${count(verdict.allowed)} ${access} units a second`
          : `the index ${index} has ${count(verdict.allowed)} write units a second, so that writes to ${table} are refused`;
    this.add('throttling', `Throttling begins${who}: ${place}.`);
  }

  /** Ends times of throttling in which nothing was refused any more. */
  quiet(arm: string, isQuiet: boolean): void {
    if (!isQuiet) return;
    for (const key of this.#throttling)
      if (key.startsWith(`${arm} `)) {
        this.#throttling.delete(key);
        this.add('quiet', `Throttling of ${arm} has ended.`);
      }
  }
}
