/**
 * A result, or a promise of it. Work that finishes at once returns its result directly: a read from memory costs no
 * promise.
 */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with the value: now if there is one, later if there is a promise. */
export function whenDone<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All values: now if none of them is a promise, else a promise of them. */
export function whenAllDone<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
