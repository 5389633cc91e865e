import { listOf, object, optional, text, whole } from '../../model/json/fields.ts';
import { type LeaseTerm, leaseTerm } from '../background/lease.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';

/** The progress of a reader of a table's log, as JSON under the table's storage id and the reader's name. */
export interface ReaderNote {
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly name: string;
  /** The position of the last record that the reader is done with, by the number of the bucket; 0 beyond the last one. */
  readonly positions: readonly number[];
  /** When the reader last advanced; it is dismissed after `retainMs` without that. */
  readonly seenAt: number;
  readonly retainMs: number;
  /** The process that reads for it, where only one may. */
  readonly lease?: LeaseTerm;
}

export const { encode: encodeReader, decode: decodeReader } = jsonRecord<ReaderNote>(
  'a reader',
  1,
  object<ReaderNote>({
    ...scopeFields,
    tableName: text,
    name: text,
    positions: listOf(whole),
    seenAt: whole,
    retainMs: whole,
    lease: optional(leaseTerm),
  }),
);
