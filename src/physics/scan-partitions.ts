import { partOf, partStart } from '../model/keys/hash-segments.ts';
import { capacityLimits } from '../model/limits.ts';
import { compareBytes } from '../model/values/bytes.ts';

/** Whose partitions: a table's, with its local indexes, or a global index's. */
export interface PartitionedThroughput {
  readonly mode: 'PAY_PER_REQUEST' | 'PROVISIONED';
  readonly readUnitsPerSecond: number;
  readonly writeUnitsPerSecond: number;
}

/**
 * How many partitions a table has to begin with: as many as its throughput needs. On demand these are four, which
 * is why a Scan of a table with one tiny item costs 2 units, or 4 when it is consistent (seen by Alternator's tests).
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

/**
 * How many partitions a page of a Scan visits: those between the hashes where it began and where it ended. Each of
 * them costs at least the least read, even if nothing is in it.
 */
export function partitionsVisited(
  partitions: number,
  first: Uint8Array,
  end: { readonly last: Uint8Array } | { readonly before: Uint8Array | undefined },
): number {
  const lastPart = 'last' in end ? partOf(end.last, partitions) : partBefore(end.before, partitions);
  return Math.max(1, lastPart - partOf(first, partitions) + 1);
}

/** The part of the hash just below another; of the highest, if there is no other. */
function partBefore(hash: Uint8Array | undefined, parts: number): number {
  if (hash === undefined) return parts - 1;
  const part = partOf(hash, parts);
  return compareBytes(partStart(part, parts)!, hash) === 0 ? part - 1 : part;
}
