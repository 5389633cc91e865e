/**
 * Limits of the HTTP front that the service does not document. Each is above anything a legal request needs and below
 * what could exhaust a process (decision 0027). The documented limits are in `model/limits.ts`.
 */

const KB = 1024;

/** The shape of request bodies. */
export const bodyShapeLimits = {
  /**
   * JSON: bytes per object or array at least. The densest values that DynamoDB stores are `{"L":[]},` and
   * `{"M":{}},`, nine bytes for two of them. A body of `{},` has three bytes for each, and every one takes 64 bytes of
   * heap.
   */
  jsonBytesPerContainerMin: 4,
  /**
   * JSON: members of one object. An item of 400 KB has the most if its names are as short as they can be while they
   * differ, and its values are empty: 128 names of a byte, 18,304 of two, 124,000 of three. Of the names and values of
   * expressions 1,365 at most can be used in 4 KB.
   */
  jsonMembersMax: 150_000,
  /**
   * JSON: different sequences of names that objects begin with, in a body for `JSON.parse`. Those of more are legal, and
   * are read into dictionaries.
   */
  jsonShapesMax: 10_000,
  /** Shorter JSON may be as dense as it likes. */
  jsonBytesUncounted: 64 * KB,
  /**
   * CBOR, which only CloudWatch's clients speak. The largest request, PutMetricData of 1,000 metrics with 30
   * dimensions, 150 values and 150 counts each, has some 400,000 values (its API reference).
   */
  cborValuesMax: 500_000,
  /**
   * Parameters of a form. GetMetricData with 500 queries of 30 dimensions has 36,000; PutMetricData reaches 1 MB before
   * that (CloudWatch's API reference).
   */
  formParametersMax: 65_536,
  /** Parts of a parameter's name. `Metrics.member.1.MetricStat.Metric.Dimensions.member.1.Name` has nine. */
  formPartsMax: 12,
  /** Nodes of all names together: two for each parameter, and those that parameters share. */
  formNodesMax: 160_000,
} as const;

/** Signatures. */
export const signatureLimits = {
  /**
   * The lifetime of a presigned URL: seven days (documented: IAM documentation, "Elements of an AWS API request
   * signature").
   */
  presignedSecondsMax: 604_800,
} as const;

const MB = 1024 * KB;

/** What a server grants to its clients at one time. */
export interface ServerLimits {
  /** Open connections. */
  readonly connectionsMax: number;
  /** Bytes of bodies that are arriving. A quarter of it is for bodies up to `smallBodyBytes` alone. */
  readonly arrivingBytesMax: number;
  /** Estimated memory of the bodies that operations work on. Bodies up to `smallBodyBytes` may use a quarter more. */
  readonly workingBytesMax: number;
}

/** Four bodies of the largest size, or a thousand of 64 KB. */
const arrivingBytesMax = 64 * MB;

/** The limits of a process whose heap may grow to so many bytes. */
export function defaultLimits(heapBytesMax: number): ServerLimits {
  return {
    connectionsMax: 4_096,
    arrivingBytesMax,
    // Two of the largest bodies in a heap of 1 GB or more; in a small heap one at a time.
    workingBytesMax: Math.min(256 * MB, Math.max(64 * MB, Math.floor(heapBytesMax / 4))),
  };
}

export const bodyBudgetLimits = {
  /** Bodies up to this length have a share of every budget that longer ones cannot use. */
  smallBodyBytes: 64 * KB,
  /** Bodies that wait for room. Each may hold one read of the socket meanwhile. */
  waitersMax: 256,
  /** The time that a body waits for room before it is refused. */
  waitMs: 20_000,
  /** Memory of a parsed body, in multiples of its length: `{"M":{}},` takes eleven, usual items two to four. */
  memoryPerByte: 8,
  /** What deflate makes of a byte at most (zlib's documentation). */
  inflatedPerByteMax: 1_032,
  /** Bodies of the control API, which takes no items. */
  controlBodyBytesMax: 1 * MB,
  /** A client whose request was refused before its body came may send so much and keep its connection. */
  drainedBytesMax: 64 * KB,
} as const;

/** Time limits of slow clients. Each shrinks to its minimum as the budgets fill up (`Pressure`). */
export const patienceLimits = {
  headersMsMin: 2_000,
  requestMsMin: 10_000,
  keepAliveMsMin: 2_000,
  /** The time without a single byte of a body that has begun. */
  stallMs: 30_000,
  stallMsMin: 2_000,
  /** The average rate of a body, once it has taken longer than `stallMs`. */
  bodyBytesPerSecondMin: 1_024,
  /** Above this share of a budget the limits begin to shrink. */
  calmShare: 0.5,
} as const;
