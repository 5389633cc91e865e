import type { StepScaling, TargetRecord, TargetTracking } from './scaling-records.ts';

/** A change of capacity that a policy asks for. */
export interface Wish {
  readonly direction: 'out' | 'in';
  readonly desired: number;
  /** The capacity that a scale-out adds to: during a cooldown, that before the scale-out which began it. */
  readonly base: number;
  readonly cooldownMs: number;
  /** What set it off, for the activity. */
  readonly cause: string;
}

/** Capacity such that the consumption of a minute is the target share of it. */
export function trackedCapacity(consumedInMinute: number, targetPercent: number): number {
  // A hair below, so that 42 units at 70 % are 60 and not 61 by the error of a division.
  return Math.max(1, Math.ceil((consumedInMinute / 60 / targetPercent) * 100 - 1e-9));
}

/** Capacity that brings a metric of the user's to its target, if it falls as capacity rises. */
export function proportionalCapacity(current: number, value: number, target: number): number {
  return Math.max(1, Math.ceil((current * value) / target - 1e-9));
}

export function clamp(desired: number, { min, max }: Pick<TargetRecord, 'min' | 'max'>): number {
  return Math.min(max, Math.max(min, desired));
}

/** Cooldowns of target tracking are zero for DynamoDB unless the policy sets them. */
export function cooldownOf(tracking: TargetTracking, direction: Wish['direction']): number {
  return (direction === 'out' ? (tracking.ScaleOutCooldown ?? 0) : (tracking.ScaleInCooldown ?? 0)) * 1000;
}

/**
 * The capacity that a scale-out adds to. During the cooldown of the one before it, what that one added is a part of what is
 * added now: a step of two and then one of three make three, not five. So a cooldown holds back all but larger steps.
 */
export function scaleOutBase(
  { lastOut }: Pick<TargetRecord, 'lastOut'>,
  current: number,
  cooldownMs: number,
  nowMs: number,
): number {
  return lastOut !== undefined && nowMs < lastOut.at + cooldownMs
    ? Math.max(1, current - lastOut.by)
    : current;
}

/** Whether a cooldown holds a scale-in back: it waits for the scaling before it, out or in. A scale-out never waits for a scale-in. */
export function isCooling(
  { lastOut, lastIn }: Pick<TargetRecord, 'lastOut' | 'lastIn'>,
  wish: Wish,
  nowMs: number,
): boolean {
  const isWithin = (at: number | undefined) => at !== undefined && nowMs < at + wish.cooldownMs;
  return wish.direction === 'in' && (isWithin(lastIn?.at) || isWithin(lastOut?.at));
}

/** The capacity that a step policy asks for, given how far its metric is from the alarm's threshold. */
export function steppedCapacity(step: StepScaling, current: number, distance: number): number | undefined {
  const { AdjustmentType, StepAdjustments = [], MinAdjustmentMagnitude = 1 } = step;
  const found = StepAdjustments.find(
    ({
      MetricIntervalLowerBound: low = Number.NEGATIVE_INFINITY,
      MetricIntervalUpperBound: high = Number.POSITIVE_INFINITY,
    }) => (distance >= 0 ? low <= distance && distance < high : low < distance && distance <= high),
  );
  if (found === undefined) return undefined;
  const { ScalingAdjustment: by } = found;
  if (AdjustmentType === 'ExactCapacity') return Math.max(1, by);
  if (AdjustmentType === 'ChangeInCapacity') return Math.max(1, current + by);
  const exact = (current * by) / 100;
  // Percentages are rounded towards zero beyond one, and to one below it.
  const rounded = Math.abs(exact) < 1 ? Math.sign(exact) : Math.trunc(exact);
  const change = Math.sign(rounded) * Math.max(Math.abs(rounded), rounded === 0 ? 0 : MinAdjustmentMagnitude);
  return Math.max(1, current + change);
}

export function aggregated(values: readonly number[], type: StepScaling['MetricAggregationType']): number {
  if (type === 'Minimum') return Math.min(...values);
  if (type === 'Maximum') return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Several policies on one target: the largest scale-out wins; they scale in only if all that can agree. */
export function chosenWish(wishes: readonly (Wish | undefined)[]): Wish | undefined {
  const out = wishes.filter((wish) => wish?.direction === 'out');
  if (out.length > 0) return out.reduce((a, b) => (b!.desired > a!.desired ? b : a));
  const isAgreed = wishes.length > 0 && wishes.every((wish) => wish?.direction === 'in');
  return isAgreed ? wishes.reduce((a, b) => (b!.desired > a!.desired ? b : a)) : undefined;
}
