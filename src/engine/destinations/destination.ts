import { isUnderWay } from '../phase-end.ts';
import type { TableRecord } from '../tables/table-record.ts';

export type Precision = 'MILLISECOND' | 'MICROSECOND';

/** A Kinesis data stream that a table's changes go to, or went to once. */
export interface KinesisDestination {
  readonly streamArn: string;
  /** ENABLING until the stream has been looked at; then what came of it, or of a request to disable it. */
  readonly state: 'ENABLING' | 'ACTIVE' | 'DISABLED' | 'ENABLE_FAILED';
  /** What is shown instead for a while, where phases are acted out. */
  readonly passing?: { readonly as: 'ENABLING' | 'UPDATING' | 'DISABLING'; readonly until: number };
  /** Absent until it is set, which means milliseconds. */
  readonly precision?: Precision;
  /** Why it is as it is, where that is not what was asked for. */
  readonly description?: string;
  /** The reader of the table's log that stands for it, while it is enabled. */
  readonly reader: string;
}

export type DestinationStatus = KinesisDestination['state'] | 'UPDATING' | 'DISABLING';

export function destinationStatusAt(
  { state, passing }: KinesisDestination,
  nowMs: number,
): DestinationStatus {
  return passing !== undefined && isUnderWay(passing.until, nowMs) ? passing.as : state;
}

/** A table has at most one that is, or is about to be, in use. */
export function isInUse(destination: KinesisDestination, nowMs: number): boolean {
  const status = destinationStatusAt(destination, nowMs);
  return status !== 'DISABLED' && status !== 'ENABLE_FAILED';
}

/** The destination whose records a reader delivers; undefined when it is over. */
export function destinationOf(record: TableRecord, reader: string): KinesisDestination | undefined {
  return record.destinations?.find(
    (each) => each.reader === reader && (each.state === 'ENABLING' || each.state === 'ACTIVE'),
  );
}

export function isDestinationReader(name: string): boolean {
  return name.startsWith(readerPrefix);
}

export const readerPrefix = 'kinesis-';
