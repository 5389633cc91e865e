import type { MissingData, StateValue } from './alarm-record.ts';

/** Whether a point breaches the threshold; undefined where there is no point. */
export type Verdict = boolean | undefined;

export interface AlarmRule {
  /** How many of the points must breach, and of how many. */
  readonly datapointsToAlarm: number;
  readonly evaluationPeriods: number;
  readonly missingData: MissingData;
}

/**
 * The points that are looked at beyond the evaluation periods, so that points that came late or not at all can be replaced
 * by older ones. The service's documentation shows five points for an alarm of three periods.
 */
export const extraPeriods = 2;

/**
 * The state after an evaluation, from the points of the evaluation range, oldest first. This is the service's documented
 * way with missing points:
 *
 * - With enough points that are there, the latest ones count, however old, and nothing is filled in.
 * - With fewer, `breaching` and `notBreaching` fill in as many as are missing to the evaluation periods.
 * - `missing` and `ignore` look at the points that are there. One that does not breach makes the alarm OK, unless enough
 *   others breach. When all of them breach but they are too few, `ignore` keeps the state; `missing` goes to ALARM if the
 *   oldest of them is as many periods old as must breach, and keeps the state otherwise, so that one late point makes no
 *   premature alarm.
 * - Without any point, `missing` is INSUFFICIENT_DATA and `ignore` keeps the state.
 */
export function stateAfter(verdicts: readonly Verdict[], rule: AlarmRule, before: StateValue): StateValue {
  const { datapointsToAlarm, evaluationPeriods, missingData } = rule;
  const there = verdicts.filter((verdict) => verdict !== undefined);
  const counted = there.slice(-evaluationPeriods);
  const breaching = counted.filter(Boolean).length;
  const filled = evaluationPeriods - counted.length;
  if (filled === 0) return breaching >= datapointsToAlarm ? 'ALARM' : 'OK';
  if (missingData === 'breaching') return breaching + filled >= datapointsToAlarm ? 'ALARM' : 'OK';
  if (missingData === 'notBreaching') return breaching >= datapointsToAlarm ? 'ALARM' : 'OK';
  if (counted.length === 0) return missingData === 'missing' ? 'INSUFFICIENT_DATA' : before;
  if (breaching >= datapointsToAlarm) return 'ALARM';
  if (breaching < counted.length) return 'OK';
  if (missingData === 'ignore') return before;
  const oldest = verdicts.length - verdicts.indexOf(true);
  return oldest >= datapointsToAlarm ? 'ALARM' : before;
}
