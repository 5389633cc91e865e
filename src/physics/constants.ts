/**
 * The numbers of the physical model that are not limits of the API (those are in `model/limits.ts`), each with how we
 * know it. A reader who distrusts a verdict looks here for the assumption behind it.
 *
 * `documented`: AWS's documentation says so. `measured`: seen on the live service by a third party. `paper`: from
 * "Amazon DynamoDB: A Scalable, Predictably Performant, and Fully Managed NoSQL Database Service" (USENIX ATC 2022).
 * `inferred`: our own choice, consistent with what is known.
 */
export type Grade = 'documented' | 'measured' | 'paper' | 'inferred';

export interface GradedConstant {
  readonly value: number;
  readonly unit: string;
  readonly grade: Grade;
  readonly why: string;
  /** As `docs/evidence.md` lists it. */
  readonly source?: string;
}

function graded(value: number, unit: string, grade: Grade, why: string, source?: string): GradedConstant {
  return { value, unit, grade, why, ...(source !== undefined && { source }) };
}

/** All graded constants by name, for whoever reports them. Code uses the plain numbers below. */
export const gradedConstants = {
  partitionDepthSeconds: graded(
    1,
    's',
    'inferred',
    'How many seconds of its ceiling a partition may give at once. The ceiling is documented per second.',
  ),
  quotaDepthSeconds: graded(
    1,
    's',
    'inferred',
    'How many seconds of an account or table quota may be used at once. Quotas are documented per second.',
  ),
  onDemandMaximumDepthSeconds: graded(
    300,
    's',
    'inferred',
    'Burst above a configured on-demand maximum. The guide says that burst capacity may exceed it for a while, and ' +
      'burst capacity is 300 seconds elsewhere.',
  ),
  debtSecondsMax: graded(
    900,
    's',
    'inferred',
    'The longest time that a balance can take to become positive again, whatever was charged to it.',
  ),
  onDemandGrowthMinutes: graded(
    30,
    'min',
    'documented',
    'Traffic may exceed double the previous peak once 30 minutes have passed since that peak.',
    'Developer Guide',
  ),
  onDemandHeadroomFactor: graded(
    2,
    '×',
    'documented',
    'An on-demand table serves up to double its previous peak at once.',
    'Developer Guide',
  ),
  peakWindowSeconds: graded(
    60,
    's',
    'inferred',
    'The time over which consumption is averaged to find a peak. CloudWatch reports minutes.',
  ),
  warmUpMinutes: graded(
    6.5,
    'min',
    'measured',
    'Raising warm throughput took 4.5 to 8.5 minutes (October 2026); this is the middle.',
    'ACK',
  ),
  heatMinutes: graded(
    8,
    'min',
    'measured',
    'Minutes in a row that a partition is hot before it splits. One published load test; weak.',
    'published load test',
  ),
  heatShare: graded(
    0.8,
    '×',
    'inferred',
    'The share of its ceiling that a partition must give during a minute to count as hot. The paper speaks of a threshold.',
  ),
  movingFrontShare: graded(
    0.9,
    '×',
    'inferred',
    'The share of consecutive positions that ascend (or descend) from which access counts as sequential. At random it is a half.',
  ),
  sampledPositionsMin: graded(
    8,
    'positions',
    'inferred',
    'Positions that must have been observed before a split for heat is decided.',
  ),
} as const satisfies Record<string, GradedConstant>;

export const partitionDepthSeconds = gradedConstants.partitionDepthSeconds.value;
export const quotaDepthSeconds = gradedConstants.quotaDepthSeconds.value;
export const onDemandMaximumDepthSeconds = gradedConstants.onDemandMaximumDepthSeconds.value;
export const debtSecondsMax = gradedConstants.debtSecondsMax.value;
export const onDemandGrowthMs = gradedConstants.onDemandGrowthMinutes.value * 60_000;
export const onDemandHeadroomFactor = gradedConstants.onDemandHeadroomFactor.value;
export const warmUpMs = gradedConstants.warmUpMinutes.value * 60_000;
export const heatMinutes = gradedConstants.heatMinutes.value;
export const heatShare = gradedConstants.heatShare.value;
export const movingFrontShare = gradedConstants.movingFrontShare.value;
export const sampledPositionsMin = gradedConstants.sampledPositionsMin.value;

/** Bounds of memory. They are ours; the service has nothing of the kind. */
export const memoryBounds = {
  /** Partitions of one table or index: ten million write units a second, or 100 TB. */
  partitionsPerResourceMax: 10_000,
  /** Tables and indexes that are listed at a time, at 2 to 3 KB each; those opened longest ago leave first. */
  resourcesMax: 10_000,
  /** Partitions with a history of their own, of all tables together: 4,096 × 1.5 KB, about 6 MB. */
  partitionHistoriesMax: 4_096,
  /** Partitions whose accessed positions are sampled at a time. */
  sampledPartitionsMax: 256,
  /** Positions kept of one sampled partition. */
  sampledPositionsMax: 64,
  /** Bytes kept of the sort key of a sampled position. Items that share them count as one. */
  sampledSortBytesMax: 256,
  /** Partition keys whose load is known, of all tables together. The rarest leave first. */
  activeKeysMax: 16_384,
  /** Keys with a name among them, and the length to which a name is cut. */
  namedKeysMax: 1_024,
  keyNameLengthMax: 64,
  /** Verdicts in the log; equal ones within a second are one. */
  verdictsMax: 1_000,
  /** Growth steps of one table that have been decided and wait for their time. */
  pendingGrowthsMax: 40,
} as const;

/** A charge above this is no request's: a page, a batch and a transaction all stay below (16 MB of 400 KB items). */
export const chargeUnitsMax = 100_000;
