import { listOf, number, object, optional, text } from '../../../model/json/fields.ts';
import { none, stateOnly } from './table-part.ts';

/** The order of a table's writes, and what is kept of its past. */
export interface RecoveryState {
  /** The era of the table's writes. Absent until a moment of it is taken; then it rises with every moment. */
  readonly order?: TableOrder;
  /** The slot of old images, while point-in-time recovery or a job needs them. */
  readonly history?: KeptHistory;
  /** Point-in-time recovery, while it is on. */
  readonly recovery?: Recovery;
  /** The jobs that read the table as it was at a time. */
  readonly readers?: readonly PastReaderNote[];
}

/** The era of a table's writes (`history/eras.ts`). It outlives the table's history. */
export interface TableOrder {
  readonly era: number;
  /** When the era began, by the clock of the process that began it. */
  readonly beganMicros: number;
  /** A time of a write in this era, noted now and then: a process that starts with an earlier clock begins an era. */
  readonly seenMicros?: number;
  /** The beginning of the last era that began because a clock went back. */
  readonly steppedMs?: number;
}

/** The slot of a table's old images. */
export interface KeptHistory {
  readonly slot: number;
  /** The first era of the period under which images are kept now. */
  readonly period: number;
  readonly periodBeganMicros: number;
}

/** Point-in-time recovery of a table. */
export interface Recovery {
  /** The earliest time, in milliseconds, that means an era of which every old image is kept. */
  readonly since: number;
  /** The earliest era of which every old image is kept. What deletes images raises it first. */
  readonly era: number;
  readonly periodDays: number;
}

/** A job that reads a table as it was: the images of its period and of later ones stay until it is done. */
export interface PastReaderNote {
  readonly jobId: string;
  readonly period: number;
}

/** DescribeTable does not show recovery; it has an operation of its own. */
export const recovery = stateOnly<RecoveryState>(
  {
    order: optional(
      object<TableOrder>({
        era: number,
        beganMicros: number,
        seenMicros: optional(number),
        steppedMs: optional(number),
      }),
    ),
    history: optional(object<KeptHistory>({ slot: number, period: number, periodBeganMicros: number })),
    recovery: optional(object<Recovery>({ since: number, era: number, periodDays: number })),
    readers: optional(listOf(object<PastReaderNote>({ jobId: text, period: number }))),
  },
  none,
);
