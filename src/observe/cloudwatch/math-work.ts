import type { Slices } from '../../model/slices.ts';
import type { MathValue } from './math-value.ts';
import { SeriesList } from './series-list.ts';
import type { TimeSeries } from './time-series.ts';

/**
 * What one request, or one evaluation of an alarm, may read and compute: series × points × functions. The most that is
 * useful is 500 series of the 100,800 points that a request may answer, through some functions: far less than this. Five
 * million points take 80 MB and about a second, in slices.
 */
export const mathStepsMax = 5_000_000;

/** A series costs so many steps, however few points it has. */
const seriesSteps = 50;

/** The request wants more than the budget. It travels as an exception, because every function of metric math may meet it. */
export class MathBudgetExceeded extends Error {
  constructor() {
    super(
      `The request would read and compute more than ${mathStepsMax.toLocaleString('en-US')} datapoints (series x datapoints x functions), which is more than Stator does for one request. Use a shorter time range, a longer period, a narrower SEARCH or fewer functions.`,
    );
  }
}

/** Counts the work of a request against its budget, and does it in slices. */
export class MathWork {
  readonly #slices: Slices;
  #left = mathStepsMax;

  constructor(slices: Slices) {
    this.#slices = slices;
  }

  /** Takes steps that will be made from the budget. */
  spend(steps: number): Promise<void> | undefined {
    this.take(steps);
    return this.#slices.spend(steps);
  }

  /** Takes steps from the budget that `slice` will count. */
  take(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new MathBudgetExceeded();
  }

  /** Counts steps that `take` took from the budget. */
  slice(steps: number): Promise<void> | undefined {
    return this.#slices.spend(steps);
  }

  /** Changes every series of a list, in slices. */
  async each(
    list: SeriesList,
    change: (series: TimeSeries, at: number) => TimeSeries,
    stepsOf: (series: TimeSeries) => number = stepsOfSeries,
  ): Promise<SeriesList> {
    let steps = 0;
    for (const series of list.all) steps += stepsOf(series);
    this.take(steps);
    const all: TimeSeries[] = [];
    for (const [at, series] of list.all.entries()) {
      await this.#slices.spend(stepsOf(series));
      all.push(change(series, at));
    }
    return new SeriesList(all);
  }
}

export function stepsOfSeries({ times }: TimeSeries): number {
  return seriesSteps + times.length;
}

export function stepsOfValue(value: MathValue): number {
  if (typeof value === 'number' || typeof value === 'string') return 1;
  if (!(value instanceof SeriesList)) return stepsOfSeries(value);
  let steps = 1;
  for (const series of value.all) steps += stepsOfSeries(series);
  return steps;
}
