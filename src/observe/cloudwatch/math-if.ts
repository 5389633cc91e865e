import { MathError } from './math-syntax.ts';
import { isSeries, type MathScope, type MathValue } from './math-value.ts';
import { stepsOfValue } from './math-work.ts';
import { SeriesList } from './series-list.ts';
import { mapPoints, type TimeSeries } from './time-series.ts';

/**
 * IF(condition, then, otherwise). A condition that is a number chooses one side whole; one that is a series chooses at
 * each of its moments. Without the third argument, moments at which the condition is zero are left out.
 */
export async function ifFunction(
  values: readonly MathValue[],
  { work }: MathScope,
): Promise<MathValue | MathError> {
  const [condition, then, otherwise] = values;
  if (values.length < 2 || values.length > 3 || then === undefined) return wrong();
  if (typeof then === 'string' || typeof otherwise === 'string') return wrong();
  if (typeof condition === 'number') {
    if (condition !== 0) return then;
    return otherwise ?? empty(then);
  }
  if (typeof condition === 'string' || condition === undefined) return wrong();
  await work.spend(stepsOfValue(then) + stepsOfValue(otherwise ?? 0));
  const whenTrue = lookUp(then);
  const whenFalse = otherwise === undefined ? () => undefined : lookUp(otherwise);
  const choose = (series: TimeSeries): TimeSeries =>
    mapPoints(series, (value, time) => (value !== 0 ? whenTrue!(time) : whenFalse!(time)));
  if (condition instanceof SeriesList) {
    if (condition.all.length === 0) return condition;
    return whenTrue && whenFalse ? work.each(condition, choose) : wrong();
  }
  if (whenTrue === undefined || whenFalse === undefined) return wrong();
  await work.spend(stepsOfValue(condition));
  return choose(condition);
}

function lookUp(value: MathValue): ((time: number) => number | undefined) | undefined {
  if (typeof value === 'number') return () => value;
  if (!isSeries(value)) return undefined;
  const found = new Map(value.times.map((time, at) => [time, value.values[at]!]));
  return (time) => found.get(time);
}

function empty(then: MathValue): MathValue | MathError {
  if (typeof then === 'number') return new MathError('IF without a third argument expects a time series');
  if (then instanceof SeriesList) return new SeriesList([]);
  return { ...(then as TimeSeries), times: [], values: [] };
}

function wrong(): MathError {
  return new MathError('Unsupported arguments passed to function IF');
}
