import type { Projection } from '../design.ts';
import {
  iteratorAgeMs,
  throttleAlarms,
  throttleMinutes,
  usageThreshold,
  watchedOperations,
} from './alarms.ts';
import { targetUtilization } from './capacity-forecast.ts';
import { pascalCase } from './identifiers.ts';
import { capacityArms, keyAttributes, type PhysicalIndex, type PhysicalTable } from './physical-table.ts';
import { Noted, Tagged, writeYaml, type YamlValue } from './yaml.ts';

type Members = Record<string, YamlValue | undefined>;

const ref = (name: string) => new Tagged('!Ref', name);
const sub = (text: string) => new Tagged('!Sub', text);
const when = (condition: string, then: YamlValue, otherwise: YamlValue = ref('AWS::NoValue')) =>
  new Tagged('!If', [condition, then, otherwise]);
const isGiven = (parameter: string) => new Tagged('!Not', [new Tagged('!Equals', [ref(parameter), ''])]);

/**
 * A CloudFormation template in YAML: the tables with their indexes, auto scaling of everything that has capacity, and
 * alarms. Mode, capacity ranges and environment are parameters.
 */
export function emitCloudFormation(title: string, tables: readonly PhysicalTable[]): string {
  const first = tables[0]!;
  const consumers = [...new Set(tables.flatMap((table) => table.consumers))];
  const parameters: Members = {
    Environment: {
      Type: 'String',
      Default: 'dev',
      AllowedPattern: '[a-z][a-z0-9-]{0,31}',
      Description: 'Ends the names of tables and alarms; prod also protects the tables from deletion',
    },
    BillingMode: {
      Type: 'String',
      Default: first.billing === 'on-demand' ? 'PAY_PER_REQUEST' : 'PROVISIONED',
      AllowedValues: ['PAY_PER_REQUEST', 'PROVISIONED'],
      Description: 'PROVISIONED also sets up auto scaling',
    },
    TargetUtilization: {
      Type: 'Number',
      Default: targetUtilization,
      MinValue: 20,
      MaxValue: 90,
      Description: 'The percentage of provisioned units that auto scaling aims at',
    },
    AlarmTopicArn: {
      Type: 'String',
      Default: '',
      Description: 'The SNS topic that alarms go to; none if empty',
    },
    KmsKeyArn: {
      Type: 'String',
      Default: '',
      Description: 'The KMS key that encrypts the tables; the key that AWS owns if empty',
    },
  };
  const conditions: Members = {
    IsProvisioned: new Tagged('!Equals', [ref('BillingMode'), 'PROVISIONED']),
    IsProduction: new Tagged('!Equals', [ref('Environment'), 'prod']),
    HasAlarmTopic: isGiven('AlarmTopicArn'),
    HasKmsKey: isGiven('KmsKeyArn'),
  };
  for (const consumer of consumers) {
    const name = pascalCase(consumer);
    parameters[`${name}FunctionName`] = {
      Type: 'String',
      Default: '',
      Description: `The Lambda function that reads the stream for ${consumer}; watched if given`,
    };
    conditions[`Has${name}Function`] = isGiven(`${name}FunctionName`);
  }
  const resources: Members = {};
  const outputs: Members = {};
  let before: string | undefined;
  for (const table of tables) {
    addRangeParameters(parameters, table);
    addTable(resources, table, before);
    addScaling(resources, table);
    addAlarms(resources, table);
    addOutputs(outputs, table);
    // Only so many tables with indexes may be created at the same time.
    before = tableId(table);
  }
  for (const consumer of consumers) addIteratorAlarm(resources, consumer);
  return writeYaml({
    AWSTemplateFormatVersion: '2010-09-09',
    Description: title,
    Parameters: parameters,
    Conditions: conditions,
    Resources: resources,
    Outputs: outputs,
  });
}

function tableId({ name }: PhysicalTable): string {
  return `${pascalCase(name)}Table`;
}

/** The beginning of all logical ids that concern a table or one of its indexes. */
function armId(table: PhysicalTable, index: PhysicalIndex | undefined): string {
  return pascalCase(table.name) + (index === undefined ? '' : pascalCase(index.name));
}

function addRangeParameters(parameters: Members, table: PhysicalTable): void {
  for (const { index, capacity } of capacityArms(table)) {
    const id = armId(table, index);
    const of = index === undefined ? `table ${table.name}` : `index ${index.name} of table ${table.name}`;
    for (const direction of ['Read', 'Write'] as const) {
      const [min, max] =
        direction === 'Read' ? [capacity.readMin, capacity.readMax] : [capacity.writeMin, capacity.writeMax];
      const units = direction.toLowerCase();
      parameters[`${id}${direction}Min`] = {
        Type: 'Number',
        Default: min,
        MinValue: 1,
        Description: `The fewest ${units} units of ${of}`,
      };
      parameters[`${id}${direction}Max`] = {
        Type: 'Number',
        Default: max,
        MinValue: 1,
        Description: `The most ${units} units of ${of}`,
      };
    }
  }
}

function throughput(id: string): YamlValue {
  return when('IsProvisioned', {
    ReadCapacityUnits: ref(`${id}ReadMin`),
    WriteCapacityUnits: ref(`${id}WriteMin`),
  });
}

function keySchema(hash: readonly { name: string }[], range: readonly { name: string }[]): YamlValue {
  const part = (KeyType: string) => (one: { name: string }) => ({ AttributeName: one.name, KeyType });
  return [...hash.map(part('HASH')), ...range.map(part('RANGE'))];
}

function projectionOf(projection: Projection): YamlValue {
  return {
    ProjectionType: projection.type,
    NonKeyAttributes: projection.type === 'INCLUDE' ? [...projection.names] : undefined,
  };
}

const insights: YamlValue = { Enabled: true };

function addTable(resources: Members, table: PhysicalTable, before: string | undefined): void {
  const { partitionKey, sortKey, indexes, ttlAttribute, streamView } = table;
  const indexOf = (index: PhysicalIndex): YamlValue =>
    new Noted(index.description, {
      IndexName: index.name,
      KeySchema: keySchema(index.hash, index.range),
      Projection: projectionOf(index.projection),
      ...(index.kind === 'local'
        ? {}
        : {
            ContributorInsightsSpecification: table.contributorInsights ? insights : undefined,
            ProvisionedThroughput: throughput(armId(table, index)),
          }),
    });
  const globals = indexes.filter(({ kind }) => kind === 'global');
  const locals = indexes.filter(({ kind }) => kind === 'local');
  resources[tableId(table)] = new Noted(table.description, {
    Type: 'AWS::DynamoDB::Table',
    DependsOn: before,
    DeletionPolicy: 'Retain',
    UpdateReplacePolicy: 'Retain',
    Properties: {
      TableName: sub(`${table.name}-\${Environment}`),
      BillingMode: ref('BillingMode'),
      AttributeDefinitions: keyAttributes(table).map(({ name, type }) => ({
        AttributeName: name,
        AttributeType: type,
      })),
      KeySchema: keySchema([partitionKey], sortKey === undefined ? [] : [sortKey]),
      ProvisionedThroughput: throughput(armId(table, undefined)),
      GlobalSecondaryIndexes: globals.length === 0 ? undefined : globals.map(indexOf),
      LocalSecondaryIndexes: locals.length === 0 ? undefined : locals.map(indexOf),
      StreamSpecification: streamView === undefined ? undefined : { StreamViewType: streamView },
      TimeToLiveSpecification:
        ttlAttribute === undefined ? undefined : { AttributeName: ttlAttribute, Enabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: table.pointInTimeRecovery },
      ContributorInsightsSpecification: table.contributorInsights ? insights : undefined,
      SSESpecification: when('HasKmsKey', {
        SSEEnabled: true,
        SSEType: 'KMS',
        KMSMasterKeyId: ref('KmsKeyArn'),
      }),
      DeletionProtectionEnabled: when('IsProduction', true, false),
      Tags: [{ Key: 'Environment', Value: ref('Environment') }],
    },
  });
}

function addScaling(resources: Members, table: PhysicalTable): void {
  for (const { index } of capacityArms(table)) {
    const id = armId(table, index);
    const kind = index === undefined ? 'table' : 'index';
    const path = `table/\${${tableId(table)}}${index === undefined ? '' : `/index/${index.name}`}`;
    for (const direction of ['Read', 'Write'] as const) {
      const dimension = `dynamodb:${kind}:${direction}CapacityUnits`;
      resources[`${id}${direction}Target`] = {
        Type: 'AWS::ApplicationAutoScaling::ScalableTarget',
        Condition: 'IsProvisioned',
        Properties: {
          ServiceNamespace: 'dynamodb',
          ResourceId: sub(path),
          ScalableDimension: dimension,
          MinCapacity: ref(`${id}${direction}Min`),
          MaxCapacity: ref(`${id}${direction}Max`),
        },
      };
      resources[`${id}${direction}Policy`] = {
        Type: 'AWS::ApplicationAutoScaling::ScalingPolicy',
        Condition: 'IsProvisioned',
        Properties: {
          PolicyName: sub(`${id}${direction}Policy-\${Environment}`),
          PolicyType: 'TargetTrackingScaling',
          ScalingTargetId: ref(`${id}${direction}Target`),
          TargetTrackingScalingPolicyConfiguration: {
            TargetValue: ref('TargetUtilization'),
            PredefinedMetricSpecification: {
              PredefinedMetricType: `DynamoDB${direction}CapacityUtilization`,
            },
            ScaleOutCooldown: 0,
            ScaleInCooldown: 60,
          },
        },
      };
    }
  }
}

const alarmActions = { AlarmActions: when('HasAlarmTopic', [ref('AlarmTopicArn')]) };

function addAlarms(resources: Members, table: PhysicalTable): void {
  const id = pascalCase(table.name);
  const dimensions = (index: string | undefined): YamlValue => [
    { Name: 'TableName', Value: ref(tableId(table)) },
    ...(index === undefined ? [] : [{ Name: 'GlobalSecondaryIndexName', Value: index }]),
  ];
  for (const { direction, metric, index, description } of throttleAlarms(table)) {
    const arm = id + (index === undefined ? '' : pascalCase(index));
    resources[`${arm}${direction}ThrottleAlarm`] = {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: sub(
          `${table.name}-\${Environment}${index === undefined ? '' : `-${index}`}-${direction.toLowerCase()}-throttles`,
        ),
        AlarmDescription: description,
        Namespace: 'AWS/DynamoDB',
        MetricName: metric,
        Dimensions: dimensions(index),
        Statistic: 'Sum',
        Period: 60,
        EvaluationPeriods: throttleMinutes,
        DatapointsToAlarm: throttleMinutes,
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        TreatMissingData: 'notBreaching',
        ...alarmActions,
      },
    };
  }
  for (const { index } of capacityArms(table)) {
    for (const direction of ['Read', 'Write'] as const) {
      const metric = (name: string, stat: string): YamlValue => ({
        Metric: { Namespace: 'AWS/DynamoDB', MetricName: name, Dimensions: dimensions(index?.name) },
        Period: 60,
        Stat: stat,
      });
      const of = index === undefined ? table.name : `${index.name} of ${table.name}`;
      resources[`${armId(table, index)}${direction}UsageAlarm`] = {
        Type: 'AWS::CloudWatch::Alarm',
        Condition: 'IsProvisioned',
        Properties: {
          AlarmName: sub(
            `${table.name}-\${Environment}${index === undefined ? '' : `-${index.name}`}-${direction.toLowerCase()}-usage`,
          ),
          AlarmDescription: `${of} uses more than ${usageThreshold} % of its ${direction.toLowerCase()} units.`,
          Metrics: [
            {
              Id: 'usage',
              Label: `percent of provisioned ${direction.toLowerCase()} units`,
              Expression: '100 * consumed / PERIOD(consumed) / provisioned',
              ReturnData: true,
            },
            {
              Id: 'consumed',
              MetricStat: metric(`Consumed${direction}CapacityUnits`, 'Sum'),
              ReturnData: false,
            },
            {
              Id: 'provisioned',
              MetricStat: metric(`Provisioned${direction}CapacityUnits`, 'Average'),
              ReturnData: false,
            },
          ],
          EvaluationPeriods: throttleMinutes,
          Threshold: usageThreshold,
          ComparisonOperator: 'GreaterThanThreshold',
          TreatMissingData: 'notBreaching',
          ...alarmActions,
        },
      };
    }
  }
  resources[`${id}SystemErrorsAlarm`] = {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: sub(`${table.name}-\${Environment}-system-errors`),
      AlarmDescription: `The service fails requests to table ${table.name} with errors of its own.`,
      Metrics: [
        { Id: 'errors', Label: 'server errors', Expression: 'SUM(METRICS())', ReturnData: true },
        ...watchedOperations.map((operation) => ({
          Id: `of${operation}`,
          MetricStat: {
            Metric: {
              Namespace: 'AWS/DynamoDB',
              MetricName: 'SystemErrors',
              Dimensions: [
                { Name: 'TableName', Value: ref(tableId(table)) },
                { Name: 'Operation', Value: operation },
              ],
            },
            Period: 60,
            Stat: 'Sum',
          },
          ReturnData: false,
        })),
      ],
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      ...alarmActions,
    },
  };
}

function addIteratorAlarm(resources: Members, consumer: string): void {
  const name = pascalCase(consumer);
  resources[`${name}IteratorAgeAlarm`] = {
    Type: 'AWS::CloudWatch::Alarm',
    Condition: `Has${name}Function`,
    Properties: {
      AlarmName: sub(`${consumer}-\${Environment}-iterator-age`),
      AlarmDescription: `${consumer} reads the stream more than ${iteratorAgeMs / 1_000} seconds late.`,
      Namespace: 'AWS/Lambda',
      MetricName: 'IteratorAge',
      Dimensions: [{ Name: 'FunctionName', Value: ref(`${name}FunctionName`) }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 5,
      Threshold: iteratorAgeMs,
      ComparisonOperator: 'GreaterThanThreshold',
      TreatMissingData: 'notBreaching',
      ...alarmActions,
    },
  };
}

function addOutputs(outputs: Members, table: PhysicalTable): void {
  const id = tableId(table);
  outputs[`${id}Name`] = { Value: ref(id) };
  outputs[`${id}Arn`] = { Value: new Tagged('!GetAtt', `${id}.Arn`) };
  if (table.streamView !== undefined) {
    outputs[`${id}StreamArn`] = { Value: new Tagged('!GetAtt', `${id}.StreamArn`) };
  }
}
