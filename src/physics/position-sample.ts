import { memoryBounds } from './constants.ts';
import type { Position } from './place.ts';

const { sampledPositionsMax, sampledSortBytesMax } = memoryBounds;

/** An accessed position, with the units that it stands for. */
export interface SampledPosition extends Position {
  readonly units: number;
}

/**
 * A sample of the positions that requests accessed in a hot partition, in the order of access, weighted by units. When
 * it is full, every second position is dropped and the distance between samples doubles, so the sample always covers
 * the whole time since it began. The distance is jittered: clients that take turns would otherwise hide some keys.
 */
export class PositionSample {
  #positions: SampledPosition[] = [];
  #strideUnits = 1;
  #unseenUnits = 0;
  #nextUnits = 1;
  #random: number;

  constructor(seed: number) {
    this.#random = seed | 1;
  }

  note(place: number, key: Uint8Array, sortAt: number, units: number): void {
    this.#unseenUnits += units;
    if (this.#unseenUnits < this.#nextUnits) return;
    const sort = key.slice(sortAt, sortAt + sampledSortBytesMax);
    this.#positions.push({ place, sort, units: this.#unseenUnits });
    this.#unseenUnits = 0;
    if (this.#positions.length === sampledPositionsMax) {
      this.#positions = this.#positions.filter((_, i) => i % 2 === 0);
      this.#strideUnits *= 2;
    }
    this.#nextUnits = this.#strideUnits * (0.5 + this.#nextRandom());
  }

  /** In the order of access. */
  get positions(): readonly SampledPosition[] {
    return this.#positions;
  }

  #nextRandom(): number {
    // xorshift32: only spreads the distances.
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return (x >>> 0) / 4294967296;
  }
}
