import type { Hash16 } from '../../model/keys/keys.ts';
import { keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import type { Store } from '../../storage/store.ts';
import { type Scope, shardsKey, streamKey, streamsOfScope, streamsPrefix } from '../store-keys.ts';
import { bucketName, type LogLayout } from './log-layout.ts';
import { type LoggedChange, readBucket } from './read-bucket.ts';
import {
  closeAt,
  closingShards,
  decodeShards,
  dueStep,
  encodeShards,
  forgetOld,
  markAged,
  type Shard,
  type ShardsNote,
} from './shards.ts';
import { decodeStream, isExpired, isOfStream, isReadable, type StreamNote, scopeOf } from './stream-note.ts';

export interface StreamDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly h16: Hash16;
}

/** Where a reader stands in a shard. */
export interface ShardPlace {
  /** The position after which it reads on. */
  readonly after: number;
  /** It has not read anything yet and wants the oldest there is; else what it wants must still be there. */
  readonly fromHorizon: boolean;
}

export interface ShardPage {
  readonly records: readonly LoggedChange[];
  readonly next: ShardPlace;
  /** Nothing will ever follow. */
  readonly isOver: boolean;
}

/** What was to be read is a day old and gone. */
export const trimmed = Symbol('trimmed records');

/** The streams of tables, running and ended. Shards that are due to be closed are closed when somebody looks. */
export class Streams {
  readonly #deps: StreamDeps;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
  }

  async find(scope: Scope, tableName: string, label: string): Promise<StreamNote | undefined> {
    const key = streamKey(scope, tableName, label);
    return this.#readable(await this.#deps.store.get(key), key);
  }

  /** The streams of a table or, without a name, of all tables, in the order of their names, after one of them. */
  async list(
    scope: Scope,
    tableName: string | undefined,
    after: { readonly tableName: string; readonly label: string } | undefined,
    limit: number,
  ): Promise<StreamNote[]> {
    const prefix = tableName === undefined ? streamsOfScope(scope) : streamsPrefix(scope, tableName);
    const found: StreamNote[] = [];
    let from = after === undefined ? prefix : keyAfter(streamKey(scope, after.tableName, after.label));
    for (;;) {
      const page = await this.#deps.store.range({
        from,
        to: prefixEnd(prefix)!,
        limit: limit - found.length,
      });
      for (const { key, value } of page.entries) {
        const note = this.#readable(value, key);
        if (note !== undefined) found.push(note);
      }
      if (!page.more || found.length === limit) return found;
      from = keyAfter(page.entries.at(-1)!.key);
    }
  }

  /** A moment for the label of a table's next stream: now, or just after the last one that is still known. */
  async nextLabelMs(scope: Scope, tableName: string): Promise<number> {
    const prefix = streamsPrefix(scope, tableName);
    const page = await this.#deps.store.range({
      from: prefix,
      to: prefixEnd(prefix)!,
      reverse: true,
      limit: 1,
    });
    const [entry] = page.entries;
    const last = entry && decodeStream(entry.value, entry.key);
    const now = nowMs(this.#deps.clock);
    return last === undefined ? now : Math.max(now, Date.parse(`${last.label}Z`) + 1);
  }

  /** The end of each bucket of a log, by the bucket's number. */
  async logEnds(storageId: string, layout: LogLayout): Promise<readonly number[]> {
    const ends: number[] = [];
    const looks = layout.map(async ({ number }) => {
      ends[number] = await this.#deps.store.logEnd(bucketName(storageId, number));
    });
    await Promise.all(looks);
    return Array.from(ends, (end = 0) => end);
  }

  /** The shards as they are now; undefined when the stream is gone. */
  async shards(stream: StreamNote): Promise<readonly Shard[] | undefined> {
    const key = shardsKey(stream.storageId, stream.label);
    for (;;) {
      const bytes = await this.#deps.store.get(key);
      if (bytes === undefined) return undefined;
      const note = decodeShards(bytes, key);
      const now = nowMs(this.#deps.clock);
      const step = dueStep(note, stream, now);
      if (step === undefined) return note.shards;
      if (step === 'mark') await this.#change(key, (current) => markAged(current, now));
      else if (step === 'forget') await this.#change(key, (current) => forgetOld(current, now));
      else await this.#close(key, note, stream, now);
    }
  }

  /** Looked up after the mark was read, so that nobody has read beyond the ends. */
  async #close(key: Uint8Array, note: ShardsNote, stream: StreamNote, now: number): Promise<void> {
    const { store, h16 } = this.#deps;
    const ends = new Map<number, number>();
    for (const { number, bucket } of closingShards(note, stream))
      ends.set(number, await store.logEnd(bucketName(stream.storageId, bucket)));
    await this.#change(key, (current) => closeAt(current, stream, ends, now, h16));
  }

  async #change(key: Uint8Array, change: (note: ShardsNote) => ShardsNote): Promise<void> {
    await this.#deps.store.transact({
      reads: [key],
      decide: ({ values: [bytes] }) =>
        bytes === undefined
          ? { result: undefined, mutations: [] }
          : {
              result: undefined,
              mutations: [{ kind: 'put', key, value: encodeShards(change(decodeShards(bytes, key))) }],
            },
    });
  }

  /** The place behind everything that a shard has now. */
  async latest(stream: StreamNote, shard: Shard): Promise<ShardPlace> {
    const end = shard.through ?? (await this.#deps.store.logEnd(bucketName(stream.storageId, shard.bucket)));
    return { after: Math.max(end, shard.after), fromHorizon: false };
  }

  /** Whether the record after a position is there no longer. */
  async isTrimmed(stream: StreamNote, shard: Shard, after: number): Promise<boolean> {
    const bucket = bucketName(stream.storageId, shard.bucket);
    const [first] = await readBucket(this.#deps.store, bucket, after, 1);
    return this.#isGap(bucket, first, shard, after);
  }

  /**
   * A page of a shard; undefined when the stream or the shard is gone. `accepts` ends the page before a record that does
   * not fit. The log is read first and the notes afterwards: a shard that is not marked to be closed by then will be
   * closed behind what was read, and a stream that has not ended by then has all of it.
   */
  async read(
    stream: StreamNote,
    shardNumber: number,
    place: ShardPlace,
    limit: number,
    accepts: (logged: LoggedChange, shard: Shard) => boolean,
  ): Promise<ShardPage | typeof trimmed | undefined> {
    const { store, clock } = this.#deps;
    const now = nowMs(clock);
    const before = await this.#shard(stream, shardNumber);
    if (before === undefined) return undefined;
    const bucket = bucketName(stream.storageId, before.bucket);
    // Whether this is one of the stream's records is known only afterwards; nearly all are.
    const found = await readBucket(
      store,
      bucket,
      place.after,
      limit,
      (logged) => isExpired(logged.change.writtenMicros, now) || accepts(logged, before),
    );
    const current = await this.find(scopeOf(stream), stream.tableName, stream.label);
    if (current === undefined || current.storageId !== stream.storageId) return undefined;
    const shard = (await this.shards(current))?.find((each) => each.number === shardNumber);
    if (shard === undefined) return undefined;
    if (!place.fromHorizon && (await this.#isGap(bucket, found[0], shard, place.after))) return trimmed;
    const { through = Number.POSITIVE_INFINITY } = shard;
    const within = found.filter(({ position }) => position <= through);
    // That nothing was found means the end only of a shard that had its end before: to one that was closed meanwhile,
    // records may have come after the look into the log.
    const isExhausted = within.length < found.length || (found.length === 0 && before.through !== undefined);
    const last = within.at(-1)?.position ?? place.after;
    const after = isExhausted ? Math.max(through, place.after) : last;
    const records = within.filter(
      ({ change }) => isOfStream(current, change.epoch) && !isExpired(change.writtenMicros, now),
    );
    return {
      records,
      next: { after, fromHorizon: place.fromHorizon && records.length === 0 },
      isOver: after >= through,
    };
  }

  /** A shard as its note has it, due to be closed or not. */
  async #shard({ storageId, label }: StreamNote, shardNumber: number): Promise<Shard | undefined> {
    const key = shardsKey(storageId, label);
    const bytes = await this.#deps.store.get(key);
    return bytes && decodeShards(bytes, key).shards.find(({ number }) => number === shardNumber);
  }

  /** Positions have no gaps but those of records that were trimmed. */
  async #isGap(
    bucket: Uint8Array,
    first: LoggedChange | undefined,
    { through = Number.POSITIVE_INFINITY }: Shard,
    after: number,
  ): Promise<boolean> {
    const { store, clock } = this.#deps;
    if (after >= through) return false;
    if (first !== undefined)
      return first.position > after + 1 || isExpired(first.change.writtenMicros, nowMs(clock));
    if (after >= (await store.logEnd(bucket))) return false;
    // There was a record at that place, or has been one since nothing was found there.
    const [now] = await store.readLog(bucket, after, 1);
    return now === undefined || now.position > after + 1;
  }

  #readable(bytes: Uint8Array | undefined, key: Uint8Array): StreamNote | undefined {
    const note = bytes && decodeStream(bytes, key);
    return note !== undefined && isReadable(note, nowMs(this.#deps.clock)) ? note : undefined;
  }
}
