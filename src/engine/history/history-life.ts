import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Mutation } from '../../storage/store.ts';
import { droppedKey, historyNoteKey, type Scope } from '../store-keys.ts';
import type { TableRecord } from '../tables/table-record.ts';

/**
 * How a table begins and ends to keep old images. From the epoch that the record has, every writer keeps the image that
 * it replaces, in the unit that replaces it. So whoever needs the past first changes the epoch, and takes a time
 * afterwards: every write after that time has left its image.
 */
export interface HistoryChange {
  readonly put: TableRecord;
  readonly also: readonly Mutation[];
}

/** A table that keeps old images, as JSON under its storage id. */
export interface HistoryNote {
  readonly format: 1;
  readonly scope: Scope;
  readonly tableName: string;
}

export function decodeHistoryNote(bytes: Uint8Array): HistoryNote {
  const note = JSON.parse(decodeUtf8(bytes)) as HistoryNote;
  if (note.format !== 1) throw new Error(`a note of old images of the unknown format ${note.format}`);
  return note;
}

/** The record with old images. One that has them stays as it is. */
export function beginHistory(record: TableRecord, scope: Scope): HistoryChange {
  if (record.history !== undefined) return { put: record, also: [] };
  const { storageId, nextSlot } = record;
  const { tableName } = record.description;
  const note: HistoryNote = { format: 1, scope, tableName };
  return {
    put: { ...record, epoch: record.epoch + 1, history: { slot: nextSlot }, nextSlot: nextSlot + 1 },
    also: [{ kind: 'put', key: historyNoteKey(storageId), value: encodeUtf8(JSON.stringify(note)) }],
  };
}

/**
 * The record of a table of which a job needs a moment. Its new epoch is a barrier: when it is committed, every write that
 * was decided before is committed too, or will be planned again. And it tells every process to write at later times, so that
 * no write of before the moment comes up while the job reads, whatever the clocks of the processes say.
 */
export function holdMoment(record: TableRecord, atMicros: number): TableRecord {
  const { history } = record;
  if (history === undefined) return record;
  const heldMicros = Math.max(history.heldMicros ?? 0, atMicros);
  return { ...record, epoch: record.epoch + 1, history: { ...history, heldMicros } };
}

/** The record without old images, unless somebody still needs them. */
export function endIdleHistory(record: TableRecord): HistoryChange {
  const { history, ...rest } = record;
  if (history === undefined || record.recovery !== undefined || (record.readers?.length ?? 0) > 0)
    return { put: record, also: [] };
  const { storageId } = record;
  return {
    put: { ...rest, epoch: record.epoch + 1 },
    also: [
      { kind: 'put', key: droppedKey(storageId, history.slot), value: new Uint8Array() },
      { kind: 'delete', key: historyNoteKey(storageId) },
    ],
  };
}

/** The record without a reader of the past; its history ends with the last one. */
export function withoutReader(record: TableRecord, jobId: string): HistoryChange | undefined {
  const { readers, ...rest } = record;
  const left = readers?.filter((reader) => reader.jobId !== jobId) ?? [];
  if (readers === undefined || left.length === readers.length) return undefined;
  return endIdleHistory(left.length === 0 ? rest : { ...rest, readers: left });
}
