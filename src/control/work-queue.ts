/**
 * Runs long work of each owner one after the other, so that many requests at once need the memory of one. Requests for the
 * same work share its result.
 */
export class WorkQueue<Result> {
  readonly #waitersMax: number;
  /** The work that each owner has asked for and that has not ended, by its id. */
  readonly #asked = new Map<string, Map<string, Promise<Result>>>();

  constructor(waitersMax: number) {
    this.#waitersMax = waitersMax;
  }

  /** Answers the result of the work with this id; undefined if too much other work of its owner waits already. */
  run(owner: string, id: string, work: () => Promise<Result>): Promise<Result> | undefined {
    const asked = this.#asked.get(owner) ?? new Map<string, Promise<Result>>();
    const shared = asked.get(id);
    if (shared !== undefined) return shared;
    if (asked.size > this.#waitersMax) return undefined;
    const before = [...asked.values()].at(-1);
    const result = this.#after(before, work).finally(() => {
      asked.delete(id);
      if (asked.size === 0) this.#asked.delete(owner);
    });
    this.#asked.set(owner, asked.set(id, result));
    return result;
  }

  async #after(before: Promise<Result> | undefined, work: () => Promise<Result>): Promise<Result> {
    await before?.catch(() => {});
    return work();
  }
}
