import type { Questions } from './questions.ts';
import type { AlarmView, TableDescription, TableSettings } from './table-view.ts';

/** How many questions about tables are asked at the same time. */
const atOnce = 8;

/** The names of all tables; undefined if they may not be listed. */
export async function listTables(questions: Questions): Promise<string[] | undefined> {
  const names: string[] = [];
  let after: string | undefined;
  do {
    const answer = await questions.ask<{ TableNames: string[]; LastEvaluatedTableName?: string }>(
      ...(['dynamodb', 'ListTables'] as const),
      after === undefined ? {} : { ExclusiveStartTableName: after },
      'the list of tables',
    );
    if (answer === undefined) return undefined;
    names.push(...answer.TableNames);
    after = answer.LastEvaluatedTableName;
  } while (after !== undefined);
  return names;
}

/** The definition and settings of a table; undefined if it is gone or may not be described. */
export async function lookAtTable(
  questions: Questions,
  TableName: string,
): Promise<TableSettings | undefined> {
  const [described, backups, ttl] = await Promise.all([
    questions.ask<{ Table: TableDescription }>(
      ...(['dynamodb', 'DescribeTable', { TableName }, 'definitions of tables', TableName] as const),
    ),
    questions.ask<BackupsAnswer>(
      ...([
        'dynamodb',
        'DescribeContinuousBackups',
        { TableName },
        'point-in-time recovery',
        TableName,
      ] as const),
    ),
    questions.ask<TtlAnswer>(
      ...(['dynamodb', 'DescribeTimeToLive', { TableName }, 'Time to Live', TableName] as const),
    ),
  ]);
  if (described === undefined) return undefined;
  const recovery =
    backups?.ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  const { TimeToLiveStatus, AttributeName } = ttl?.TimeToLiveDescription ?? {};
  return {
    description: described.Table,
    hasRecovery: backups === undefined ? undefined : recovery === 'ENABLED',
    ttl:
      ttl === undefined
        ? undefined
        : { isOn: /^ENABL(ED|ING)$/.test(TimeToLiveStatus ?? ''), attribute: AttributeName },
  };
}

interface BackupsAnswer {
  readonly ContinuousBackupsDescription?: {
    readonly PointInTimeRecoveryDescription?: { readonly PointInTimeRecoveryStatus?: string };
  };
}

interface TtlAnswer {
  readonly TimeToLiveDescription?: { readonly TimeToLiveStatus?: string; readonly AttributeName?: string };
}

interface MetricAlarm {
  readonly AlarmName: string;
  readonly StateValue?: string;
  readonly StateReason?: string;
  readonly StateUpdatedTimestamp?: number | string;
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
  readonly Metrics?: readonly {
    readonly MetricStat?: {
      readonly Metric?: {
        readonly Namespace?: string;
        readonly MetricName?: string;
        readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
      };
    };
  }[];
}

/** Every alarm on a metric of DynamoDB, once for each metric that it watches; undefined if they may not be seen. */
export async function readAlarms(questions: Questions): Promise<AlarmView[] | undefined> {
  const found: AlarmView[] = [];
  let token: string | undefined;
  do {
    const answer = await questions.ask<{ MetricAlarms?: MetricAlarm[]; NextToken?: string }>(
      ...(['cloudwatch', 'DescribeAlarms'] as const),
      { AlarmTypes: ['MetricAlarm'], MaxRecords: 100, ...(token !== undefined && { NextToken: token }) },
      'alarms',
    );
    if (answer === undefined) return undefined;
    for (const alarm of answer.MetricAlarms ?? []) found.push(...viewsOf(alarm));
    token = answer.NextToken;
  } while (token !== undefined);
  return found;
}

function viewsOf(alarm: MetricAlarm): AlarmView[] {
  const { StateUpdatedTimestamp: since } = alarm;
  const watched =
    alarm.MetricName === undefined
      ? (alarm.Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
      : [alarm];
  return watched.flatMap(({ Namespace, MetricName, Dimensions = [] }) => {
    const value = (name: string) => Dimensions.find(({ Name }) => Name === name)?.Value;
    const table = value('TableName');
    if (Namespace !== 'AWS/DynamoDB' || MetricName === undefined || table === undefined) return [];
    return [
      {
        name: alarm.AlarmName,
        state: alarm.StateValue ?? 'INSUFFICIENT_DATA',
        metric: MetricName,
        table,
        index: value('GlobalSecondaryIndexName'),
        reason: alarm.StateReason,
        sinceMs:
          since === undefined ? undefined : typeof since === 'number' ? since * 1_000 : Date.parse(since),
      },
    ];
  });
}

interface TargetsAnswer {
  readonly ScalableTargets?: readonly { readonly ResourceId: string; readonly ScalableDimension: string }[];
  readonly NextToken?: string;
}

/** What auto scaling moves: `table/Orders dynamodb:table:WriteCapacityUnits`. */
export async function readScaling(questions: Questions): Promise<ReadonlySet<string> | undefined> {
  const found = new Set<string>();
  let token: string | undefined;
  do {
    const answer: TargetsAnswer | undefined = await questions.ask(
      ...(['autoscaling', 'DescribeScalableTargets'] as const),
      { ServiceNamespace: 'dynamodb', ...(token !== undefined && { NextToken: token }) },
      'auto scaling',
    );
    if (answer === undefined) return undefined;
    for (const { ResourceId, ScalableDimension } of answer.ScalableTargets ?? [])
      found.add(`${ResourceId} ${ScalableDimension}`);
    token = answer.NextToken;
  } while (token !== undefined);
  return found;
}

/** Does something for each of many, a few at a time, and keeps the order. */
export async function each<Given, Made>(
  all: readonly Given[],
  make: (one: Given) => Promise<Made>,
): Promise<Made[]> {
  const made = new Array<Made>(all.length);
  let next = 0;
  const work = async () => {
    for (let at = next++; at < all.length; at = next++) made[at] = await make(all[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, work));
  return made;
}
