import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { LeaseTerm } from '../background/lease.ts';

/** The progress of a reader of a table's log, as JSON under the table's storage id and the reader's name. */
export interface ReaderNote {
  readonly format: 1;
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly name: string;
  /** For each bucket the position of the last record that the reader is done with. */
  readonly positions: readonly number[];
  /** When the reader last advanced; it is dismissed after `retainMs` without that. */
  readonly seenAt: number;
  readonly retainMs: number;
  /** The process that reads for it, where only one may. */
  readonly lease?: LeaseTerm;
}

export function encodeReader(note: ReaderNote): Uint8Array {
  return encodeUtf8(JSON.stringify(note));
}

export function decodeReader(bytes: Uint8Array): ReaderNote {
  const note = JSON.parse(decodeUtf8(bytes)) as ReaderNote;
  if (note.format !== 1) throw new Error(`a reader of the unknown format ${note.format}`);
  return note;
}
