import {
  type AlarmRecord,
  type AlarmSettings,
  comparisons,
  periodOf,
  type StateValue,
} from './alarm-record.ts';

/** A point as an evaluation saw it; without a value there was none. */
export interface SeenPoint {
  readonly time: number;
  readonly value: number | undefined;
}

/** Why an alarm has its state, in the service's words. */
export function stateReason(
  settings: AlarmSettings,
  from: StateValue,
  to: StateValue,
  points: readonly SeenPoint[],
): string {
  const { evaluationPeriods, comparison, threshold } = settings;
  const there = points.filter(({ value }) => value !== undefined).slice(-evaluationPeriods);
  const periods = `${evaluationPeriods} period${evaluationPeriods === 1 ? '' : 's'}`;
  if (to === 'INSUFFICIENT_DATA')
    return `Insufficient Data: ${evaluationPeriods} datapoint${evaluationPeriods === 1 ? ' was' : 's were'} unknown.`;
  if (there.length === 0) {
    const treated = settings.missingData === 'breaching' ? 'Breaching' : 'NonBreaching';
    const missing = `${evaluationPeriods} missing datapoint${evaluationPeriods === 1 ? ' was' : 's were'}`;
    return `Threshold Crossed: no datapoints were received for ${periods} and ${missing} treated as [${treated}].`;
  }
  const { breaches, words } = comparisons[comparison];
  const deciding = there.filter(({ value }) => breaches(value!, threshold) === (to === 'ALARM'));
  const listed = deciding
    .slice(-5)
    .reverse()
    .map(({ time, value }) => `${decimal(value!)} (${shortDate(time)})`)
    .join(', ');
  const count = deciding.length;
  const were = count === 1 ? 'was' : 'were';
  const needed = to === 'ALARM' ? (settings.datapointsToAlarm ?? evaluationPeriods) : 1;
  // The service writes "the last 1 datapoints", and counts missing ones among the last.
  return `Threshold Crossed: ${count} out of the last ${evaluationPeriods} datapoints [${listed}] ${were}${to === 'ALARM' ? '' : ' not'} ${words} the threshold (${decimal(threshold)}) (minimum ${needed} datapoint${needed === 1 ? '' : 's'} for ${from} -> ${to} transition).`;
}

/** The same as JSON. */
export function stateReasonData(record: AlarmRecord, points: readonly SeenPoint[], atMs: number): string {
  const { watched, threshold, evaluationPeriods } = record.settings;
  const seen = points.slice(-evaluationPeriods);
  const there = seen.filter(({ value }) => value !== undefined);
  return JSON.stringify({
    version: '1.0',
    queryDate: isoDate(atMs / 1000),
    ...(seen.length > 0 && { startDate: isoDate(seen[0]!.time) }),
    ...(!('Metrics' in watched) && { statistic: watched.Statistic ?? watched.ExtendedStatistic }),
    period: periodOf(watched),
    recentDatapoints: there.slice(-20).map(({ value }) => value),
    threshold,
    evaluatedDatapoints: [...seen]
      .reverse()
      .slice(0, 20)
      .map(({ time, value }) => ({ timestamp: isoDate(time), ...(value !== undefined && { value }) })),
  });
}

function isoDate(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('Z', '+0000');
}

function shortDate(seconds: number): string {
  const [date, time] = new Date(seconds * 1000).toISOString().split('T');
  const [year, month, day] = date!.split('-');
  return `${day}/${month}/${year!.slice(2)} ${time!.slice(0, 8)}`;
}

/** As Java prints a double: always with a fraction. */
function decimal(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}
