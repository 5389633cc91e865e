import { decodeItem, readItemBytes } from '../../model/stored/stored-item.ts';
import { keyValueOf } from '../../model/tables/table-schema.ts';
import { compareKeyValues, type Item } from '../../model/values/attribute-value.ts';
import { compareBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import type { Entry } from '../../storage/store.ts';
import type { PagePlan } from './read-range.ts';

/** The room left in a page. */
export interface Room {
  readonly entries: number | undefined;
  readonly bytes: number;
}

interface Found extends Entry {
  readonly item: Item;
}

/**
 * The entries of an index whose keys were cut to the same bytes. The store orders them by the hashes of their table
 * keys; their true order is that of the RANGE attributes in their values. The whole group must be read before its first
 * entry is known, but only as many entries are kept as the page has room for.
 */
export class CutGroup {
  readonly #prefix: Uint8Array;
  readonly #plan: PagePlan;
  readonly #after: PagePlan['after'];
  readonly #room: Room;
  #from: Uint8Array;
  #kept: Found[] = [];
  #keptBytes = 0;
  /** Whether entries were dropped because earlier ones fill the page. */
  dropped = false;

  /**
   * `after` is the start key, if the previous page ended within this group. Entries of other groups must not be
   * compared with it: those of another partition may have any values.
   */
  constructor(prefix: Uint8Array, plan: PagePlan, after: PagePlan['after'], room: Room) {
    this.#prefix = prefix;
    this.#plan = plan;
    this.#after = after;
    this.#room = room;
    this.#from = prefix;
  }

  /** The range of the next chunk of the group. */
  bounds(): { from: Uint8Array; to: Uint8Array } {
    return { from: this.#from, to: prefixEnd(this.#prefix)! };
  }

  take(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const found: Found = { key: entry.key, value: entry.value, item: decodeItem(entry.value) };
      const { accepts } = this.#plan;
      if (accepts !== undefined && !accepts(found.item)) continue;
      if (this.#after !== undefined && this.#order(found, this.#after) <= 0) continue;
      this.#kept.push(found);
      this.#keptBytes += readItemBytes(entry.value);
    }
    const last = entries[entries.length - 1];
    if (last !== undefined) this.#from = keyAfter(last.key);
    if (this.#keptBytes > 2 * this.#room.bytes) this.#trim();
  }

  /** The kept entries, in the direction of the page. */
  sorted(): readonly Entry[] {
    this.#trim();
    return this.#kept;
  }

  #trim(): void {
    this.#kept.sort((a, b) => this.#order(a, b));
    const { entries = Number.POSITIVE_INFINITY, bytes } = this.#room;
    let sum = 0;
    let count = 0;
    while (count < this.#kept.length && count < entries && sum < bytes) {
      sum += readItemBytes(this.#kept[count]!.value);
      count++;
    }
    if (count < this.#kept.length) this.dropped = true;
    this.#kept.length = count;
    this.#keptBytes = sum;
  }

  /**
   * Compares two entries by the values of their RANGE attributes, then by the rest of their keys, the table key's hash.
   */
  #order(a: { key: Uint8Array; item: Item }, b: { key: Uint8Array; item: Item }): number {
    const sign = this.#plan.reverse ? -1 : 1;
    for (const attribute of this.#plan.range) {
      const [left, right] = [keyValueOf(a.item, attribute), keyValueOf(b.item, attribute)];
      if (left === undefined || right === undefined) throw new Error('an index entry without its key');
      const order = compareKeyValues(left, right)!;
      if (order !== 0) return sign * order;
    }
    return sign * compareBytes(a.key, b.key);
  }
}
