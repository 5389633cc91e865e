import type { Scope } from '../../engine/store-keys.ts';
import type { AlarmRecord } from '../alarms/alarm-record.ts';
import { configurationItem } from '../alarms/configuration-item.ts';
import { alarmWith } from '../alarms/put-metric-alarm.ts';
import { minuteOf } from '../metrics.ts';
import type { RecordEdit } from '../record-edit.ts';
import type { ScalingContext } from './scaling-context.ts';
import type { PolicyRecord } from './scaling-records.ts';
import { armOf } from './scaling-target.ts';
import { capacityOf } from './table-capacity.ts';
import { alarmSettings, policyDescription, rolesOf } from './tracking-alarms.ts';

type AlarmContext = Pick<ScalingContext, 'engine' | 'book' | 'nowMs' | 'newUuid'>;

/** Plans the alarms of a target tracking policy: its record with their names, and the edits that make them. */
export async function withAlarms(
  { engine, book, nowMs, newUuid }: AlarmContext,
  scope: Scope,
  policy: PolicyRecord,
): Promise<{ readonly record: PolicyRecord; readonly edits: readonly RecordEdit[] }> {
  const arm = armOf(policy)!;
  const capacity = await capacityOf(engine, scope, arm);
  const provisioned = typeof capacity === 'string' ? 0 : capacity.provisioned;
  const action = `${policy.arn}:createdBy/${newUuid()}`;
  const at = nowMs();
  const alarms: PolicyRecord['alarms'][number][] = [];
  const edits: RecordEdit[] = [];
  for (const role of rolesOf(policy.tracking!)) {
    const name = `TargetTracking-${policy.resourceId}-${role}-${newUuid()}`;
    const settings = alarmSettings(policy, arm, role, provisioned, action);
    const isConsumed = 'MetricName' in settings.watched && settings.watched.MetricName.startsWith('Consumed');
    const isZeroed = isConsumed && policy.tracking!.CustomizedMetricSpecification === undefined;
    const made = alarmWith(undefined, name, settings, {}, at);
    const record = isZeroed ? { ...made, zeroFromMinute: minuteOf(at) } : made;
    const history = [configurationItem(undefined, record, at)];
    edits.push(book.edit(scope, name, () => ({ record, history })));
    alarms.push({ role, name });
  }
  return { record: { ...policy, alarms, alarmedCapacity: provisioned }, edits };
}

/**
 * Mends what earlier versions left behind when they were killed while they put or deleted a policy: a policy without
 * its alarms gets new ones, and alarms without their policy go. Answers what was mended, for the log.
 */
export async function mendPolicies(
  context: AlarmContext & Pick<ScalingContext, 'scaling'>,
): Promise<readonly string[]> {
  const { book, scaling } = context;
  // Alarms are read before policies: those of a policy that is put in between are not taken for lost ones.
  const alarms = new Map<string, { readonly scope: Scope; readonly record: AlarmRecord }>();
  for await (const alarm of book.everyAlarm())
    if (isPolicyAlarm(alarm.record)) alarms.set(idOf(alarm.scope, alarm.record.name), alarm);
  const mended: string[] = [];
  const broken: { readonly scope: Scope; readonly policy: PolicyRecord }[] = [];
  for await (const { scope, policy } of scaling.everything()) {
    if (policy === undefined || policy.type !== 'TargetTrackingScaling') continue;
    let known = 0;
    for (const { name } of policy.alarms) if (alarms.delete(idOf(scope, name))) known++;
    if (known < rolesOf(policy.tracking!).length) broken.push({ scope, policy });
  }
  for (const { scope, record } of alarms.values()) {
    await book.changeAll([book.deletion(scope, record.name)]);
    mended.push(`alarm ${record.name} without a scaling policy was deleted`);
  }
  for (const { scope, policy } of broken) {
    const { record, edits } = await withAlarms(context, scope, policy);
    const isMended = await scaling.changeAll(
      [
        ...policy.alarms.map(({ name }) => book.deletion(scope, name)),
        ...edits,
        scaling.edit(scope, 'policy', policy, policy.name, () => record),
      ],
      [scaling.isPolicy(scope, policy, policy.name, policy)],
    );
    if (isMended)
      mended.push(`scaling policy ${policy.name} of ${policy.resourceId} lacked alarms and has new ones`);
  }
  return mended;
}

/** Whether a target tracking policy has made an alarm. */
function isPolicyAlarm({ name, settings }: AlarmRecord): boolean {
  const arn = settings.alarmActions[0]?.split(':createdBy/')[0];
  return (
    name.startsWith('TargetTracking-') && arn !== undefined && settings.description === policyDescription(arn)
  );
}

function idOf({ account, region }: Scope, name: string): string {
  return `${account}/${region}/${name}`;
}
