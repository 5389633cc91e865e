import { partitionHash } from '../../model/keys/keys.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Entry, Reader } from '../../storage/store.ts';
import type { Table, TableIndex } from '../tables/table-record.ts';
import { pageLimits } from './range-pages.ts';

/** A walk over the items of a table or the entries of one of its indexes, page by page, and what it has counted. */
export class SlotWalk {
  /** Left out for the items. */
  readonly index: TableIndex | undefined;
  readonly prefix: Uint8Array;
  readonly counters: { readonly count: Uint8Array; readonly bytes: Uint8Array };
  count = 0;
  bytes = 0;
  /** False once something was met whose size cannot be told. */
  sizesKnown = true;
  /** False when the walk could not get to its end. */
  whole = true;
  done = false;
  #from: Uint8Array;
  #lastHash: Uint8Array | undefined;
  /** A damaged value that lies ahead: the walk goes up to it, and then on behind it. */
  #damaged: Uint8Array | undefined;

  constructor(table: Table, index?: TableIndex) {
    this.index = index;
    this.prefix = index?.prefix ?? table.prefix;
    this.counters = index?.counters ?? table.counters;
    this.#from = this.prefix;
  }

  async nextPage(reader: Reader, limit: number): Promise<readonly Entry[]> {
    const { entries, more } = await reader.range({
      from: this.#from,
      to: this.#damaged ?? prefixEnd(this.prefix)!,
      limit,
      maxBytes: pageLimits.bytes,
    });
    const last = entries[entries.length - 1];
    if (last !== undefined) {
      this.#from = keyAfter(last.key);
      this.#lastHash = this.hashOf(last.key);
    }
    this.done = !more || last === undefined;
    if (this.done && this.#damaged !== undefined) {
      this.#from = keyAfter(this.#damaged);
      this.#damaged = undefined;
      this.done = false;
    }
    return entries;
  }

  /** Passes over a damaged value. False where its key does not lie ahead: it says nothing about what follows. */
  skip(key: Uint8Array): boolean {
    const end = this.#damaged ?? prefixEnd(this.prefix)!;
    if (compareBytes(key, this.#from) < 0 || compareBytes(key, end) >= 0) return false;
    this.#damaged = key;
    this.add(undefined);
    return true;
  }

  /** Ends the walk before its end. */
  giveUp(): void {
    this.whole = false;
    this.done = true;
  }

  add(bytes: number | undefined): void {
    this.count++;
    if (bytes === undefined) this.sizesKnown = false;
    else this.bytes += bytes;
  }

  hashOf(key: Uint8Array): Uint8Array {
    return partitionHash(key, this.prefix.length);
  }

  /** Whether the walk has not come as far as another that goes through the same partitions. */
  isBehind(other: SlotWalk): boolean {
    if (this.#lastHash === undefined || other.#lastHash === undefined) return this.#lastHash === undefined;
    return compareBytes(this.#lastHash, other.#lastHash) < 0;
  }

  /** Whether all of a partition lies behind it. */
  hasPassed(hash: Uint8Array): boolean {
    return this.done || (this.#lastHash !== undefined && compareBytes(hash, this.#lastHash) < 0);
  }
}
