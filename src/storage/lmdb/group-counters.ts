import type { Bytes } from '../store.ts';
import type { ByteDatabase } from './lmdb-environment.ts';
import { readNumber, writeNumber } from './log-keys.ts';

/**
 * The counters that a group of units adds to. They stay in memory until the group is about to commit. Nearly every
 * unit adds to the counters of its table; one write per group instead of one per unit costs next to nothing.
 */
export class GroupCounters {
  readonly #database: ByteDatabase;
  readonly #sums = new Map<string, { readonly key: Bytes; sum: number }>();

  constructor(database: ByteDatabase) {
    this.#database = database;
  }

  /** The sum, including what the group has added so far. */
  read(key: Bytes): number {
    return this.#sums.get(nameOf(key))?.sum ?? readNumber(this.#database.getBinary(key));
  }

  add(key: Bytes, delta: number): void {
    const name = nameOf(key);
    const known = this.#sums.get(name);
    if (known !== undefined) known.sum += delta;
    else this.#sums.set(name, { key, sum: readNumber(this.#database.getBinary(key)) + delta });
  }

  /** Writes the sums into the transaction. Must run before the commit, and before a range delete of counters. */
  write(): void {
    for (const { key, sum } of this.#sums.values()) void this.#database.put(key, writeNumber(sum));
    this.#sums.clear();
  }
}

function nameOf(key: Bytes): string {
  return Buffer.prototype.latin1Slice.call(key, 0, key.length);
}
