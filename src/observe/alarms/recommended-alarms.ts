/** What of a table's description the recommended alarms depend on. */
export interface AlarmedTable {
  readonly tableName: string;
  readonly indexNames: readonly string[];
  /** Provisioned units a second; undefined on demand. */
  readonly provisioned: Provisioned | undefined;
  /** The same of its indexes, by name. */
  readonly indexProvisioned?: Readonly<Record<string, Provisioned | undefined>>;
  /** The stream whose readers a Stator measures, and how many seconds late they may be. AWS measures functions only. */
  readonly stream?: { readonly label: string; readonly lateSeconds: number } | undefined;
}

export interface Provisioned {
  readonly read: number;
  readonly write: number;
}

/** How alarms of ours end their description, so that they are found again whatever the table looks like later. */
export const madeByStator = 'Made by stator alarms.';

/** A PutMetricAlarm request. */
export type RecommendedAlarm = Readonly<Record<string, unknown>> & {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
};

interface Watched {
  readonly name: string;
  readonly about: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly threshold: number;
  readonly minutes: number;
}

/**
 * The alarms that every table should have, as PutMetricAlarm requests: throttles that last and hot keys, of the table and
 * of each index; more than 80 % of provisioned throughput; throttles while half of it is free; errors of the service; and
 * conditions that fail often, or more and more often, which is a business matter and no outage; and late readers of its
 * stream. Installing them twice changes nothing:
 * the names say table and index.
 */
export function recommendedAlarms(
  { tableName, indexNames, provisioned, indexProvisioned = {}, stream }: AlarmedTable,
  actions: readonly string[] = [],
): readonly RecommendedAlarm[] {
  const ofTable = { TableName: tableName };
  const arms = [undefined, ...indexNames].map((index) => ({
    place: index === undefined ? tableName : `${tableName}/${index}`,
    dimensions: index === undefined ? ofTable : { ...ofTable, GlobalSecondaryIndexName: index },
    units: index === undefined ? provisioned : indexProvisioned[index],
  }));
  const throttles = arms.flatMap(({ place, dimensions }) =>
    kinds.map(
      (kind): Watched => ({
        name: `${place} ${kind.toLowerCase()} throttles`,
        about: `${kind}s of ${place} are throttled for five minutes. Look for a hot key or too little throughput.`,
        metric: `${kind}ThrottleEvents`,
        dimensions,
        threshold: 0,
        minutes: 5,
      }),
    ),
  );
  const hotKeys = arms.flatMap(({ place, dimensions }) =>
    kinds.map(
      (kind): Watched => ({
        name: `${place} hot key (${kind.toLowerCase()}s)`,
        about: `One key of ${place} is asked for more ${kind.toLowerCase()}s than a partition gives. No capacity setting helps; shard it.`,
        metric: `${kind}KeyRangeThroughputThrottleEvents`,
        dimensions,
        threshold: 0,
        minutes: 2,
      }),
    ),
  );
  const usage = arms.flatMap(({ place, dimensions, units: all }) =>
    kinds.flatMap((kind): Watched[] => {
      const units = kind === 'Read' ? all?.read : all?.write;
      if (units === undefined || units === 0) return [];
      return [
        {
          name: `${place} ${kind.toLowerCase()} capacity above 80 %`,
          about: `${place} uses more than 80 % of its ${units} provisioned ${kind.toLowerCase()} units.`,
          metric: `Consumed${kind}CapacityUnits`,
          dimensions,
          threshold: 0.8 * units * 60,
          minutes: 5,
        },
      ];
    }),
  );
  const others: Watched[] = [
    {
      name: `${tableName} conditional check failures`,
      about: `Conditions on ${tableName} fail more often than usual: a duplicate, a lost race, or a wrong retry.`,
      metric: 'ConditionalCheckFailedRequests',
      dimensions: ofTable,
      threshold: 100,
      minutes: 5,
    },
    ...['GetItem', 'PutItem', 'UpdateItem', 'Query'].map(
      (Operation): Watched => ({
        name: `${tableName} system errors of ${Operation}`,
        about: `The service fails ${Operation} on ${tableName} with errors of its own.`,
        metric: 'SystemErrors',
        dimensions: { ...ofTable, Operation },
        threshold: 0,
        minutes: 2,
      }),
    ),
  ];
  return [
    ...[...throttles, ...hotKeys, ...usage, ...others].map((watched) => alarmOf(watched, actions)),
    risingFailures(tableName, actions),
    ...(stream === undefined ? [] : [lateReaders(tableName, stream, actions)]),
    ...arms.flatMap(({ place, dimensions, units }) =>
      units === undefined ? [] : kinds.map((kind) => throttledBelowHalf(place, dimensions, kind, actions)),
    ),
  ];
}

/** Conditions that fail more often from one five minutes to the next, three times in a row, however few they are. */
function risingFailures(tableName: string, actions: readonly string[]): RecommendedAlarm {
  const MetricName = 'ConditionalCheckFailedRequests';
  return {
    AlarmName: `${tableName} conditional check failures rise`,
    AlarmDescription: `Conditions on ${tableName} fail more and more often: a retry that repeats a lost race, or a release that sends requests twice. ${madeByStator}`,
    Metrics: [
      {
        Id: 'failures',
        MetricStat: {
          Metric: { Namespace: namespace, MetricName, Dimensions: dimensionList({ TableName: tableName }) },
          ...{ Period: 300, Stat: 'Sum' },
        },
        ReturnData: false,
      },
      {
        Id: 'rise',
        Expression: `IF(FILL(failures, 0) >= ${risingLeast}, DIFF(FILL(failures, 0)), 0)`,
        Label: 'Rise of conditional check failures',
        ReturnData: true,
      },
    ],
    EvaluationPeriods: 3,
    DatapointsToAlarm: 3,
    Threshold: 0,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
    ...(actions.length > 0 && { AlarmActions: actions }),
  };
}

/** Fewer failures in five minutes are noise. */
const risingLeast = 10;

/** A reader of a table's stream that has fallen behind, as a Stator measures it at GetRecords. */
function lateReaders(
  tableName: string,
  { label, lateSeconds }: NonNullable<AlarmedTable['stream']>,
  actions: readonly string[],
): RecommendedAlarm {
  return {
    ...alarmOf(
      {
        name: `${tableName} stream iterator age`,
        about: `A reader of the stream of ${tableName} is more than ${lateSeconds} seconds late: a slow call, or a record that fails again and again.`,
        metric: 'IteratorAge',
        dimensions: { TableName: tableName, StreamLabel: label },
        threshold: lateSeconds * 1_000,
        minutes: 5,
      },
      actions,
    ),
    ...{ Namespace: 'Stator/Streams', Statistic: 'Maximum' },
  };
}

/** Throttles while less than half of the provisioned units are used: the signature of a hot key. */
function throttledBelowHalf(
  place: string,
  dimensions: Readonly<Record<string, string>>,
  kind: 'Read' | 'Write',
  actions: readonly string[],
): RecommendedAlarm {
  const metric = (Id: string, MetricName: string, Stat: string) => ({
    Id,
    MetricStat: {
      Metric: { Namespace: namespace, MetricName, Dimensions: dimensionList(dimensions) },
      ...{ Period: 60, Stat },
    },
    ReturnData: false,
  });
  return {
    AlarmName: `${place} ${kind.toLowerCase()}s throttled below half of capacity`,
    AlarmDescription: `${kind}s of ${place} are throttled although less than half of the provisioned units are used: a hot key. ${madeByStator}`,
    Metrics: [
      metric('throttles', `${kind}ThrottleEvents`, 'Sum'),
      metric('consumed', `Consumed${kind}CapacityUnits`, 'Sum'),
      metric('provisioned', `Provisioned${kind}CapacityUnits`, 'Average'),
      {
        Id: 'hot',
        Expression: 'IF(throttles > 0 AND consumed < 30 * FILL(provisioned, REPEAT), 1, 0)',
        Label: 'Throttled below half of capacity',
        ReturnData: true,
      },
    ],
    EvaluationPeriods: 5,
    DatapointsToAlarm: 3,
    Threshold: 0,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
    ...(actions.length > 0 && { AlarmActions: actions }),
  };
}

/** A function that reads a stream and has fallen behind. */
export function iteratorAgeAlarm(
  functionName: string,
  seconds: number,
  actions: readonly string[] = [],
): RecommendedAlarm {
  return {
    ...alarmOf(
      {
        name: `${functionName} iterator age`,
        about: `${functionName} reads its stream more than ${seconds} seconds late: a slow call, or a record that fails again and again.`,
        metric: 'IteratorAge',
        dimensions: { FunctionName: functionName },
        threshold: seconds * 1_000,
        minutes: 5,
      },
      actions,
    ),
    ...{ Namespace: 'AWS/Lambda', Statistic: 'Maximum' },
  };
}

const kinds = ['Read', 'Write'] as const;
const namespace = 'AWS/DynamoDB';

function dimensionList(dimensions: Readonly<Record<string, string>>): object[] {
  return Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
}

function alarmOf(
  { name, about, metric, dimensions, threshold, minutes }: Watched,
  actions: readonly string[],
): RecommendedAlarm {
  return {
    AlarmName: name,
    AlarmDescription: `${about} ${madeByStator}`,
    Namespace: namespace,
    MetricName: metric,
    Dimensions: dimensionList(dimensions),
    Statistic: 'Sum',
    Period: 60,
    EvaluationPeriods: minutes,
    DatapointsToAlarm: minutes,
    Threshold: threshold,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
    ...(actions.length > 0 && { AlarmActions: actions }),
  };
}
