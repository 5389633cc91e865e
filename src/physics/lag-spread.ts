/**
 * How far global indexes lag behind their table, in milliseconds: always the same, or drawn from a distribution. The
 * distribution has its ends and any of some percentiles; between two of them it is even.
 */
export type LagSpread = number | LagDistribution;

/** A distribution of delays by its percentiles, in milliseconds. */
export interface LagDistribution {
  readonly min: number;
  readonly p50?: number;
  readonly p90?: number;
  readonly p99?: number;
  readonly max: number;
}

/** The service says only "within a fraction of a second"; these bounds are ours. */
export const defaultLag: LagSpread = { min: 10, max: 500 };

/** Ten minutes: further behind, an index is out of order and not slow. */
const lagMsMax = 600_000;

const points = [
  ['min', 0],
  ['p50', 0.5],
  ['p90', 0.9],
  ['p99', 0.99],
  ['max', 1],
] as const;

/** The lag at a place from 0 to 1 of the distribution. */
export function lagAt(spread: LagSpread, place: number): number {
  if (typeof spread === 'number') return spread;
  let [from, low]: [number, number] = [0, spread.min];
  for (const [name, to] of points) {
    const high = spread[name];
    if (high === undefined) continue;
    if (place <= to && to > from) return low + ((place - from) / (to - from)) * (high - low);
    [from, low] = [to, high];
  }
  return spread.max;
}

/** Why a user's value is no lag, as a sentence; undefined if it is one. */
export function lagProblem(value: unknown): string | undefined {
  if (typeof value === 'number') return isLag(value) ? undefined : outOfBounds('"indexLagMs"', value);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `"indexLagMs" must be milliseconds, or an object with "min", "max" and any of "p50", "p90", "p99", not ${JSON.stringify(value)}.`;
  for (const [name, given] of Object.entries(value)) {
    if (!points.some(([known]) => known === name)) return `"indexLagMs" has no "${name}".`;
    if (!isLag(given)) return outOfBounds(`"indexLagMs.${name}"`, given);
  }
  const spread = value as Partial<LagDistribution>;
  if (spread.min === undefined || spread.max === undefined) return '"indexLagMs" needs "min" and "max".';
  const given = points.flatMap(([name]) => spread[name] ?? []);
  return given.some((ms, place) => place > 0 && ms < given[place - 1]!)
    ? '"indexLagMs" must not fall from "min" to "max".'
    : undefined;
}

function isLag(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= lagMsMax;
}

function outOfBounds(name: string, value: unknown): string {
  return `${name} must be 0 to ${lagMsMax} milliseconds, not ${JSON.stringify(value)}.`;
}
