import { hashBytes } from '../../model/keys/keys.ts';
import { encodeItem, readHeader } from '../../model/stored/stored-item.ts';
import { compareBytes } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import { type LagSpread, lagAt } from '../../physics/lag-spread.ts';
import { type Clock, nowMs } from '../../runtime/clock.ts';
import type { Randomness } from '../../runtime/randomness.ts';
import type { Reader } from '../../storage/store.ts';
import { PastEntries, pastEntriesMax } from '../past-entries.ts';
import type { WriteOutcome } from '../writes/write-item.ts';

/**
 * Global indexes as they look on the service, a moment behind their table. Entries are always committed with their
 * item; here is remembered what they were before, for as long as readers shall still see that.
 */
export class IndexLag {
  readonly #clock: Clock;
  readonly #random: Randomness;
  readonly #past: PastEntries;
  /** When the last change of an item in an index becomes visible. */
  readonly #lastChanges = new Map<string, { readonly notedAt: number; readonly visibleAt: number }>();

  constructor(clock: Clock, random: Randomness) {
    this.#clock = clock;
    this.#random = random;
    this.#past = new PastEntries(clock);
  }

  /** Records the index changes of a write, with the lag of its table. Called after each write. */
  note({ indexChanges, storedBefore }: WriteOutcome, spread: LagSpread): void {
    const now = nowMs(this.#clock);
    this.#past.forgetVisible();
    for (const { index, before, after } of indexChanges) {
      if (index.traits.visibility !== 'later') continue;
      const prefix = toHex(index.prefix);
      const visibleAt = this.#visibleAt(prefix + itemIn((before ?? after)!.key), now, spread);
      if (before !== undefined) {
        const header = { ...readHeader(storedBefore!), itemBytes: before.bytes };
        this.#past.remember(prefix, before.key, visibleAt, before.stored ?? encodeItem(before.item, header));
      }
      if (after !== undefined && (before === undefined || compareBytes(before.key, after.key) !== 0))
        this.#past.remember(prefix, after.key, visibleAt, undefined);
    }
  }

  /** Draws the time when a change becomes visible. The changes of one item become visible in order. */
  #visibleAt(item: string, now: number, spread: LagSpread): number {
    const drawn = now + lagAt(spread, this.#random.next());
    const last = this.#lastChanges.get(item);
    // A change of a later time was noted before the clock was set back.
    const visibleAt = last === undefined || last.notedAt > now ? drawn : Math.max(drawn, last.visibleAt);
    this.#lastChanges.delete(item);
    this.#lastChanges.set(item, { notedAt: now, visibleAt });
    if (this.#lastChanges.size > pastEntriesMax) this.#lastChanges.delete(firstOf(this.#lastChanges));
    return visibleAt;
  }

  /** A reader for entries that begin with this key: that of the Store, or one that shows the past of their index. */
  over(reader: Reader, from: Uint8Array): Reader {
    return this.#past.over(reader, from);
  }
}

/** The item of an entry. The key of an entry ends with the hash of its item's key. */
function itemIn(entryKey: Uint8Array): string {
  return toHex(entryKey.subarray(-hashBytes));
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value!;
}
