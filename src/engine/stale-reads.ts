import { encodeItem, readHeader } from '../model/stored/stored-item.ts';
import { toHex } from '../model/values/hex.ts';
import { type Clock, nowMs } from '../runtime/clock.ts';
import type { Randomness } from '../runtime/randomness.ts';
import type { Reader } from '../storage/store.ts';
import { PastEntries } from './past-entries.ts';
import type { WriteOutcome } from './writes/write-item.ts';

/**
 * Eventually consistent reads as on the service: a write is answered once two of three replicas have it, and such a read
 * asks any of the three. So one read in three may meet the last replica, which is some milliseconds behind.
 */
export class StaleReads {
  readonly #clock: Clock;
  readonly #random: Randomness;
  readonly #past: PastEntries;

  constructor(clock: Clock, random: Randomness) {
    this.#clock = clock;
    this.#random = random;
    this.#past = new PastEntries(clock);
  }

  /** To be called after each write. */
  note({ table, consumed, storedBefore, storedAfter, indexChanges }: WriteOutcome): void {
    if (storedBefore === storedAfter || consumed.first === undefined) return;
    this.#past.forgetVisible();
    const visibleAt = nowMs(this.#clock) + behindMsMin + this.#random.next() * (behindMsMax - behindMsMin);
    this.#past.remember(toHex(table.prefix), consumed.first, visibleAt, storedBefore);
    for (const { index, before, after } of indexChanges) {
      if (index.traits.visibility === 'later') continue;
      const prefix = toHex(index.prefix);
      if (before !== undefined) {
        const header = { ...readHeader(storedBefore!), itemBytes: before.bytes };
        this.#past.remember(prefix, before.key, visibleAt, before.stored ?? encodeItem(before.item, header));
      }
      if (after !== undefined && (before === undefined || toHex(before.key) !== toHex(after.key)))
        this.#past.remember(prefix, after.key, visibleAt, undefined);
    }
  }

  /** What an eventually consistent read of an item gets instead of the item, if it gets something else. */
  instead(key: Uint8Array): { readonly value: Uint8Array | undefined } | undefined {
    const past = this.#past.at(key);
    return past !== undefined && this.#meetsLastReplica() ? past : undefined;
  }

  /** A reader for a page of a table or local index. */
  over(reader: Reader, from: Uint8Array): Reader {
    const past = this.#past.over(reader, from);
    return past !== reader && this.#meetsLastReplica() ? past : reader;
  }

  /** Chance is drawn only where there is something to see, so that other runs of a seed stay as they are. */
  #meetsLastReplica(): boolean {
    return this.#random.next() < replicaShare;
  }
}

const replicaShare = 1 / 3;
/** AWS says "usually within a second"; that it is milliseconds is what users see. These bounds are ours. */
const behindMsMin = 1;
const behindMsMax = 20;
