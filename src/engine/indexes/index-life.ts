import { droppedKey, fillingKey, partitionsKey, type Scope } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import { type CreatingIndex, type DeletingIndex, fillingSlot } from '../tables/parts/index-phase.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { encodeNote } from './fill-index.ts';

/**
 * Creation and deletion of indexes. A new index is in the record, and so maintained by every writer, before it is
 * filled. A dropped index is out of the record before its entries are removed. Both commit a note with the record, so
 * the work is finished even if a process is killed.
 */

/** Adds an index to the record. The description has it already. */
export function addIndex(
  record: TableRecord,
  scope: Scope,
  phase: CreatingIndex,
  nowMs: number,
): RecordChange & { readonly put: TableRecord } {
  const { storageId, nextSlot } = record;
  const { tableName } = record.description;
  const { indexName } = phase;
  const note = { scope, tableName, indexName, itemsSeen: 0, itemsLeftOut: 0, steppedAt: nowMs };
  return {
    put: {
      ...record,
      slots: { ...record.slots, [indexName]: nextSlot },
      nextSlot: nextSlot + 1,
      indexPhase: phase,
    },
    also: [{ kind: 'put', key: fillingKey(storageId, nextSlot), value: encodeNote(note) }],
  };
}

/** Removes an index from the record. The description has it no longer. */
export function removeIndex(
  record: TableRecord,
  indexName: string,
  phase: DeletingIndex | undefined,
): RecordChange & { readonly put: TableRecord } {
  const { [indexName]: slot, ...slots } = record.slots;
  const { indexPhase, ...rest } = record;
  const { storageId } = record;
  return {
    put: { ...rest, slots, ...(phase && { indexPhase: phase }) },
    also: [
      { kind: 'put', key: droppedKey(storageId, slot!), value: new Uint8Array() },
      { kind: 'delete', key: partitionsKey(storageId, slot!) },
      ...(fillingSlot(record) === slot
        ? [{ kind: 'delete', key: fillingKey(storageId, slot!) } as const]
        : []),
    ],
  };
}
