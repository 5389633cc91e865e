import { jsonRecord } from '../../engine/json-record.ts';
import {
  either,
  flag,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
} from '../../model/json/fields.ts';
import { type MetricDataQuery, standardUnits } from '../cloudwatch/cloudwatch-shapes.ts';

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
export type Watched = WatchedMetric | WatchedQueries;

interface WatchedMetric {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Dimensions: readonly WatchedDimension[];
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Period: number;
  readonly Unit?: string;
}

interface WatchedQueries {
  readonly Metrics: readonly MetricDataQuery[];
}

interface WatchedDimension {
  readonly Name: string;
  readonly Value: string;
}

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

const dimensions = listOf(object<WatchedDimension>({ Name: text, Value: text }));
type MetricStat = NonNullable<MetricDataQuery['MetricStat']>;
const watched = either(
  object<WatchedQueries>({
    Metrics: listOf(
      object<MetricDataQuery>({
        Id: text,
        MetricStat: optional(
          object<MetricStat>({
            Metric: object<MetricStat['Metric']>({
              Namespace: optional(text),
              MetricName: optional(text),
              Dimensions: optional(dimensions),
            }),
            Period: number,
            Stat: text,
            Unit: optional(oneOf(...standardUnits)),
          }),
        ),
        Expression: optional(text),
        Label: optional(text),
        ReturnData: optional(flag),
        Period: optional(number),
        AccountId: optional(text),
      }),
    ),
  }),
  object<WatchedMetric>({
    MetricName: text,
    Namespace: text,
    Dimensions: dimensions,
    Statistic: optional(text),
    ExtendedStatistic: optional(text),
    Period: number,
    Unit: optional(text),
  }),
);

export const alarmRecord = jsonRecord<AlarmRecord>(
  'an alarm',
  1,
  object<AlarmRecord>({
    name: text,
    settings: object<AlarmSettings>({
      description: optional(text),
      actionsEnabled: flag,
      okActions: listOf(text),
      alarmActions: listOf(text),
      insufficientDataActions: listOf(text),
      watched,
      evaluationPeriods: number,
      datapointsToAlarm: optional(number),
      threshold: number,
      comparison: oneOf(
        'GreaterThanOrEqualToThreshold',
        'GreaterThanThreshold',
        'LessThanThreshold',
        'LessThanOrEqualToThreshold',
      ),
      missingData: optional(oneOf('breaching', 'notBreaching', 'ignore', 'missing')),
      lowSamples: optional(oneOf('evaluate', 'ignore')),
    }),
    state: object<AlarmState>({
      value: oneOf('OK', 'ALARM', 'INSUFFICIENT_DATA'),
      reason: text,
      reasonData: optional(text),
      updatedAt: number,
      transitionedAt: number,
    }),
    createdAt: number,
    configuredAt: number,
    tags: mapOf(text),
    zeroFromMinute: optional(number),
  }),
);

/** Items of the history have no format. */
export const historyRecord = jsonRecord<HistoryItem>(
  'an item of the history of an alarm',
  0,
  object<HistoryItem>({
    alarmName: text,
    at: number,
    type: oneOf('ConfigurationUpdate', 'StateUpdate', 'Action'),
    summary: text,
    data: text,
  }),
);

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
