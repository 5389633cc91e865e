/**
 * Wakes those who wait for new records when this process has written some. A write to a table that nobody waits for
 * costs a look into an empty map.
 */
export class LogArrivals {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Called after the commit. */
  note(storageId: string): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners.get(storageId) ?? []) listener.ring();
  }

  listen(storageId: string): Listener {
    const others = this.#listeners.get(storageId) ?? new Set();
    this.#listeners.set(storageId, others);
    const listener = new Listener(() => {
      others.delete(listener);
      if (others.size === 0 && this.#listeners.get(storageId) === others) this.#listeners.delete(storageId);
    });
    others.add(listener);
    return listener;
  }
}

/** What rings between two waits is not missed: the second then does not wait. */
export class Listener {
  readonly #forget: () => void;
  #hasRung = false;
  #wake: (() => void) | undefined;

  constructor(forget: () => void) {
    this.#forget = forget;
  }

  ring(): void {
    this.#hasRung = true;
    this.#wake?.();
  }

  /** Resolves when it has rung since the last wait, or when the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#hasRung && !signal.aborted)
      await new Promise<void>((resolve) => {
        const wake = () => {
          signal.removeEventListener('abort', wake);
          this.#wake = undefined;
          resolve();
        };
        this.#wake = wake;
        signal.addEventListener('abort', wake);
      });
    this.#hasRung = false;
  }

  close(): void {
    this.#forget();
  }
}
