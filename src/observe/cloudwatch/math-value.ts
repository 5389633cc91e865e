import type { MathError } from './math-syntax.ts';
import type { MathWork } from './math-work.ts';
import { SeriesList } from './series-list.ts';
import type { TimeSeries, Window } from './time-series.ts';

/** A number, a series, several series, or a text that only functions take. */
export type MathValue = number | TimeSeries | SeriesList | string;

/** What an expression may refer to. */
export interface MathScope {
  readonly work: MathWork;
  readonly window: Window;
  /** The period of series that come from nothing, such as TIME_SERIES(5). */
  readonly period: number;
  /** The value of a metric or an expression by its id. */
  valueOf(id: string): MathValue | MathError;
  /** The metrics of the request that are no expressions, with their ids. */
  metrics(): readonly { readonly id: string; readonly series: TimeSeries }[];
  /** The answer of SEARCH, looked up before. */
  search(expression: string, statistic: string, period: number | undefined): SeriesList | MathError;
}

export function isSeries(value: MathValue | undefined): value is TimeSeries {
  return typeof value === 'object' && !(value instanceof SeriesList);
}
