/** What of a table's description the recommended alarms depend on. */
export interface AlarmedTable {
  readonly tableName: string;
  readonly indexNames: readonly string[];
  /** Provisioned units a second; undefined on demand. */
  readonly provisioned: { readonly read: number; readonly write: number } | undefined;
}

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
 * The alarms that every table should have, as PutMetricAlarm requests: throttles that last, of the table and of each
 * index; more than 80 % of provisioned throughput; errors of the service; and conditions that fail unusually often, which
 * is a business matter and no outage. Installing them twice changes nothing: the names say table and index.
 */
export function recommendedAlarms(
  { tableName, indexNames, provisioned }: AlarmedTable,
  actions: readonly string[] = [],
): readonly RecommendedAlarm[] {
  const ofTable = { TableName: tableName };
  const throttles = [undefined, ...indexNames].flatMap((index) =>
    (['Read', 'Write'] as const).map((kind): Watched => {
      const place = index === undefined ? tableName : `${tableName}/${index}`;
      return {
        name: `${place} ${kind.toLowerCase()} throttles`,
        about: `${kind}s of ${place} are throttled for five minutes. Look for a hot key or too little throughput.`,
        metric: `${kind}ThrottleEvents`,
        dimensions: index === undefined ? ofTable : { ...ofTable, GlobalSecondaryIndexName: index },
        threshold: 0,
        minutes: 5,
      };
    }),
  );
  const usage = (['Read', 'Write'] as const).flatMap((kind): Watched[] => {
    const units = kind === 'Read' ? provisioned?.read : provisioned?.write;
    if (units === undefined || units === 0) return [];
    return [
      {
        name: `${tableName} ${kind.toLowerCase()} capacity above 80 %`,
        about: `${tableName} uses more than 80 % of its ${units} provisioned ${kind.toLowerCase()} units.`,
        metric: `Consumed${kind}CapacityUnits`,
        dimensions: ofTable,
        threshold: 0.8 * units * 60,
        minutes: 5,
      },
    ];
  });
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
  return [...throttles, ...usage, ...others].map((watched) => alarmOf(watched, actions));
}

function alarmOf(
  { name, about, metric, dimensions, threshold, minutes }: Watched,
  actions: readonly string[],
): RecommendedAlarm {
  return {
    AlarmName: name,
    AlarmDescription: about,
    Namespace: 'AWS/DynamoDB',
    MetricName: metric,
    Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
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
