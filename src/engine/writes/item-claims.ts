import { toHex } from '../../model/values/hex.ts';

/**
 * Items that one write keeps from the other writers of this process, so that its evaluation is not out of date again and
 * again. Correctness does not depend on it. Whoever claims items holds no others, so that no two wait for each other.
 */
export class ItemClaims {
  readonly #ends = new Map<string, Promise<void>>();

  get isEmpty(): boolean {
    return this.#ends.size === 0;
  }

  /** The end of a claim on one of the items. Undefined if there is none. */
  ofAny(keys: readonly Uint8Array[]): Promise<void> | undefined {
    for (const key of keys) {
      const end = this.#ends.get(toHex(key));
      if (end !== undefined) return end;
    }
    return undefined;
  }

  /** Runs work that claims items until it ends. */
  async holding<R>(keys: readonly Uint8Array[], work: () => Promise<R>): Promise<R> {
    for (let end = this.ofAny(keys); end !== undefined; end = this.ofAny(keys)) await end;
    const texts = keys.map(toHex);
    let release = () => {};
    const end = new Promise<void>((resolve) => (release = resolve));
    for (const text of texts) this.#ends.set(text, end);
    try {
      return await work();
    } finally {
      for (const text of texts) this.#ends.delete(text);
      release();
    }
  }
}
