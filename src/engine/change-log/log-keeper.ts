import { equalBytes, prefixEnd } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { type Background, type Pace, Worker } from '../background/background-worker.ts';
import { pagesOf } from '../check/range-pages.ts';
import {
  logNoteKey,
  logNoteRange,
  readerKey,
  readerRange,
  type Scope,
  shardsKey,
  storageIdBytes,
  streamRange,
  streamsPrefix,
} from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import { decodeChange } from './change-record.ts';
import { bucketName } from './log-layout.ts';
import { decodeLogNote, readLayout } from './log-note.ts';
import type { LogReaders } from './log-readers.ts';
import { decodeReader, type ReaderNote } from './reader-note.ts';
import { decodeStream, isExpired, isReadable, type StreamNote } from './stream-note.ts';
import type { Streams } from './streams.ts';

export interface KeeperDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly streams: Streams;
  readonly readers: LogReaders;
  /** Whether a reader is at work in this process. */
  readonly isPresent: (name: string) => boolean;
}

/**
 * Keeps the change log short, in the background: trims records that no follower needs any more, rolls shards over, and
 * forgets streams that ended a day ago and readers that do not come back. It works when a store is opened, and when a
 * record is written or read after a while. It needs no timer: a log that nobody touches does not grow.
 */
export class LogKeeper {
  readonly #deps: KeeperDeps;
  readonly #background: Background;
  readonly #worker: Worker;
  #lookedAt: number | undefined;

  constructor(deps: KeeperDeps, background: Background) {
    this.#deps = deps;
    this.#background = background;
    this.#worker = new Worker(background, {
      name: 'Trimming the change log',
      run: () => this.#keep(),
      failed: (error) =>
        background.log(`Trimming the change log failed and will be tried again: ${String(error)}`),
    });
  }

  /** Starts, unless it did so a moment ago. Called with every record that is written and every request for records. */
  touch(): void {
    const now = nowMs(this.#background.clock);
    // A clock that is set back by hand must not stop the keeper for as long.
    if (this.#lookedAt !== undefined && Math.abs(now - this.#lookedAt) < lookMs) return;
    this.start();
  }

  start(): void {
    this.#lookedAt = nowMs(this.#background.clock);
    this.#worker.wake();
  }

  settled(): Promise<void> {
    return this.#worker.settled();
  }

  async *#keep(): AsyncGenerator<Pace, void> {
    yield 'turn';
    for (const [storageId, owner] of await this.#logs()) {
      yield* this.#keepLog(storageId, owner);
      yield 'turn';
    }
  }

  /** The logs of all streams, readers and dropped tables, by storage id. */
  async #logs(): Promise<Map<string, Owner>> {
    const logs = new Map<string, Owner>();
    for await (const { key, value } of this.#entries(logNoteRange))
      logs.set(toHex(key.subarray(1, 1 + storageIdBytes)), decodeLogNote(value, key));
    for await (const { key, value } of this.#entries(streamRange)) {
      const stream = decodeStream(value, key);
      logs.set(stream.storageId, stream);
    }
    for await (const { key, value } of this.#entries(readerRange))
      logs.set(toHex(key.subarray(1, 1 + storageIdBytes)), decodeReader(value, key));
    return logs;
  }

  async *#entries({ from, to }: { readonly from: Uint8Array; readonly to: Uint8Array }) {
    for await (const page of pagesOf(this.#deps.store, from, to)) yield* page;
  }

  async *#keepLog(storageId: string, owner: Owner): AsyncGenerator<Pace, void> {
    const { store, streams } = this.#deps;
    // The ends are read before the followers: a follower that begins later needs only records behind these ends.
    const layout = await readLayout(store, owner, owner.tableName, storageId);
    const ends = await streams.logEnds(storageId, layout);
    const claims = await this.#claimsOn(storageId, owner);
    for (const stream of claims.readable) await streams.shards(stream);
    for (const { number } of layout) {
      const bucket = bucketName(storageId, number);
      const limit = Math.min(ends[number]!, ...claims.readers.map(({ positions }) => positions[number] ?? 0));
      if (claims.readable.length > 0) yield* this.#trimOld(bucket, limit);
      else await store.trimLog(bucket, limit, { signal: this.#background.signal });
    }
    // The notes go last: when a process is killed in between, the next one does the rest.
    for (const entry of claims.over) await this.#remove(entry);
  }

  async #claimsOn(storageId: string, owner: Owner): Promise<Claims> {
    const now = nowMs(this.#background.clock);
    const claims: Claims = { readable: [], readers: [], over: [] };
    const ofTable = streamsPrefix(owner, owner.tableName);
    for await (const { key, value } of this.#entries({ from: ofTable, to: prefixEnd(ofTable)! })) {
      const stream = decodeStream(value, key);
      if (stream.storageId !== storageId) continue;
      if (isReadable(stream, now)) claims.readable.push(stream);
      else claims.over.push({ key, value, also: shardsKey(storageId, stream.label) });
    }
    const ofReaders = readerKey(storageId, '');
    const readers = { from: ofReaders, to: prefixEnd(ofReaders)!, limit: readersMax };
    const { entries } = await this.#deps.store.range(readers);
    for (const { key, value } of entries) {
      const note = decodeReader(value, key);
      if (await this.#isReading(storageId, note, now)) claims.readers.push(note);
      else claims.over.push({ key, value });
    }
    if (claims.readable.length > 0 || claims.readers.length > 0) return claims;
    const ofLog = logNoteKey(storageId);
    const note = await this.#deps.store.get(ofLog);
    if (note !== undefined) claims.over.push({ key: ofLog, value: note });
    return claims;
  }

  /** A reader that has not come for too long is dismissed first. */
  async #isReading(storageId: string, note: ReaderNote, now: number): Promise<boolean> {
    const { catalogue, readers, isPresent } = this.#deps;
    const record = await catalogue.record(note, note.tableName);
    const isKnown =
      record?.storageId === storageId &&
      record.followers?.some((follower) => follower.kind === 'reader' && follower.name === note.name);
    if (isKnown !== true) return false;
    if (now < note.seenAt + note.retainMs || isPresent(note.name)) return true;
    await readers.dismiss(note, note.tableName, note.name);
    return false;
  }

  /** From the beginning up to the first record that is young enough. */
  async *#trimOld(bucket: Uint8Array, limit: number): AsyncGenerator<Pace, void> {
    const { store } = this.#deps;
    const now = nowMs(this.#background.clock);
    for (;;) {
      const page = await store.readLog(bucket, 0, recordsPerStep);
      const firstKept = page.findIndex(
        ({ position, record }) => position > limit || !isExpired(decodeChange(record).writtenMicros, now),
      );
      const old = firstKept === -1 ? page : page.slice(0, firstKept);
      if (old.length === 0) return;
      await store.trimLog(bucket, old.at(-1)!.position, { signal: this.#background.signal });
      if (old.length < page.length) return;
      yield 'turn';
    }
  }

  /** Unless it has been written anew since it was read. */
  async #remove({ key, value, also }: NoteOver): Promise<void> {
    await this.#deps.store.transact({
      reads: [key],
      decide: ({ values: [found] }) => ({
        result: undefined,
        mutations:
          found === undefined || !equalBytes(found, value)
            ? []
            : [key, ...(also === undefined ? [] : [also])].map((each) => ({ kind: 'delete', key: each })),
      }),
    });
  }
}

/** The table whose log it is, or was. */
interface Owner extends Scope {
  readonly tableName: string;
}

interface Claims {
  readonly readable: StreamNote[];
  readonly readers: ReaderNote[];
  readonly over: NoteOver[];
}

/** A note that nobody needs any more, and what goes with it. */
interface NoteOver {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly also?: Uint8Array;
}

/** The shortest time between two runs, by the database's clock. */
const lookMs = 600_000;
/** The records that a step reads; they may be large. */
const recordsPerStep = 25;
/** The readers of one table in a run; a reader beyond them loses nothing. */
const readersMax = 1_000;
