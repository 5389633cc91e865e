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
  /** The lifetime of a presigned URL: seven days (IAM User Guide, "Elements of an AWS API request signature"). */
  presignedSecondsMax: 604_800,
} as const;
