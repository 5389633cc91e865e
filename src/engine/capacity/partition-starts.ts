import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { PartitionMap } from '../../physics/partition-map.ts';
import { BadPartitionRecord, decodePartitionRecord } from '../../physics/partition-record.ts';
import type { Position } from '../../physics/place.ts';
import { firstPartitions } from '../../physics/throughput-settings.ts';
import type { Store } from '../../storage/store.ts';
import { partitionsKey, type Scope } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { Capacity } from './capacity.ts';
import { tableThroughput } from './table-resources.ts';

/**
 * Where the partitions of a table begin in the model: by the map of this process if it has one, else by the map in the
 * store. Where several processes share a store, each has a map of its own, and the one in the store counts. A table
 * without a map has the partitions that its throughput needs.
 */
export function partitionStarts(
  store: Store,
  capacity: Capacity,
  scope: Scope,
  { storageId, description }: TableRecord,
): MaybePromise<readonly Position[]> {
  const open = store.exclusive ? capacity.find(scope, description.tableName) : undefined;
  if (open?.main.identity.id === `${storageId}/0`) return startsOf(open.main.map);
  return whenDone(store.get(partitionsKey(storageId, 0)), (bytes) => {
    const known = bytes && startsOnRecord(bytes);
    return known ?? startsOf(PartitionMap.ofEqualParts(firstPartitions(tableThroughput(description))));
  });
}

export function startsOf(map: PartitionMap): readonly Position[] {
  return Array.from({ length: map.count }, (_, i) => map.entry(i));
}

/** Undefined for a record that cannot be read: its table gets a new map when it is used, and a line in the log. */
function startsOnRecord(bytes: Uint8Array): readonly Position[] | undefined {
  try {
    return decodePartitionRecord(bytes).partitions;
  } catch (error) {
    if (!(error instanceof BadPartitionRecord)) throw error;
    return undefined;
  }
}
