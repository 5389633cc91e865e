/**
 * Repeatable randomness: the same draws on every machine and version of Node. Streams are split by labels, so that what
 * one part draws does not shift what another part gets.
 */
export class Seeded {
  #state: number;

  constructor(seed: number, ...labels: readonly (string | number)[]) {
    let state = mix(seed | 0);
    for (const label of labels)
      state = mix(state ^ (typeof label === 'number' ? label | 0 : hashText(label)));
    this.#state = state;
  }

  /** 0 <= number < 1 */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return (mix(this.#state) >>> 0) / 4_294_967_296;
  }

  /** A whole number, 0 <= number < end. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** The pause until the next of events that come independently of each other, `mean` apart on average. */
  pause(mean: number): number {
    return -Math.log(1 - this.next()) * mean;
  }
}

/** A number of 32 bits that looks random, the same for the same input. */
export function mix(input: number): number {
  let mixed = Math.imul(input ^ (input >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return mixed ^ (mixed >>> 15);
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}
