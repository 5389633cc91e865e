/** Steps that one question to the search may take: whether there is a design in some room, or which is the cheapest. */
const stepsPerSearch = 100_000;
/** Steps of all questions about one table together. */
const stepsInAll = 300_000;
/** Steps that a question gets even after that, enough for a design that is not hard to find. */
const stepsAtLeast = 2_000;

/**
 * The work that a derivation may spend, counted in steps of the search, never in time: the same model gets the same
 * answer on every machine. A question that is cut short leaves `cut` behind, and the design is then the best found, not
 * proved to be the best.
 */
export class Effort {
  #left = 0;
  #spent = 0;
  #searchCut = false;
  #cut = false;
  readonly #stepsInAll: number;

  constructor(steps: number = stepsInAll) {
    this.#stepsInAll = steps;
  }

  /** Begins a question with an allotment of its own. */
  begin(): void {
    this.#left = Math.max(stepsAtLeast, Math.min(stepsPerSearch, this.#stepsInAll - this.#spent));
    this.#searchCut = false;
  }

  /** Takes a step; false if the question has none left. */
  step(): boolean {
    if (this.#left === 0) {
      this.#searchCut = true;
      this.#cut = true;
      return false;
    }
    this.#left--;
    this.#spent++;
    return true;
  }

  /** Counts work that cannot be cut short itself; the next step may find the question's allotment spent. */
  spend(steps: number): void {
    this.#left = Math.max(0, this.#left - steps);
    this.#spent += steps;
  }

  /** The question at hand was cut short. */
  get searchCut(): boolean {
    return this.#searchCut;
  }

  /** Some question was cut short. */
  get cut(): boolean {
    return this.#cut;
  }

  get spent(): number {
    return this.#spent;
  }

  /** All steps are spent: further questions get the least. */
  get usedUp(): boolean {
    return this.#spent >= this.#stepsInAll;
  }
}
