// biome-ignore-all lint/suspicious/noTemplateCurlyInString: These are the placeholders of CloudFormation.

import { describe, expect, it } from 'vitest';
import { allFromText, tablesFromText } from './tables-from-text.ts';

const request = {
  TableName: 'orders',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  BillingMode: 'PAY_PER_REQUEST',
};

const keys = `
        AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }]
        KeySchema: [{ AttributeName: pk, KeyType: HASH }]
        BillingMode: PAY_PER_REQUEST`;

function template(properties: string, rest = ''): string {
  return `
    Resources:
      Orders:
        Type: AWS::DynamoDB::Table
        Properties:
${properties
  .trim()
  .split('\n')
  .map((line) => `          ${line.trim()}`)
  .join('\n')}
${keys
  .trim()
  .split('\n')
  .map((line) => `          ${line.trim()}`)
  .join('\n')}
${rest}`;
}

describe('tables from CreateTable JSON', () => {
  it('are as they stand there, one or several', () => {
    expect(tablesFromText(JSON.stringify(request), 'x.json')).toEqual([request]);
    expect(tablesFromText(JSON.stringify([request, { ...request, TableName: 'b' }]), 'x.json')).toHaveLength(
      2,
    );
    expect(tablesFromText(JSON.stringify({ Tables: [{ Table: request }] }), 'x.json')).toEqual([request]);
  });

  it('are what describe-table describes, without what the service decides', () => {
    const described = {
      Table: {
        ...request,
        BillingMode: undefined,
        TableStatus: 'ACTIVE',
        CreationDateTime: '2026-01-01T00:00:00Z',
        TableArn: 'arn:aws:dynamodb:us-east-1:123456789012:table/orders',
        TableId: 'x',
        ItemCount: 3,
        TableSizeBytes: 100,
        ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byName',
            IndexArn: 'x',
            IndexStatus: 'ACTIVE',
            ItemCount: 0,
            KeySchema: request.KeySchema,
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput: { NumberOfDecreasesToday: 0, ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
            WarmThroughput: { Status: 'ACTIVE', ReadUnitsPerSecond: 1, WriteUnitsPerSecond: 2 },
          },
        ],
        TableClassSummary: { TableClass: 'STANDARD_INFREQUENT_ACCESS' },
        DeletionProtectionEnabled: false,
        WarmThroughput: { Status: 'ACTIVE', ReadUnitsPerSecond: 5, WriteUnitsPerSecond: 6 },
      },
    };
    expect(tablesFromText(JSON.stringify(described), 'x.json')).toEqual([
      {
        ...request,
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byName',
            KeySchema: request.KeySchema,
            Projection: { ProjectionType: 'ALL' },
            ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 2 },
          },
        ],
        TableClass: 'STANDARD_INFREQUENT_ACCESS',
        DeletionProtectionEnabled: false,
      },
    ]);
  });

  it('are on demand when describe-table says so', () => {
    const described = {
      ...request,
      BillingMode: undefined,
      TableArn: 'x',
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      ProvisionedThroughput: { ReadCapacityUnits: 0, WriteCapacityUnits: 0 },
    };
    expect(tablesFromText(JSON.stringify({ TableDescription: described }), 'x.json')).toEqual([request]);
  });

  it('are refused with the name of the file', () => {
    expect(() => tablesFromText('{', 'a.json')).toThrow(/^a\.json is not JSON: /);
    expect(() => tablesFromText('{"a":1}', 'a.json')).toThrow('a.json: a table has no TableName');
    expect(() => tablesFromText('12', 'a.json')).toThrow(
      'a.json: there is neither a table nor a template in it',
    );
    expect(() => tablesFromText('a: [', 'a.yaml')).toThrow(/^a\.yaml is neither JSON nor YAML: /);
  });
});

describe('tables from CloudFormation', () => {
  it('have the settings of the template', () => {
    const notes: string[] = [];
    const text = template(`
      TableName: orders
      StreamSpecification: { StreamViewType: NEW_IMAGE }
      SSESpecification: { SSEEnabled: "true", SSEType: KMS }
      TimeToLiveSpecification: { AttributeName: expires, Enabled: "true" }
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
      KinesisStreamSpecification: { StreamArn: arn }
      Tags: [{ Key: team, Value: blue }]
      DeletionProtectionEnabled: false
      GlobalSecondaryIndexes: [{ IndexName: i, KeySchema: [{ AttributeName: pk, KeyType: HASH }], Projection: { ProjectionType: ALL }, ContributorInsightsSpecification: { Enabled: true } }]
    `);
    expect(tablesFromText(text, 't.yaml', { note: (line) => notes.push(line) })).toEqual([
      {
        ...request,
        StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_IMAGE' },
        SSESpecification: { Enabled: true, SSEType: 'KMS' },
        TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        ContributorInsights: [{ IndexName: 'i' }],
        Tags: [{ Key: 'team', Value: 'blue' }],
        DeletionProtectionEnabled: false,
        GlobalSecondaryIndexes: [
          { IndexName: 'i', KeySchema: request.KeySchema, Projection: { ProjectionType: 'ALL' } },
        ],
      },
    ]);
    expect(notes).toEqual([
      'Orders: KinesisStreamSpecification is left out: the Kinesis stream is not set up here',
    ]);
  });

  it('are read from JSON too, and are named after the resource when they have no name', () => {
    const { TableName: _, ...Properties } = request;
    const json = {
      Resources: {
        Orders: { Type: 'AWS::DynamoDB::Table', Properties },
        Topic: { Type: 'AWS::SNS::Topic', Properties: { Name: { 'Fn::GetAtt': ['X', 'Y'] } } },
      },
    };
    expect(tablesFromText(JSON.stringify(json), 't.json')).toEqual([{ ...request, TableName: 'Orders' }]);
  });

  it.each([
    ['!Ref Name', 'from-default'],
    ["!Sub '${AWS::StackName}-${Name}-${!x}'", 'stator-from-default-${x}'],
    ["!Sub ['${A}.${Name}', { A: !Ref AWS::Region }]", 'us-east-1.from-default'],
    ["!Join ['_', [a, !Ref Name, !If [IsProd, x, !Ref 'AWS::NoValue']]]", 'a_from-default'],
    ["!Select [1, !Split ['-', !Ref Name]]", 'default'],
    ['!FindInMap [Names, !Ref Stage, table]', 'dev-table'],
    ['!If [IsProd, prod, dev]', 'dev'],
    ['!If [NotProd, yes-dev, no-dev]', 'yes-dev'],
    ["!Ref 'AWS::NoValue'", 'Orders'],
  ])('work out %s', (name, expected) => {
    const rest = `
    Parameters:
      Name: { Type: String, Default: from-default }
      Stage: { Type: String, Default: dev }
    Mappings:
      Names: { dev: { table: dev-table } }
    Conditions:
      IsProd: !Equals [!Ref Stage, prod]
      NotProd: !And [!Not [!Condition IsProd], !Or [!Condition IsProd, !Equals [a, a]]]`;
    const [table] = tablesFromText(template(`TableName: ${name}`, rest), 't.yaml');
    expect(table?.TableName).toBe(expected);
  });

  it('take parameters that are given before the defaults', () => {
    const text = template(
      `
      TableName: !Ref Name
      ProvisionedThroughput: { ReadCapacityUnits: !Ref Units, WriteCapacityUnits: "7" }`,
      '    Parameters: { Name: { Type: String }, Units: { Type: Number, Default: 5 } }',
    );
    expect(() => tablesFromText(text, 't.yaml')).toThrow(
      't.yaml: Orders: the parameter Name has no value and no default',
    );
    const [table] = tablesFromText(text, 't.yaml', { parameters: { Name: 'mine', Units: '9' } });
    expect(table).toMatchObject({
      TableName: 'mine',
      ProvisionedThroughput: { ReadCapacityUnits: 9, WriteCapacityUnits: 7 },
    });
  });

  it('are left out when their condition does not hold', () => {
    const text = `
    Conditions: { Never: !Equals [a, b] }
    Resources:
      Orders: { Type: AWS::DynamoDB::Table, Condition: Never, Properties: { TableName: x } }`;
    expect(tablesFromText(text, 't.yaml')).toEqual([]);
  });

  it('are refused where only a deployment would know, or left out where that does not matter', () => {
    expect(() => tablesFromText(template('TableName: !ImportValue other'), 't.yaml')).toThrow(
      't.yaml: Orders: Fn::ImportValue can be worked out only once the template is deployed',
    );
    expect(() => tablesFromText(template('TableName: !Ref Topic'), 't.yaml')).toThrow(
      'what Topic refers to is known only once the template is deployed',
    );
    expect(() =>
      tablesFromText(
        template('BillingModes: x', '    Conditions: { A: !Condition A }').replace(
          'Type: AWS',
          'Condition: A\n        Type: AWS',
        ),
        't.yaml',
      ),
    ).toThrow('the condition A depends on itself');
    const notes: string[] = [];
    const text = template('SSESpecification: { SSEEnabled: true, KMSMasterKeyId: !GetAtt Key.Arn }');
    const [table] = tablesFromText(text, 't.yaml', { note: (line) => notes.push(line) });
    expect(table?.SSESpecification).toBeUndefined();
    expect(notes).toEqual([
      'Orders: SSESpecification is left out: Fn::GetAtt can be worked out only once the template is deployed',
    ]);
  });

  it('of the serverless kind have one key attribute', () => {
    const text = `
    Resources:
      Plain:
        Type: AWS::Serverless::SimpleTable
      Orders:
        Type: AWS::Serverless::SimpleTable
        Properties:
          TableName: !Sub "orders-of-\${Plain}"
          PrimaryKey: { Name: number, Type: Number }
          ProvisionedThroughput: { ReadCapacityUnits: "4", WriteCapacityUnits: 3 }
          Tags: { a: b }`;
    expect(tablesFromText(text, 't.yaml')).toEqual([
      {
        TableName: 'Plain',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      },
      {
        TableName: 'orders-of-Plain',
        AttributeDefinitions: [{ AttributeName: 'number', AttributeType: 'N' }],
        KeySchema: [{ AttributeName: 'number', KeyType: 'HASH' }],
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 3 },
        Tags: [{ Key: 'a', Value: 'b' }],
      },
    ]);
  });

  it('of several Regions become a table of one', () => {
    const notes: string[] = [];
    const text = `
    Resources:
      Orders:
        Type: AWS::DynamoDB::GlobalTable
        Properties:
          TableName: orders
          AttributeDefinitions: [{ AttributeName: pk, AttributeType: S }]
          KeySchema: [{ AttributeName: pk, KeyType: HASH }]
          BillingMode: PROVISIONED
          WriteProvisionedThroughputSettings:
            WriteCapacityAutoScalingSettings: { MinCapacity: 3, MaxCapacity: 10 }
          Replicas:
            - Region: us-east-1
              ReadProvisionedThroughputSettings: { ReadCapacityUnits: "4" }
              Tags: [{ Key: a, Value: b }]
            - Region: eu-west-1`;
    expect(tablesFromText(text, 't.yaml', { note: (line) => notes.push(line) })).toEqual([
      {
        ...request,
        BillingMode: 'PROVISIONED',
        ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 3 },
        Tags: [{ Key: 'a', Value: 'b' }],
      },
    ]);
    expect(notes).toEqual(['Orders: the replica in eu-west-1 is left out']);
  });
});

describe('alarms and scaling of a template', () => {
  it('are requests of their services, and what is left out is named', () => {
    const notes: string[] = [];
    const text = template(
      'TableName: orders',
      `
      Target:
        Type: AWS::ApplicationAutoScaling::ScalableTarget
        Properties:
          ServiceNamespace: dynamodb
          ResourceId: !Sub 'table/\${Orders}'
          ScalableDimension: dynamodb:table:ReadCapacityUnits
          MinCapacity: "5"
          MaxCapacity: 50
          RoleARN: !GetAtt Role.Arn
      Policy:
        Type: AWS::ApplicationAutoScaling::ScalingPolicy
        Properties:
          PolicyType: TargetTrackingScaling
          ScalingTargetId: !Ref Target
          TargetTrackingScalingPolicyConfiguration:
            TargetValue: "70.5"
            PredefinedMetricSpecification: { PredefinedMetricType: DynamoDBReadCapacityUtilization }
      Alarm:
        Type: AWS::CloudWatch::Alarm
        Properties:
          Namespace: AWS/DynamoDB
          MetricName: SystemErrors
          Dimensions: [{ Name: TableName, Value: !Ref Orders }]
          Statistic: Sum
          Period: "60"
          EvaluationPeriods: 1
          Threshold: "0.5"
          ComparisonOperator: GreaterThanThreshold
          AlarmActions: [!Ref Topic]
      Lost:
        Type: AWS::CloudWatch::Alarm
        Properties: { MetricName: !GetAtt Topic.TopicName }
      Other:
        Type: AWS::ApplicationAutoScaling::ScalableTarget
        Properties: { ServiceNamespace: ecs, ResourceId: service/x, ScalableDimension: ecs:service:DesiredCount }
      Topic: { Type: AWS::SNS::Topic }
      Role: { Type: AWS::IAM::Role }
      Second: { Type: AWS::IAM::Role }`,
    );
    const { tables, monitoring } = allFromText(text, 't.yaml', { note: (line) => notes.push(line) });
    expect(tables).toHaveLength(1);
    const target = {
      ServiceNamespace: 'dynamodb',
      ResourceId: 'table/orders',
      ScalableDimension: 'dynamodb:table:ReadCapacityUnits',
    };
    expect(monitoring()).toEqual({
      targets: [{ ...target, MinCapacity: 5, MaxCapacity: 50 }],
      schedules: [],
      policies: [
        {
          ...target,
          PolicyName: 'Policy',
          PolicyType: 'TargetTrackingScaling',
          TargetTrackingScalingPolicyConfiguration: {
            TargetValue: 70.5,
            PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBReadCapacityUtilization' },
          },
        },
      ],
      alarms: [
        {
          AlarmName: 'Alarm',
          Namespace: 'AWS/DynamoDB',
          MetricName: 'SystemErrors',
          Dimensions: [{ Name: 'TableName', Value: 'orders' }],
          Statistic: 'Sum',
          Period: 60,
          EvaluationPeriods: 1,
          Threshold: 0.5,
          ComparisonOperator: 'GreaterThanThreshold',
        },
      ],
    });
    expect(notes).toEqual([
      'AlarmActions of Alarm is left out: what Topic refers to is known only once the template is deployed',
      'Lost is left out: Fn::GetAtt can be worked out only once the template is deployed',
      'Other is left out: it scales ecs, and not a table',
      'left out: AWS::SNS::Topic, 2 × AWS::IAM::Role',
    ]);
  });

  it('of a global table are those of its capacity', () => {
    const text = template(`
      TableName: orders
      WriteProvisionedThroughputSettings: { WriteCapacityAutoScalingSettings: { MinCapacity: 3, MaxCapacity: 10, TargetTrackingScalingPolicyConfiguration: { TargetValue: 60 } } }
      Replicas: [{ Region: us-east-1, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }]
    `)
      .replace('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable')
      .replace('PAY_PER_REQUEST', 'PROVISIONED');
    const { tables, monitoring } = allFromText(text, 't.yaml');
    expect(tables[0]).toMatchObject({
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
    expect(monitoring()).toMatchObject({
      targets: [{ ResourceId: 'table/orders', MinCapacity: 3, MaxCapacity: 10 }],
      policies: [
        {
          ScalableDimension: 'dynamodb:table:WriteCapacityUnits',
          TargetTrackingScalingPolicyConfiguration: {
            TargetValue: 60,
            PredefinedMetricSpecification: { PredefinedMetricType: 'DynamoDBWriteCapacityUtilization' },
          },
        },
      ],
    });
  });
});
