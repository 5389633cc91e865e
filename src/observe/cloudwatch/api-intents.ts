import { arnIntent, type Intent } from '../../model/access/intent.ts';
import { partitionOf } from '../../model/tables/table-arn.ts';
import type { ApiIntents } from '../../operations/api/api-operation.ts';
import type { Caller } from '../../operations/operation.ts';

/** An action on a resource of CloudWatch in the caller's account. */
export function monitoringIntent(action: string, { accountId, region }: Caller, name: string): Intent {
  return arnIntent(action, `arn:${partitionOf(region)}:cloudwatch:${region}:${accountId}:${name}`);
}

/** Metrics have no ARNs: IAM is asked about the whole account. */
export const onMetrics: ApiIntents<object> = (_, { accountId }, action) => [
  { action, resource: '*', account: accountId },
];

export const onAlarm: ApiIntents<{ readonly AlarmName: string }> = ({ AlarmName }, caller, action) => [
  monitoringIntent(action, caller, `alarm:${AlarmName}`),
];

export const onAlarms: ApiIntents<{ readonly AlarmNames: readonly string[] }> = (
  { AlarmNames },
  caller,
  action,
) => AlarmNames.map((name) => monitoringIntent(action, caller, `alarm:${name}`));

export const onAllAlarms: ApiIntents<object> = (_, caller, action) => [
  monitoringIntent(action, caller, 'alarm:*'),
];

/** The resource whose tags are read or changed. */
export const onTagged: ApiIntents<{ readonly ResourceARN: string }> = ({ ResourceARN }, _, action) => [
  arnIntent(action, ResourceARN),
];

/** The id of a scalable target is not known before it is looked up: IAM is asked about all of the account. */
export const onTargets: ApiIntents<object> = (_, { accountId, region }, action) => [
  arnIntent(
    action,
    `arn:${partitionOf(region)}:application-autoscaling:${region}:${accountId}:scalable-target/*`,
  ),
];
