import type { MaybePromise } from '../../model/maybe-promise.ts';
import { sortDimensions } from '../metric-key.ts';
import type { MetricKey, Metrics, MinutePoint } from '../metrics.ts';
import type { Statistic } from './statistics.ts';
import type { TimeSeries } from './time-series.ts';

/** An account in a Region. */
export interface MetricScope {
  readonly accountId: string;
  readonly region: string;
}

/** A metric as requests name it. */
export interface NamedMetric {
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
}

export function metricKey(
  { accountId, region }: MetricScope,
  { Namespace = '', MetricName = '', Dimensions = [] }: NamedMetric,
): MetricKey {
  const dimensions = sortDimensions(Dimensions.map(({ Name, Value }) => ({ name: Name, value: Value })));
  return { accountId, region, namespace: Namespace, name: MetricName, dimensions };
}

/** The points of a metric, in steps from a minute on. A metric in another unit than the one asked for has none. */
export async function readPoints(
  metrics: Pick<Metrics, 'list' | 'read'>,
  key: MetricKey,
  unit: string | undefined,
  fromMinute: number,
  toMinute: number,
  stepMinutes: number,
): Promise<readonly MinutePoint[]> {
  if (unit !== undefined && !(await hasUnit(metrics, key, unit))) return [];
  return metrics.read(key, fromMinute, toMinute, stepMinutes);
}

async function hasUnit(metrics: Pick<Metrics, 'list'>, key: MetricKey, unit: string): Promise<boolean> {
  const { accountId, region, namespace, name, dimensions } = key;
  const found: MaybePromise<readonly { dimensions: MetricKey['dimensions']; unit: string }[]> = metrics.list(
    { accountId, region },
    { namespace, name, dimensions },
  );
  return (await found).some(
    (metric) => metric.unit === unit && metric.dimensions.length === dimensions.length,
  );
}

/** The series of a statistic. Points whose statistic is unknown are left out. */
export function seriesOf(
  points: readonly MinutePoint[],
  statistic: Statistic,
  period: number,
  label: string,
  properties: Readonly<Record<string, string>>,
): TimeSeries {
  const times: number[] = [];
  const values: number[] = [];
  for (const point of points) {
    const value = statistic(point);
    if (value === undefined || !Number.isFinite(value)) continue;
    times.push(point.minute * 60);
    values.push(value);
  }
  return { period, times, values, label, properties };
}

/** How many minutes a period of seconds takes. Metrics are kept by the minute, so shorter periods get whole minutes. */
export function minutesOf(period: number): number {
  return Math.max(1, Math.round(period / 60));
}

/** Whether a period is one that metrics can be asked for with. */
export function isPeriod(period: number): boolean {
  return [1, 5, 10, 20, 30].includes(period) || (period > 0 && period % 60 === 0);
}
