import { capacityLimits } from '../model/limits.ts';

/**
 * Read and write units: what the service charges for bytes read and written. Sizes are binary. The rules (documented:
 * Developer Guide, read-write-operations, CapacityUnitCalculations, GSI, LSI and transaction-apis); where one was only
 * observed, its function says so.
 */

const { readUnitBytes, writeUnitBytes } = capacityLimits;

export type ReadConsistency = 'eventual' | 'strong' | 'transactional';

const readFactor: Readonly<Record<ReadConsistency, number>> = { eventual: 0.5, strong: 1, transactional: 2 };

/**
 * What a write to a table costs in a transaction, in writes outside of one. Indexes are not doubled (observed: public
 * captures, 2026).
 */
export const transactionFactor = 2;

/** Reading nothing costs as much as reading the least. */
export function readUnits(bytes: number, consistency: ReadConsistency): number {
  return Math.max(1, Math.ceil(bytes / readUnitBytes)) * readFactor[consistency];
}

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / writeUnitBytes));
}

/**
 * The larger of what was there and what is there now is charged; writing over nothing costs the least. A write whose
 * condition fails costs as much as if it had been done.
 */
export function itemWriteUnits(oldBytes: number | undefined, newBytes: number | undefined): number {
  return writeUnits(Math.max(oldBytes ?? 0, newBytes ?? 0));
}

/** BatchGetItem and TransactGetItems: each item is rounded alone; a missing one, of 0 bytes, costs the least. */
export function itemsReadUnits(itemBytes: readonly number[], consistency: ReadConsistency): number {
  let units = 0;
  for (const bytes of itemBytes) units += readUnits(bytes, consistency);
  return units;
}

/** One action of TransactWriteItems on its table. A ConditionCheck costs the same, on the item that it looked at. */
export function transactWriteUnits(oldBytes: number | undefined, newBytes: number | undefined): number {
  return transactionFactor * itemWriteUnits(oldBytes, newBytes);
}

/** One action of a transaction that is asked for again under its token: it is read, not written. */
export function replayReadUnits(oldBytes: number | undefined, newBytes: number | undefined): number {
  return readUnits(Math.max(oldBytes ?? 0, newBytes ?? 0), 'transactional');
}

/**
 * A page of Query or Scan: all evaluated items are added up and rounded once, before filters and projections. Each
 * visited partition costs at least the least read. A Scan is charged for partitions without data (documented: Developer
 * Guide, Scan). The Scan of a fresh on-demand table with one tiny item costs 2 units, or 4 when it is consistent
 * (observed: Alternator's tests), so the larger of both sums counts (inferred).
 */
export function pageReadUnits(bytes: number, consistency: ReadConsistency, partitionsVisited = 1): number {
  return Math.max(readUnits(bytes, consistency), partitionsVisited * readUnits(0, consistency));
}

/**
 * A Query of a local index that asks for attributes beyond its projection: the page of the index is rounded once, and
 * each item that is fetched from the table alone.
 */
export function fetchingPageUnits(
  entryBytes: number,
  fetchedBytes: readonly number[],
  consistency: ReadConsistency,
  partitionsVisited = 1,
): { readonly index: number; readonly table: number } {
  return {
    index: pageReadUnits(entryBytes, consistency, partitionsVisited),
    table: itemsReadUnits(fetchedBytes, consistency),
  };
}

/** What a fetched item adds to the 1 MB that a page may evaluate: it counts in whole units of 4 KB. */
export function fetchedItemBytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / readUnitBytes)) * readUnitBytes;
}

/** What a write did to the entry of an item in an index. */
export interface IndexEntryChange {
  /** Bytes of the entry before and after; absent when the item was or is not in the index. */
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly sameKey: boolean;
  /** Whether the projected attributes are equal on both sides; sets are compared as sets. */
  readonly sameProjection: boolean;
}

/**
 * The units on an index: none when the entry stays as it is, one write when it comes, goes or changes in place, two
 * writes, each rounded alone, when its key changes. A local index takes them from its table.
 */
export function indexWriteUnits({ before, after, sameKey, sameProjection }: IndexEntryChange): number {
  if (before === undefined) return after === undefined ? 0 : writeUnits(after);
  if (after === undefined) return writeUnits(before);
  if (!sameKey) return writeUnits(before) + writeUnits(after);
  return sameProjection ? 0 : Math.max(writeUnits(before), writeUnits(after));
}

/** The bytes that storage is billed for: every item and every index entry has an overhead, more so in replicas. */
export function billedBytes(bytes: number, entries: number, replicated = false): number {
  const { billedOverheadBytes, billedReplicaOverheadBytes } = capacityLimits;
  return bytes + entries * (billedOverheadBytes + (replicated ? billedReplicaOverheadBytes : 0));
}

/** Change data capture into Kinesis: one unit for each KB of the larger image. */
export function captureUnits(oldBytes: number | undefined, newBytes: number | undefined): number {
  return itemWriteUnits(oldBytes, newBytes);
}

/** `ConsumedThroughputUnits` of Contributor Insights, in which a write weighs three reads. */
export function insightUnits(read: number, write: number): number {
  return 3 * write + read;
}
