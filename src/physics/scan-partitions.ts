import { capacityLimits } from '../model/limits.ts';

/** Whose partitions: a table's, with its local indexes, or a global index's. */
export interface PartitionedThroughput {
  readonly mode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

/**
 * How many partitions a table has to begin with: as many as its throughput needs. On demand these are four, which
 * is why a Scan of a table with one tiny item costs 2 units, or 4 when it is consistent (observed: Alternator's tests).
 */
export function initialPartitions(throughput: PartitionedThroughput): number {
  const onDemand = throughput.mode === 'PAY_PER_REQUEST';
  const reads = onDemand ? capacityLimits.onDemandInitialReadUnitsPerSecond : throughput.readUnitsPerSecond;
  const writes = onDemand
    ? capacityLimits.onDemandInitialWriteUnitsPerSecond
    : throughput.writeUnitsPerSecond;
  const forReads = reads / capacityLimits.partitionReadUnitsPerSecondMax;
  const forWrites = writes / capacityLimits.partitionWriteUnitsPerSecondMax;
  // On demand a partition serves both to its full extent; provisioned units share it.
  return Math.max(1, Math.ceil(onDemand ? Math.max(forReads, forWrites) : forReads + forWrites));
}
