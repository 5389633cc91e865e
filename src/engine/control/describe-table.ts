import { partitionOf } from '../../model/tables/table-arn.ts';
import { nowMs } from '../../runtime/clock.ts';
import type { TableResources } from '../capacity/table-resources.ts';
import { isWarming, withWarmPartitions } from '../capacity/warm-throughput.ts';
import type { Engine } from '../engine.ts';
import { entryPrefix, type Scope, slotCounters } from '../store-keys.ts';
import { statusAt, type TableStatus } from '../tables/parts/lifecycle.ts';
import type { Described, TableCounts } from '../tables/parts/table-part.ts';
import { describedTable } from '../tables/table-parts.ts';
import type { TableRecord } from '../tables/table-record.ts';

/** Describes a table as it is now. */
export async function describeRecord(engine: Engine, scope: Scope, record: TableRecord): Promise<object> {
  const now = nowMs(engine.clock);
  const counts = await readCounts(engine, record);
  const resources = await engine.modelled(scope, record.description.tableName);
  const description = withWarmPartitions(record.description, resources, engine.capacity.nowMs());
  const status = statusAt(record, now) as TableStatus;
  const warming = warmingIn(engine, scope, record, resources);
  return tableAnswer({ ...record, description }, scope, { status, counts, nowMs: now, isWarming: warming });
}

/** Describes a table that a command changed at `nowMs`, with the status that begins. */
export async function changedTableAnswer(
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  status: TableStatus,
  nowMs: number,
): Promise<object> {
  const counts = await readCounts(engine, record);
  // The model takes the change now: partitions that it needs come some time from now on, with or without traffic.
  const resources = await engine.modelled(scope, record.description.tableName);
  const warming = warmingIn(engine, scope, record, resources);
  return tableAnswer(record, scope, { status, counts, nowMs, isWarming: warming });
}

/** Describes a table that a command has just created. */
export function newTableAnswer({ clock }: Engine, scope: Scope, record: TableRecord): object {
  return tableAnswer(record, scope, { status: 'CREATING', counts: noCounts, nowMs: nowMs(clock) });
}

/** Which of a table and its indexes are being warmed up, where that takes its time: their partitions come minutes later. */
function warmingIn(
  engine: Engine,
  scope: Scope,
  record: TableRecord,
  resources: TableResources | undefined,
): (indexName: string | undefined) => boolean {
  const { tableName } = record.description;
  if (resources === undefined || !engine.effectsOf(scope, tableName, record).acts('controlPlanePhases'))
    return () => false;
  return (name) => isWarming(name === undefined ? resources.main : resources.ownOf(name));
}

const noCounts: TableCounts = { of: () => ({ count: 0, bytes: 0 }) };

/** Counts are exact at the moment of the question; the service refreshes its own about every six hours. */
export async function readCounts(engine: Engine, record: TableRecord): Promise<TableCounts> {
  const slots = [0, ...Object.values(record.slots)];
  const keys = slots.flatMap((slot) => {
    const { count, bytes } = slotCounters(entryPrefix(record.storageId, slot));
    return [count, bytes];
  });
  const sums = await engine.store.counters(keys);
  return {
    of(slot) {
      const at = slots.indexOf(slot) * 2;
      return { count: sums[at] ?? 0, bytes: sums[at + 1] ?? 0 };
    },
  };
}

/** A table as DescribeTable and its siblings describe it. */
export function tableAnswer(
  record: TableRecord,
  { account, region }: Scope,
  context: Pick<Described, 'status' | 'counts' | 'nowMs'> & Partial<Described>,
): object {
  const { tableName } = record.description;
  const arn = { partition: partitionOf(region), region, account, tableName };
  return describedTable(record, { isWarming: () => false, ...context, arn });
}
