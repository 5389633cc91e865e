import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import {
  BadPartitionRecord,
  decodePartitionRecord,
  type PartitionRecord,
} from '../../physics/partition-record.ts';
import type { Physics } from '../../physics/physics.ts';
import type { Resource } from '../../physics/resource.ts';
import type { Store } from '../../storage/store.ts';
import { partitionsKey } from '../store-keys.ts';
import type { Table } from '../tables/table-record.ts';
import { type OpenRequest, openRequests, TableResources } from './table-resources.ts';

interface LoadDeps {
  readonly store: Store;
  readonly log: (line: string) => void;
}

/**
 * Opens a table and its global indexes in the model. What is open already is only brought to the table's settings; for
 * the rest the store is asked for the record of its partitions. A table without one, of an older data directory or
 * just created, gets a map for its throughput and its size.
 */
export function loadTable(
  { store, log }: LoadDeps,
  model: Physics,
  table: Table,
  known: () => TableResources | undefined,
  time: { nowMs(): number },
): MaybePromise<TableResources> {
  const { storageId, epoch } = table.record;
  const before = known();
  if (before?.isCurrent(epoch)) return before;
  const requests = openRequests(table);
  const open = new Set(before?.all().flatMap(({ isOpen, identity }) => (isOpen ? [identity.id] : [])));
  const unknown = requests.filter(({ identity }) => !open.has(identity.id));
  const opened = (records: readonly (Uint8Array | undefined)[], bytes: readonly number[]) => {
    // Somebody else may have opened the table meanwhile, perhaps with settings that are newer.
    const found = known();
    if (found?.isCurrent(epoch)) return found;
    const nowMs = time.nowMs();
    const resources = requests.map((request): Resource => {
      const at = unknown.indexOf(request);
      const record = at < 0 ? undefined : readRecord(records[at], request, log);
      return model.open(request.identity, request.throughput, nowMs, {
        record,
        bytes: at < 0 ? undefined : bytes[at],
        settings: undefined,
      });
    });
    const indexes = new Map(resources.slice(1).map((resource) => [resource.identity.indexName!, resource]));
    return new TableResources(resources[0]!, indexes, epoch);
  };
  if (unknown.length === 0) return opened([], []);
  return whenDone(store.getMany(unknown.map(({ slot }) => partitionsKey(storageId, slot))), (records) =>
    whenDone(store.counters(unknown.map(({ bytesCounter }) => bytesCounter)), (bytes) =>
      opened(records, bytes),
    ),
  );
}

function readRecord(
  bytes: Uint8Array | undefined,
  { identity }: OpenRequest,
  log: (line: string) => void,
): PartitionRecord | undefined {
  if (bytes === undefined) return undefined;
  try {
    return decodePartitionRecord(bytes);
  } catch (error) {
    if (!(error instanceof BadPartitionRecord)) throw error;
    const { tableName, indexName } = identity;
    const what = indexName === undefined ? `table ${tableName}` : `index ${indexName} of table ${tableName}`;
    log(`${error.message}; ${what} begins with a new partition map.`);
    return undefined;
  }
}
