import type { AttributeSkew, Frequency, Rate, Skew } from '../ir.ts';

/** `40 per second`, `5000000 per day`. */
export type FrequencyText = `${number} per ${Frequency['per']}`;

/** `now`: nothing older than the last write. Otherwise how old an answer may be: `2 seconds`, `1 day`. */
export type FreshnessText = 'now' | `${number} ${AgeUnit}`;

type AgeUnit = 'ms' | 'second' | 'seconds' | 'minute' | 'minutes' | 'hour' | 'hours' | 'day' | 'days';

/** What the writer of a pattern says about traffic. */
export interface Traffic<N extends string> {
  /** Calls a second at the busiest minute. */
  readonly peak: number;
  /** Calls a second over the month; the peak if left out, which overstates the bill. */
  readonly mean?: number;
  /** The mean in other words: how many calls in which time. */
  readonly frequency?: FrequencyText;
  /** How unevenly calls fall on an attribute's values; evenly if left out. */
  readonly skew?: { readonly [M in N]?: Skew };
}

export const secondsPer: Readonly<Record<Frequency['per'], number>> = {
  second: 1,
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  // The month of bills: 730 hours.
  month: 2_628_000,
  year: 31_536_000,
};

const agesMs: Readonly<Record<string, number>> = {
  ms: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The rate of a pattern, with its frequency if the pattern says one. */
export function readTraffic(
  where: string,
  { peak, mean, frequency }: Traffic<string>,
): { readonly rate: Rate; readonly frequency?: Frequency } {
  if (frequency === undefined) return { rate: { peak, mean: mean ?? peak } };
  if (mean !== undefined)
    throw new TypeError(`"${where}" has a mean and a frequency; a pattern may have one of them`);
  const [calls, per] = /^(\d+(?:\.\d+)?) per (\w+)$/.exec(frequency)?.slice(1) ?? [];
  const seconds = secondsPer[per as Frequency['per']];
  if (calls === undefined || seconds === undefined)
    throw new TypeError(
      `the frequency "${frequency}" is not a number of calls per ${Object.keys(secondsPer).join(', ')}`,
    );
  return {
    rate: { peak, mean: Number(calls) / seconds },
    frequency: { calls: Number(calls), per: per as Frequency['per'] },
  };
}

/** How old an answer may be, in milliseconds. */
export function readFreshness(text: FreshnessText): number {
  if (text === 'now') return 0;
  const [amount, unit] = /^(\d+(?:\.\d+)?) (ms|second|minute|hour|day)s?$/.exec(text)?.slice(1) ?? [];
  if (amount === undefined)
    throw new TypeError(`the freshness "${text}" is neither "now" nor an age such as "2 seconds"`);
  return Number(amount) * agesMs[unit!]!;
}

export function readSkew(skew: Readonly<Record<string, Skew | undefined>> | undefined): AttributeSkew[] {
  return Object.entries(skew ?? {}).flatMap(([attribute, one]) =>
    one === undefined ? [] : [{ attribute, skew: one }],
  );
}

/** Calls follow Zipf's law over the values. */
export function zipf(exponent: number): Skew {
  return { kind: 'zipf', exponent };
}

/** `share` of the calls fall on `keys` values; one key and a large share make a giant tenant. */
export function hot(keys: number, share: number): Skew {
  return { kind: 'hot', keys, share };
}
