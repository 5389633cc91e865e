import { object, text } from '../../model/json/fields.ts';
import type { Store } from '../../storage/store.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';
import { logNoteKey, recordKey, type Scope } from '../store-keys.ts';
import { decodeRecord, type TableRecord } from '../tables/table-record.ts';
import { type LogLayout, layoutOf, logLayoutField } from './log-layout.ts';

/**
 * The buckets of the log of a table that was dropped, as JSON under the table's storage id. Streams can be read for a day
 * after the end of their table; the keeper of the log removes the note with the last of them.
 */
export interface LogNote {
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly log: LogLayout;
}

export const { encode: encodeLogNote, decode: decodeLogNote } = jsonRecord<LogNote>(
  'the buckets of a log',
  1,
  object<LogNote>({ ...scopeFields, tableName: text, log: logLayoutField }),
);

/** The buckets of a log, whether its table is there or was dropped. */
export async function readLayout(
  store: Store,
  scope: Scope,
  tableName: string,
  storageId: string,
): Promise<LogLayout> {
  // In one committed state: a table that is dropped loses its record in the unit that writes the note.
  const noteKey = logNoteKey(storageId);
  const [record, note] = await store.getMany([recordKey(scope, tableName), noteKey]);
  if (note !== undefined) return decodeLogNote(note, noteKey).log;
  const found: TableRecord | undefined = record && decodeRecord(record);
  return layoutOf(found?.storageId === storageId ? found : {});
}
