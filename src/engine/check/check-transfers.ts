import { toHex } from '../../model/values/hex.ts';
import { exportKey, exportKind, importKey, importKind, transfersLeaseKind } from '../store-keys.ts';
import { decodeExport } from '../transfers/export-record.ts';
import { decodeImport } from '../transfers/import-record.ts';
import type { CheckResults } from './check-report.ts';
import type { CheckContext } from './check-table.ts';
import { rangeOfKind } from './known-kinds.ts';
import { pagesOf } from './range-pages.ts';
import { shownError } from './shown.ts';
import { checkLease } from './single-record.ts';
import { addUnknownKey } from './unknown-key.ts';

/** Every export and import can be read and lies under its own key, and so does the note of who does them. */
export async function checkTransfers({ states }: CheckContext, results: CheckResults): Promise<void> {
  const reader = await (states.isOld ? states.next() : states.current());
  const each = async (
    kind: number,
    expected: string,
    isOwn: (key: Uint8Array, value: Uint8Array) => boolean,
  ) => {
    const { from, to } = rangeOfKind(kind);
    for await (const page of pagesOf(reader, from, to))
      for (const { key, value } of page)
        try {
          if (!isOwn(key, value)) addUnknownKey(key, value, results);
        } catch (error) {
          results.add({ kind: 'transfer', storeKey: toHex(key), expected, found: shownError(error) });
        }
  };
  await each(importKind, 'an import', (key, value) => {
    const record = decodeImport(value, key);
    return toHex(importKey(record, record.id)) === toHex(key);
  });
  await each(exportKind, 'an export', (key, value) => {
    const record = decodeExport(value, key);
    return toHex(exportKey(record, record.id)) === toHex(key);
  });
  await checkLease(
    reader,
    transfersLeaseKind,
    { kind: 'transfer', expected: 'who does exports and imports' },
    results,
  );
}
