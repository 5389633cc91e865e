import type { StreamViewType } from '../../model/tables/table-description.ts';

/**
 * Whoever follows the changes of a table. While there is anyone, every write to the table appends a record to the log,
 * and writers know it by the table's epoch: whoever begins to follow gets all changes from that epoch on.
 */
export type Follower = StreamFollower | ReaderFollower;

/** The stream that is switched on. It has no cursor: what it keeps is kept for a day, whoever reads it. */
export interface StreamFollower {
  readonly kind: 'stream';
  readonly label: string;
  readonly viewType: StreamViewType;
  readonly createdAt: number;
  /** The first epoch whose changes it is given. */
  readonly since: number;
}

/** A reader with a cursor of its own, which keeps what it has not read, but no longer than it promised to come back. */
export interface ReaderFollower {
  readonly kind: 'reader';
  readonly name: string;
  readonly since: number;
  readonly retainMs: number;
}

export function streamFollower(followers: readonly Follower[] | undefined): StreamFollower | undefined {
  return followers?.find((follower) => follower.kind === 'stream');
}

/** The followers without one of them; undefined when nobody is left. */
export function without(
  followers: readonly Follower[] | undefined,
  gone: Follower,
): readonly Follower[] | undefined {
  const left = (followers ?? []).filter((follower) => follower !== gone);
  return left.length === 0 ? undefined : left;
}
