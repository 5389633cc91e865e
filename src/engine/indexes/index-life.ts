import { droppedKey, fillingKey, type Scope } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import {
  type CreatingIndex,
  type DeletingIndex,
  fillingSlot,
  type TableRecord,
} from '../tables/table-record.ts';
import { encodeNote } from './fill-index.ts';

/**
 * How indexes of a table come and go. A new one is in the record, and so maintained by every writer, before it is
 * filled; a dropped one is out of it before its entries are removed. Either begins with a note that is committed with
 * the record, so that the work is done whoever is killed.
 */

/** The record with a new index, which its description has already. */
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
    also: [{ kind: 'put', key: fillingKey(storageId, nextSlot), value: encodeNote({ format: 1, ...note }) }],
  };
}

/** The record without an index, which its description has no longer. */
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
      ...(fillingSlot(record) === slot
        ? [{ kind: 'delete', key: fillingKey(storageId, slot!) } as const]
        : []),
    ],
  };
}
