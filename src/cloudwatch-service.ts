import type { AlarmContext } from './observe/alarms/alarm-context.ts';
import { listTagsForResource, tagResource, untagResource } from './observe/alarms/alarm-tags.ts';
import {
  deleteAlarms,
  disableAlarmActions,
  enableAlarmActions,
  setAlarmState,
} from './observe/alarms/change-alarms.ts';
import {
  describeAlarmHistory,
  describeAlarms,
  describeAlarmsForMetric,
} from './observe/alarms/describe-alarms.ts';
import { putMetricAlarm } from './observe/alarms/put-metric-alarm.ts';
import { cloudWatchErrors } from './observe/cloudwatch/cloudwatch-errors.ts';
import { getInsightRuleReport, type InsightContext } from './observe/cloudwatch/get-insight-rule-report.ts';
import { getMetricData } from './observe/cloudwatch/get-metric-data.ts';
import { getMetricStatistics } from './observe/cloudwatch/get-metric-statistics.ts';
import { listMetrics } from './observe/cloudwatch/list-metrics.ts';
import { putMetricData } from './observe/cloudwatch/put-metric-data.ts';
import type { ApiOperation } from './operations/api/api-operation.ts';
import { awsErrors } from './operations/api/aws-errors.ts';
import type { Service, ServiceOperation } from './operations/api/service.ts';
import type { Caller } from './operations/operation.ts';

const cloudWatchOperations: readonly ApiOperation<AlarmContext & InsightContext>[] = [
  ...[getMetricData, getMetricStatistics, listMetrics, putMetricData],
  ...[putMetricAlarm, describeAlarms, describeAlarmsForMetric, describeAlarmHistory],
  ...[deleteAlarms, enableAlarmActions, disableAlarmActions, setAlarmState],
  ...[listTagsForResource, tagResource, untagResource],
  getInsightRuleReport,
];

/** CloudWatch beside DynamoDB on the port, in the three protocols that its clients speak. */
export function cloudWatchService(contextOf: (caller: Caller) => AlarmContext & InsightContext): Service {
  return {
    targetPrefix: 'GraniteServiceVersion20100801',
    signingName: 'monitoring',
    apiVersion: '2010-08-01',
    protocols: ['cbor', 'json-1.0', 'query'],
    errors: awsErrors({
      ...{ prefix: 'com.amazonaws.cloudwatch.v2010_08_01', messageMember: 'message', own: cloudWatchErrors },
      ...{ xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/', apiVersion: '2010-08-01' },
    }),
    operations: bound(cloudWatchOperations, contextOf),
  };
}

export function bound<Context>(
  operations: readonly ApiOperation<Context>[],
  contextOf: (caller: Caller) => Context,
): ReadonlyMap<string, ServiceOperation> {
  return new Map(
    operations.map(({ name, input, output, bodyBytesMax, handle }) => [
      name,
      {
        name,
        input,
        output,
        bodyBytesMax,
        handle: (body, caller) => handle(contextOf(caller), body, caller),
      },
    ]),
  );
}
