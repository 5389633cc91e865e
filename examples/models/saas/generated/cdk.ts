/** saas: Tenants, users with sessions, projects, tasks, comments, notifications and an audit log with a retention of its own. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

export interface SaasTablesProps {
  /** Ends the names of tables and alarms; prod also protects the tables from deletion. */
  readonly environment: string;
  /** The mode of all tables; on-demand unless given. Provisioned tables scale within the ranges below. */
  readonly billing?: 'on-demand' | 'provisioned';
  /** Ranges that replace the ones below, by table and table/index. */
  readonly capacity?: Readonly<Record<string, CapacityRange>>;
  /** The topic that alarms go to. */
  readonly alarmTopic?: sns.ITopic;
  /** A key that encrypts the tables, instead of the one that AWS owns. */
  readonly encryptionKey?: kms.IKey;
  /** Functions that read the streams. Their distance from the end of the stream is watched. */
  readonly consumers?: { readonly audit?: lambda.IFunction };
}

/** Units between which auto scaling moves. */
export interface CapacityRange {
  readonly readMin: number;
  readonly readMax: number;
  readonly writeMin: number;
  readonly writeMax: number;
}

/** From what the model's mean rates need to twice what its peaks need. */
const forecast: Readonly<Record<string, CapacityRange>> = {
  'saas': { readMin: 320, readMax: 3100, writeMin: 90, writeMax: 2400 },
  'saas/GSI1': { readMin: 140, readMax: 1200, writeMin: 55, writeMax: 670 },
  'saas/GSI2': { readMin: 22, readMax: 230, writeMin: 5, writeMax: 22 },
  'saas-audit': { readMin: 5, readMax: 72, writeMin: 46, writeMax: 1800 },
};

export class SaasTables extends Construct {
  readonly saas: dynamodb.TableV2;
  readonly saasAudit: dynamodb.TableV2;

  constructor(scope: Construct, id: string, props: SaasTablesProps) {
    super(scope, id);
    const { environment, billing = 'on-demand' } = props;
    const isProduction = environment === 'prod';
    const isProvisioned = billing === 'provisioned';
    const encryption =
      props.encryptionKey === undefined
        ? undefined
        : dynamodb.TableEncryptionV2.customerManagedKey(props.encryptionKey);

    const scaled = (min: number, max: number) =>
      dynamodb.Capacity.autoscaled({ minCapacity: min, maxCapacity: max, targetUtilizationPercent: 70 });
    /** Auto scaling of a table or index; nothing on demand. */
    const capacityOf = (name: string) => {
      const { readMin, readMax, writeMin, writeMax } = props.capacity?.[name] ?? forecast[name]!;
      return { readCapacity: scaled(readMin, readMax), writeCapacity: scaled(writeMin, writeMax) };
    };
    const billingOf = (name: string) =>
      isProvisioned ? dynamodb.Billing.provisioned(capacityOf(name)) : dynamodb.Billing.onDemand();

    // Comment, Membership, Notification, Project, Session, Task, Tenant, User of the model saas.
    this.saas = new dynamodb.TableV2(this, 'Saas', {
      tableName: `saas-${environment}`,
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billing: billingOf('saas'),
      globalSecondaryIndexes: [
        // Membership, Notification, Project, Task, User for P11, P3, P4, P6, P7.
        {
          indexName: 'GSI1',
          partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
          sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
          projectionType: dynamodb.ProjectionType.INCLUDE,
          nonKeyAttributes: ['about', 'at', 'dueOn', 'email', 'name', 'priority', 'role', 'status', 'title', 'userId'],
          ...(isProvisioned ? capacityOf('saas/GSI1') : {}),
        },
        // Project, Task for P14, P5.
        {
          indexName: 'GSI2',
          partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
          sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
          projectionType: dynamodb.ProjectionType.INCLUDE,
          nonKeyAttributes: ['assigneeId', 'createdOn', 'dueOn', 'ownerId', 'title'],
          ...(isProvisioned ? capacityOf('saas/GSI2') : {}),
        },
      ],
      dynamoStream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
      timeToLiveAttribute: 'expires',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      contributorInsightsSpecification: { enabled: true },
      ...(encryption === undefined ? {} : { encryption }),
      deletionProtection: isProduction,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    // AuditLog of the model saas.
    this.saasAudit = new dynamodb.TableV2(this, 'SaasAudit', {
      tableName: `saas-audit-${environment}`,
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billing: billingOf('saas-audit'),
      timeToLiveAttribute: 'expires',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      contributorInsightsSpecification: { enabled: true },
      ...(encryption === undefined ? {} : { encryption }),
      deletionProtection: isProduction,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    const alarms: cloudwatch.Alarm[] = [];
    for (const { name, table, indexes } of [
      { name: 'saas', table: this.saas, indexes: ['GSI1', 'GSI2'] },
      { name: 'saas-audit', table: this.saasAudit, indexes: [] },
    ]) {
      for (const index of [undefined, ...indexes]) {
        for (const direction of ['Read', 'Write'] as const) {
          const where = index === undefined ? name : `${name}-${index}`;
          const throttles = new cloudwatch.Metric({
            namespace: 'AWS/DynamoDB',
            metricName: `${direction}ThrottleEvents`,
            dimensionsMap: {
              TableName: table.tableName,
              ...(index === undefined ? {} : { GlobalSecondaryIndexName: index }),
            },
            statistic: 'Sum',
            period: Duration.minutes(1),
          });
          alarms.push(
            new cloudwatch.Alarm(this, `${where}${direction}Throttles`, {
              alarmName: `${where}-${direction.toLowerCase()}-throttles-${environment}`,
              alarmDescription: `${direction}s of ${where} have been throttled for 5 minutes.`,
              metric: throttles,
              threshold: 0,
              evaluationPeriods: 5,
              comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
              treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
            }),
          );
        }
      }
      alarms.push(
        new cloudwatch.Alarm(this, `${name}SystemErrors`, {
          alarmName: `${name}-system-errors-${environment}`,
          alarmDescription: `The service fails requests to table ${name} with errors of its own.`,
          metric: table.metricSystemErrorsForOperations({
            operations: [
              dynamodb.Operation.GET_ITEM,
              dynamodb.Operation.BATCH_GET_ITEM,
              dynamodb.Operation.QUERY,
              dynamodb.Operation.PUT_ITEM,
              dynamodb.Operation.UPDATE_ITEM,
              dynamodb.Operation.DELETE_ITEM,
              dynamodb.Operation.BATCH_WRITE_ITEM,
              dynamodb.Operation.TRANSACT_GET_ITEMS,
              dynamodb.Operation.TRANSACT_WRITE_ITEMS,
            ],
            period: Duration.minutes(1),
          }),
          threshold: 0,
          evaluationPeriods: 1,
          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
        }),
      );
    }
    for (const [consumer, reader] of Object.entries(props.consumers ?? {})) {
      alarms.push(
        new cloudwatch.Alarm(this, `${consumer}IteratorAge`, {
          alarmName: `${consumer}-iterator-age-${environment}`,
          alarmDescription: `${consumer} reads the stream more than 60 seconds late.`,
          metric: reader.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
          threshold: 60000,
          evaluationPeriods: 5,
          comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
          treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
        }),
      );
    }
    if (props.alarmTopic !== undefined) {
      const action = new actions.SnsAction(props.alarmTopic);
      for (const alarm of alarms) alarm.addAlarmAction(action);
    }
  }
}
