/** Upper ends of the classes, each 5 % above the one before: made by products only, the same on every version of Node. */
const ends = (() => {
  const made: number[] = [];
  for (let end = 0.25; end < 3_600_000; end *= 1.05) made.push(end);
  return Float64Array.from(made);
})();

/** Durations by class, for percentiles that are right to 5 %. */
export class LatencyCounts {
  readonly #counts = new Uint32Array(ends.length + 1);
  total = 0;
  max = 0;

  add(ms: number): void {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ends[middle]! >= ms) high = middle;
      else low = middle + 1;
    }
    this.#counts[low]!++;
    this.total++;
    if (ms > this.max) this.max = ms;
  }

  percentile(share: number): number {
    if (this.total === 0) return 0;
    const wanted = share * this.total;
    let seen = 0;
    for (let at = 0; at < ends.length; at++) {
      seen += this.#counts[at]!;
      if (seen >= wanted) return rounded(Math.min(ends[at]!, this.max));
    }
    return rounded(this.max);
  }

  /** Adds what another counted. */
  join(other: LatencyCounts): void {
    for (let at = 0; at < this.#counts.length; at++) this.#counts[at]! += other.#counts[at]!;
    this.total += other.total;
    this.max = Math.max(this.max, other.max);
  }

  clear(): void {
    this.#counts.fill(0);
    this.total = 0;
    this.max = 0;
  }
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
