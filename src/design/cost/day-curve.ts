/** The rates of a pattern or of a table: what its busiest minute and its whole month average to. */
export interface DayRates {
  readonly peak: number;
  readonly mean: number;
}

/** Auto scaling aims at this use. */
export const targetUse = 0.7;

export interface Day {
  /** Units that are provisioned in each of 24 hours, for one unit a call. */
  readonly capacity: readonly number[];
  readonly averageCapacity: number;
  /** What is provisioned even in the quietest hour. */
  readonly floor: number;
}

/**
 * A day with the given mean and peak whose nights are at half of the mean: the rate at the quietest share q of the day is
 * night + (peak - night) · q^k, with k such that the mean is met. Capacity that auto scaling provisions follows each hour's
 * busiest moment, seven tenths used.
 */
export function dayOf({ peak, mean }: DayRates): Day {
  if (peak <= 0) return { capacity: new Array(24).fill(0), averageCapacity: 0, floor: 0 };
  const night = Math.min(mean, peak) / 2;
  const k = Math.max(0, (peak - night) / Math.max(mean - night, peak / 1e6) - 1);
  const capacity = Array.from(
    { length: 24 },
    (_, hour) => (night + (peak - night) * ((hour + 1) / 24) ** k) / targetUse,
  );
  return {
    capacity,
    averageCapacity: capacity.reduce((sum, one) => sum + one, 0) / 24,
    floor: capacity[0]!,
  };
}
