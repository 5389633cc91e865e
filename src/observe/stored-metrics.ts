import { jsonRecord } from '../engine/json-record.ts';
import { object, oneOf, optional, text } from '../model/json/fields.ts';
import type { Hash16 } from '../model/keys/keys.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { concatBytes, prefixEnd } from '../model/values/bytes.ts';
import { toHex } from '../model/values/hex.ts';
import { encodeUtf8 } from '../model/values/utf8.ts';
import type { Entry, Mutation, Store } from '../storage/store.ts';
import { leastUsedOfLargest } from './fair-drop.ts';
import { LiveRows } from './live-rows.ts';
import { keyOfText, keyText, type MetricKey, type MetricUnit } from './metric-key.ts';
import { GaugeStates, type MetricStore, matches, PointsByStep } from './metric-store.ts';
import { type ListedMetric, type MetricFilter, type Metrics, minuteOf, minutesKept } from './metrics.ts';
import { chunkOf, visitMinutes } from './minute-chunk.ts';
import { type MinutePoint, PointSum, type StatisticSet, WholeHistogram } from './minute-point.ts';
import type { Series } from './series.ts';
import { minutesKey, nameKey, namesPrefix, placeOf } from './stored-metric-keys.ts';

export interface StoredMetricsDeps {
  readonly memory: MetricStore;
  readonly store: Store;
  readonly h16: Hash16;
  readonly nowMs: () => number;
  /** Names this process among those that share the store: 8 bytes. */
  readonly process: Uint8Array;
  /** Measures real time; the others' minutes under way are read at most once a second. */
  readonly stopwatchMs: () => number;
  /** How many series the store keeps. */
  readonly seriesMax?: number;
}

/** What a name in the store says. */
interface StoredName {
  readonly text: string;
  readonly unit: MetricUnit;
  readonly isGauge?: true;
}

/** Names have no format. */
const nameRecord = jsonRecord<StoredName>(
  'the name of a series',
  0,
  object<StoredName>({ text, unit: text, isGauge: optional(oneOf(true)) }),
);

const putsAtOnce = 200;
/** How many series a store keeps, of all processes that have written to it. */
const storedSeriesMax = 20_000;

/**
 * Metrics on a durable store. Memory has the latest hours of this process; the store has all earlier minutes, of this and
 * of all other processes. `write` puts there what has changed, and somebody calls it in the background.
 */
export class StoredMetrics implements Metrics {
  readonly #deps: StoredMetricsDeps;
  readonly #hashes = new Map<string, Uint8Array>();
  readonly #named = new Set<string>();
  /** The series of which this process has written minutes. */
  readonly #written = new Set<string>();
  readonly #dropped: Uint8Array[] = [];
  readonly #live: LiveRows;
  #trimmedChunk = -1;

  constructor(deps: StoredMetricsDeps) {
    this.#deps = deps;
    this.#live = new LiveRows(deps);
    deps.memory.isStored = true;
    deps.memory.onDropped = ({ text }) => {
      // Most of very many series go before the store has met them.
      if (this.#written.delete(text)) this.#dropped.push(this.#hash(text));
      this.#named.delete(text);
    };
  }

  record(key: MetricKey, unit: MetricUnit, value: number, count: number, atMs: number): void {
    this.#deps.memory.record(key, unit, value, count, atMs);
  }

  recordSet(key: MetricKey, unit: MetricUnit, set: StatisticSet, atMs: number): void {
    this.#deps.memory.recordSet(key, unit, set, atMs);
  }

  async list(
    scope: { readonly accountId: string; readonly region: string },
    filter: MetricFilter = {},
  ): Promise<readonly ListedMetric[]> {
    const found = new Map<string, ListedMetric>();
    for (const metric of this.#deps.memory.list(scope, filter)) found.set(keyText(metric), metric);
    const { accountId, region } = scope;
    for (const { text, unit } of await this.#names()) {
      const key = keyOfText(text);
      if (key.accountId === accountId && key.region === region && matches(key, filter) && !found.has(text))
        found.set(text, { ...key, unit });
    }
    return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, metric]) => metric);
  }

  async read(
    key: MetricKey,
    fromMinute: number,
    toMinute: number,
    stepMinutes = 1,
  ): Promise<readonly MinutePoint[]> {
    const { memory, store, nowMs } = this.#deps;
    const text = keyText(key);
    const hash = this.#hash(text);
    const series = memory.find(key);
    const isGauge = series?.isGauge ?? (await this.#isGauge(hash));
    const from = memory.earliest(isGauge ? 0 : fromMinute);
    const points = new PointsByStep(fromMinute, stepMinutes);
    const states = isGauge ? new GaugeStates() : undefined;
    const add = states?.add ?? points.add;
    // The minute under way first: one that ends meanwhile is met again among the written ones, and told apart.
    const others = store.exclusive ? [] : await this.#live.others();
    const open = new Map<string, MinutePoint>();
    for (const { process, points: of } of others) {
      const point = of.get(toHex(hash));
      if (point !== undefined && point.minute >= from && point.minute < toMinute) open.set(process, point);
    }
    for (const entry of await this.#rows(hash, chunkOf(from), chunkOf(toMinute - 1) + 1)) {
      const { chunk, process } = placeOf(entry.key);
      if (
        process === toHex(this.#deps.process) &&
        series?.chunk(chunk) !== undefined &&
        !series.partial.has(chunk)
      )
        continue;
      visitMinutes(entry.value, entry.value.length, chunk, (minute, count, sum, min, max, histogram) => {
        if (open.get(process)?.minute === minute) open.delete(process);
        if (minute >= from && minute < toMinute) add(minute, count, sum, min, max, histogram);
      });
    }
    series?.visit(from, toMinute, add);
    for (const { minute, count, sum, min, max, histogram } of open.values())
      add(minute, count, sum, min, max, histogram && new WholeHistogram(histogram));
    states?.visit(memory.earliest(fromMinute), Math.min(toMinute, minuteOf(nowMs()) + 1), points.add);
    return points.sorted();
  }

  /** Writes what has changed since the last time. With `isLast` also the minutes under way, for good. */
  async write(isLast = false): Promise<void> {
    const { memory, store, nowMs } = this.#deps;
    const minute = minuteOf(nowMs());
    // Before the puts: a series that was dropped may have come back.
    await this.#removeDropped();
    const puts: Mutation[] = [];
    const written: { readonly series: Series; readonly chunk: number }[] = [];
    for (const series of memory.all()) {
      if (isLast || series.lastMinute < minute) series.close();
      if (series.unwritten.size > 0) await this.#mergePartial(series);
      let isNamed = this.#named.has(series.text);
      for (const chunk of series.unwritten) {
        const bytes = series.chunk(chunk)?.bytes;
        series.unwritten.delete(chunk);
        if (bytes === undefined) continue;
        const hash = this.#hash(series.text);
        // Puts the name once, even if the first write has two chunks: PostgreSQL refuses a unit that puts a key twice.
        if (!isNamed) puts.push(this.#namePut(series, hash));
        isNamed = true;
        puts.push({ kind: 'put', key: minutesKey(hash, chunk, this.#deps.process), value: bytes.slice() });
        written.push({ series, chunk });
      }
    }
    try {
      for (let i = 0; i < puts.length; i += putsAtOnce) await this.#put(puts.slice(i, i + putsAtOnce));
      if (!store.exclusive) await this.#put([this.#liveMutation(isLast)]);
    } catch (error) {
      for (const { series, chunk } of written) series.unwritten.add(chunk);
      throw error;
    }
    for (const { series } of written) {
      this.#named.add(series.text);
      this.#written.add(series.text);
    }
    this.#release();
    if (!isLast) await this.#live.closeLeft();
    await this.#trim();
  }

  /** The current chunk and the one before stay in memory. */
  #release(): void {
    const current = chunkOf(minuteOf(this.#deps.nowMs()));
    for (const series of this.#deps.memory.all())
      for (const chunk of series.chunkNumbers)
        if (chunk < current - 1 && !series.unwritten.has(chunk)) series.release(chunk);
  }

  /** A late value met a chunk that only the store has: the two are put together. */
  async #mergePartial(series: Series): Promise<void> {
    for (const chunk of [...series.partial]) {
      const stored = await this.#deps.store.get(
        minutesKey(this.#hash(series.text), chunk, this.#deps.process),
      );
      series.partial.delete(chunk);
      if (stored === undefined) continue;
      visitMinutes(stored, stored.length, chunk, (minute, count, sum, min, max, histogram) => {
        const point = new PointSum(minute);
        point.add({ count, sum, min, max }, histogram);
        series.mergeStored(point);
      });
    }
  }

  #namePut({ text, unit, isGauge }: Series, hash: Uint8Array): Mutation {
    const value = nameRecord.encode({ text, unit, ...(isGauge && { isGauge }) });
    return { kind: 'put', key: nameKey(hash), value };
  }

  #liveMutation(isLast: boolean): Mutation {
    const points: [string, MinutePoint][] = [];
    for (const series of isLast ? [] : this.#deps.memory.all()) {
      const { open } = series;
      series.isOpenUnwritten = false;
      if (open !== undefined) points.push([toHex(this.#hash(series.text)), open]);
    }
    return this.#live.mutation(points);
  }

  async #names(): Promise<readonly StoredName[]> {
    const entries = await this.#range(namesPrefix);
    return entries.map(({ key, value }) => nameRecord.decode(value, key));
  }

  async #isGauge(hash: Uint8Array): Promise<boolean> {
    const key = nameKey(hash);
    const stored = await this.#deps.store.get(key);
    return stored !== undefined && nameRecord.decode(stored, key).isGauge === true;
  }

  async #removeDropped(): Promise<void> {
    await this.#remove(this.#dropped.splice(0), !this.#deps.store.exclusive);
  }

  /** Removes series. With `isOursOnly` what other processes have counted stays. */
  async #remove(hashes: readonly Uint8Array[], isOursOnly = false): Promise<void> {
    const ours = toHex(this.#deps.process);
    let keys: Uint8Array[] = [];
    for (const [at, hash] of hashes.entries()) {
      const rows = await this.#rows(hash, 0, 2 ** 32 - 1);
      const gone = isOursOnly ? rows.filter(({ key }) => placeOf(key).process === ours) : rows;
      for (const { key } of gone) keys.push(key);
      if (gone.length === rows.length) keys.push(nameKey(hash));
      if (keys.length < putsAtOnce && at < hashes.length - 1) continue;
      const mutations = keys.map((key): Mutation => ({ kind: 'delete', key }));
      for (let i = 0; i < mutations.length; i += putsAtOnce)
        await this.#put(mutations.slice(i, i + putsAtOnce));
      keys = [];
    }
  }

  /** Once for each chunk of time: removes minutes that are too old, and series beyond the bound of the store. */
  async #trim(): Promise<void> {
    const { store, memory, nowMs } = this.#deps;
    const oldest = chunkOf(minuteOf(nowMs()) - minutesKept);
    if (oldest === this.#trimmedChunk) return;
    this.#trimmedChunk = oldest;
    const empty: Uint8Array[] = [];
    const unused: { readonly hash: Uint8Array; readonly latest: number; readonly account: string }[] = [];
    const all = await this.#names();
    for (const { text } of all) {
      const hash = this.#hash(text);
      const from = minutesKey(hash, 0, new Uint8Array());
      await store.deleteRange(from, minutesKey(hash, oldest, new Uint8Array()));
      const key = keyOfText(text);
      if (memory.find(key) !== undefined) continue;
      const latest = await this.#latestChunk(hash);
      if (latest === undefined) empty.push(hash);
      else unused.push({ hash, latest, account: key.accountId });
    }
    const tooMany = Math.max(0, all.length - empty.length - (this.#deps.seriesMax ?? storedSeriesMax));
    const dropped = leastUsedOfLargest(
      unused,
      tooMany,
      ({ account }) => account,
      ({ latest }) => latest,
    );
    await this.#remove([...empty, ...dropped.map(({ hash }) => hash)]);
    // Another process may have removed a name that is used again.
    this.#named.clear();
    this.#hashes.clear();
  }

  async #latestChunk(hash: Uint8Array): Promise<number | undefined> {
    const from = minutesKey(hash, 0, new Uint8Array());
    const to = minutesKey(hash, 2 ** 32 - 1, new Uint8Array());
    const { entries } = await this.#deps.store.range({ from, to, limit: 1, reverse: true });
    return entries[0] && placeOf(entries[0].key).chunk;
  }

  #rows(hash: Uint8Array, fromChunk: number, toChunk: number): Promise<readonly Entry[]> {
    const nothing = new Uint8Array();
    return this.#range(minutesKey(hash, fromChunk, nothing), minutesKey(hash, toChunk, nothing));
  }

  async #range(from: Uint8Array, to = prefixEnd(from)): Promise<readonly Entry[]> {
    const found: Entry[] = [];
    for (let start = from; ; ) {
      const { entries, more } = await this.#deps.store.range({ from: start, to, limit: 1_000 });
      for (const entry of entries) found.push(entry);
      const last = entries.at(-1);
      if (!more || last === undefined) return found;
      start = concatBytes(last.key, Uint8Array.of(0));
    }
  }

  #put(mutations: readonly Mutation[]): MaybePromise<void> {
    return this.#deps.store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  }

  #hash(text: string): Uint8Array {
    let hash = this.#hashes.get(text);
    if (hash === undefined) {
      hash = this.#deps.h16(encodeUtf8(text));
      if (this.#hashes.size > 50_000) this.#hashes.clear();
      this.#hashes.set(text, hash);
    }
    return hash;
  }
}
