import type { MaybePromise } from '../model/maybe-promise.ts';
import type { MetricKey, MetricUnit } from './metric-key.ts';
import type { MinutePoint, StatisticSet } from './minute-point.ts';

export type { MetricKey } from './metric-key.ts';
export type { MinutePoint, StatisticSet } from './minute-point.ts';

/** A series that there is, and the unit in which it was first recorded. */
export interface ListedMetric extends MetricKey {
  readonly unit: MetricUnit;
}

/** Which series of a scope are meant; what is left out means all. */
export interface MetricFilter {
  readonly namespace?: string;
  readonly name?: string;
  /** Dimensions that a series must have; without a value, with any. It may have others too. */
  readonly dimensions?: readonly { readonly name: string; readonly value?: string }[];
}

/**
 * The metrics of a database: one point for each minute of each series, for 15 days, by the database's clock. Where several
 * processes share a store, reading answers the sum over all of them, and is at most a few seconds behind the others.
 */
export interface Metrics {
  /** The series of an account in a Region, sorted by namespace, name and dimensions. */
  list(
    scope: { readonly accountId: string; readonly region: string },
    filter?: MetricFilter,
  ): MaybePromise<readonly ListedMetric[]>;
  /**
   * The points from `fromMinute` up to but not including `toMinute`, oldest first. Minutes without values are left out.
   * With `stepMinutes` each point stands for so many minutes, counted from `fromMinute`: far cheaper than adding up
   * single minutes.
   */
  read(
    key: MetricKey,
    fromMinute: number,
    toMinute: number,
    stepMinutes?: number,
  ): MaybePromise<readonly MinutePoint[]>;
  /** Records a value, `count` times. A moment in the past goes into its own minute. */
  record(key: MetricKey, unit: MetricUnit, value: number, count: number, atMs: number): void;
  recordSet(key: MetricKey, unit: MetricUnit, set: StatisticSet, atMs: number): void;
}

/** For how long minutes are kept. */
export const minutesKept = 15 * 24 * 60;

export function minuteOf(ms: number): number {
  return Math.floor(ms / 60_000);
}
