import { whenDone } from '../../src/model/maybe-promise.ts';
import type {
  Bytes,
  CallOptions,
  LogRecord,
  MaybePromise,
  Outcome,
  RangePage,
  RangeRequest,
  Reader,
  Snapshot,
  Store,
  Unit,
} from '../../src/storage/store.ts';

export type Method =
  | 'get'
  | 'getMany'
  | 'counters'
  | 'range'
  | 'transact'
  | 'transactMany'
  | 'deleteRange'
  | 'readLog'
  | 'logEnd'
  | 'trimLog'
  | 'snapshot';

/** One call of a store, or of a snapshot that the store gave out. */
export interface Call {
  readonly method: Method;
  /** What was passed, for predicates that look for a key. */
  readonly args: readonly unknown[];
  readonly onSnapshot: boolean;
}

export function mayWrite(method: Method): boolean {
  return (
    method === 'transact' || method === 'transactMany' || method === 'deleteRange' || method === 'trimLog'
  );
}

/**
 * A store around another one, through whose `intercept` every call passes, those on its snapshots too. Closing is
 * not an operation and passes straight through, so that a test can always clean up.
 */
export abstract class InterceptedStore implements Store {
  readonly exclusive: boolean;
  readonly immediate = false;
  protected readonly inner: Store;

  constructor(inner: Store) {
    this.inner = inner;
    this.exclusive = inner.exclusive;
  }

  protected abstract intercept<T>(call: Call, run: () => MaybePromise<T>): MaybePromise<T>;

  get(key: Bytes): MaybePromise<Bytes | undefined> {
    return this.#read(this.inner, false).get(key);
  }

  getMany(keys: readonly Bytes[]): MaybePromise<(Bytes | undefined)[]> {
    return this.#read(this.inner, false).getMany(keys);
  }

  counters(keys: readonly Bytes[]): MaybePromise<number[]> {
    return this.#read(this.inner, false).counters(keys);
  }

  range(request: RangeRequest): MaybePromise<RangePage> {
    return this.#read(this.inner, false).range(request);
  }

  transact<R>(unit: Unit<R>, options?: CallOptions): MaybePromise<R> {
    return this.#pass('transact', [unit, options], () => this.inner.transact(unit, options));
  }

  transactMany<R>(units: readonly Unit<R>[], options?: CallOptions): MaybePromise<Outcome<R>[]> {
    return this.#pass('transactMany', [units, options], () => this.inner.transactMany(units, options));
  }

  deleteRange(from: Bytes, to: Bytes, options?: CallOptions): MaybePromise<number> {
    return this.#pass('deleteRange', [from, to, options], () => this.inner.deleteRange(from, to, options));
  }

  readLog(bucket: Bytes, after: number, limit: number): MaybePromise<LogRecord[]> {
    return this.#pass('readLog', [bucket, after, limit], () => this.inner.readLog(bucket, after, limit));
  }

  logEnd(bucket: Bytes): MaybePromise<number> {
    return this.#pass('logEnd', [bucket], () => this.inner.logEnd(bucket));
  }

  trimLog(bucket: Bytes, through: number, options?: CallOptions): MaybePromise<void> {
    return this.#pass('trimLog', [bucket, through, options], () =>
      this.inner.trimLog(bucket, through, options),
    );
  }

  snapshot(): MaybePromise<Snapshot> {
    return this.#pass('snapshot', [], () =>
      whenDone(this.inner.snapshot(), (snapshot) => ({
        ...this.#read(snapshot, true),
        close: () => snapshot.close(),
      })),
    );
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  #pass<T>(method: Method, args: readonly unknown[], run: () => MaybePromise<T>): MaybePromise<T> {
    return this.intercept({ method, args, onSnapshot: false }, run);
  }

  #read(reader: Reader, onSnapshot: boolean): Reader {
    const call = (method: Method, args: readonly unknown[]): Call => ({ method, args, onSnapshot });
    return {
      get: (key) => this.intercept(call('get', [key]), () => reader.get(key)),
      getMany: (keys) => this.intercept(call('getMany', [keys]), () => reader.getMany(keys)),
      counters: (keys) => this.intercept(call('counters', [keys]), () => reader.counters(keys)),
      range: (request) => this.intercept(call('range', [request]), () => reader.range(request)),
    };
  }
}
