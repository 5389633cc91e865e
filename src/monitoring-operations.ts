import { putMetricAlarm } from './observe/alarms/put-metric-alarm.ts';
import { putScalingPolicy } from './observe/auto-scaling/put-scaling-policy.ts';
import { registerScalableTarget } from './observe/auto-scaling/scalable-targets.ts';
import { putScheduledAction } from './observe/auto-scaling/scheduled-actions.ts';

/** The operations by which a template sets up alarms and scaling. */
export const monitoringOperations = {
  PutMetricAlarm: putMetricAlarm,
  RegisterScalableTarget: registerScalableTarget,
  PutScalingPolicy: putScalingPolicy,
  PutScheduledAction: putScheduledAction,
};
