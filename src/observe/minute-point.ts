import { BucketRun } from './bucket-run.ts';
import { bucketValue, type Histogram, sortedBuckets } from './histogram.ts';

/** One minute of one series, or several minutes together. */
export interface MinutePoint {
  /** Minutes since 1970: the first that the point covers. */
  readonly minute: number;
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  /** For percentiles. Undefined for series that keep none, and where statistic sets were put. */
  readonly histogram: Histogram | undefined;
}

/** Several values without their order in time: what PutMetricData calls a statistic set. */
export interface StatisticSet {
  readonly count: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

export type VisitBucket = (bucket: number, count: number) => void;

/** A histogram that is decoded when somebody asks for it. */
export interface HistogramPart {
  visit(each: VisitBucket): void;
}

/** A point that grows. Its histogram is put together when it is asked for, since most readers want none. */
export class PointSum implements MinutePoint {
  readonly minute: number;
  count = 0;
  sum = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  #parts: HistogramPart | HistogramPart[] | undefined;
  /** False once a part without a histogram was added: percentiles of the rest would be wrong. */
  #isWhole = true;

  constructor(minute: number) {
    this.minute = minute;
  }

  get histogram(): Histogram | undefined {
    const histogram = new Map<number, number>();
    const isKnown = this.visitBuckets((bucket, count) => {
      histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
    });
    return isKnown ? histogram : undefined;
  }

  /** Visits the buckets of all parts, in no order, some more than once. False if the histogram is not known. */
  visitBuckets(each: VisitBucket): boolean {
    if (!this.#isWhole || this.#parts === undefined) return false;
    if (Array.isArray(this.#parts)) for (const part of this.#parts) part.visit(each);
    else this.#parts.visit(each);
    return true;
  }

  add(set: StatisticSet, histogram: HistogramPart | undefined): void {
    if (set.count === 0) return;
    this.count += set.count;
    this.sum += set.sum;
    if (set.min < this.min) this.min = set.min;
    if (set.max > this.max) this.max = set.max;
    if (histogram === undefined) this.#isWhole = false;
    else if (this.#parts === undefined) this.#parts = histogram;
    else if (Array.isArray(this.#parts)) this.#parts.push(histogram);
    else this.#parts = [this.#parts, histogram];
  }

  addPoint(point: MinutePoint): void {
    const { histogram } = point;
    this.add(point, histogram && new WholeHistogram(histogram));
  }
}

/** A histogram that is there already. */
export class WholeHistogram implements HistogramPart {
  readonly #histogram: Histogram;

  constructor(histogram: Histogram) {
    this.#histogram = histogram;
  }

  visit(each: VisitBucket): void {
    for (const [bucket, count] of this.#histogram) each(bucket, count);
  }
}

/**
 * The value under which a share of the values lie, 0…1: exact at both ends, within 1.1 % between them. Undefined if it
 * is not known.
 */
export function percentileOf(point: MinutePoint, share: number): number | undefined {
  const { count, min, max } = point;
  if (count === 0) return undefined;
  if (min === max || share <= 0) return min;
  if (share >= 1) return max;
  const rank = share * count;
  const within = (value: number) => Math.min(max, Math.max(min, value));
  const run = point instanceof PointSum ? BucketRun.of(count, min, max) : undefined;
  if (run !== undefined) {
    if (!(point as PointSum).visitBuckets(run.add)) return undefined;
    return within(run.valueOf(rank) ?? max);
  }
  const { histogram } = point;
  if (histogram === undefined) return undefined;
  let seen = 0;
  for (const [bucket, inBucket] of sortedBuckets(histogram)) {
    seen += inBucket;
    if (seen >= rank) return within(bucketValue(bucket));
  }
  return max;
}
