import { type MathWork, stepsOfSeries } from './math-work.ts';

/** Values at moments, oldest first. Times are seconds since 1970; `period` is the width of each value. */
export interface TimeSeries {
  readonly period: number;
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** What the series is called where nobody gave it a label. */
  readonly label: string;
  /** What dynamic labels may ask for, such as `Dim.TableName`. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** The window that a request asks for, in seconds; `end` is excluded. */
export interface Window {
  readonly start: number;
  readonly end: number;
  /** Set where periods begin at `start` and not at their multiples, as those of an alarm, which slide with time. */
  readonly isSliding?: true;
}

export function mapValues(series: TimeSeries, change: (value: number) => number): TimeSeries {
  return { ...series, values: series.values.map(change) };
}

/** Keeps the points for which `change` has a number. */
export function mapPoints(
  series: TimeSeries,
  change: (value: number, time: number, at: number) => number | undefined,
): TimeSeries {
  const times: number[] = [];
  const values: number[] = [];
  series.times.forEach((time, at) => {
    const value = change(series.values[at]!, time, at);
    if (value === undefined || Number.isNaN(value)) return;
    times.push(time);
    values.push(value);
  });
  return { ...series, times, values };
}

/** Combines two series at the moments that both have. A result that is no number is left out. */
export function combine(
  left: TimeSeries,
  right: TimeSeries,
  compute: (a: number, b: number) => number,
): TimeSeries {
  const times: number[] = [];
  const values: number[] = [];
  let other = 0;
  for (let at = 0; at < left.times.length; at++) {
    const time = left.times[at]!;
    while (other < right.times.length && right.times[other]! < time) other++;
    if (right.times[other] !== time) continue;
    const value = compute(left.values[at]!, right.values[other]!);
    if (!Number.isFinite(value)) continue;
    times.push(time);
    values.push(value);
  }
  return { period: Math.max(left.period, right.period), times, values, label: left.label };
}

/** Reduces several series to one: at each moment, what `reduce` makes of the values that there are. */
export async function reduceSeries(
  all: readonly TimeSeries[],
  reduce: (values: readonly number[]) => number,
  work: MathWork,
): Promise<TimeSeries> {
  const found = new Map<number, number[]>();
  let period = minutePeriod;
  for (const series of all) {
    await work.spend(stepsOfSeries(series));
    period = Math.max(period, series.period);
    for (let at = 0; at < series.times.length; at++) {
      const there = found.get(series.times[at]!);
      if (there === undefined) found.set(series.times[at]!, [series.values[at]!]);
      else there.push(series.values[at]!);
    }
  }
  const times = [...found.keys()].sort((a, b) => a - b);
  const values: number[] = [];
  for (const time of times) {
    const there = found.get(time)!;
    await work.slice(there.length);
    values.push(reduce(there));
  }
  return { period, times, values, label: all[0]?.label ?? '' };
}

/** How many moments `momentsOf` answers at most. */
export function momentCount(window: Window, period: number): number {
  const length = window.end - firstMoment(window, period);
  return Math.min(momentsMax + 1, Math.max(0, Math.ceil(length / period)));
}

function firstMoment({ start, isSliding }: Window, period: number): number {
  return isSliding ? start : Math.floor(start / period) * period;
}

/** The moments of a window, one for each period, as the points of a metric with that period fall. */
export function momentsOf(window: Window, period: number): number[] {
  const moments: number[] = [];
  for (let time = firstMoment(window, period); time < window.end; time += period) {
    moments.push(time);
    if (moments.length > momentsMax) break;
  }
  return moments;
}

const minutePeriod = 60;
/** As many as there are minutes in the 15 days that metrics are kept, and more than any answer holds. */
const momentsMax = 110_000;

export function sumOf(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

export function meanOf(values: readonly number[]): number {
  return sumOf(values) / values.length;
}

export function minimumOf(values: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < least) least = value;
  return least;
}

export function maximumOf(values: readonly number[]): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The standard deviation of the values themselves, not of a sample. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
}
