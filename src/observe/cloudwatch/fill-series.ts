import { MathError } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { stepsOfSeries, stepsOfValue } from './math-work.ts';
import { SeriesList } from './series-list.ts';
import { momentCount, momentsOf, type TimeSeries, type Window } from './time-series.ts';

/**
 * FILL(series, with): a value for every period of the window. Missing ones become a number, the value of another series at
 * that moment, the value before (REPEAT), or lie on the line between their neighbours (LINEAR). What has nothing before it
 * for REPEAT, or nothing on one side for LINEAR, stays missing.
 */
export async function fillSeries(
  values: readonly MathValue[],
  { window, work }: MathScope,
): Promise<MathValue | MathError> {
  const [given, filler] = values;
  if (values.length !== 2 || filler === undefined || filler instanceof SeriesList) return wrong();
  if (typeof filler === 'string' && filler !== 'REPEAT' && filler !== 'LINEAR') return wrong();
  if (typeof given !== 'object') return wrong();
  await work.spend(stepsOfValue(filler));
  const filling: Filling =
    typeof filler === 'object' ? { kind: 'series', values: mapOf(filler) } : { kind: 'rule', rule: filler };
  const stepsOf = (series: TimeSeries) => stepsOfSeries(series) + momentCount(window, series.period);
  if (given instanceof SeriesList) return work.each(given, (one) => filled(one, filling, window), stepsOf);
  await work.spend(stepsOf(given));
  return filled(given, filling, window);
}

type Filling =
  | { readonly kind: 'series'; readonly values: ReadonlyMap<number, number> }
  | { readonly kind: 'rule'; readonly rule: number | string };

function wrong(): MathError {
  return new MathError('Unsupported arguments passed to function FILL');
}

/** Walks through the moments of the window and the points of the series together: both are in order. */
function filled(series: TimeSeries, filling: Filling, window: Window): TimeSeries {
  const { period } = series;
  const moments = momentsOf(window, period);
  const times: number[] = [];
  const values: number[] = [];
  let before: number | undefined;
  let point = 0;
  const put = (time: number, value: number): void => {
    before = value;
    times.push(time);
    values.push(value);
  };
  // Points may lie beside the grid where a metric was read from another start.
  const putPointsUntil = (time: number): void => {
    for (; point < series.times.length && series.times[point]! < time; point++)
      put(series.times[point]!, series.values[point]!);
  };
  for (const time of moments) {
    putPointsUntil(time);
    if (series.times[point] === time) continue;
    let value: number | undefined;
    if (filling.kind === 'series') value = filling.values.get(time);
    else if (typeof filling.rule === 'number') value = filling.rule;
    else if (filling.rule === 'REPEAT') value = before;
    else value = onLine(series, point, time);
    if (value !== undefined) put(time, value);
  }
  putPointsUntil(Number.POSITIVE_INFINITY);
  return { ...series, times, values };
}

function mapOf({ times, values }: TimeSeries): Map<number, number> {
  return new Map(times.map((time, at) => [time, values[at]!]));
}

/** The value at a time between the point before `next` and the point `next`. */
function onLine({ times, values }: TimeSeries, next: number, time: number): number | undefined {
  if (next === 0 || next === times.length) return undefined;
  const [t0, t1] = [times[next - 1]!, times[next]!];
  const [v0, v1] = [values[next - 1]!, values[next]!];
  return v0 + ((v1 - v0) * (time - t0)) / (t1 - t0);
}
