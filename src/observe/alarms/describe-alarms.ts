import { fromHex, toHex } from '../../model/values/hex.ts';
import {
  integer,
  list,
  oneOf,
  required,
  string,
  structure,
  timestamp,
} from '../../operations/shapes/shape.ts';
import { onAllAlarms } from '../cloudwatch/api-intents.ts';
import { invalidNextToken, validationError } from '../cloudwatch/cloudwatch-errors.ts';
import { metricDimensions, name255, scanBy, standardUnit } from '../cloudwatch/cloudwatch-shapes.ts';
import { readToken, writeToken } from '../cloudwatch/next-token.ts';
import { basicStatistics } from '../cloudwatch/statistics.ts';
import { sortDimensions } from '../metric-key.ts';
import { alarmAnswer, metricAlarm } from './alarm-answer.ts';
import { alarmOperation, scopeOf } from './alarm-context.ts';
import type { AlarmRecord, HistoryItem, Watched } from './alarm-record.ts';

const alarmType = oneOf('CompositeAlarm', 'MetricAlarm', 'LogAlarm');
const maxRecords = integer({ min: 1, max: 100 });
const defaultRecords = 50;

export const describeAlarms = alarmOperation(
  'DescribeAlarms',
  onAllAlarms,
  {
    AlarmNames: list(name255, { max: 100 }),
    AlarmNamePrefix: name255,
    AlarmTypes: list(alarmType),
    ChildrenOfAlarmName: name255,
    ParentsOfAlarmName: name255,
    StateValue: oneOf('OK', 'ALARM', 'INSUFFICIENT_DATA'),
    ActionPrefix: string({ min: 1, max: 1024 }),
    MaxRecords: maxRecords,
    NextToken: string(),
  },
  {
    CompositeAlarms: list(structure('CompositeAlarm', { AlarmName: string() })),
    MetricAlarms: list(metricAlarm),
    NextToken: string(),
  },
  async ({ book }, input, caller) => {
    const { AlarmNames, AlarmNamePrefix, AlarmTypes, StateValue, ActionPrefix, NextToken } = input;
    const { MaxRecords = defaultRecords } = input;
    if (AlarmNames !== undefined && AlarmNamePrefix !== undefined)
      return validationError('Only one of AlarmNames and AlarmNamePrefix may be specified.');
    const scope = scopeOf(caller);
    const none = { CompositeAlarms: [], MetricAlarms: [] };
    // Only metric alarms exist, and those have neither children nor parents.
    if (AlarmTypes !== undefined && AlarmTypes.length > 0 && !AlarmTypes.includes('MetricAlarm')) return none;
    if (input.ChildrenOfAlarmName !== undefined || input.ParentsOfAlarmName !== undefined) return none;
    const request = JSON.stringify([AlarmNames, AlarmNamePrefix, AlarmTypes, StateValue, ActionPrefix]);
    const place = NextToken === undefined ? [] : readToken(request, NextToken);
    if (place === undefined) return invalidNextToken();
    const after = place[0] as string | undefined;
    const names = AlarmNames && new Set(AlarmNames);
    const page: object[] = [];
    let last: string | undefined;
    for await (const record of book.alarms(scope, AlarmNamePrefix, after)) {
      if (names !== undefined && !names.has(record.name)) continue;
      if (StateValue !== undefined && record.state.value !== StateValue) continue;
      if (ActionPrefix !== undefined && !hasAction(record, ActionPrefix)) continue;
      if (page.length === MaxRecords)
        return { ...none, MetricAlarms: page, NextToken: writeToken(request, [last!]) };
      page.push(alarmAnswer(scope, record));
      last = record.name;
    }
    return { ...none, MetricAlarms: page };
  },
);

function hasAction({ settings }: AlarmRecord, prefix: string): boolean {
  const { okActions, alarmActions, insufficientDataActions } = settings;
  return [...okActions, ...alarmActions, ...insufficientDataActions].some((name) => name.startsWith(prefix));
}

export const describeAlarmsForMetric = alarmOperation(
  'DescribeAlarmsForMetric',
  onAllAlarms,
  {
    MetricName: required(name255),
    Namespace: required(name255),
    Statistic: oneOf(...basicStatistics),
    ExtendedStatistic: string(),
    Dimensions: metricDimensions,
    Period: integer({ min: 1 }),
    Unit: standardUnit,
  },
  { MetricAlarms: list(metricAlarm) },
  async ({ book }, input, caller) => {
    const scope = scopeOf(caller);
    const found: object[] = [];
    for await (const record of book.alarms(scope))
      if (watches(record.settings.watched, input)) found.push(alarmAnswer(scope, record));
    return { MetricAlarms: found };
  },
);

type Wanted = {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Statistic?: string;
  readonly ExtendedStatistic?: string;
  readonly Period?: number;
  readonly Unit?: string;
};

function watches(watched: Watched, wanted: Wanted): boolean {
  if ('Metrics' in watched) return false;
  return (
    watched.MetricName === wanted.MetricName &&
    watched.Namespace === wanted.Namespace &&
    dimensionText(watched.Dimensions) === dimensionText(wanted.Dimensions ?? []) &&
    (['Statistic', 'ExtendedStatistic', 'Period', 'Unit'] as const).every(
      (name) => wanted[name] === undefined || wanted[name] === watched[name],
    )
  );
}

function dimensionText(dimensions: readonly { readonly Name: string; readonly Value: string }[]): string {
  const named = dimensions.map(({ Name, Value }) => ({ name: Name, value: Value }));
  return JSON.stringify(sortDimensions(named).map(({ name, value }) => [name, value]));
}

export const describeAlarmHistory = alarmOperation(
  'DescribeAlarmHistory',
  onAllAlarms,
  {
    AlarmName: name255,
    AlarmContributorId: string(),
    AlarmTypes: list(alarmType),
    HistoryItemType: oneOf(
      'ConfigurationUpdate',
      'StateUpdate',
      'Action',
      'AlarmContributorStateUpdate',
      'AlarmContributorAction',
    ),
    StartDate: timestamp,
    EndDate: timestamp,
    MaxRecords: maxRecords,
    NextToken: string(),
    ScanBy: scanBy,
  },
  {
    AlarmHistoryItems: list(
      structure('AlarmHistoryItem', {
        AlarmName: string(),
        AlarmType: string(),
        Timestamp: timestamp,
        HistoryItemType: string(),
        HistorySummary: string(),
        HistoryData: string(),
      }),
    ),
    NextToken: string(),
  },
  async ({ book, nowMs }, input, caller) => {
    const { AlarmName, AlarmTypes, HistoryItemType, NextToken, MaxRecords = 100 } = input;
    const { StartDate = 0, EndDate = nowMs() / 1000 + 60, ScanBy = 'TimestampDescending' } = input;
    if (StartDate > EndDate) return validationError('StartDate must not be after EndDate.');
    if (AlarmTypes !== undefined && AlarmTypes.length > 0 && !AlarmTypes.includes('MetricAlarm'))
      return { AlarmHistoryItems: [] };
    const request = JSON.stringify([AlarmName, HistoryItemType, input.StartDate, input.EndDate, ScanBy]);
    const place = NextToken === undefined ? [] : readToken(request, NextToken);
    if (place === undefined) return invalidNextToken();
    const after = typeof place[0] === 'string' ? fromHex(place[0]) : undefined;
    const items: object[] = [];
    let last: Uint8Array | undefined;
    const isReverse = ScanBy === 'TimestampDescending';
    const history = book.history(scopeOf(caller), StartDate * 1000, EndDate * 1000, isReverse, after);
    for await (const { key, item } of history) {
      if (AlarmName !== undefined && item.alarmName !== AlarmName) continue;
      if (HistoryItemType !== undefined && item.type !== HistoryItemType) continue;
      if (items.length === MaxRecords)
        return { AlarmHistoryItems: items, NextToken: writeToken(request, [toHex(last!)]) };
      items.push(shown(item));
      last = key;
    }
    return { AlarmHistoryItems: items };
  },
);

function shown({ alarmName, at, type, summary, data }: HistoryItem): object {
  return {
    AlarmName: alarmName,
    AlarmType: 'MetricAlarm',
    Timestamp: at / 1000,
    HistoryItemType: type,
    HistorySummary: summary,
    HistoryData: data,
  };
}
