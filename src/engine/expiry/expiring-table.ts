import { object, text } from '../../model/json/fields.ts';
import { jsonRecord, scopeField } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';

/** The note of a table whose items expire, as JSON, so that whoever sweeps need not look at all tables. */
export interface ExpiringTable {
  readonly scope: Scope;
  readonly tableName: string;
}

export const { encode: encodeExpiringTable, decode: decodeExpiringTable } = jsonRecord<ExpiringTable>(
  'a note of a table with expiries',
  1,
  object<ExpiringTable>({ scope: scopeField, tableName: text }),
);
