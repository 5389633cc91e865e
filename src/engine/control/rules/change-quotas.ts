import { type DynamoError, limitExceeded } from '../../../model/errors.ts';
import { capacityLimits } from '../../../model/limits.ts';
import type {
  ProvisionedThroughput,
  ThroughputDescription,
} from '../../../model/tables/table-description.ts';
import {
  decreasesToday,
  isDecrease,
  nextClassChangeMs,
  nextDecreaseMs,
  nextSwitchToOnDemandMs,
  timesInWindow,
} from '../../../physics/change-budgets.ts';
import { utcText } from './utc-text.ts';

/** The refusals of changes that come too often. When they may come is told by `physics/change-budgets.ts`. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const decreasesAtOnce = capacityLimits.decreasesPerDayFree;

export function decreaseQuotaError(
  requested: ProvisionedThroughput,
  current: ThroughputDescription,
  nowMs: number,
): DynamoError | undefined {
  if (!isDecrease(unitsOf(current), unitsOf(requested))) return undefined;
  const next = nextDecreaseMs(current, nowMs);
  if (next === undefined) return undefined;
  return limitExceeded(
    'Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. ' +
      `After the first ${decreasesAtOnce} decreases, each subsequent decrease in the same UTC day can be performed ` +
      `at most once every ${capacityLimits.decreaseIntervalSecondsMin} seconds. ` +
      `Number of decreases today: ${decreasesToday(current, nowMs)}. ` +
      `Last decrease at ${utcText(current.decreasedAt as number)}. Next decrease can be made at ${utcText(next)}.`,
  );
}

function unitsOf({ ReadCapacityUnits, WriteCapacityUnits }: ProvisionedThroughput) {
  return { read: ReadCapacityUnits, write: WriteCapacityUnits };
}

/** `NumberOfDecreasesToday`. */
export function decreasesOnDayOf(nowMs: number, throughput: ThroughputDescription): number {
  return decreasesToday(throughput, nowMs);
}

/**
 * A table may be switched to on-demand four times in 24 hours, and back at any time (documented: Developer Guide,
 * Constraints, since August 2025). The text is the one of the days when it was once (`… limited to once in 1 day(s).
 * Last update at … Next update can be made at …`), with the count changed as in the text for table classes (guess). A
 * database may be opened with the old rule.
 */
export function onDemandSwitchQuotaError(
  switchedAt: readonly number[],
  nowMs: number,
  perDay: number,
): DynamoError | undefined {
  const next = nextSwitchToOnDemandMs(switchedAt, nowMs, perDay);
  if (next === undefined) return undefined;
  const last = switchedAt[switchedAt.length - 1] as number;
  return limitExceeded(
    `Subscriber limit exceeded: Update to PayPerRequest mode are limited to ${perDay === 1 ? 'once' : `${perDay} times`} in 1 day(s). ` +
      `Last update at ${utcText(last)}. Next update can be made at ${utcText(next)}`,
  );
}

/**
 * A class that is sent again although the table has it is refused as well once the changes are spent (observed: ACK,
 * October 2026).
 */
export function tableClassQuotaError(changedAt: readonly number[], nowMs: number): DynamoError | undefined {
  const { tableClassChangesMax: max, tableClassChangesDays: days } = capacityLimits;
  if (nextClassChangeMs(changedAt, nowMs) === undefined) return undefined;
  return limitExceeded(
    `Subscriber limit exceeded: Updates to TableClass are limited to ${max} times in ${days} day(s).`,
  );
}

/** Four changes at any time within 24 hours, then one in six hours (observed: ACK, October 2026). */
const sseChangesAtOnce = 4;
const sseIntervalMs = 6 * hourMs;

export function sseQuotaError(changedAt: readonly number[], nowMs: number): DynamoError | undefined {
  const recent = timesInWindow(changedAt, nowMs, dayMs);
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
