import type { MetricDataQuery } from '../cloudwatch/cloudwatch-shapes.ts';

export type StateValue = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
export type MissingData = 'breaching' | 'notBreaching' | 'ignore' | 'missing';

export const comparisons = {
  GreaterThanOrEqualToThreshold: {
    breaches: (value: number, threshold: number) => value >= threshold,
    words: 'greater than or equal to',
  },
  GreaterThanThreshold: {
    breaches: (value: number, threshold: number) => value > threshold,
    words: 'greater than',
  },
  LessThanThreshold: {
    breaches: (value: number, threshold: number) => value < threshold,
    words: 'less than',
  },
  LessThanOrEqualToThreshold: {
    breaches: (value: number, threshold: number) => value <= threshold,
    words: 'less than or equal to',
  },
} as const;
export type Comparison = keyof typeof comparisons;

/** What an alarm watches: one statistic of one metric, or the one query that returns data. */
export type Watched =
  | {
      readonly MetricName: string;
      readonly Namespace: string;
      readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
      readonly Statistic?: string;
      readonly ExtendedStatistic?: string;
      readonly Period: number;
      readonly Unit?: string;
    }
  | { readonly Metrics: readonly MetricDataQuery[] };

export interface AlarmSettings {
  readonly description?: string;
  readonly actionsEnabled: boolean;
  readonly okActions: readonly string[];
  readonly alarmActions: readonly string[];
  readonly insufficientDataActions: readonly string[];
  readonly watched: Watched;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm?: number;
  readonly threshold: number;
  readonly comparison: Comparison;
  readonly missingData?: MissingData;
  readonly lowSamples?: 'evaluate' | 'ignore';
}

export interface AlarmState {
  readonly value: StateValue;
  readonly reason: string;
  readonly reasonData?: string;
  readonly updatedAt: number;
  readonly transitionedAt: number;
}

/** An alarm as the store keeps it, as JSON. Times are milliseconds since 1970. */
export interface AlarmRecord {
  readonly format: 1;
  readonly name: string;
  readonly settings: AlarmSettings;
  readonly state: AlarmState;
  readonly createdAt: number;
  readonly configuredAt: number;
  readonly tags: Readonly<Record<string, string>>;
  /**
   * The minute from which missing points of the metric count as zero, for alarms that Application Auto Scaling made. An idle
   * table reports zero consumption on the service: its low alarm stays in ALARM.
   */
  readonly zeroFromMinute?: number;
}

export interface HistoryItem {
  readonly alarmName: string;
  readonly at: number;
  readonly type: 'ConfigurationUpdate' | 'StateUpdate' | 'Action';
  readonly summary: string;
  readonly data: string;
}

/**
 * How an alarm treats missing points. CloudWatch's default is `missing`, but `ignore` for metrics of `AWS/DynamoDB`, which
 * have no points while nothing happens.
 */
export function missingDataOf({ missingData, watched }: AlarmSettings): MissingData {
  return missingData ?? (namespacesOf(watched).includes('AWS/DynamoDB') ? 'ignore' : 'missing');
}

function namespacesOf(watched: Watched): readonly (string | undefined)[] {
  if (!('Metrics' in watched)) return [watched.Namespace];
  return watched.Metrics.map(({ MetricStat }) => MetricStat?.Metric.Namespace);
}

/** The longest period of an alarm's points, in seconds. */
export function periodOf(watched: Watched): number {
  if (!('Metrics' in watched)) return watched.Period;
  return Math.max(60, ...watched.Metrics.map(({ MetricStat, Period }) => MetricStat?.Period ?? Period ?? 0));
}
