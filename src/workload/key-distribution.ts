import type { Skew } from '../design/index.ts';
import type { Seeded } from './seeded.ts';

/** How calls fall on values, beyond what a model declares. */
export type KeyDistribution =
  | Skew
  /** Mostly the newest: each of the last `window` values is as likely as the others, with `share` of all calls. */
  | { readonly kind: 'latest'; readonly window: number; readonly share: number }
  /** Tenants of a few large and many small: `share` of all calls on the first `keys`, the rest by Zipf's law. */
  | { readonly kind: 'tenants'; readonly keys: number; readonly share: number; readonly exponent: number };

/**
 * Draws positions among `present` values that stand for `declared` ones. A sample of a large population keeps the
 * population's heat: the most frequent values have the shares that they would have among all, and the long tail falls
 * on the rest of the sample.
 */
export class KeyPicker {
  readonly #draw: (random: Seeded, present: number) => number;

  constructor(distribution: KeyDistribution, declared: number) {
    this.#draw = drawOf(distribution, Math.max(1, declared));
  }

  pick(random: Seeded, present: number): number {
    return present <= 1 ? 0 : this.#draw(random, present);
  }
}

function drawOf(
  distribution: KeyDistribution,
  declared: number,
): (random: Seeded, present: number) => number {
  switch (distribution.kind) {
    case 'uniform':
      return (random, present) => random.below(present);
    case 'hot': {
      const { keys, share } = distribution;
      return (random, present) => {
        const hot = Math.min(keys, present);
        if (random.chance(share) || hot === present) return random.below(hot);
        return hot + random.below(present - hot);
      };
    }
    case 'latest': {
      const { window, share } = distribution;
      return (random, present) => {
        const last = Math.min(window, present);
        if (random.chance(share) || last === present) return present - 1 - random.below(last);
        return random.below(present - last);
      };
    }
    case 'zipf': {
      const ranks = new ZipfRanks(distribution.exponent, declared);
      return (random, present) => ranks.pick(random, present);
    }
    case 'tenants': {
      const ranks = new ZipfRanks(distribution.exponent, declared);
      const { keys, share } = distribution;
      return (random, present) => {
        const large = Math.min(keys, present);
        if (random.chance(share) || large === present) return random.below(large);
        return large + ranks.pick(random, present - large);
      };
    }
  }
}

/** Ranks by Zipf's law among any number of values: the first ones exactly, all others together. */
class ZipfRanks {
  /** The share of all draws that fall on the first n ranks. */
  readonly #cumulative: Float64Array;

  constructor(exponent: number, declared: number) {
    const exact = Math.min(10_000, Math.ceil(declared));
    const cumulative = new Float64Array(exact);
    let sum = 0;
    for (let rank = 1; rank <= exact; rank++) {
      sum += rank ** -exponent;
      cumulative[rank - 1] = sum;
    }
    const total = sum + tail(exponent, exact, declared);
    for (let at = 0; at < exact; at++) cumulative[at]! /= total;
    this.#cumulative = cumulative;
  }

  pick(random: Seeded, present: number): number {
    const drawn = random.next();
    const ranks = this.#cumulative;
    // Half of the sample is kept for the tail, so that it does not heat the last of the exact ranks.
    const last = Math.min(ranks.length, Math.ceil(present / 2));
    if (drawn >= ranks[last - 1]!) return present === last ? last - 1 : last + random.below(present - last);
    let low = 0;
    let high = last - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ranks[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** The sum of k^-s for k from `from` + 1 to `to`, by its integral. */
function tail(s: number, from: number, to: number): number {
  if (to <= from) return 0;
  const [a, b] = [from + 0.5, to + 0.5];
  return s === 1 ? Math.log(b / a) : (b ** (1 - s) - a ** (1 - s)) / (1 - s);
}
