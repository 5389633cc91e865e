import type { StagedChange } from './staged.ts';

/** Tells pages what has just been committed, so that they show it without reading it again. */
class Committed {
  readonly #listeners = new Set<(changes: readonly StagedChange[]) => void>();

  subscribe(listener: (changes: readonly StagedChange[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(changes: readonly StagedChange[]): void {
    for (const listener of this.#listeners) listener(changes);
  }
}

export const committed = new Committed();
