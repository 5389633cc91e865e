import { type Dimension, type MetricUnit, sortDimensions } from './metric-key.ts';
import type { MetricStore } from './metric-store.ts';
import type { Series, SeriesOptions } from './series.ts';

/** An account in a Region, as the engine writes it. */
export interface HandleScope {
  readonly account: string;
  readonly region: string;
}

/**
 * A series that is made with its first value, and found again if it was dropped meanwhile. Whoever records holds handles,
 * so that a request looks up no names.
 */
export class SeriesHandle {
  readonly #store: MetricStore;
  readonly #make: () => Series;
  #series: Series | undefined;

  constructor(
    store: MetricStore,
    scope: HandleScope,
    namespace: string,
    name: string,
    dimensions: readonly Dimension[],
    unit: MetricUnit,
    options?: SeriesOptions,
  ) {
    this.#store = store;
    const { account: accountId, region } = scope;
    this.#make = () =>
      this.#store.series(
        { accountId, region, namespace, name, dimensions: sortDimensions(dimensions) },
        unit,
        options,
      );
  }

  get series(): Series {
    if (this.#series === undefined || this.#series.isDropped) this.#series = this.#make();
    return this.#series;
  }

  add(value: number, minute: number): void {
    const series = this.#series;
    if (series === undefined || series.isDropped) this.series.add(value, 1, minute);
    else series.add(value, 1, minute);
  }

  set(value: number, minute: number): void {
    this.series.set(value, minute);
  }
}
