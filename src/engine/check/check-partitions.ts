import { toHex } from '../../model/values/hex.ts';
import { decodePartitionRecord } from '../../physics/partition-record.ts';
import type { Reader } from '../../storage/store.ts';
import { partitionsKind, partitionsLeaseKind } from '../store-keys.ts';
import { ownCapacities } from '../tables/parts/indexes.ts';
import { isLiving, type KnownRecord } from './check-record.ts';
import type { CheckResults } from './check-report.ts';
import { notesOf } from './notes.ts';
import { shownError } from './shown.ts';
import { checkLease } from './single-record.ts';

/** The record of partitions belongs to a table or a global index that exists, and can be read. */
export async function checkPartitions(
  reader: Reader,
  records: ReadonlyMap<string, KnownRecord>,
  isAccountedFor: (storageId: string) => boolean,
  results: CheckResults,
): Promise<void> {
  const hasSlot = ({ slot }: { readonly slot: number | undefined }) => slot !== undefined;
  for await (const { key, value, place } of notesOf(reader, partitionsKind, hasSlot, results)) {
    const known = records.get(place.storageId);
    const at = { ...(known && { ...known.scope, table: known.name }), storeKey: toHex(key) };
    if (known === undefined ? !isAccountedFor(place.storageId) : !hasPartitions(known, place.slot!))
      results.add({ kind: 'partition-record', ...at, expected: 'a table or global index', found: 'none' });
    try {
      decodePartitionRecord(value);
    } catch (error) {
      const expected = 'a record of partitions';
      results.add({ kind: 'partition-record', ...at, expected, found: shownError(error) });
    }
  }
  const lease = {
    kind: 'partition-record',
    expected: 'the lease of who writes records of partitions',
  } as const;
  await checkLease(reader, partitionsLeaseKind, lease, results);
}

function hasPartitions({ record }: KnownRecord, slot: number): boolean {
  if (!isLiving(record)) return false;
  return (
    slot === 0 ||
    ownCapacities(record.description).some(({ index }) => record.slots[index.indexName] === slot)
  );
}
