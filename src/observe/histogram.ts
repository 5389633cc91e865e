/**
 * A histogram of logarithmic buckets: 32 to the doubling, so that a bucket is 2.2 % wide and its middle is at most 1.1 %
 * from any value in it. Zero has a bucket of its own, and negative values mirror the positive ones. Sparse: the count of
 * each bucket that has values.
 */
export type Histogram = ReadonlyMap<number, number>;

const bucketsToTheDoubling = 32;
/** Larger than the logarithm of the smallest double, so that buckets of positive values are positive. */
const offset = 1_075 * bucketsToTheDoubling;

export function bucketOf(value: number): number {
  if (value === 0) return 0;
  const bucket = Math.floor(Math.log2(Math.abs(value)) * bucketsToTheDoubling) + offset;
  return value > 0 ? bucket : -bucket;
}

/** The middle of a bucket. */
export function bucketValue(bucket: number): number {
  if (bucket === 0) return 0;
  const value = 2 ** ((Math.abs(bucket) - offset + 0.5) / bucketsToTheDoubling);
  return bucket > 0 ? value : -value;
}

/**
 * So many buckets a histogram has room for: values may be 2,000,000,000 times as large as others. Further values share one
 * bucket to the doubling, so that a histogram of anything stays small.
 */
const bucketsMax = 1_000;

/** Counts values. */
export function addToBucket(to: Map<number, number>, bucket: number, count: number): void {
  const before = to.get(bucket);
  if (before !== undefined) to.set(bucket, before + count);
  else if (to.size < bucketsMax) to.set(bucket, count);
  else {
    const shared = bucket < 0 ? -sharedBucket(-bucket) : sharedBucket(bucket);
    to.set(shared, (to.get(shared) ?? 0) + count);
  }
}

function sharedBucket(bucket: number): number {
  return bucket - (bucket % bucketsToTheDoubling) + bucketsToTheDoubling / 2;
}

/** Adds the counts of one histogram to another. */
export function addHistogram(to: Map<number, number>, from: Histogram): void {
  for (const [bucket, count] of from) addToBucket(to, bucket, count);
}

/** The buckets in the order of their values. */
export function sortedBuckets(histogram: Histogram): readonly (readonly [bucket: number, count: number])[] {
  return [...histogram].sort(([a], [b]) => a - b);
}
