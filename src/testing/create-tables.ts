import { type Stator, VirtualClock } from '../index.ts';
import { wait } from '../runtime/machine/machine.ts';
import { requestsOf, type TableDefinition } from '../tables-from/table-definition.ts';

/** Makes tables with all their settings, and waits for them to be ready where that takes time. */
export async function createTables(db: Stator, definitions: readonly TableDefinition[]): Promise<void> {
  for (const definition of definitions) {
    const { create, timeToLive, recovery, insights } = requestsOf(definition);
    const { TableName } = create;
    await db.createTable(create);
    await untilActive(db, TableName);
    // A table without expiry is what it was created as, and to turn off what is off is an error.
    if (timeToLive?.Enabled) await db.updateTimeToLive({ TableName, TimeToLiveSpecification: timeToLive });
    if (recovery?.PointInTimeRecoveryEnabled)
      await db.updateContinuousBackups({ TableName, PointInTimeRecoverySpecification: recovery });
    for (const one of insights)
      await db.updateContributorInsights({ TableName, ...one, ContributorInsightsAction: 'ENABLE' });
  }
}

/** Tables are ready at once unless the service's own pace is acted out; a virtual clock then has to be moved. */
async function untilActive(db: Stator, tableName: string): Promise<void> {
  for (;;) {
    const { Table } = await db.describeTable({ TableName: tableName });
    if (Table.TableStatus === 'ACTIVE') return;
    if (db.clock instanceof VirtualClock) db.clock.advanceMs(1_000);
    else await wait(50);
  }
}
