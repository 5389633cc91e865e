import type { MaybePromise } from '../model/maybe-promise.ts';
import { leastUsedOfLargest } from './fair-drop.ts';
import { keyText, type MetricKey, type MetricUnit } from './metric-key.ts';
import { type ListedMetric, type MetricFilter, type Metrics, minuteOf, minutesKept } from './metrics.ts';
import { chunkOf, type VisitMinute } from './minute-chunk.ts';
import { type MinutePoint, PointSum, type StatisticSet } from './minute-point.ts';
import { Series, type SeriesOptions, seriesBytesMax } from './series.ts';

export interface MetricStoreOptions {
  readonly nowMs: () => number;
  /** How many series are kept; beyond it the account with the most loses those without values for the longest time. */
  readonly seriesMax?: number;
  /** How many bytes of minutes all series together keep in memory. */
  readonly bytesMax?: number;
}

export const metricBounds = { seriesMax: 10_000, bytesMax: 128 * 1024 * 1024 } as const;

/** The metrics of one process, in memory. */
export class MetricStore implements Metrics {
  readonly #series = new Map<string, Series>();
  readonly #options: MetricStoreOptions;
  /** Is told of every series that is dropped. */
  onDropped: ((series: Series) => void) | undefined;
  /** The number of series that were dropped because there were too many. */
  dropped = 0;
  /** Whether a store keeps the minutes that are written. */
  isStored = false;

  constructor(options: MetricStoreOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#series.size;
  }

  all(): IterableIterator<Series> {
    return this.#series.values();
  }

  find(key: MetricKey): Series | undefined {
    return this.#series.get(keyText(key));
  }

  /** The series of a key, made if it is missing. */
  series(key: MetricKey, unit: MetricUnit, options?: SeriesOptions): Series {
    const text = keyText(key);
    let series = this.#series.get(text);
    if (series === undefined) {
      if (this.#series.size >= (this.#options.seriesMax ?? metricBounds.seriesMax)) this.#dropLeastUsed();
      series = new Series(key, text, unit, options);
      series.isStored = this.isStored;
      this.#series.set(text, series);
    }
    return series;
  }

  list(
    { accountId, region }: { readonly accountId: string; readonly region: string },
    filter: MetricFilter = {},
  ): readonly ListedMetric[] {
    const found: { readonly text: string; readonly metric: ListedMetric }[] = [];
    for (const { key, unit, text } of this.#series.values())
      if (key.accountId === accountId && key.region === region && matches(key, filter))
        found.push({ text, metric: { ...key, unit } });
    return found.sort((a, b) => (a.text < b.text ? -1 : 1)).map(({ metric }) => metric);
  }

  read(
    key: MetricKey,
    fromMinute: number,
    toMinute: number,
    stepMinutes = 1,
  ): MaybePromise<readonly MinutePoint[]> {
    const series = this.find(key);
    if (series === undefined) return [];
    const from = this.earliest(fromMinute);
    const nowMinute = minuteOf(this.#options.nowMs());
    const points = new PointsByStep(fromMinute, stepMinutes);
    if (!series.isGauge) series.visit(from, toMinute, points.add);
    else {
      const states = new GaugeStates();
      series.visit(0, toMinute, states.add);
      states.visit(from, Math.min(toMinute, nowMinute + 1), points.add);
    }
    return points.sorted();
  }

  record(key: MetricKey, unit: MetricUnit, value: number, count: number, atMs: number): void {
    this.series(key, unit, { hasHistogram: true }).add(value, count, minuteOf(atMs));
  }

  recordSet(key: MetricKey, unit: MetricUnit, set: StatisticSet, atMs: number): void {
    this.series(key, unit, { hasHistogram: true }).addSet(set, minuteOf(atMs));
  }

  /** The first minute that is kept. */
  earliest(fromMinute: number): number {
    return Math.max(fromMinute, minuteOf(this.#options.nowMs()) - minutesKept);
  }

  /** Lets go of minutes that are too old, and of those that there is no room for. */
  trim(): void {
    this.#trimTo(seriesBytesMax);
    let bytes = 0;
    for (const series of this.#series.values()) bytes += series.bytes;
    const { bytesMax = metricBounds.bytesMax } = this.#options;
    if (bytes > bytesMax) this.#trimTo(Math.floor(bytesMax / this.#series.size));
  }

  #trimTo(seriesBytes: number): void {
    const oldest = chunkOf(minuteOf(this.#options.nowMs()) - minutesKept);
    for (const series of this.#series.values()) {
      series.forgetBefore(oldest);
      series.shrink(seriesBytes);
    }
  }

  /** A sixteenth goes at a time, so that looking for it is cheap however many new series come. */
  #dropLeastUsed(): void {
    const dropped = leastUsedOfLargest(
      this.#series.values(),
      Math.ceil(this.#series.size / 16),
      ({ key }) => key.accountId,
      ({ lastMinute }) => lastMinute,
    );
    for (const series of dropped) {
      this.#series.delete(series.text);
      series.isDropped = true;
      this.dropped++;
      this.onDropped?.(series);
    }
  }
}

/** Adds minutes up to points of some minutes each. */
export class PointsByStep {
  readonly #from: number;
  readonly #step: number;
  readonly #points = new Map<number, PointSum>();
  #latest: PointSum | undefined;

  constructor(from: number, step: number) {
    this.#from = from;
    this.#step = step;
  }

  readonly add = (
    minute: number,
    count: number,
    sum: number,
    min: number,
    max: number,
    histogram: Parameters<PointSum['add']>[1],
  ): void => {
    const start = this.#step === 1 ? minute : minute - ((minute - this.#from) % this.#step);
    let point = this.#latest;
    if (point === undefined || point.minute !== start) {
      point = this.#points.get(start);
      if (point === undefined) {
        point = new PointSum(start);
        this.#points.set(start, point);
      }
      this.#latest = point;
    }
    point.add({ count, sum, min, max }, histogram);
  };

  sorted(): readonly MinutePoint[] {
    return [...this.#points.values()].sort((a, b) => a.minute - b.minute);
  }
}

/** Every how many minutes a gauge is shown. */
const gaugeMinutes = 5;

/** The states of a gauge, each of which stands until the next. A negative value ends them: the thing is gone. */
export class GaugeStates {
  readonly #states = new Map<number, number>();

  readonly add = (minute: number, count: number, sum: number): void => {
    this.#states.set(minute, sum / count);
  };

  visit(from: number, to: number, visit: VisitMinute): void {
    const changes = [...this.#states].sort(([a], [b]) => a - b);
    let next = 0;
    let value: number | undefined;
    for (let minute = Math.ceil(from / gaugeMinutes) * gaugeMinutes; minute < to; minute += gaugeMinutes) {
      // A change within five minutes shows at their beginning, so that a table has its first value at once.
      for (; next < changes.length && changes[next]![0] < minute + gaugeMinutes; next++)
        value = changes[next]![1];
      if (value !== undefined && value >= 0) visit(minute, 1, value, value, value, undefined);
    }
  }
}

export function matches(key: MetricKey, { namespace, name, dimensions }: MetricFilter): boolean {
  if (namespace !== undefined && namespace !== key.namespace) return false;
  if (name !== undefined && name !== key.name) return false;
  return (
    dimensions === undefined ||
    dimensions.every((wanted) =>
      key.dimensions.some(
        (has) => has.name === wanted.name && (wanted.value === undefined || wanted.value === has.value),
      ),
    )
  );
}
