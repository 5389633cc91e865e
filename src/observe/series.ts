import { addHistogram, addToBucket, bucketOf, type Histogram } from './histogram.ts';
import { LateMinute } from './late-minute.ts';
import type { MetricKey, MetricUnit } from './metric-key.ts';
import { chunkMinutes, chunkOf, MinuteChunk, type VisitMinute } from './minute-chunk.ts';
import { type MinutePoint, PointSum, type StatisticSet, WholeHistogram } from './minute-point.ts';

export interface SeriesOptions {
  /** Keeps a histogram of every minute, for percentiles. */
  readonly hasHistogram?: boolean;
  /** A state that stands until the next value, such as provisioned units. Readers see it every five minutes. */
  readonly isGauge?: boolean;
  /** A measurement, such as an age or a progress: adding up its values says nothing. */
  readonly isMeasurement?: boolean;
}

/** How many bytes of minutes a series keeps in memory at most. */
export const seriesBytesMax = 200_000;
/** The newest chunk is within the bound by itself. */
const chunkBytesMax = 160_000;
/** So many late minutes wait before they are put into their chunks. */
const lateMinutesMax = 360;
/** What an object of each chunk costs beside its bytes. */
const chunkOverheadBytes = 200;

/**
 * One series: the minute under way as numbers, and the minutes before it encoded, in chunks. Adding a value costs a
 * comparison and some additions.
 */
export class Series {
  readonly key: MetricKey;
  readonly text: string;
  readonly unit: MetricUnit;
  readonly hasHistogram: boolean;
  readonly isGauge: boolean;
  readonly isMeasurement: boolean;
  /** True once the store of metrics has let it go; whoever holds it asks for it anew. */
  isDropped = false;
  /** Whether a store keeps the minutes that are written, so that memory may let them go. */
  isStored = false;
  /** What was added since the process began, for counters that only grow. */
  totalCount = 0;
  totalSum = 0;
  #totalHistogram: Map<number, number> | undefined;
  /** Chunks that have changed since they were last written to the store. */
  readonly unwritten = new Set<number>();
  /** Whether the minute under way has changed since it was last written to the store. */
  isOpenUnwritten = false;
  /** Chunks of which the store has an older part that is not in memory. */
  readonly partial = new Set<number>();
  readonly #released = new Set<number>();
  readonly #chunks = new Map<number, MinuteChunk>();
  /** Values of minutes before the end of their chunk. Readers and writers of chunks settle them first. */
  readonly #late = new Map<number, LateMinute>();
  #minute = Number.NEGATIVE_INFINITY;
  #count = 0;
  #sum = 0;
  #min = 0;
  #max = 0;
  #histogram: Map<number, number> | undefined;
  /** The latest value and its bucket: counts of items mostly repeat. */
  #bucketedValue = 0;
  #bucket = bucketOf(0);

  constructor(key: MetricKey, text: string, unit: MetricUnit, options: SeriesOptions = {}) {
    this.key = key;
    this.text = text;
    this.unit = unit;
    this.hasHistogram = options.hasHistogram === true;
    this.isGauge = options.isGauge === true;
    this.isMeasurement = options.isMeasurement === true;
    this.#histogram = this.hasHistogram ? new Map() : undefined;
  }

  /** The minute of the latest value. */
  get lastMinute(): number {
    return this.#minute;
  }

  get chunkNumbers(): IterableIterator<number> {
    return this.#chunks.keys();
  }

  get bytes(): number {
    let bytes = 0;
    for (const chunk of this.#chunks.values()) bytes += chunk.byteLength + chunkOverheadBytes;
    return bytes;
  }

  chunk(number: number): MinuteChunk | undefined {
    this.#settle();
    return this.#chunks.get(number);
  }

  /** The values of all minutes since the process began. */
  totalHistogram(): Histogram {
    const total = new Map(this.#totalHistogram);
    if (this.#histogram !== undefined) addHistogram(total, this.#histogram);
    return total;
  }

  /** The minute under way; undefined if it has no values. */
  get open(): MinutePoint | undefined {
    if (this.#count === 0) return undefined;
    return {
      minute: this.#minute,
      count: this.#count,
      sum: this.#sum,
      min: this.#min,
      max: this.#max,
      histogram: this.#histogram,
    };
  }

  /** Adds a value that was met `count` times. */
  add(value: number, count: number, minute: number): void {
    if (minute !== this.#minute && !this.#begin(minute)) {
      const histogram = this.hasHistogram ? new Map([[bucketOf(value), count]]) : undefined;
      this.addPoint({ minute, count, sum: value * count, min: value, max: value, histogram });
      return;
    }
    this.#addOpen(count, value * count, value, value);
    const histogram = this.#histogram;
    if (histogram === undefined) return;
    if (value !== this.#bucketedValue) {
      this.#bucketedValue = value;
      this.#bucket = bucketOf(value);
    }
    const before = histogram.get(this.#bucket);
    if (before === undefined) addToBucket(histogram, this.#bucket, count);
    else histogram.set(this.#bucket, before + count);
  }

  addSet({ count, sum, min, max }: StatisticSet, minute: number): void {
    // The values of a set are not known, so that the minute has no percentiles, except where all are equal.
    const histogram = this.hasHistogram && min === max ? new Map([[bucketOf(min), count]]) : undefined;
    this.addPoint({ minute, count, sum, min, max, histogram });
  }

  /** Sets a gauge. Its minute has one value, the latest. */
  set(value: number, minute: number): void {
    if (minute !== this.#minute) this.#begin(minute);
    this.#count = 0;
    this.#addOpen(1, value, value, value);
  }

  addPoint(point: MinutePoint): void {
    if (point.count <= 0) return;
    if (point.minute > this.#minute) this.#begin(point.minute);
    const { open } = this;
    if (open !== undefined && open.minute === point.minute && canJoin(open, point)) {
      this.#addOpen(point.count, point.sum, point.min, point.max);
      if (this.#histogram !== undefined && point.histogram !== undefined)
        addHistogram(this.#histogram, point.histogram);
    } else this.#merge(point);
  }

  /** Adds a minute that the store has of a chunk which was let go. Totals do not grow by it. */
  mergeStored(point: MinutePoint): void {
    this.#merge(point);
  }

  /** Ends the minute under way, so that all minutes are in chunks. */
  close(): void {
    const { open } = this;
    if (open === undefined) return;
    this.#clear();
    this.#merge(open);
    if (this.bytes > seriesBytesMax) this.shrink(seriesBytesMax);
  }

  /** Calls `visit` for each minute in memory from `from` up to but not including `to`, in no order. */
  visit(from: number, to: number, visit: VisitMinute): void {
    this.#settle();
    for (const chunk of this.#chunks.values()) {
      if ((chunk.chunk + 1) * chunkMinutes <= from || chunk.chunk * chunkMinutes >= to) continue;
      chunk.visit((minute, count, sum, min, max, histogram) => {
        if (minute >= from && minute < to) visit(minute, count, sum, min, max, histogram);
      });
    }
    const { open } = this;
    if (open === undefined || open.minute < from || open.minute >= to) return;
    const { histogram } = open;
    visit(
      open.minute,
      open.count,
      open.sum,
      open.min,
      open.max,
      histogram && new WholeHistogram(copyOf(histogram)),
    );
  }

  /** Lets chunks before one go from memory. */
  forgetBefore(chunk: number): void {
    this.#settle();
    for (const number of this.#chunks.keys()) if (number < chunk) this.release(number);
    for (const number of this.#released) if (number < chunk) this.#released.delete(number);
  }

  /** Lets a chunk go that the store keeps. */
  release(chunk: number): void {
    if (this.#chunks.delete(chunk)) this.#released.add(chunk);
    this.unwritten.delete(chunk);
    this.partial.delete(chunk);
  }

  /**
   * Stays within a number of bytes. Chunks that a store keeps go. Where there is none, the oldest chunks lose their
   * histograms, and then go.
   */
  shrink(bytesMax: number): void {
    this.#settle();
    let { bytes } = this;
    if (bytes <= bytesMax) return;
    const oldestFirst = [...this.#chunks.keys()].sort((a, b) => a - b).slice(0, -1);
    for (const step of ['release', 'thin', 'drop'] as const) {
      for (const number of oldestFirst) {
        if (bytes <= bytesMax) return;
        const chunk = this.#chunks.get(number);
        if (chunk === undefined || (step === 'release' && (!this.isStored || this.unwritten.has(number))))
          continue;
        if (step === 'thin') bytes += this.#encode(number, pointsOf(chunk), 0).byteLength - chunk.byteLength;
        else {
          bytes -= chunk.byteLength + chunkOverheadBytes;
          if (step === 'release') this.release(number);
          else this.#chunks.delete(number);
        }
      }
    }
  }

  /** Begins a later minute. False if the minute is not later: its values belong to the past. */
  #begin(minute: number): boolean {
    if (minute < this.#minute) return false;
    this.close();
    this.#minute = minute;
    return true;
  }

  #addOpen(count: number, sum: number, min: number, max: number): void {
    if (this.#count === 0) {
      this.#min = min;
      this.#max = max;
      this.#sum = sum;
    } else {
      if (min < this.#min) this.#min = min;
      if (max > this.#max) this.#max = max;
      this.#sum += sum;
    }
    this.#count += count;
    this.totalCount += count;
    this.totalSum += sum;
    this.isOpenUnwritten = true;
  }

  #clear(): void {
    this.#count = 0;
    this.#sum = 0;
    if (this.#histogram === undefined || this.#histogram.size === 0) return;
    this.#totalHistogram ??= new Map();
    addHistogram(this.#totalHistogram, this.#histogram);
    this.#histogram = new Map();
  }

  /** Adds a point to its chunk: at the end, or later with others that came late. */
  #merge(point: MinutePoint): void {
    const number = chunkOf(point.minute);
    this.unwritten.add(number);
    let chunk = this.#chunks.get(number);
    if (chunk === undefined) {
      for (const earlier of this.#chunks.values()) earlier.trim();
      chunk = new MinuteChunk(number);
      this.#chunks.set(number, chunk);
      if (this.#released.has(number)) this.partial.add(number);
    }
    if (point.minute > chunk.lastMinute) {
      chunk.append(point);
      if (chunk.byteLength > chunkBytesMax) this.#thinOlderHalf(chunk);
      return;
    }
    const late = this.#late.get(point.minute);
    if (late !== undefined && !this.isGauge) late.addPoint(point);
    else this.#late.set(point.minute, new LateMinute(point));
    if (this.#late.size > lateMinutesMax) this.#settle();
  }

  /** Encodes the chunks of late minutes again. */
  #settle(): void {
    if (this.#late.size === 0) return;
    const byChunk = new Map<number, LateMinute[]>();
    for (const late of this.#late.values()) {
      const number = chunkOf(late.minute);
      const others = byChunk.get(number);
      if (others === undefined) byChunk.set(number, [late]);
      else others.push(late);
    }
    this.#late.clear();
    for (const [number, lateOnes] of byChunk) {
      const stored = this.#chunks.get(number) ?? new MinuteChunk(number);
      const points = new Map(pointsOf(stored).map((each) => [each.minute, each]));
      for (const late of lateOnes) {
        const before = points.get(late.minute);
        if (before === undefined || this.isGauge) points.set(late.minute, pointOf(late));
        else before.addPoint(late);
      }
      const sorted = [...points.values()].sort((a, b) => a.minute - b.minute);
      const chunk = this.#encode(number, sorted, sorted.length);
      if (chunk.byteLength > chunkBytesMax) this.#thinOlderHalf(chunk);
    }
  }

  /** The older half of the histograms of a chunk goes. */
  #thinOlderHalf(chunk: MinuteChunk): void {
    const points = pointsOf(chunk);
    const withHistogram = points.filter(({ histogram }) => histogram !== undefined).length;
    this.#encode(chunk.chunk, points, Math.floor(withHistogram / 2));
  }

  /** Encodes a chunk with the histograms of its latest points only. */
  #encode(number: number, points: readonly MinutePoint[], histograms: number): MinuteChunk {
    const chunk = new MinuteChunk(number);
    for (const [at, point] of points.entries()) {
      const { minute, count, sum, min, max } = point;
      chunk.append(
        points.length - at <= histograms ? point : { minute, count, sum, min, max, histogram: undefined },
      );
    }
    chunk.trim();
    this.#chunks.set(number, chunk);
    return chunk;
  }
}

/** Whether a point can join the minute under way without spoiling its histogram. */
function canJoin(open: MinutePoint, point: MinutePoint): boolean {
  return (open.histogram === undefined) === (point.histogram === undefined);
}

function pointOf(point: MinutePoint): PointSum {
  const sum = new PointSum(point.minute);
  sum.addPoint(point);
  return sum;
}

function pointsOf(chunk: MinuteChunk): PointSum[] {
  const points: PointSum[] = [];
  chunk.visit((minute, count, sum, min, max, histogram) => {
    const point = new PointSum(minute);
    point.add({ count, sum, min, max }, histogram);
    points.push(point);
  });
  return points;
}

/** The minute under way goes on counting while a reader holds its histogram. */
function copyOf(histogram: Histogram): Histogram {
  return new Map(histogram);
}
