import { SimulatedClock } from '../workload/timeline.ts';

/** A simulated clock that tells of its moves once a minute, to those who follow a table by the minute. */
export class LabClock extends SimulatedClock {
  readonly #listeners = new Set<() => void>();

  onMove(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
