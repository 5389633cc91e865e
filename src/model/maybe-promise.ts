/** Work that is done at once is answered at once: a read from memory costs no promise. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value now if it is here, later if it is not. */
export function whenDone<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All the values, now if all of them are here. */
export function whenAllDone<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
