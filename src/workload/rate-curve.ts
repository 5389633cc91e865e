import type { Seeded } from './seeded.ts';

/** Calls a second over time. Factors multiply the rate of the pattern; times are seconds from the start. */
export type RateCurve =
  | { readonly kind: 'constant'; readonly factor?: number }
  | { readonly kind: 'ramp'; readonly from: number; readonly to: number; readonly seconds: number }
  /** A day between its lowest and highest factor, lowest at the start; `period` seconds long. */
  | { readonly kind: 'diurnal'; readonly low: number; readonly high: number; readonly period?: number }
  | {
      readonly kind: 'spike';
      readonly base?: number;
      readonly factor: number;
      readonly at: number;
      readonly seconds: number;
    }
  | {
      readonly kind: 'steps';
      readonly steps: readonly { readonly factor: number; readonly seconds: number }[];
    }
  /** Factors at moments; between two of them the first holds. */
  | { readonly kind: 'trace'; readonly points: readonly { readonly at: number; readonly factor: number }[] };

/** The factor at a moment. */
export function factorAt(curve: RateCurve, seconds: number): number {
  switch (curve.kind) {
    case 'constant':
      return curve.factor ?? 1;
    case 'ramp': {
      const part = curve.seconds <= 0 ? 1 : Math.min(1, Math.max(0, seconds / curve.seconds));
      return curve.from + (curve.to - curve.from) * part;
    }
    case 'diurnal': {
      // A triangle with rounded ends, made of products only: the same on every version of Node.
      const phase = (seconds / (curve.period ?? 86_400)) % 1;
      const rising = phase < 0.5 ? phase * 2 : 2 - phase * 2;
      return curve.low + (curve.high - curve.low) * rising * rising * (3 - 2 * rising);
    }
    case 'spike':
      return seconds >= curve.at && seconds < curve.at + curve.seconds ? curve.factor : (curve.base ?? 1);
    case 'steps': {
      let from = 0;
      for (const { factor, seconds: length } of curve.steps) {
        if (seconds < from + length) return factor;
        from += length;
      }
      return curve.steps.at(-1)?.factor ?? 0;
    }
    case 'trace': {
      let factor = 0;
      for (const point of curve.points) {
        if (point.at > seconds) break;
        factor = point.factor;
      }
      return factor;
    }
  }
}

/** The largest factor within a time. */
function largestFactor(curve: RateCurve, seconds: number): number {
  switch (curve.kind) {
    case 'ramp':
      return Math.max(curve.from, curve.to);
    case 'diurnal':
      return Math.max(curve.low, curve.high);
    case 'spike':
      return Math.max(curve.base ?? 1, curve.factor);
    case 'steps':
      return Math.max(0, ...curve.steps.map(({ factor }) => factor));
    case 'trace':
      return Math.max(0, ...curve.points.filter(({ at }) => at < seconds).map(({ factor }) => factor));
    default:
      return factorAt(curve, 0);
  }
}

/** Arrivals of independent callers: at the largest rate, of which some are left out where the rate is lower. */
export class Arrivals {
  readonly #random: Seeded;
  readonly #curve: RateCurve;
  readonly #largest: number;
  readonly #endMs: number;
  #atMs = 0;

  constructor(random: Seeded, rate: number, curve: RateCurve, seconds: number) {
    this.#random = random;
    this.#curve = curve;
    this.#largest = largestFactor(curve, seconds);
    this.#endMs = seconds * 1000;
    this.#meanMs = rate * this.#largest > 0 ? 1000 / (rate * this.#largest) : Number.POSITIVE_INFINITY;
  }

  readonly #meanMs: number;

  /** Milliseconds from the start, whole microseconds; undefined when there are no more. */
  next(): number | undefined {
    for (;;) {
      if (this.#meanMs === Number.POSITIVE_INFINITY) return undefined;
      this.#atMs += this.#random.pause(this.#meanMs);
      if (this.#atMs >= this.#endMs) return undefined;
      const factor = factorAt(this.#curve, this.#atMs / 1000);
      if (factor >= this.#largest || this.#random.next() * this.#largest < factor)
        return Math.round(this.#atMs * 1000) / 1000;
    }
  }
}
