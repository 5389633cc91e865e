/**
 * Units per second over about the last second: what the current second has so far and, of the one before, the part that
 * is still less than a second ago.
 */
export class RecentRate {
  #second = -1;
  #units = 0;
  #unitsBefore = 0;

  add(nowMs: number, units: number): void {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#turnTo(second);
    this.#units += units;
  }

  perSecond(nowMs: number): number {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) this.#turnTo(second);
    const passed = nowMs / 1000 - second;
    return this.#units + this.#unitsBefore * (1 - passed);
  }

  #turnTo(second: number): void {
    this.#unitsBefore = second === this.#second + 1 ? this.#units : 0;
    this.#units = 0;
    this.#second = second;
  }
}
