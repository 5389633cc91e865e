import { asNumbers, type TemplateMonitoring } from './monitoring-resources.ts';
import { isObject, type Members, type TableDefinition } from './table-definition.ts';
import { definition, flag, insightsOf, numbersIn, recoveryOf, settings } from './table-resource.ts';
import type { TableResource } from './tables-from-template.ts';

/**
 * `AWS::DynamoDB::GlobalTable` → CreateTable, for one Region. What a replica says for itself is taken from the first
 * one. Where capacity is left to auto scaling, the table gets what it would start with.
 */
export function globalTableRequest(table: TableResource): TableDefinition {
  const [replica = {}, ...others] = listed(table.property('Replicas'));
  for (const other of others) table.note(`the replica in ${String(other.Region)} is left out`);
  const isOnDemand = table.property('BillingMode') === 'PAY_PER_REQUEST';
  const write = table.property('WriteProvisionedThroughputSettings');
  const read = replica.ReadProvisionedThroughputSettings;
  return definition({
    TableName: table.name,
    AttributeDefinitions: table.property('AttributeDefinitions'),
    KeySchema: table.property('KeySchema'),
    BillingMode: table.property('BillingMode'),
    ProvisionedThroughput: isOnDemand ? undefined : throughput(read, write),
    GlobalSecondaryIndexes: globalIndexes(table, replica, isOnDemand),
    LocalSecondaryIndexes: table.property('LocalSecondaryIndexes'),
    ...settings(table),
    ...recoveryOf(replica.PointInTimeRecoverySpecification),
    ...insightsOf(replica.ContributorInsightsSpecification, replica.GlobalSecondaryIndexes),
    Tags: replica.Tags,
    TableClass: replica.TableClass,
    DeletionProtectionEnabled: flag(replica.DeletionProtectionEnabled),
  });
}

/** Capacity that is left to auto scaling: a scalable target with its policy for the table and for each index. */
export function globalTableScaling(table: TableResource): TemplateMonitoring {
  const targets: Members[] = [];
  const policies: Members[] = [];
  const add = (place: string, of: 'table' | 'index', kind: 'Read' | 'Write', given: unknown) => {
    const settings = isObject(given) ? given[`${kind}CapacityAutoScalingSettings`] : undefined;
    if (!isObject(settings)) return;
    const target = {
      ServiceNamespace: 'dynamodb',
      ResourceId: place,
      ScalableDimension: `dynamodb:${of}:${kind}CapacityUnits`,
    };
    const { MinCapacity, MaxCapacity } = asNumbers(settings) as Members;
    targets.push({ ...target, MinCapacity, MaxCapacity });
    const tracking = asNumbers(settings.TargetTrackingScalingPolicyConfiguration);
    if (!isObject(tracking)) return;
    policies.push({
      ...target,
      PolicyName: `${place}-${kind}`,
      PolicyType: 'TargetTrackingScaling',
      TargetTrackingScalingPolicyConfiguration: {
        ...tracking,
        PredefinedMetricSpecification: { PredefinedMetricType: `DynamoDB${kind}CapacityUtilization` },
      },
    });
  };
  if (table.property('BillingMode') === 'PAY_PER_REQUEST')
    return { alarms: [], targets, schedules: [], policies };
  const [replica = {}] = listed(table.property('Replicas'));
  const place = `table/${table.name}`;
  add(place, 'table', 'Read', replica.ReadProvisionedThroughputSettings);
  add(place, 'table', 'Write', table.property('WriteProvisionedThroughputSettings'));
  const ofReplica = listed(replica.GlobalSecondaryIndexes);
  for (const { IndexName: name, WriteProvisionedThroughputSettings: write } of listed(
    table.property('GlobalSecondaryIndexes'),
  )) {
    const own = ofReplica.find((index) => index.IndexName === name);
    add(`${place}/index/${String(name)}`, 'index', 'Read', own?.ReadProvisionedThroughputSettings);
    add(`${place}/index/${String(name)}`, 'index', 'Write', write);
  }
  return { alarms: [], targets, schedules: [], policies };
}

function globalIndexes(table: TableResource, replica: Members, isOnDemand: boolean): unknown {
  const indexes = table.property('GlobalSecondaryIndexes');
  if (indexes === undefined) return undefined;
  const ofReplica = listed(replica.GlobalSecondaryIndexes);
  return listed(indexes).map(({ IndexName, KeySchema, Projection, WriteProvisionedThroughputSettings }) => {
    const own = ofReplica.find((index) => index.IndexName === IndexName);
    return {
      IndexName,
      KeySchema,
      Projection,
      ...(!isOnDemand && {
        ProvisionedThroughput: throughput(
          own?.ReadProvisionedThroughputSettings,
          WriteProvisionedThroughputSettings,
        ),
      }),
    };
  });
}

function throughput(read: unknown, write: unknown): Members {
  return { ReadCapacityUnits: units(read, 'Read'), WriteCapacityUnits: units(write, 'Write') };
}

/** A fixed number of units, or where auto scaling begins. */
function units(given: unknown, kind: 'Read' | 'Write'): unknown {
  const settings = numbersIn(given);
  if (!isObject(settings)) return 1;
  const scaling = settings[`${kind}CapacityAutoScalingSettings`];
  const start = isObject(scaling) ? (scaling.SeedCapacity ?? scaling.MinCapacity) : undefined;
  return settings[`${kind}CapacityUnits`] ?? start ?? 1;
}

function listed(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
