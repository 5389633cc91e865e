import { isObject, type Members, type TableDefinition } from './table-definition.ts';
import { definition, flag, numbersIn, settings } from './table-resource.ts';
import type { TableResource } from './tables-from-template.ts';

/**
 * `AWS::DynamoDB::GlobalTable` → CreateTable, for one Region. What a replica says for itself is taken from the first
 * one. Where capacity is left to auto scaling, the table gets what it would start with.
 */
export function globalTableRequest(table: TableResource): TableDefinition {
  const [replica = {}, ...others] = listed(table.property('Replicas'));
  for (const other of others) table.note(`the replica in ${String(other.Region)} is left out`);
  if (isObject(replica.PointInTimeRecoverySpecification)) {
    table.note('PointInTimeRecoverySpecification is left out: point-in-time recovery is not set up here');
  }
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
    Tags: replica.Tags,
    TableClass: replica.TableClass,
    DeletionProtectionEnabled: flag(replica.DeletionProtectionEnabled),
  });
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
