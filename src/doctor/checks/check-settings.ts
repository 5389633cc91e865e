import { type AlarmedTable, recommendedAlarms } from '../../observe/alarms/recommended-alarms.ts';
import { type Finding, finding } from '../finding.ts';
import { aws, counted, listed, number, percent, quoted, stator, time } from '../phrases.ts';
import type { Context, TableView } from '../table-view.ts';

/** Of a table's 20 indexes, so many leave little room. */
const indexesNear = 18;

/** Settings that nobody misses until the day they are needed: recovery, alarms, room, throughput. */
export function checkSettings(view: TableView, context: Context): Finding[] {
  return [
    ...recovery(view, context),
    ...alarms(view, context),
    ...firing(view, context),
    ...busy(view, context),
    ...indexLimit(view, context),
    ...capacity(view, context),
  ];
}

/** On a Stator, a table of fewer items is a trial, which needs no advice about production. */
const trialItems = 100;

function isTrial({ description }: TableView, { endpoint }: Context): boolean {
  return endpoint.stator !== undefined && (description.ItemCount ?? 0) < trialItems;
}

/** A development server is expected to lack what production must have. */
function unlessStator({ endpoint }: Context) {
  return endpoint.stator === undefined ? ({ severity: 'warning' } as const) : {};
}

function recovery(view: TableView, context: Context): Finding[] {
  const { name, hasRecovery } = view;
  if (hasRecovery !== false || isTrial(view, context)) return [];
  const { endpoint } = context;
  return [
    finding('no-recovery', name, {
      ...unlessStator(context),
      symptom: `${name} cannot be restored to an earlier second.`,
      cause: 'Point-in-time recovery is off.',
      evidence: ['PointInTimeRecoveryStatus is DISABLED'],
      confirm: aws(endpoint, 'dynamodb', `describe-continuous-backups --table-name ${quoted(name)}`),
      fix: 'Switch it on for every table whose data nobody can make again. Exports need it too.',
      command: aws(
        ...([endpoint, 'dynamodb'] as const),
        `update-continuous-backups --table-name ${quoted(name)} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
      ),
    }),
  ];
}

/** What the alarms of a table depend on. */
export function alarmedTable({
  name,
  description,
  arms,
}: Pick<TableView, 'name' | 'description' | 'arms'>): AlarmedTable {
  return {
    tableName: name,
    indexNames: (description.GlobalSecondaryIndexes ?? []).map(({ IndexName }) => IndexName),
    provisioned: arms[0]!.provisioned,
    indexProvisioned: Object.fromEntries(
      arms.flatMap(({ index, provisioned }) => (index === undefined ? [] : [[index, provisioned]])),
    ),
  };
}

function alarms(view: TableView, context: Context): Finding[] {
  if (view.alarms === undefined || isTrial(view, context)) return [];
  const { name } = view;
  const watched = new Set(view.alarms.map(({ metric, index }) => `${metric} ${index ?? ''}`));
  const missing = recommendedAlarms(alarmedTable(view)).filter((alarm) => {
    const { MetricName, Dimensions } = alarm as unknown as {
      readonly MetricName?: string;
      readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
    };
    if (MetricName === undefined) return false;
    const index = Dimensions?.find(({ Name }) => Name === 'GlobalSecondaryIndexName')?.Value;
    return !watched.has(`${MetricName} ${index ?? ''}`);
  });
  if (missing.length === 0) return [];
  const { endpoint } = context;
  return [
    finding('alarms-missing', name, {
      ...unlessStator(context),
      symptom: `Nobody is told when ${name} is throttled, fails or refuses unusually often.`,
      cause: view.alarms.length === 0 ? 'The table has no alarms.' : 'Some of the alarms are missing.',
      evidence: [
        `${counted(missing.length, 'alarm')} missing: ${listed(
          missing.map(({ AlarmName }) => AlarmName),
          4,
        )}`,
      ],
      confirm: aws(
        ...([endpoint, 'cloudwatch'] as const),
        `describe-alarms-for-metric --namespace AWS/DynamoDB --metric-name WriteThrottleEvents --dimensions ${quoted(`Name=TableName,Value=${name}`)}`,
      ),
      fix: 'Install them; installing twice changes nothing.',
      command: stator(endpoint, `alarms install --table ${quoted(name)}`),
    }),
  ];
}

function firing({ name, alarms: all }: TableView, { endpoint }: Context): Finding[] {
  // Auto scaling steers by alarms of its own, which are meant to fire.
  const loud = (all ?? []).filter((alarm) => alarm.state === 'ALARM' && !/^TargetTracking-/.test(alarm.name));
  return [...new Map(loud.map((alarm) => [alarm.name, alarm])).values()].map((alarm) =>
    finding('alarm-firing', name, {
      index: alarm.index,
      symptom: `The alarm "${alarm.name}" is in ALARM.`,
      cause: `${alarm.metric} passed the alarm's threshold.`,
      evidence: [
        ...(alarm.sinceMs === undefined
          ? []
          : [`In ALARM since ${new Date(alarm.sinceMs).toISOString().slice(0, 16)}Z`]),
        ...(alarm.reason === undefined ? [] : [alarm.reason]),
      ],
      confirm: aws(endpoint, 'cloudwatch', `describe-alarms --alarm-names ${quoted(alarm.name)}`),
      fix: 'Read the other findings of this table; they name the cause.',
      command: aws(endpoint, 'cloudwatch', `describe-alarm-history --alarm-name ${quoted(alarm.name)}`),
    }),
  );
}

function busy({ name, description }: TableView, { endpoint }: Context): Finding[] {
  const { TableStatus = 'ACTIVE', GlobalSecondaryIndexes = [] } = description;
  const states = [
    ...(TableStatus === 'ACTIVE' ? [] : [`table ${TableStatus}`]),
    ...GlobalSecondaryIndexes.filter(({ IndexStatus = 'ACTIVE' }) => IndexStatus !== 'ACTIVE').map(
      ({ IndexName, IndexStatus }) => `index ${IndexName} ${IndexStatus}`,
    ),
  ];
  if (states.length === 0) return [];
  return [
    finding('table-busy', name, {
      symptom: `Changes of ${name} are refused with ResourceInUseException.`,
      cause: 'A change is under way. A table takes one change of its indexes at a time.',
      evidence: states,
      confirm: aws(endpoint, 'dynamodb', `describe-table --table-name ${quoted(name)}`),
      fix: 'Wait until everything is ACTIVE, then make the next change. Never send two index changes at once.',
      command: aws(endpoint, 'dynamodb', `wait table-exists --table-name ${quoted(name)}`),
    }),
  ];
}

function indexLimit({ name, description }: TableView, { endpoint }: Context): Finding[] {
  const count = description.GlobalSecondaryIndexes?.length ?? 0;
  if (count < indexesNear) return [];
  return [
    finding('index-limit', name, {
      symptom: `The next indexes of ${name} will be refused with LimitExceededException.`,
      cause: 'A table has at most 20 global indexes, and each multiplies the cost of writes.',
      evidence: [`${number(count)} of 20 global indexes`],
      confirm: aws(endpoint, 'dynamodb', `describe-table --table-name ${quoted(name)}`),
      fix: 'Overload indexes: generic keys (GSI1PK, GSI1SK) whose values differ by entity serve several patterns.',
      command: 'stator design derive <model>',
    }),
  ];
}

const nearMinutes = 5;

/** Provisioned throughput that is nearly used up, or hardly used. */
function capacity(view: TableView, { endpoint, metrics }: Context): Finding[] {
  const { name } = view;
  return view.arms.flatMap(({ index, name: arm, provisioned }) =>
    (['Read', 'Write'] as const).flatMap((kind): Finding[] => {
      const units = kind === 'Read' ? provisioned?.read : provisioned?.write;
      if (units === undefined || units === 0) return [];
      if (metrics.sum(name, { metric: `${kind}ThrottleEvents`, index }) > 0) return [];
      const minutes = metrics.points(name, { metric: `Consumed${kind}CapacityUnits`, index });
      const near = minutes.filter(({ value }) => value / 60 > 0.8 * units);
      const used = minutes.reduce((sum, { value }) => sum + value, 0) / 60 / Math.max(1, minutes.length);
      const describe = aws(endpoint, 'dynamodb', `describe-table --table-name ${quoted(name)}`);
      if (near.length >= nearMinutes) {
        const peak = near.reduce((most, one) => (one.value > most.value ? one : most));
        return [
          finding('near-capacity', name, {
            index,
            symptom: `${arm} is close to being throttled.`,
            cause: `Its ${kind.toLowerCase()}s use more than 80 % of the provisioned units.`,
            evidence: [
              `${number(peak.value / 60)} of ${number(units)} ${kind.toLowerCase()} units a second at ${time(peak.atMs)} (${percent(peak.value / 60 / units)})`,
              `${counted(near.length, 'minute')} above 80 %`,
            ],
            confirm: describe,
            fix: 'Raise the provisioned units, let auto scaling move them (70 % is the usual target), or switch to on-demand.',
            command: aws(
              ...([endpoint, 'dynamodb'] as const),
              `update-table --table-name ${quoted(name)} --billing-mode PAY_PER_REQUEST`,
            ),
          }),
        ];
      }
      if (minutes.length < 30 || units < 50 || used > 0.1 * units) return [];
      return [
        finding('over-provisioned', name, {
          index,
          symptom: `Most of the provisioned ${kind.toLowerCase()} units of ${arm} are paid for and not used.`,
          cause: 'The units were estimated too high, or nothing lowers them after a peak.',
          evidence: [
            `${number(used)} of ${number(units)} ${kind.toLowerCase()} units a second used (${percent(used / units)}), over ${counted(minutes.length, 'minute')} with traffic`,
          ],
          confirm: describe,
          fix: 'Let auto scaling lower them, or switch to on-demand; compare the prices first.',
          command: `stator capacity --item-size 1 --${kind.toLowerCase()}s ${Math.max(1, Math.ceil(used))}`,
        }),
      ];
    }),
  );
}
