import { without } from '../change-log/follower.ts';
import { type LogBeginning, openLog } from '../change-log/log-beginning.ts';
import { encodeReader } from '../change-log/reader-note.ts';
import { readerKey, type Scope } from '../store-keys.ts';
import type { RecordChange } from '../tables/catalogue.ts';
import type { TableRecord } from '../tables/table-record.ts';
import type { KinesisDestination } from './destination.ts';

export interface Enabling {
  readonly destination: KinesisDestination;
  /** What was looked up before: what the log had until then is not delivered. */
  readonly log: LogBeginning;
  readonly nowMs: number;
}

/**
 * A table with a destination that is being enabled, in place of an older entry for the same stream. Its reader is there
 * from this very change on, so that it is given every change of later epochs.
 */
export function enableDestination(
  current: TableRecord,
  scope: Scope,
  { destination, log, nowMs }: Enabling,
): Extract<RecordChange, { put: TableRecord }> {
  const { reader: name, streamArn } = destination;
  const { tableName } = current.description;
  const epoch = current.epoch + 1;
  const before = current.destinations ?? [];
  const isKnown = before.some((each) => each.streamArn === streamArn);
  const note = { ...scope, tableName, name, positions: log.ends, seenAt: nowMs, retainMs };
  return {
    put: {
      ...openLog({ ...current, epoch }, log),
      followers: [...(current.followers ?? []), { kind: 'reader', name, since: epoch, retainMs }],
      // The newest stands first; one that is enabled again stays where it was (observed: ACK, October 2026).
      destinations: isKnown
        ? before.map((each) => (each.streamArn === streamArn ? destination : each))
        : [destination, ...before],
    },
    also: [{ kind: 'put', key: readerKey(current.storageId, name), value: encodeReader(note) }],
  };
}

/** Changes an entry without a change for writers. */
export function replaceDestination(
  current: TableRecord,
  before: KinesisDestination,
  after: KinesisDestination,
): TableRecord {
  return {
    ...current,
    destinations: (current.destinations ?? []).map((each) => (each === before ? after : each)),
  };
}

/** The table tells the destination nothing more; what it leaves of its cursor is for the keeper of the log. */
export function endDestination(
  current: TableRecord,
  before: KinesisDestination,
  after: KinesisDestination,
): TableRecord {
  const { followers, ...rest } = replaceDestination(current, before, after);
  const reader = followers?.find((each) => each.kind === 'reader' && each.name === before.reader);
  const left = reader === undefined ? followers : without(followers, reader);
  return { ...rest, epoch: current.epoch + 1, ...(left && { followers: left }) };
}

/**
 * The keeper of the log dismisses readers that do not come back. A destination is given up by whoever delivers to it, by
 * the age of what it has not taken (`delivery.ts`): one that has nothing to take may be silent for ever.
 */
const retainMs = Number.MAX_SAFE_INTEGER;
