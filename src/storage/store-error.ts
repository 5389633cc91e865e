/** What went wrong in the world, not in the request and not in our code. */
export type Trouble =
  /** The disk, the quota or the server has no room for the write. */
  | 'full'
  /** Stored bytes are not what was written: a truncated or altered file. */
  | 'corrupt'
  /** The engine cannot be reached or refuses to work just now. */
  | 'unavailable'
  /** The unit was sent and its answer lost: it was committed whole or not at all. */
  | 'unknown-outcome'
  /** Too many other writers wanted the same keys; the bounded number of tries is used up. */
  | 'contention'
  /** Another process holds the data. */
  | 'in-use'
  /** The data was written by a version of Stator that this one does not know. */
  | 'format'
  /** The store, or the snapshot, was closed. */
  | 'closed';

/** An operation failed for a reason outside the request and outside our code. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: Trouble;

  constructor(trouble: Trouble, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.trouble = trouble;
  }
}

/** A stored value is not what was written. `key` is where it lies, so that a check can go on behind it. */
export class DamagedValue extends StoreError {
  readonly key: Uint8Array;

  constructor(key: Uint8Array, message: string) {
    super('corrupt', message);
    this.key = key;
  }
}
