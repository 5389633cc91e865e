import { bucketValue, sortedBuckets } from '../histogram.ts';
import { type MinutePoint, percentileOf } from '../minute-point.ts';

/** Computes a statistic of a point; undefined where it is not known, such as a percentile of a statistic set. */
export type Statistic = (point: MinutePoint) => number | undefined;

export const basicStatistics = ['SampleCount', 'Average', 'Sum', 'Minimum', 'Maximum'] as const;
export type BasicStatistic = (typeof basicStatistics)[number];

const basic: Readonly<Record<BasicStatistic, Statistic>> = {
  SampleCount: ({ count }) => count,
  Average: ({ sum, count }) => sum / count,
  Sum: ({ sum }) => sum,
  Minimum: ({ min }) => min,
  Maximum: ({ max }) => max,
};

const percentile = /^p(\d{1,3}(?:\.\d{1,10})?)$/i;
const trimmed = /^(tm|tc|ts|wm)(\d{1,3}(?:\.\d{1,10})?)$/i;
const range = /^(TM|TC|TS|WM|PR)\(([^:()]*):([^:()]*)\)$/i;

export function isBasicStatistic(text: string): boolean {
  return Object.hasOwn(basic, text);
}

/** Reads the name of a statistic: a basic one, `p99.9`, `IQM`, or a trimmed one such as `tm90` or `TC(5%:95%)`. */
export function readStatistic(text: string): Statistic | undefined {
  if (Object.hasOwn(basic, text)) return basic[text as BasicStatistic];
  return readExtendedStatistic(text);
}

export function readExtendedStatistic(text: string): Statistic | undefined {
  const share = percentile.exec(text);
  if (share !== null) {
    const percent = Number(share[1]);
    return percent <= 100 ? (point) => percentileOf(point, percent / 100) : undefined;
  }
  if (/^iqm$/i.test(text)) return ranged('TM', { percent: 25 }, { percent: 75 });
  const below = trimmed.exec(text);
  if (below !== null) {
    const percent = Number(below[2]);
    if (percent > 100) return undefined;
    const kind = below[1]!.toUpperCase();
    // `wm98` clips both ends' outliers above the percentile only, as `tm98` drops them.
    return ranged(kind, { percent: 0 }, { percent });
  }
  const both = range.exec(text);
  if (both === null) return undefined;
  const kind = both[1]!.toUpperCase();
  const from = readBound(both[2]!);
  const to = readBound(both[3]!);
  if (from === undefined || to === undefined) return undefined;
  // A percentile rank is of values; shares of shares say nothing.
  if (kind === 'PR' && (isPercent(from) || isPercent(to))) return undefined;
  return ranged(kind, from, to);
}

type Bound = { readonly percent: number } | { readonly value: number } | 'open';

function isPercent(bound: Bound): boolean {
  return typeof bound === 'object' && 'percent' in bound;
}

function readBound(text: string): Bound | undefined {
  const given = text.trim();
  if (given === '') return 'open';
  const isShare = given.endsWith('%');
  const number = Number(isShare ? given.slice(0, -1) : given);
  if (!Number.isFinite(number) || (isShare && (number < 0 || number > 100))) return undefined;
  return isShare ? { percent: number } : { value: number };
}

/**
 * A statistic of the values between two bounds. Values come from a histogram, whose buckets are cut in proportion where a
 * share ends within them.
 */
function ranged(kind: string, from: Bound, to: Bound): Statistic {
  return (point) => {
    const values = valuesOf(point);
    if (values === undefined) return undefined;
    const lowest = rankOf(from, values, 0);
    const highest = rankOf(to, values, point.count);
    const kept = between(values, lowest, highest);
    const count = kept.reduce((total, [, times]) => total + times, 0);
    const sum = kept.reduce((total, [value, times]) => total + value * times, 0);
    if (kind === 'TC') return count;
    if (kind === 'TS') return sum;
    if (kind === 'PR') return (count / point.count) * 100;
    if (count === 0) return undefined;
    if (kind === 'TM') return sum / count;
    // Winsorized: values outside count as those at the edge.
    const [least] = kept[0]!;
    const [most] = kept.at(-1)!;
    return (sum + least * lowest + most * (point.count - highest)) / point.count;
  };
}

type Weighted = readonly [value: number, times: number];

function valuesOf(point: MinutePoint): readonly Weighted[] | undefined {
  if (point.min === point.max) return [[point.min, point.count]];
  if (point.histogram === undefined) return undefined;
  return sortedBuckets(point.histogram).map(([bucket, times]) => [
    Math.min(point.max, Math.max(point.min, bucketValue(bucket))),
    times,
  ]);
}

/** How many values lie below a bound. An upper bound that is a value includes the value itself. */
function rankOf(bound: Bound, values: readonly Weighted[], open: number): number {
  if (bound === 'open') return open;
  const total = values.reduce((sum, [, times]) => sum + times, 0);
  if ('percent' in bound) return (bound.percent / 100) * total;
  const isUpper = open > 0;
  return values
    .filter(([value]) => (isUpper ? value <= bound.value : value < bound.value))
    .reduce((sum, [, times]) => sum + times, 0);
}

function between(values: readonly Weighted[], from: number, to: number): Weighted[] {
  const kept: Weighted[] = [];
  let seen = 0;
  for (const [value, times] of values) {
    const low = Math.max(seen, from);
    const high = Math.min(seen + times, to);
    if (high > low) kept.push([value, high - low]);
    seen += times;
  }
  return kept;
}
