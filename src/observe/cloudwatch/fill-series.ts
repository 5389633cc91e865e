import { MathError } from './math-syntax.ts';
import type { MathScope, MathValue } from './math-value.ts';
import { SeriesList } from './series-list.ts';
import { momentsOf, type TimeSeries, type Window } from './time-series.ts';

/**
 * FILL(series, with): a value for every period of the window. Missing ones become a number, the value of another series at
 * that moment, the value before (REPEAT), or lie on the line between their neighbours (LINEAR). What has nothing before it
 * for REPEAT, or nothing on one side for LINEAR, stays missing.
 */
export function fillSeries(values: readonly MathValue[], { window }: MathScope): MathValue | MathError {
  const [given, filler] = values;
  if (values.length !== 2 || filler === undefined || filler instanceof SeriesList) return wrong();
  if (typeof filler === 'string' && filler !== 'REPEAT' && filler !== 'LINEAR') return wrong();
  if (given instanceof SeriesList) return new SeriesList(given.all.map((one) => filled(one, filler, window)));
  if (typeof given !== 'object') return wrong();
  return filled(given, filler, window);
}

function wrong(): MathError {
  return new MathError('Unsupported arguments passed to function FILL');
}

function filled(series: TimeSeries, filler: number | string | TimeSeries, window: Window): TimeSeries {
  const { period } = series;
  const there = mapOf(series);
  const other = typeof filler === 'object' ? mapOf(filler) : undefined;
  // Points may lie beside the grid where a metric was read from another start.
  const moments = [...new Set([...momentsOf(window, period), ...series.times])].sort((a, b) => a - b);
  const times: number[] = [];
  const values: number[] = [];
  let before: number | undefined;
  for (const time of moments) {
    let value = there.get(time);
    if (value === undefined) {
      if (typeof filler === 'number') value = filler;
      else if (other !== undefined) value = other.get(time);
      else if (filler === 'REPEAT') value = before;
      else value = onLine(series, time);
    }
    if (value === undefined) continue;
    before = value;
    times.push(time);
    values.push(value);
  }
  return { ...series, times, values };
}

function mapOf({ times, values }: TimeSeries): Map<number, number> {
  return new Map(times.map((time, at) => [time, values[at]!]));
}

/** The value between two neighbours. Binary search: a series may have as many points as there are minutes in 15 days. */
function onLine({ times, values }: TimeSeries, time: number): number | undefined {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  if (low === 0 || low === times.length) return undefined;
  const [t0, t1] = [times[low - 1]!, times[low]!];
  const [v0, v1] = [values[low - 1]!, values[low]!];
  return v0 + ((v1 - v0) * (time - t0)) / (t1 - t0);
}
