import { encodeNote } from '../indexes/fill-index.ts';
import { droppedKey, expiringKey, fillingKey, type Scope } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import { encodeExpiringTable } from './expiring-table.ts';

/**
 * How the expiries of a table come and go: as an index does. From the epoch that the record has, every writer maintains
 * them; the items of before are gone through afterwards.
 */

/** The record with Time to Live, which its description has already. */
export function beginExpiry(
  record: TableRecord,
  scope: Scope,
  nowMs: number,
): RecordChange & { readonly put: TableRecord } {
  const { storageId, nextSlot } = record;
  const { tableName, ttl } = record.description;
  const { attributeName } = ttl!;
  const progress = { attributeName, itemsSeen: 0, itemsLeftOut: 0, steppedAt: nowMs };
  return {
    put: { ...record, expiry: { slot: nextSlot, filled: false }, nextSlot: nextSlot + 1 },
    also: [
      {
        kind: 'put',
        key: fillingKey(storageId, nextSlot),
        value: encodeNote({ scope, tableName, ...progress }),
      },
      {
        kind: 'put',
        key: expiringKey(storageId),
        value: encodeExpiringTable({ scope, tableName }),
      },
    ],
  };
}

/** The record without Time to Live, which its description has no longer. */
export function endExpiry(record: TableRecord): RecordChange & { readonly put: TableRecord } {
  const { expiry, ...rest } = record;
  if (expiry === undefined) return { put: rest };
  const { storageId } = record;
  return {
    put: rest,
    also: [
      { kind: 'put', key: droppedKey(storageId, expiry.slot), value: new Uint8Array() },
      { kind: 'delete', key: expiringKey(storageId) },
      ...(expiry.filled ? [] : [{ kind: 'delete', key: fillingKey(storageId, expiry.slot) } as const]),
    ],
  };
}
