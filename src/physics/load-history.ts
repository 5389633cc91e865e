/** What one minute brought. */
export interface MinuteLoad {
  /** Minutes since 1970. */
  readonly minute: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refusedReads: number;
  readonly refusedWrites: number;
}

export const historyMinutes = 60;
const figures = 4;

/**
 * The load of the last hour by minute: a ring of 60 slots, each with the number of its minute, so that gaps and clocks
 * that are set leave nothing wrong behind. 1.4 KB, however long it runs.
 */
export class LoadHistory {
  readonly #minutes = new Float64Array(historyMinutes).fill(-1);
  readonly #loads = new Float32Array(historyMinutes * figures);

  add(
    minute: number,
    readUnits: number,
    writeUnits: number,
    refusedReads: number,
    refusedWrites: number,
  ): void {
    const slot = ((minute % historyMinutes) + historyMinutes) % historyMinutes;
    const at = slot * figures;
    const loads = this.#loads;
    if (this.#minutes[slot] !== minute) {
      this.#minutes[slot] = minute;
      loads.fill(0, at, at + figures);
    }
    loads[at]! += readUnits;
    loads[at + 1]! += writeUnits;
    loads[at + 2]! += refusedReads;
    loads[at + 3]! += refusedWrites;
  }

  /** The minutes of the hour that ends with `minute`, oldest first; those without load are left out. */
  until(minute: number): MinuteLoad[] {
    const found: MinuteLoad[] = [];
    for (let slot = 0; slot < historyMinutes; slot++) {
      const noted = this.#minutes[slot]!;
      if (noted <= minute - historyMinutes || noted > minute || noted < 0) continue;
      const at = slot * figures;
      found.push({
        minute: noted,
        readUnits: this.#loads[at]!,
        writeUnits: this.#loads[at + 1]!,
        refusedReads: this.#loads[at + 2]!,
        refusedWrites: this.#loads[at + 3]!,
      });
    }
    return found.sort((a, b) => a.minute - b.minute);
  }
}
