import type { Entry } from '../../storage/store.ts';

/** How much a page may read from the store, whatever it finds. */
export interface ReadLimits {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Counts the entries that a page reads from the store. A spent budget ends the page where it stands, so that the work of a
 * page has a bound although none of the old images that it passes may be wanted.
 */
export class ReadBudget {
  readonly #limits: ReadLimits;
  #entries = 0;
  #bytes = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /** The number of entries read so far. A read that finds nothing counts as one. */
  get entriesRead(): number {
    return this.#entries;
  }

  get isSpent(): boolean {
    return this.#entries >= this.#limits.entries || this.#bytes >= this.#limits.bytes;
  }

  /** Bounds for the next read. At least one entry: a page whose budget is too small for one step goes on all the same. */
  bounds(limit: number, maxBytes: number): { readonly limit: number; readonly maxBytes: number } {
    return {
      limit: Math.max(1, Math.min(limit, this.#limits.entries - this.#entries)),
      maxBytes: Math.max(1, Math.min(maxBytes, this.#limits.bytes - this.#bytes)),
    };
  }

  spend(entries: readonly Entry[]): void {
    this.#entries += Math.max(1, entries.length);
    for (const { key, value } of entries) this.#bytes += key.length + value.length;
  }
}
