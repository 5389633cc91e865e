/**
 * The heaviest of many keys in bounded memory: the algorithm of Misra and Gries with weights, emptied in batches (Anderson
 * and others, "A High-Performance Algorithm for Identifying Frequent Items in Data Streams", 2017).
 *
 * It holds at most `2 × size` keys. When it is full, the weight of the (size + 1)th heaviest key is taken from all, and
 * keys that have nothing left go. Each time at least `size + 1` keys lose that weight, so that all losses together are at
 * most the total weight divided by `size + 1`. So for every key, with `error` the sum of what was taken:
 *
 *     shown <= true weight <= shown + error,   error <= total / (size + 1)
 *
 * A key heavier than `error` is never missing.
 */
export class FrequentKeys {
  readonly #size: number;
  readonly #weights = new Map<string, number>();
  #total = 0;
  #error = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** The weight of all keys together, exactly. */
  get total(): number {
    return this.#total;
  }

  /** By how much a shown weight can be too low. */
  get error(): number {
    return this.#error;
  }

  /** How many keys are held; all that there were, as long as `error` is zero. */
  get held(): number {
    return this.#weights.size;
  }

  add(key: string, weight: number): void {
    if (!(weight > 0)) return;
    this.#total += weight;
    const before = this.#weights.get(key);
    this.#weights.set(key, before === undefined ? weight : before + weight);
    if (this.#weights.size > 2 * this.#size) this.#empty();
  }

  /** The heaviest keys first. */
  top(count: number): readonly (readonly [key: string, weight: number])[] {
    return [...this.#weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, count);
  }

  #empty(): void {
    const weights = Float64Array.from(this.#weights.values()).sort();
    const taken = weights[weights.length - 1 - this.#size]!;
    this.#error += taken;
    for (const [key, weight] of this.#weights) {
      if (weight <= taken) this.#weights.delete(key);
      else this.#weights.set(key, weight - taken);
    }
  }
}
