import type { Engine } from '../../engine/engine.ts';
import { processCaller } from '../../engine/process-caller.ts';
import type { Scope } from '../../engine/store-keys.ts';
import { describedIndex } from '../../engine/tables/parts/indexes.ts';
import { DynamoError } from '../../model/errors.ts';
import { updateTable } from '../../operations/tables/update-table.ts';
import type { Arm } from './scaling-target.ts';

export interface ArmCapacity {
  readonly provisioned: number;
  /** The capacity of the other direction, which UpdateTable must be told too. */
  readonly other: number;
  /** On-demand tables have nothing to scale, and while an index is built auto scaling does not run. */
  readonly isScalable: boolean;
}

/** The provisioned capacity of an arm as it is now. */
export async function capacityOf(
  engine: Engine,
  scope: Scope,
  { tableName, indexName, access }: Arm,
): Promise<ArmCapacity | 'no table' | 'no index'> {
  const table = await engine.catalogue.table(scope, tableName);
  if (table === undefined) return 'no table';
  const { description, indexPhase } = table.record;
  const arm =
    indexName === undefined
      ? description.billing.throughput
      : describedIndex(description, indexName)?.capacity?.throughput;
  if (arm === undefined) return 'no index';
  const { ReadCapacityUnits: read, WriteCapacityUnits: write } = arm;
  const isScalable = description.billing.mode === 'PROVISIONED' && indexPhase === undefined;
  return access === 'read'
    ? { provisioned: read, other: write, isScalable }
    : { provisioned: write, other: read, isScalable };
}

/** Sets the capacity of an arm by UpdateTable, with all its rules. Answers the error if it was refused. */
export async function setCapacity(
  engine: Engine,
  scope: Scope,
  { tableName, indexName, access }: Arm,
  { other }: ArmCapacity,
  desired: number,
  requestId: string,
): Promise<DynamoError | undefined> {
  const throughput =
    access === 'read'
      ? { ReadCapacityUnits: desired, WriteCapacityUnits: other }
      : { ReadCapacityUnits: other, WriteCapacityUnits: desired };
  const input =
    indexName === undefined
      ? { TableName: tableName, ProvisionedThroughput: throughput }
      : {
          TableName: tableName,
          GlobalSecondaryIndexUpdates: [
            { Update: { IndexName: indexName, ProvisionedThroughput: throughput } },
          ],
        };
  const caller = processCaller({
    ...{ accountId: scope.account, region: scope.region, requestId },
    ...{ accessKeyId: 'application-autoscaling', kind: 'service', authorize: undefined },
  });
  const answer = await updateTable.handle(engine, input, caller);
  return answer instanceof DynamoError ? answer : undefined;
}
