/** ecommerce: Orders with everything about them in one collection. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

export interface EcommerceTablesProps {
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
  'ecommerce': { readMin: 710, readMax: 5900, writeMin: 2100, writeMax: 49000 },
  'ecommerce/GSI1': { readMin: 67, readMax: 620, writeMin: 520, writeMax: 12000 },
  'ecommerce/GSI2': { readMin: 6, readMax: 110, writeMin: 430, writeMax: 6000 },
};

export class EcommerceTables extends Construct {
  readonly ecommerce: dynamodb.TableV2;

  constructor(scope: Construct, id: string, props: EcommerceTablesProps) {
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

    // Line, Order, Payment, Product, Shipment, User of the model ecommerce.
    this.ecommerce = new dynamodb.TableV2(this, 'Ecommerce', {
      tableName: `ecommerce-${environment}`,
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billing: billingOf('ecommerce'),
      globalSecondaryIndexes: [
        // Line, Order for byProduct, latestOrders.
        {
          indexName: 'GSI1',
          partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
          sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
          projectionType: dynamodb.ProjectionType.INCLUDE,
          nonKeyAttributes: ['orderId', 'placedAt', 'quantity', 'status', 'total'],
          ...(isProvisioned ? capacityOf('ecommerce/GSI1') : {}),
        },
        // Order for byStatus.
        {
          indexName: 'GSI2',
          partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
          sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
          projectionType: dynamodb.ProjectionType.INCLUDE,
          nonKeyAttributes: ['orderId', 'placedAt', 'status', 'total'],
          ...(isProvisioned ? capacityOf('ecommerce/GSI2') : {}),
        },
      ],
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      contributorInsightsSpecification: { enabled: true },
      ...(encryption === undefined ? {} : { encryption }),
      deletionProtection: isProduction,
      removalPolicy: RemovalPolicy.RETAIN,
    });

    const alarms: cloudwatch.Alarm[] = [];
    for (const { name, table, indexes } of [
      { name: 'ecommerce', table: this.ecommerce, indexes: ['GSI1', 'GSI2'] },
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
    if (props.alarmTopic !== undefined) {
      const action = new actions.SnsAction(props.alarmTopic);
      for (const alarm of alarms) alarm.addAlarmAction(action);
    }
  }
}
