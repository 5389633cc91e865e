import { object, optional, text, whole } from '../../model/json/fields.ts';
import { timeLimits } from '../../model/limits.ts';
import type { KeySchemaElement, StreamViewType } from '../../model/tables/table-description.ts';
import { keySchemaField, streamViewTypeField } from '../../model/tables/table-fields.ts';
import { jsonRecord, scopeFields } from '../json-record.ts';
import type { Scope } from '../store-keys.ts';
import { type LogLayout, logLayoutField } from './log-layout.ts';

/**
 * A stream that can be read, as JSON under its table's name and its label. The note is there from the moment the stream
 * is switched on, and stays for a day after its end, whatever becomes of the table: with a table's next stream, or the
 * next table of its name, it shares nothing.
 */
export interface StreamNote {
  readonly account: string;
  readonly region: string;
  readonly tableName: string;
  readonly label: string;
  readonly storageId: string;
  readonly viewType: StreamViewType;
  readonly keySchema: readonly KeySchemaElement[];
  readonly createdAt: number;
  /** Its records are those of the table's epochs from `since` on, and before `until` once it has ended. */
  readonly since: number;
  readonly until?: number;
  readonly endedAt?: number;
  /** The buckets of the log, as in the table's record: a split of a bucket changes both at once. */
  readonly log?: LogLayout;
}

export const { encode: encodeStream, decode: decodeStream } = jsonRecord<StreamNote>(
  'a stream',
  1,
  object<StreamNote>({
    ...scopeFields,
    tableName: text,
    label: text,
    storageId: text,
    viewType: streamViewTypeField,
    keySchema: keySchemaField,
    createdAt: whole,
    since: whole,
    until: optional(whole),
    endedAt: optional(whole),
    log: optional(logLayoutField),
  }),
);

export function scopeOf({ account, region }: StreamNote): Scope {
  return { account, region };
}

/** How long records can be read, and a stream after its end. */
export const retentionMs = timeLimits.streamRetentionHours * 3_600_000;

/** A stream that ended a day ago is gone, although its note may still lie there. */
export function isReadable({ endedAt }: StreamNote, nowMs: number): boolean {
  return endedAt === undefined || nowMs < endedAt + retentionMs;
}

/** A record that is a day old is gone, although it may still lie in the log. */
export function isExpired(writtenMicros: number, nowMs: number): boolean {
  return writtenMicros / 1000 + retentionMs <= nowMs;
}

export function isOfStream({ since, until }: StreamNote, epoch: number): boolean {
  return epoch >= since && (until === undefined || epoch < until);
}
