/** Longer than any passing state lasts: a new index is ACTIVE after 17 minutes at the latest. */
const phaseMsMax = 20 * 60_000;

/**
 * Whether a passing state that ends at a moment goes on. An end further away than any state lasts was noted before the
 * clock was set back: such a state is over, or it would go on until the clock gets there again.
 */
export function isUnderWay(untilMs: number | undefined, nowMs: number): boolean {
  return untilMs !== undefined && nowMs < untilMs && untilMs - nowMs <= phaseMsMax;
}
