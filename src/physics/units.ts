/** Read and write units: what the service charges for bytes read and written. Sizes are binary. */

const readUnitBytes = 4096;
const writeUnitBytes = 1024;

export type ReadConsistency = 'eventual' | 'strong' | 'transactional';

const readFactor: Readonly<Record<ReadConsistency, number>> = { eventual: 0.5, strong: 1, transactional: 2 };

/** What a write to a table costs in a transaction, in writes outside of one. */
export const transactionFactor = 2;

/** Reading nothing costs as much as reading the least. */
export function readUnits(bytes: number, consistency: ReadConsistency): number {
  return Math.max(1, Math.ceil(bytes / readUnitBytes)) * readFactor[consistency];
}

export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / writeUnitBytes));
}

/** The larger of what was there and what is there now is charged; writing over nothing costs the least. */
export function itemWriteUnits(oldBytes: number | undefined, newBytes: number | undefined): number {
  return writeUnits(Math.max(oldBytes ?? 0, newBytes ?? 0));
}
