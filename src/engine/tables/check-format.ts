import type { Store } from '../../storage/store.ts';
import { StoreError } from '../../storage/store-error.ts';
import { recordKind } from '../store-keys.ts';
import { decodeRecord } from './table-record.ts';

/** Rejects if another version of Stator wrote the tables of a store. Nothing has been written to it then. */
export async function checkFormat(store: Store): Promise<void> {
  const range = { from: Uint8Array.of(recordKind), to: Uint8Array.of(recordKind + 1) };
  try {
    // One version writes all records, so the first one stands for them.
    const { entries } = await store.range({ ...range, limit: 1 });
    for (const { value } of entries) decodeRecord(value);
  } catch (error) {
    // A record that is damaged or cannot be read concerns its table alone.
    if (error instanceof StoreError && error.trouble === 'format') throw error;
  }
}
