import { machine } from '../../runtime/machine/machine.ts';
import { assertMutations } from '../mutations.ts';
import type {
  Bytes,
  CallOptions,
  Entry,
  LogRecord,
  Mutation,
  Outcome,
  RangePage,
  RangeRequest,
  Reader,
  Snapshot,
  Store,
  Unit,
} from '../store.ts';
import { StoreError } from '../store-error.ts';
import { byteString, bytesOf, OrderedMap } from './ordered-map.ts';

/** The reads that the store and its snapshots share. */
abstract class StateReader implements Reader {
  /** Returns the state to read. Throws if it is closed. */
  protected abstract open(): State;

  get(key: Bytes): Bytes | undefined {
    return this.open().values.get(byteString(key));
  }

  getMany(keys: readonly Bytes[]): (Bytes | undefined)[] {
    return readValues(this.open(), keys);
  }

  counters(keys: readonly Bytes[]): number[] {
    return readCounters(this.open(), keys);
  }

  range(request: RangeRequest): RangePage {
    return readRange(this.open(), request);
  }
}

/**
 * The Store in memory. Every call returns at once, and nothing survives the process. A fork copies the whole database in
 * constant time, so that every test can have a fresh one.
 */
export class MemoryStore extends StateReader implements Store {
  readonly exclusive = true;
  readonly immediate: boolean = true;
  /** Waits for a turn of the event loop between the steps of long work; a virtual runtime has turns of its own. */
  turn: () => Promise<void> = machine.turn;
  #state: State;
  #closed = false;

  constructor(state: State = emptyState()) {
    super();
    this.#state = state;
  }

  /** Returns a store with the same content. Neither store sees later writes of the other. */
  fork(): MemoryStore {
    return new MemoryStore(copyState(this.open()));
  }

  transact<R>(unit: Unit<R>, options?: CallOptions): R {
    const state = this.open();
    options?.signal?.throwIfAborted();
    const { reads, counters } = unit;
    const values = readValues(state, reads);
    const { result, mutations } = unit.decide({
      values,
      counters: counters === undefined ? noCounters : readCounters(state, counters),
    });
    assertMutations(mutations);
    for (const mutation of mutations) apply(state, mutation);
    return result;
  }

  transactMany<R>(units: readonly Unit<R>[], options?: CallOptions): Outcome<R>[] {
    this.open();
    return units.map((unit) => {
      try {
        return { ok: true, result: this.transact(unit, options) };
      } catch (error) {
        return { ok: false, error };
      }
    });
  }

  async deleteRange(from: Bytes, to: Bytes, options?: CallOptions): Promise<number> {
    const [low, high] = [byteString(from), byteString(to)];
    await this.#deleteInSteps((state) => state.counters, low, high, options);
    return this.#deleteInSteps((state) => state.values, low, high, options);
  }

  readLog(bucket: Bytes, after: number, limit: number): LogRecord[] {
    const records: LogRecord[] = [];
    const from = logKey(bucket, after + 1);
    this.open().log.visit(from, logKey(bucket, Number.MAX_SAFE_INTEGER), false, (record) => {
      records.push(record);
      return records.length < limit;
    });
    return limit > 0 ? records : [];
  }

  logEnd(bucket: Bytes): number {
    return this.open().logHeads.get(byteString(bucket)) ?? 0;
  }

  async trimLog(bucket: Bytes, through: number, options?: CallOptions): Promise<void> {
    await this.#deleteInSteps((state) => state.log, logKey(bucket, 0), logKey(bucket, through + 1), options);
  }

  snapshot(): Snapshot {
    return new MemorySnapshot(copyState(this.open()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#state = emptyState();
  }

  async #deleteInSteps<V>(
    choose: (state: State) => OrderedMap<V>,
    from: string,
    to: string,
    options?: CallOptions,
  ): Promise<number> {
    for (let deleted = 0; ; ) {
      options?.signal?.throwIfAborted();
      const map = choose(this.open());
      const keys: string[] = [];
      map.visit(from, to, false, (_, key) => keys.push(key) < keysPerStep);
      for (const key of keys) map.delete(key);
      deleted += keys.length;
      if (keys.length < keysPerStep) return deleted;
      await this.turn();
    }
  }

  protected override open(): State {
    if (this.#closed) throw new StoreError('closed', 'The store is closed');
    return this.#state;
  }
}

class MemorySnapshot extends StateReader implements Snapshot {
  #state: State | undefined;

  constructor(state: State) {
    super();
    this.#state = state;
  }

  close(): void {
    this.#state = undefined;
  }

  protected override open(): State {
    if (this.#state === undefined) throw new StoreError('closed', 'The snapshot is closed');
    return this.#state;
  }
}

interface State {
  /** Values by key. Keys are kept as strings only, which leaves the garbage collector half as many objects. */
  readonly values: OrderedMap<Bytes>;
  readonly counters: OrderedMap<number>;
  readonly log: OrderedMap<LogRecord>;
  /** The last position in each bucket. It outlives the records, so that no position is used again. */
  readonly logHeads: OrderedMap<number>;
}

/** An entry of a range. Most callers read only the last key of a range, so the bytes of a key are made on demand. */
class MemoryEntry implements Entry {
  readonly #text: string;
  readonly value: Bytes;

  constructor(text: string, value: Bytes) {
    this.#text = text;
    this.value = value;
  }

  get key(): Bytes {
    return bytesOf(this.#text);
  }
}

/** A step of so many keys takes about a millisecond. */
const keysPerStep = 1_000;

function emptyState(): State {
  return {
    values: new OrderedMap(),
    counters: new OrderedMap(),
    log: new OrderedMap(),
    logHeads: new OrderedMap(),
  };
}

function copyState(state: State): State {
  return {
    values: state.values.copy(),
    counters: state.counters.copy(),
    log: state.log.copy(),
    logHeads: state.logHeads.copy(),
  };
}

function readValues(state: State, keys: readonly Bytes[]): (Bytes | undefined)[] {
  const values = new Array<Bytes | undefined>(keys.length);
  for (let i = 0; i < keys.length; i++) values[i] = state.values.get(byteString(keys[i]!));
  return values;
}

const noCounters: readonly number[] = [];

function readCounters(state: State, keys: readonly Bytes[]): number[] {
  return keys.map((key) => state.counters.get(byteString(key)) ?? 0);
}

function readRange(state: State, request: RangeRequest): RangePage {
  const { limit, maxBytes = Number.POSITIVE_INFINITY } = request;
  const entries: Entry[] = [];
  let bytes = 0;
  let more = false;
  state.values.visit(
    request.from && byteString(request.from),
    request.to && byteString(request.to),
    request.reverse ?? false,
    (value, text) => {
      if (entries.length === limit || bytes >= maxBytes) {
        more = true;
        return false;
      }
      entries.push(new MemoryEntry(text, value));
      bytes += text.length + value.length;
      return true;
    },
  );
  return { entries, more, also: request.also === undefined ? [] : readValues(state, request.also) };
}

function apply(state: State, mutation: Mutation): void {
  switch (mutation.kind) {
    case 'put':
      state.values.set(byteString(mutation.key), mutation.value);
      break;
    case 'delete':
      state.values.delete(byteString(mutation.key));
      break;
    case 'add': {
      const counter = byteString(mutation.counter);
      state.counters.set(counter, (state.counters.get(counter) ?? 0) + mutation.delta);
      break;
    }
    case 'append': {
      const bucket = byteString(mutation.bucket);
      const position = (state.logHeads.get(bucket) ?? 0) + 1;
      state.logHeads.set(bucket, position);
      state.log.set(logKey(mutation.bucket, position), { position, record: mutation.record });
      break;
    }
  }
}

/** The bucket's length comes first, so that the records of each bucket are contiguous. */
function logKey(bucket: Bytes, position: number): string {
  return String.fromCharCode(bucket.length) + byteString(bucket) + position.toString(16).padStart(14, '0');
}
