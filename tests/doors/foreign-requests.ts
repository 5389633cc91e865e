import { accounts } from './two-accounts.ts';

/** What account B has, by ARNs and names: things that exist, or things that do not. */
export interface Things {
  readonly arn: string;
  readonly stream: string;
  readonly backup: string;
  readonly export: string;
  readonly import: string;
  readonly iterator: string;
  readonly alarm: string;
  readonly target: string;
}

const key = { pk: { S: 'x' } };
const definition = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
};
const kinesis = `arn:aws:kinesis:us-east-1:${accounts.b}:stream/records`;
const ownKinesis = `arn:aws:kinesis:us-east-1:${accounts.a}:stream/records`;

/**
 * Requests of account A that name things of account B, by operation; `own` has a table A's. An operation that can name no
 * other account has none.
 */
export const foreignRequests: Readonly<
  Record<string, Readonly<Record<string, (b: Things) => readonly object[]>>>
> = {
  DynamoDB_20120810: {
    // Its statements are refused one by one: see the test of batches.
    BatchExecuteStatement: () => [],
    BatchGetItem: ({ arn }) => [
      { RequestItems: { [arn]: { Keys: [key] } } },
      { RequestItems: { own: { Keys: [key] }, [arn]: { Keys: [key] } } },
    ],
    BatchWriteItem: ({ arn }) => [
      { RequestItems: { [arn]: [{ PutRequest: { Item: key } }] } },
      { RequestItems: { own: [{ DeleteRequest: { Key: key } }], [arn]: [{ DeleteRequest: { Key: key } }] } },
    ],
    CreateBackup: ({ arn }) => [{ TableName: arn, BackupName: 'mine' }],
    CreateTable: ({ arn }) => [{ TableName: arn, ...definition }],
    DeleteBackup: ({ backup }) => [{ BackupArn: backup }],
    DeleteItem: ({ arn }) => [{ TableName: arn, Key: key }],
    DeleteTable: ({ arn }) => [{ TableName: arn }],
    DescribeBackup: ({ backup }) => [{ BackupArn: backup }],
    DescribeContinuousBackups: ({ arn }) => [{ TableName: arn }],
    DescribeContributorInsights: ({ arn }) => [{ TableName: arn }, { TableName: arn, IndexName: 'by-x' }],
    DescribeEndpoints: () => [],
    DescribeExport: (b) => [{ ExportArn: b.export }],
    DescribeImport: (b) => [{ ImportArn: b.import }],
    DescribeKinesisStreamingDestination: ({ arn }) => [{ TableName: arn }],
    DescribeLimits: () => [],
    DescribeTable: ({ arn }) => [{ TableName: arn }],
    DescribeTimeToLive: ({ arn }) => [{ TableName: arn }],
    DisableKinesisStreamingDestination: ({ arn }) => [
      { TableName: arn, StreamArn: ownKinesis },
      { TableName: 'own', StreamArn: kinesis },
    ],
    EnableKinesisStreamingDestination: ({ arn }) => [
      { TableName: arn, StreamArn: ownKinesis },
      { TableName: 'own', StreamArn: kinesis },
    ],
    ExecuteStatement: ({ arn }) =>
      [
        `SELECT * FROM "${arn}"`,
        `SELECT * FROM "${arn}"."by-x" WHERE x = 'x'`,
        `INSERT INTO "${arn}" VALUE {'pk': 'y'}`,
        `UPDATE "${arn}" SET a = 1 WHERE pk = 'x'`,
        `DELETE FROM "${arn}" WHERE pk = 'x'`,
      ].map((Statement) => ({ Statement })),
    ExecuteTransaction: ({ arn }) =>
      [
        [`SELECT * FROM "${arn}" WHERE pk = 'x'`],
        [`SELECT * FROM own WHERE pk = 'x'`, `SELECT * FROM "${arn}" WHERE pk = 'x'`],
        [`EXISTS(SELECT * FROM "${arn}" WHERE pk = 'x' AND a = 1)`, `DELETE FROM own WHERE pk = 'x'`],
        [`DELETE FROM own WHERE pk = 'x'`, `INSERT INTO "${arn}" VALUE {'pk': 'y'}`],
      ].map((all) => ({ TransactStatements: all.map((Statement) => ({ Statement })) })),
    ExportTableToPointInTime: ({ arn }) => [{ TableArn: arn, S3Bucket: 'of-a' }],
    GetItem: ({ arn }) => [{ TableName: arn, Key: key }],
    // It takes no ARN for its table; whose bucket it may read is another test.
    ImportTable: () => [],
    ListBackups: ({ arn, backup }) => [{ TableName: arn }, { ExclusiveStartBackupArn: backup }],
    ListContributorInsights: ({ arn }) => [{ TableName: arn }],
    ListExports: ({ arn }) => [{ TableArn: arn }],
    ListImports: ({ arn }) => [{ TableArn: arn }],
    ListTables: () => [],
    ListTagsOfResource: ({ arn, stream }) => [{ ResourceArn: arn }, { ResourceArn: stream }],
    PutItem: ({ arn }) => [
      { TableName: arn, Item: key },
      { TableName: arn, Item: key, ConditionExpression: 'attribute_exists(pk)' },
    ],
    Query: ({ arn }) => [
      {
        TableName: arn,
        KeyConditionExpression: 'pk = :p',
        ExpressionAttributeValues: { ':p': { S: 'x' } },
      },
      {
        ...{ TableName: arn, IndexName: 'by-x', KeyConditionExpression: 'x = :p' },
        ExpressionAttributeValues: { ':p': { S: 'x' } },
      },
    ],
    RestoreTableFromBackup: ({ backup }) => [{ BackupArn: backup, TargetTableName: 'taken' }],
    RestoreTableToPointInTime: ({ arn }) => [
      { SourceTableArn: arn, TargetTableName: 'taken', UseLatestRestorableTime: true },
    ],
    Scan: ({ arn }) => [{ TableName: arn }, { TableName: arn, IndexName: 'by-x' }],
    TagResource: ({ arn, stream }) => [
      { ResourceArn: arn, Tags: [{ Key: 'a', Value: 'b' }] },
      { ResourceArn: stream, Tags: [{ Key: 'a', Value: 'b' }] },
    ],
    TransactGetItems: ({ arn }) => [
      { TransactItems: [{ Get: { TableName: arn, Key: key } }] },
      {
        TransactItems: [{ Get: { TableName: 'own', Key: key } }, { Get: { TableName: arn, Key: key } }],
      },
    ],
    TransactWriteItems: ({ arn }) =>
      [
        { Put: { TableName: arn, Item: { pk: { S: 'y' } } } },
        { Delete: { TableName: arn, Key: key } },
        { Update: { TableName: arn, Key: key, UpdateExpression: 'SET a = pk' } },
        { ConditionCheck: { TableName: arn, Key: key, ConditionExpression: 'attribute_exists(pk)' } },
      ].map((action) => ({ TransactItems: [{ Put: { TableName: 'own', Item: key } }, action] })),
    UntagResource: ({ arn }) => [{ ResourceArn: arn, TagKeys: ['a'] }],
    UpdateContinuousBackups: ({ arn }) => [
      { TableName: arn, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } },
    ],
    UpdateContributorInsights: ({ arn }) => [{ TableName: arn, ContributorInsightsAction: 'ENABLE' }],
    UpdateItem: ({ arn }) => [{ TableName: arn, Key: key }],
    UpdateKinesisStreamingDestination: ({ arn }) => [
      {
        TableName: arn,
        StreamArn: ownKinesis,
        UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MILLISECOND' },
      },
    ],
    UpdateTable: ({ arn }) => [{ TableName: arn, DeletionProtectionEnabled: true }],
    UpdateTimeToLive: ({ arn }) => [
      { TableName: arn, TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' } },
    ],
  },
  DynamoDBStreams_20120810: {
    DescribeStream: ({ stream }) => [{ StreamArn: stream }],
    GetRecords: ({ iterator }) => [{ ShardIterator: iterator }],
    GetShardIterator: ({ stream }) => [
      { StreamArn: stream, ShardId: 'shardId-00000000000000000000-00000000', ShardIteratorType: 'LATEST' },
    ],
    ListStreams: ({ stream }) => [{ ExclusiveStartStreamArn: stream }],
  },
  GraniteServiceVersion20100801: {
    GetMetricData: () => [],
    GetMetricStatistics: () => [],
    ListMetrics: () => [],
    PutMetricData: () => [],
    PutMetricAlarm: () => [
      {
        ...{ AlarmName: 'mine', Namespace: 'x', MetricName: 'y', Statistic: 'Sum', Period: 60 },
        ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
        AlarmActions: [`arn:aws:sns:us-east-1:${accounts.b}:topic`],
      },
    ],
    DescribeAlarms: () => [],
    DescribeAlarmsForMetric: () => [],
    DescribeAlarmHistory: () => [],
    DeleteAlarms: () => [],
    EnableAlarmActions: () => [],
    DisableAlarmActions: () => [],
    SetAlarmState: () => [],
    ListTagsForResource: ({ alarm }) => [{ ResourceARN: alarm }],
    TagResource: ({ alarm }) => [{ ResourceARN: alarm, Tags: [{ Key: 'a', Value: 'b' }] }],
    UntagResource: ({ alarm }) => [{ ResourceARN: alarm, TagKeys: ['a'] }],
    GetInsightRuleReport: () => [],
  },
  AnyScaleFrontendService: {
    RegisterScalableTarget: () => [],
    DeregisterScalableTarget: () => [],
    DescribeScalableTargets: () => [],
    PutScalingPolicy: () => [],
    DeleteScalingPolicy: () => [],
    DescribeScalingPolicies: () => [],
    PutScheduledAction: () => [],
    DeleteScheduledAction: () => [],
    DescribeScheduledActions: () => [],
    DescribeScalingActivities: () => [],
    ListTagsForResource: ({ target }) => [{ ResourceARN: target }],
    TagResource: ({ target }) => [{ ResourceARN: target, Tags: { a: 'b' } }],
    UntagResource: ({ target }) => [{ ResourceARN: target, TagKeys: ['a'] }],
  },
};

/** A request to the control API: the path behind its resource, and a body. */
type ControlAsk = readonly [query: string, body?: object];

const time = '2026-01-01T00:00:00Z';
const other = `accountId=${accounts.b}`;

/**
 * Control requests of account A for what is B's, by method and resource. `administrator` marks what only the
 * administrator of the server may ask, `everyone` what says nothing of any account.
 */
export const foreignControl: Readonly<
  Record<string, 'administrator' | 'everyone' | ((b: Things) => readonly ControlAsk[])>
> = {
  'GET health': 'everyone',
  'GET ready': 'everyone',
  'GET models': 'everyone',
  'GET clock': 'everyone',
  'POST clock': 'administrator',
  'POST snapshot': 'administrator',
  'POST reset': 'administrator',
  'POST fork': 'administrator',
  'GET namespaces': 'administrator',
  'GET namespaces/<name>': 'administrator',
  'POST namespaces/<name>': 'administrator',
  'DELETE namespaces/<name>': 'administrator',
  'GET faults': 'administrator',
  'POST faults': 'administrator',
  'DELETE faults': 'administrator',
  'DELETE faults/<name>': 'administrator',
  'POST check': 'administrator',
  'GET indexes': 'administrator',
  'GET jobs': 'administrator',
  'GET imports/<name>/errors': 'administrator',
  'GET metrics': 'administrator',
  'POST record': 'administrator',
  'GET record': 'administrator',
  'DELETE record': 'administrator',
  'POST physics': 'administrator',
  'POST physics/<name>': 'administrator',
  'DELETE physics/<name>': 'administrator',
  'POST explain': ({ arn }) => [
    ['explain', { statement: `SELECT * FROM "${arn}"` }],
    ['explain', { statement: 'SELECT * FROM orders', accountId: accounts.b }],
    [`explain?${other}`, { statement: 'SELECT * FROM orders' }],
  ],
  'GET followers': () => [[`followers?${other}`]],
  'GET at/<name>': ({ arn }) => [
    [`at/${encodeURIComponent(arn)}?time=${time}`],
    [`at/orders?time=${time}&${other}`],
  ],
  'POST at/<name>': ({ arn }) => [
    [`at/${encodeURIComponent(arn)}?time=${time}`, { Scan: {} }],
    [`at/orders?time=${time}&${other}`, { Scan: { TableName: 'own' } }],
  ],
  'GET changes/<name>': ({ arn }) => [
    [`changes/${encodeURIComponent(arn)}?from=${time}`],
    [`changes/orders?from=${time}&${other}`],
  ],
  'POST changes/<name>': ({ arn }) => [
    [`changes/${encodeURIComponent(arn)}`, { from: time }],
    [`changes/orders?${other}`, { Key: key }],
  ],
  'GET physics': () => [[`physics?${other}`]],
  'GET physics/<name>': ({ arn }) => [[`physics/${encodeURIComponent(arn)}`], [`physics/orders?${other}`]],
  'GET patterns': () => [[`patterns?${other}`]],
  'GET series': ({ arn }) => [[`series?${other}`], [`series?table=${encodeURIComponent(arn)}`]],
  'GET tables': ({ arn }) => [[`tables?${other}`], [`tables?table=${encodeURIComponent(arn)}`]],
  'GET live': ({ arn }) => [[`live?${other}`], [`live?table=${encodeURIComponent(arn)}`]],
  'GET insights/<name>': ({ arn }) => [[`insights/${encodeURIComponent(arn)}`], [`insights/orders?${other}`]],
  'GET doctor': ({ arn }) => [[`doctor?${other}`], [`doctor?table=${encodeURIComponent(arn)}`]],
};
