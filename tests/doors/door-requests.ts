/** Requests that every operation accepts, on things that exist. `secret` is a key of them and `concealed` an attribute. */

export const account = '000000000000';
const dynamo = `arn:aws:dynamodb:us-east-1:${account}`;
export const tableArn = `${dynamo}:table/things`;
const TableName = 'things';
const Key = { pk: { S: 'secret' } };
const ResourceArn = tableArn;
const BackupArn = `${tableArn}/backup/01700000000000-00000000`;
const destination = { TableName, StreamArn: `arn:aws:kinesis:us-east-1:${account}:stream/records` };
const ExpressionAttributeValues = { ':v': { S: 'x' } };
const names = { AttributeName: 'pk', AttributeType: 'S' };
export const definition = {
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [names, { AttributeName: 'x', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'by-x',
      KeySchema: [{ AttributeName: 'x', KeyType: 'HASH' }],
      Projection: { ProjectionType: 'ALL' },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
};
const statement = `SELECT concealed FROM things WHERE pk = 'secret'`;
const insertion = `INSERT INTO things VALUE {'pk': 'secret', 'concealed': 1}`;

/** What a test has made before: the streams and their parts. */
export interface Made {
  readonly stream: string;
  readonly shard: string;
  readonly iterator: string;
}

/** Bodies by target prefix and operation. */
export const doorRequests = ({
  stream,
  shard,
  iterator,
}: Made): Readonly<Record<string, Readonly<Record<string, object>>>> => ({
  DynamoDB_20120810: {
    BatchExecuteStatement: { Statements: [{ Statement: statement }] },
    BatchGetItem: { RequestItems: { things: { Keys: [Key], ProjectionExpression: 'concealed' } } },
    BatchWriteItem: {
      RequestItems: { things: [{ PutRequest: { Item: { ...Key, concealed: { S: 'x' } } } }] },
    },
    CreateBackup: { TableName, BackupName: 'one' },
    CreateTable: { ...definition, TableName: 'others', Tags: [{ Key: 'a', Value: 'b' }] },
    DeleteBackup: { BackupArn },
    DeleteItem: {
      ...{ TableName, Key, ExpressionAttributeValues },
      ConditionExpression: 'concealed <> :v',
    },
    DeleteTable: { TableName },
    DescribeBackup: { BackupArn },
    DescribeContinuousBackups: { TableName },
    DescribeContributorInsights: { TableName, IndexName: 'by-x' },
    DescribeEndpoints: {},
    DescribeExport: { ExportArn: `${tableArn}/export/01700000000000-00000000` },
    DescribeImport: { ImportArn: `${tableArn}/import/01700000000000-00000000` },
    DescribeKinesisStreamingDestination: { TableName },
    DescribeLimits: {},
    DescribeTable: { TableName },
    DescribeTimeToLive: { TableName },
    DisableKinesisStreamingDestination: destination,
    EnableKinesisStreamingDestination: destination,
    ExecuteStatement: { Statement: statement },
    ExecuteTransaction: { TransactStatements: [{ Statement: insertion }] },
    ExportTableToPointInTime: { TableArn: tableArn, S3Bucket: 'data' },
    GetItem: { TableName, Key, ProjectionExpression: 'concealed.zz' },
    ImportTable: {
      ...{ S3BucketSource: { S3Bucket: 'data' }, InputFormat: 'CSV' },
      TableCreationParameters: {
        ...{ TableName: 'others', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [names] },
        KeySchema: definition.KeySchema,
      },
    },
    ListBackups: {},
    ListContributorInsights: {},
    ListExports: {},
    ListImports: {},
    ListTables: {},
    ListTagsOfResource: { ResourceArn },
    PutItem: { TableName, Item: { ...Key, concealed: { S: 'x' } } },
    Query: {
      ...{ TableName, KeyConditionExpression: 'pk = :p', FilterExpression: 'concealed = :v' },
      ExpressionAttributeValues: { ':p': { S: 'secret' }, ...ExpressionAttributeValues },
    },
    RestoreTableFromBackup: { BackupArn, TargetTableName: 'restored' },
    RestoreTableToPointInTime: {
      ...{ SourceTableName: TableName, TargetTableName: 'restored', UseLatestRestorableTime: true },
    },
    Scan: { TableName, FilterExpression: 'concealed = :v', ExpressionAttributeValues },
    TagResource: { ResourceArn, Tags: [{ Key: 'a', Value: 'b' }] },
    TransactGetItems: { TransactItems: [{ Get: { TableName, Key, ProjectionExpression: 'concealed' } }] },
    TransactWriteItems: {
      TransactItems: [
        { ConditionCheck: { TableName, Key, ConditionExpression: 'attribute_exists(concealed)' } },
        { Put: { TableName, Item: { pk: { S: 'other' } } } },
      ],
    },
    UntagResource: { ResourceArn, TagKeys: ['a'] },
    UpdateContinuousBackups: {
      ...{ TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    },
    UpdateContributorInsights: { TableName, ContributorInsightsAction: 'ENABLE' },
    UpdateItem: {
      ...{ TableName, Key, ExpressionAttributeValues },
      UpdateExpression: 'SET y = if_not_exists(concealed, :v)',
    },
    UpdateKinesisStreamingDestination: {
      ...destination,
      UpdateKinesisStreamingConfiguration: { ApproximateCreationDateTimePrecision: 'MILLISECOND' },
    },
    UpdateTable: { TableName, DeletionProtectionEnabled: true },
    UpdateTimeToLive: { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'until' } },
  },
  DynamoDBStreams_20120810: {
    DescribeStream: { StreamArn: stream },
    GetRecords: { ShardIterator: iterator },
    GetShardIterator: { StreamArn: stream, ShardId: shard, ShardIteratorType: 'LATEST' },
    ListStreams: {},
  },
  GraniteServiceVersion20100801: {
    GetMetricData: {
      ...{ StartTime: 1_790_000_000, EndTime: 1_790_000_600 },
      MetricDataQueries: [
        {
          Id: 'a',
          MetricStat: { Metric: { Namespace: 'x', MetricName: 'y' }, Period: 60, Stat: 'Sum' },
        },
      ],
    },
    GetMetricStatistics: {
      ...{ Namespace: 'x', MetricName: 'y', StartTime: 1_790_000_000, EndTime: 1_790_000_600 },
      ...{ Period: 60, Statistics: ['Sum'] },
    },
    ListMetrics: {},
    PutMetricData: { Namespace: 'x', MetricData: [{ MetricName: 'y', Value: 1 }] },
    PutMetricAlarm: {
      ...{ AlarmName: 'one', Namespace: 'x', MetricName: 'y', Statistic: 'Sum', Period: 60 },
      ...{ EvaluationPeriods: 1, Threshold: 1, ComparisonOperator: 'GreaterThanThreshold' },
    },
    DescribeAlarms: {},
    DescribeAlarmsForMetric: { Namespace: 'x', MetricName: 'y' },
    DescribeAlarmHistory: {},
    DeleteAlarms: { AlarmNames: ['one'] },
    EnableAlarmActions: { AlarmNames: ['one'] },
    DisableAlarmActions: { AlarmNames: ['one'] },
    SetAlarmState: { AlarmName: 'one', StateValue: 'OK', StateReason: 'x' },
    ListTagsForResource: { ResourceARN: `arn:aws:cloudwatch:us-east-1:${account}:alarm:one` },
    TagResource: {
      ...{ ResourceARN: `arn:aws:cloudwatch:us-east-1:${account}:alarm:one` },
      Tags: [{ Key: 'a', Value: 'b' }],
    },
    UntagResource: { ResourceARN: `arn:aws:cloudwatch:us-east-1:${account}:alarm:one`, TagKeys: ['a'] },
    GetInsightRuleReport: {
      ...{ RuleName: 'DynamoDBContributorInsights-PKC-things-1', StartTime: 1_790_000_000 },
      ...{ EndTime: 1_790_000_600, Period: 60 },
    },
  },
  AnyScaleFrontendService: Object.fromEntries(
    Object.entries({
      RegisterScalableTarget: { MinCapacity: 1, MaxCapacity: 2 },
      DeregisterScalableTarget: {},
      PutScalingPolicy: {
        ...{ PolicyName: 'p', PolicyType: 'TargetTrackingScaling' },
        TargetTrackingScalingPolicyConfiguration: {
          ...{ TargetValue: 70 },
          PredefinedMetricSpecification: {
            PredefinedMetricType: 'DynamoDBReadCapacityUtilization',
          },
        },
      },
      DeleteScalingPolicy: { PolicyName: 'p' },
      PutScheduledAction: { ScheduledActionName: 's', Schedule: 'rate(1 hour)' },
      DeleteScheduledAction: { ScheduledActionName: 's' },
      DescribeScalableTargets: {},
      DescribeScalingPolicies: {},
      DescribeScheduledActions: {},
      DescribeScalingActivities: {},
    })
      .map(([operation, own]): [string, object] => [
        operation,
        {
          ...own,
          ...{ ServiceNamespace: 'dynamodb' },
          ...(!operation.startsWith('Describe') && {
            ...{ ResourceId: 'table/things', ScalableDimension: 'dynamodb:table:ReadCapacityUnits' },
          }),
        },
      ])
      .concat(
        (['ListTagsForResource', 'TagResource', 'UntagResource'] as const).map((operation) => [
          operation,
          {
            ResourceARN: `arn:aws:application-autoscaling:us-east-1:${account}:scalable-target/0ec5`,
            ...(operation === 'TagResource' && { Tags: { a: 'b' } }),
            ...(operation === 'UntagResource' && { TagKeys: ['a'] }),
          },
        ]),
      ),
  ),
});
