import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';

/** How far a reader of a table's log has come, as JSON under the table's storage id and the reader's name. */
export interface ReaderNote {
  readonly format: 1;
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly name: string;
  /** For each bucket the position of the last record it is done with. */
  readonly positions: readonly number[];
  /** When it last told so; one that does not come back is dismissed after `retainMs`. */
  readonly seenAt: number;
  readonly retainMs: number;
  /** Which of several processes reads for it just now, if it is one that only one may read for. */
  readonly lease?: ReaderLease;
}

export interface ReaderLease {
  readonly holder: string;
  readonly untilMs: number;
}

export function encodeReader(note: ReaderNote): Uint8Array {
  return encodeUtf8(JSON.stringify(note));
}

export function decodeReader(bytes: Uint8Array): ReaderNote {
  const note = JSON.parse(decodeUtf8(bytes)) as ReaderNote;
  if (note.format !== 1) throw new Error(`a reader of the unknown format ${note.format}`);
  return note;
}
