import { capacityLimits } from '../model/limits.ts';

/**
 * How often the settings of a table may change, as arithmetic on times in milliseconds since 1970. The texts of the
 * refusals belong to the operations.
 */

const dayMs = 24 * 3_600_000;
const decreaseIntervalMs = capacityLimits.decreaseIntervalSecondsMin * 1000;

/** The decreases of throughput of a table or index; each has a budget of its own. */
export interface DecreaseBudget {
  /** When throughput was last lowered; absent for never. */
  readonly decreasedAt?: number;
  /** Decreases in the UTC day of `decreasedAt`. */
  readonly decreasesThatDay: number;
}

interface Units {
  readonly read: number;
  readonly write: number;
}

/** Lowering both kinds is one decrease; lowering one and raising the other is one too (observed: ACK, October 2026). */
export function isDecrease(current: Units, requested: Units): boolean {
  return requested.read < current.read || requested.write < current.write;
}

/** `NumberOfDecreasesToday`, which falls back to zero at midnight UTC without anything being written. */
export function decreasesToday({ decreasedAt, decreasesThatDay }: DecreaseBudget, nowMs: number): number {
  return decreasedAt !== undefined && dayOf(decreasedAt) === dayOf(nowMs) ? decreasesThatDay : 0;
}

/**
 * When the next decrease is allowed; undefined for now. Four are free in a UTC day, and after that one in 3,600 seconds
 * since the last one, or at midnight if that comes first. A refused one does not count (observed: ACK DDB-TABLE-184,
 * -326).
 */
export function nextDecreaseMs(budget: DecreaseBudget, nowMs: number): number | undefined {
  const { decreasedAt } = budget;
  if (
    decreasedAt === undefined ||
    decreasedAt > nowMs ||
    decreasesToday(budget, nowMs) < capacityLimits.decreasesPerDayFree
  )
    return undefined;
  const nextMs = Math.min(decreasedAt + decreaseIntervalMs, (dayOf(nowMs) + 1) * dayMs);
  return nowMs >= nextMs ? undefined : nextMs;
}

/** The budget after a decrease that was accepted. */
export function noteDecrease(budget: DecreaseBudget, nowMs: number): Required<DecreaseBudget> {
  return { decreasedAt: nowMs, decreasesThatDay: decreasesToday(budget, nowMs) + 1 };
}

/** When a table may be switched to on-demand again; undefined for now. Back to provisioned is allowed at any time. */
export function nextSwitchToOnDemandMs(
  switchedAt: readonly number[],
  nowMs: number,
  perDay: number = capacityLimits.switchesToOnDemandPerDayMax,
): number | undefined {
  return nextInWindow(switchedAt, nowMs, perDay, dayMs);
}

/** When the class of a table may be changed again; undefined for now. */
export function nextClassChangeMs(changedAt: readonly number[], nowMs: number): number | undefined {
  const { tableClassChangesMax, tableClassChangesDays } = capacityLimits;
  return nextInWindow(changedAt, nowMs, tableClassChangesMax, tableClassChangesDays * dayMs);
}

/**
 * The times that still count, oldest first: what a record has to keep. Times ahead of a clock that was set back do not
 * count: nobody would wait until it gets there again.
 */
export function timesInWindow(times: readonly number[], nowMs: number, windowMs: number): number[] {
  return times.filter((at) => at > nowMs - windowMs && at <= nowMs);
}

/** When fewer than `max` of the times lie within the window; undefined for now. */
function nextInWindow(
  times: readonly number[],
  nowMs: number,
  max: number,
  windowMs: number,
): number | undefined {
  const recent = timesInWindow(times, nowMs, windowMs);
  return recent.length < max ? undefined : recent[recent.length - max]! + windowMs;
}

function dayOf(ms: number): number {
  return Math.floor(ms / dayMs);
}
