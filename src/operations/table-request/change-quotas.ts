import { type DynamoError, limitExceeded } from '../../model/errors.ts';
import { capacityLimits } from '../../model/limits.ts';
import type { ProvisionedThroughput, ThroughputDescription } from '../../model/table-description.ts';
import { utcText } from './utc-text.ts';

/** How often a table's settings may change. All times are milliseconds since the epoch. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const decreasesAtOnce = capacityLimits.decreasesPerDayFree;
const decreaseIntervalMs = capacityLimits.decreaseIntervalSecondsMin * 1000;

/**
 * Provisioned throughput may be lowered four times in a UTC day, and after that once in 3,600 seconds since the last
 * time, or at midnight if that comes first. Lowering both dimensions is one decrease, lowering one and raising the
 * other is one too, and a refused one does not count (measured 8 and 9 October 2026, findings 184, 185, 326 of the
 * AWS Controllers for Kubernetes).
 */
export function decreaseQuotaError(
  requested: ProvisionedThroughput,
  current: ThroughputDescription,
  nowMs: number,
): DynamoError | undefined {
  const isDecrease =
    requested.ReadCapacityUnits < current.ReadCapacityUnits ||
    requested.WriteCapacityUnits < current.WriteCapacityUnits;
  const { decreasedAt } = current;
  if (!isDecrease || decreasedAt === undefined) return undefined;
  const today = decreasesOnDayOf(nowMs, current);
  if (today < decreasesAtOnce) return undefined;
  const next = Math.min(decreasedAt + decreaseIntervalMs, midnightAfter(nowMs));
  if (nowMs >= next) return undefined;
  return limitExceeded(
    'Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. ' +
      `After the first ${decreasesAtOnce} decreases, each subsequent decrease in the same UTC day can be performed ` +
      `at most once every ${decreaseIntervalMs / 1000} seconds. Number of decreases today: ${today}. ` +
      `Last decrease at ${utcText(decreasedAt)}. Next decrease can be made at ${utcText(next)}.`,
  );
}

/** `NumberOfDecreasesToday`, which falls back to zero at midnight without anything being written. */
export function decreasesOnDayOf(nowMs: number, throughput: ThroughputDescription): number {
  const { decreasedAt, decreasesThatDay } = throughput;
  const sameDay = decreasedAt !== undefined && Math.floor(decreasedAt / dayMs) === Math.floor(nowMs / dayMs);
  return sameDay ? decreasesThatDay : 0;
}

const switchesPerDay = capacityLimits.switchesToOnDemandPerDayMax;

/**
 * A table may be switched to on-demand four times in 24 hours, and back at any time (documented since August 2025).
 * The text is the one of the days when it was once (`… limited to once in 1 day(s). Last update at … Next update
 * can be made at …`), with the count changed as in the text for table classes; no newer one has been observed.
 */
export function onDemandSwitchQuotaError(
  switchedAt: readonly number[],
  nowMs: number,
): DynamoError | undefined {
  const recent = switchedAt.filter((at) => at > nowMs - dayMs);
  if (recent.length < switchesPerDay) return undefined;
  const last = recent[recent.length - 1] as number;
  const oldestCounted = recent[recent.length - switchesPerDay] as number;
  return limitExceeded(
    `Subscriber limit exceeded: Update to PayPerRequest mode are limited to ${switchesPerDay} times in 1 day(s). ` +
      `Last update at ${utcText(last)}. Next update can be made at ${utcText(oldestCounted + dayMs)}`,
  );
}

/** A class that is sent again although the table has it is refused as well once the changes are spent (measured). */
export function tableClassQuotaError(changedAt: readonly number[], nowMs: number): DynamoError | undefined {
  const { tableClassChangesMax: max, tableClassChangesDays: days } = capacityLimits;
  const recent = changedAt.filter((at) => at > nowMs - days * dayMs);
  if (recent.length < max) return undefined;
  return limitExceeded(
    `Subscriber limit exceeded: Updates to TableClass are limited to ${max} times in ${days} day(s).`,
  );
}

/** Four changes at any time within 24 hours, then one in six hours (measured, October 2026). */
const sseChangesAtOnce = 4;
const sseIntervalMs = 6 * hourMs;

export function sseQuotaError(changedAt: readonly number[], nowMs: number): DynamoError | undefined {
  const recent = changedAt.filter((at) => at > nowMs - dayMs);
  const last = recent[recent.length - 1];
  if (last === undefined || recent.length < sseChangesAtOnce || nowMs >= last + sseIntervalMs)
    return undefined;
  return limitExceeded(
    `Subscriber limit exceeded: Encryption mode changes are limited in the 24h window ending at ${utcText(nowMs)}. ` +
      `After the first ${sseChangesAtOnce} change, each subsequent change in the same window can be performed at ` +
      `most once every ${sseIntervalMs / 1000} seconds. Number of updates today: ${recent.length}. ` +
      `Last change at ${utcText(last)}. Next changes can be made at ${utcText(last + sseIntervalMs)}.`,
  );
}

function midnightAfter(ms: number): number {
  return (Math.floor(ms / dayMs) + 1) * dayMs;
}
