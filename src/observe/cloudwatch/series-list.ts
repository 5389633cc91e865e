import type { TimeSeries } from './time-series.ts';

/** Several series together, such as METRICS() and SEARCH answer them. */
export class SeriesList {
  readonly all: readonly TimeSeries[];

  constructor(all: readonly TimeSeries[]) {
    this.all = all;
  }
}
