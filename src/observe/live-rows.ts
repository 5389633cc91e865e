import { Sightings } from '../engine/background/sightings.ts';
import { jsonRecord } from '../engine/json-record.ts';
import { metricKind } from '../engine/store-keys.ts';
import { either, listOf, nothing, number, object, text, tuple, whole } from '../model/json/fields.ts';
import { concatBytes, equalBytes, prefixEnd } from '../model/values/bytes.ts';
import { fromHex, toHex } from '../model/values/hex.ts';
import type { Entry, Mutation, Store } from '../storage/store.ts';
import { minuteOf } from './metrics.ts';
import { chunkOf, decodeMinutes, MinuteChunk } from './minute-chunk.ts';
import { type MinutePoint, PointSum, WholeHistogram } from './minute-point.ts';
import { minutesKey, nameKey } from './stored-metric-keys.ts';

/** The minute under way of all series of one process. */
export interface LiveRow {
  readonly process: string;
  /** By the hexadecimal hash of the series. */
  readonly points: ReadonlyMap<string, MinutePoint>;
}

/** A minute under way: the hash of its series, its statistics, and the counts of its histogram by bucket. */
type StoredPoint = readonly [
  hash: string,
  minute: number,
  count: number,
  sum: number,
  min: number,
  max: number,
  histogram: readonly (readonly [number, number])[] | null,
];

interface StoredRow {
  readonly points: readonly StoredPoint[];
}

const rowRecord = jsonRecord<StoredRow>(
  'the minutes under way of a process',
  1,
  object<StoredRow>({
    points: listOf(
      tuple<StoredPoint>(
        text,
        whole,
        number,
        number,
        number,
        number,
        either(listOf(tuple<readonly [number, number]>(number, number)), nothing),
      ),
    ),
  }),
);

const live = 0x6c;
const prefix = Uint8Array.of(metricKind, live);
/** How often rows are looked at, and for how long a row must stay as it is, in real time. */
const lookMs = 60_000;
const unchangedMs = 120_000;
/** A row whose minutes are older than this by the clock is not waited for. */
const oldMinutes = 60;
const pointsAtOnce = 50;

export interface LiveRowsDeps {
  readonly store: Store;
  readonly nowMs: () => number;
  /** Names this process among those that share the store: 8 bytes. */
  readonly process: Uint8Array;
  /** Measures real time; the others' rows are read at most once a second. */
  readonly stopwatchMs: () => number;
}

/** The minutes under way of the processes that share a store, in one row for each process. */
export class LiveRows {
  readonly #deps: LiveRowsDeps;
  #read: { readonly atMs: number; readonly rows: Promise<readonly LiveRow[]> } | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  readonly #sightings: Sightings;

  constructor(deps: LiveRowsDeps) {
    this.#deps = deps;
    this.#sightings = new Sightings(deps.stopwatchMs);
  }

  /** The row of this process; without points there is none. */
  mutation(points: readonly (readonly [hash: string, point: MinutePoint])[]): Mutation {
    const key = concatBytes(prefix, this.#deps.process);
    if (points.length === 0) return { kind: 'delete', key };
    const encoded = points.map(
      ([hash, { minute, count, sum, min, max, histogram }]): StoredPoint => [
        hash,
        minute,
        count,
        sum,
        min,
        max,
        histogram === undefined ? null : [...histogram],
      ],
    );
    return { kind: 'put', key, value: rowRecord.encode({ points: encoded }) };
  }

  /** The rows of the other processes, at most a second old. */
  others(): Promise<readonly LiveRow[]> {
    const atMs = this.#deps.stopwatchMs();
    if (this.#read === undefined || atMs - this.#read.atMs > 1_000)
      this.#read = { atMs, rows: this.#readOthers() };
    return this.#read.rows;
  }

  /**
   * Moves the minutes of abandoned rows to the written minutes, and removes the rows. A killed process leaves such a row.
   * The row of an idle process may look abandoned; the process loses nothing, because its next write has the same
   * minutes.
   */
  async closeLeft(): Promise<void> {
    const { nowMs, stopwatchMs, store } = this.#deps;
    const now = stopwatchMs();
    if (now - this.#lookedMs < lookMs) return;
    this.#lookedMs = now;
    const oldest = minuteOf(nowMs()) - oldMinutes;
    for (const { key, value } of await this.#entries()) {
      const process = toHex(key.subarray(2));
      const ageMs = this.#sightings.ageMs(process, value);
      const isOld = [...pointsOf(value, key).values()].every(({ minute }) => minute < oldest);
      // No other process has the store open: every row is left.
      if (store.exclusive || isOld || ageMs >= unchangedMs) await this.#close(key, value);
    }
    this.#read = undefined;
  }

  async #readOthers(): Promise<readonly LiveRow[]> {
    const entries = await this.#entries();
    return entries.map(({ key, value }) => ({
      process: toHex(key.subarray(2)),
      points: pointsOf(value, key),
    }));
  }

  async #entries(): Promise<readonly Entry[]> {
    const { store, process } = this.#deps;
    const found: Entry[] = [];
    for (let from = prefix as Uint8Array; ; ) {
      const { entries, more } = await store.range({ from, to: prefixEnd(prefix)!, limit: 1_000 });
      for (const entry of entries) if (!equalBytes(entry.key.subarray(2), process)) found.push(entry);
      const last = entries.at(-1);
      if (!more || last === undefined) return found;
      from = concatBytes(last.key, Uint8Array.of(0));
    }
  }

  /** A process that is killed in between leaves the row, and closing it again changes nothing of what was done. */
  async #close(key: Uint8Array, row: Uint8Array): Promise<void> {
    const { store } = this.#deps;
    const process = key.subarray(2);
    const points = [...pointsOf(row, key)];
    for (let at = 0; at < points.length; at += pointsAtOnce) {
      const some = points.slice(at, at + pointsAtOnce);
      const names = some.map(([hash]) => nameKey(fromHex(hash)));
      const chunks = some.map(([hash, { minute }]) => minutesKey(fromHex(hash), chunkOf(minute), process));
      await store.transact({
        reads: [key, ...names, ...chunks],
        decide: ({ values: [found, ...others] }) => {
          const mutations: Mutation[] = [];
          if (found !== undefined && equalBytes(found, row))
            for (const [i, [, point]] of some.entries()) {
              const chunk = others[some.length + i];
              // A series without a name would never be removed. Minutes that are written already stay.
              const value = others[i] === undefined ? undefined : withPoint(chunk, point);
              if (value !== undefined) mutations.push({ kind: 'put', key: chunks[i]!, value });
            }
          return { result: undefined, mutations };
        },
      });
    }
    await store.transact({
      reads: [key],
      decide: ({ values: [found] }) => ({
        result: undefined,
        mutations: found !== undefined && equalBytes(found, row) ? [{ kind: 'delete', key }] : [],
      }),
    });
  }
}

/** The chunk with the point; undefined if it has its minute already. */
function withPoint(stored: Uint8Array | undefined, point: MinutePoint): Uint8Array | undefined {
  const number = chunkOf(point.minute);
  const points = stored === undefined ? [] : decodeMinutes(stored, number);
  if (points.some(({ minute }) => minute === point.minute)) return undefined;
  const chunk = new MinuteChunk(number);
  for (const each of [...points, point].sort((a, b) => a.minute - b.minute)) chunk.append(each);
  return chunk.bytes.slice();
}

function pointsOf(row: Uint8Array, key: Uint8Array): ReadonlyMap<string, MinutePoint> {
  const { points } = rowRecord.decode(row, key);
  return new Map(points.map((point) => [point[0], livePoint(point)]));
}

function livePoint([, minute, count, sum, min, max, histogram]: StoredPoint): MinutePoint {
  const point = new PointSum(minute);
  const buckets = histogram === null ? undefined : new WholeHistogram(new Map(histogram));
  point.add({ count, sum, min, max }, buckets);
  return point;
}
