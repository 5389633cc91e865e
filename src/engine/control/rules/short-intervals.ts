import { DynamoError, limitExceeded } from '../../../model/errors.ts';
import type { ThroughputDescription } from '../../../model/tables/table-description.ts';
import { withCapacities } from '../../tables/parts/indexes.ts';
import type { TableDescription } from '../../tables/table-parts.ts';
import type { TableRecord } from '../../tables/table-record.ts';

/**
 * Changes that the service refuses for some seconds after the last one (observed: ACK, October 2026): the setting of
 * deletion protection for 15 seconds, tags for about 1.6. They are acted out in `enforce`. The form of the time in the
 * first text is ours (guess).
 */
const protectionMs = 15_000;
const tagsMs = 1_600;

export function protectionIntervalError(
  { description: { tableName }, protectionChangedAt: changedAt }: TableRecord,
  nowMs: number,
): DynamoError | undefined {
  if (changedAt === undefined || nowMs < changedAt || nowMs - changedAt >= protectionMs) return undefined;
  const next = new Date(changedAt + protectionMs).toISOString();
  return new DynamoError(
    'ThrottlingException',
    `Deletion protection setting for table ${tableName} modified within the previous ${protectionMs} milliseconds. ` +
      `Please try again after ${next}`,
  );
}

export function tagsIntervalError(
  { description: { tableName }, tagsChangedAt: changedAt }: TableRecord,
  nowMs: number,
): DynamoError | undefined {
  if (changedAt === undefined || nowMs < changedAt || nowMs - changedAt >= tagsMs) return undefined;
  return limitExceeded(`Subscriber limit exceeded: Table tags are being updated: ${tableName}`);
}

/** A table that has never been changed, as far as quotas on changes go: what they are judged by when switched off. */
export function withoutChanges(table: TableDescription): TableDescription {
  return {
    ...table,
    billing: { ...table.billing, throughput: unlowered(table.billing.throughput), switchedToOnDemandAt: [] },
    ...withCapacities(table, (_, capacity) => ({
      ...capacity,
      throughput: unlowered(capacity.throughput),
    })),
    tableClassChangedAt: [],
    sseChangedAt: [],
  };
}

function unlowered({ decreasedAt: _, ...throughput }: ThroughputDescription): ThroughputDescription {
  return { ...throughput, decreasesThatDay: 0 };
}
