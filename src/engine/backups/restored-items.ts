import { type Hash16, partitionHash } from '../../model/keys/keys.ts';
import { ItemEncoder } from '../../model/stored/item-encoder.ts';
import { decodeItem, readHeader } from '../../model/stored/stored-item.ts';
import { concatBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Mutation } from '../../storage/store.ts';
import { indexChanges } from '../indexes/index-entries.ts';
import { collectionCounter } from '../store-keys.ts';
import type { Table } from '../tables/table-record.ts';

/** The mutations that put items of a backup into a table that nobody uses yet: items, index entries, counters. */
export class RestoredItems {
  readonly #table: Table;
  readonly #h16: Hash16;
  readonly #encoder = new ItemEncoder();
  readonly #puts: Mutation[] = [];
  readonly #sums = new Map<string, { readonly counter: Uint8Array; delta: number }>();

  constructor(table: Table, h16: Hash16) {
    this.#table = table;
    this.#h16 = h16;
  }

  /** Adds an item. `suffix` is its store key without the prefix of its table. */
  add(suffix: Uint8Array, stored: Uint8Array): void {
    const { prefix, counters, indexes } = this.#table;
    const key = concatBytes(prefix, suffix);
    const header = readHeader(stored);
    this.#puts.push({ kind: 'put', key, value: stored });
    this.#count(counters.count, 1);
    this.#count(counters.bytes, header.itemBytes);
    let growth = header.itemBytes;
    if (indexes.length > 0) {
      const image = { item: decodeItem(stored), bytes: header.itemBytes, stored };
      const settings = { header, h16: this.#h16, encoder: this.#encoder, isFilled: false, isOther: true };
      for (const change of indexChanges(this.#table, undefined, image, settings)) {
        if (change.index.traits.collection === 'of the item') growth += change.growth;
        for (const mutation of change.mutations)
          if (mutation.kind === 'add') this.#count(mutation.counter, mutation.delta);
          else this.#puts.push(mutation);
      }
    }
    if (this.#table.hasCollections)
      this.#count(collectionCounter(prefix, partitionHash(key, prefix.length)), growth);
  }

  mutations(): readonly Mutation[] {
    const sums = [...this.#sums.values()].map(
      ({ counter, delta }): Mutation => ({ kind: 'add', counter, delta }),
    );
    return [...this.#puts, ...sums];
  }

  #count(counter: Uint8Array, delta: number): void {
    const name = toHex(counter);
    const known = this.#sums.get(name);
    if (known === undefined) this.#sums.set(name, { counter, delta });
    else known.delta += delta;
  }
}
