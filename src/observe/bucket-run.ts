import { bucketOf, bucketValue } from './histogram.ts';

/** No run is wider: values that lie so far apart are few in each bucket, or zero is among them. */
const widthMax = 4_096;
/** Below so many values for a hundred buckets a run is mostly empty, and walking it costs more than sorting. */
const valuesForHundredBuckets = 12;

/**
 * The counts of neighbouring buckets as an array. A percentile of an hour of minutes needs them in order, and a histogram
 * would be hashed and sorted for each hour, at six times the price.
 */
export class BucketRun {
  readonly #first: number;
  readonly #counts: Float64Array;

  private constructor(first: number, width: number) {
    this.#first = first;
    this.#counts = new Float64Array(width);
  }

  /** A run for so many values from `min` to `max`; undefined if it is not worth it. */
  static of(count: number, min: number, max: number): BucketRun | undefined {
    // The ends may be off by a rounding, and so by a bucket.
    const first = bucketOf(min) - 1;
    const width = bucketOf(max) + 2 - first;
    if (!(width <= widthMax && count * 100 >= width * valuesForHundredBuckets)) return undefined;
    return new BucketRun(first, width);
  }

  readonly add = (bucket: number, count: number): void => {
    const at = bucket - this.#first;
    const last = this.#counts.length - 1;
    this.#counts[Math.min(Math.max(0, at), last)]! += count;
  };

  /** The middle of the bucket in which the value of a rank lies; undefined if there are fewer values. */
  valueOf(rank: number): number | undefined {
    const counts = this.#counts;
    let seen = 0;
    for (let at = 0; at < counts.length; at++) {
      seen += counts[at]!;
      if (seen >= rank) return bucketValue(this.#first + at);
    }
    return undefined;
  }
}
