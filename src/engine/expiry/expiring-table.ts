import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Scope } from '../store-keys.ts';

/** The note of a table whose items expire, as JSON, so that whoever sweeps need not look at all tables. */
export interface ExpiringTable {
  readonly format: 1;
  readonly scope: Scope;
  readonly tableName: string;
}

export function encodeExpiringTable(note: ExpiringTable): Uint8Array {
  return encodeUtf8(JSON.stringify(note));
}

export function decodeExpiringTable(bytes: Uint8Array): ExpiringTable {
  const note = JSON.parse(decodeUtf8(bytes)) as ExpiringTable;
  if (note.format !== 1)
    throw new Error(`a note of a table with expiries of the unknown format ${note.format}`);
  return note;
}
