import { DynamoError } from '../model/errors.ts';
import { monitoringOperations } from '../monitoring-operations.ts';
import type { Caller } from '../operations/operation.ts';
import type { TemplateMonitoring } from '../tables-from/monitoring-resources.ts';
import type { Members } from '../tables-from/table-definition.ts';
import type { InitContext } from './init.ts';

/**
 * Sets up the alarms and the scaling of a template for tables that are new; those of other tables are the user's by now.
 * What is refused is named, and the rest goes on. Answers how many were set up.
 */
export async function setUpMonitoring(
  { alarms, targets, schedules, policies }: TemplateMonitoring,
  created: readonly string[],
  caller: Caller,
  { db, output }: InitContext,
): Promise<{ readonly alarms: number; readonly targets: number }> {
  const put = async (
    operation: keyof typeof monitoringOperations,
    what: string,
    request: Members,
  ): Promise<number> => {
    const answer = await monitoringOperations[operation].handle(db.monitoring, request, caller);
    if (!(answer instanceof DynamoError)) return 1;
    output.log('warning', `${what} is left out: ${answer.message ?? answer.name}`);
    return 0;
  };
  const isNew = ({ ResourceId: id }: Members) => created.includes(String(id).split('/')[1]!);
  let targetCount = 0;
  for (const one of targets.filter(isNew))
    targetCount += await put('RegisterScalableTarget', `The scaling of ${placeOf(one)}`, one);
  for (const one of policies.filter(isNew))
    await put('PutScalingPolicy', `The scaling policy ${String(one.PolicyName)}`, one);
  for (const one of schedules.filter(isNew))
    await put('PutScheduledAction', `The scheduled action ${String(one.ScheduledActionName)}`, one);
  let alarmCount = 0;
  for (const one of alarms) {
    const table = tableOf(one);
    if (table === undefined ? created.length === 0 : !created.includes(table)) continue;
    alarmCount += await put('PutMetricAlarm', `The alarm ${String(one.AlarmName)}`, one);
  }
  return { alarms: alarmCount, targets: targetCount };
}

function placeOf({ ResourceId: id, ScalableDimension: dimension }: Members): string {
  return `${String(id)} (${String(dimension)})`;
}

/** The table that an alarm watches, by its own dimensions or by those of its metrics. */
function tableOf({ Dimensions: own, Metrics: metrics }: Members): string | undefined {
  const queries = Array.isArray(metrics) ? (metrics as Members[]) : [];
  const lists = [
    own,
    ...queries.map(({ MetricStat: stat }) => {
      const { Metric: metric } = (stat ?? {}) as Members;
      return ((metric ?? {}) as Members).Dimensions;
    }),
  ];
  for (const list of lists)
    for (const one of Array.isArray(list) ? (list as Members[]) : [])
      if (one.Name === 'TableName') return String(one.Value);
  return undefined;
}
