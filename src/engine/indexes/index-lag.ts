import { hashBytes } from '../../model/keys/keys.ts';
import { type MaybePromise, whenDone } from '../../model/maybe-promise.ts';
import { encodeItem, readHeader } from '../../model/stored/stored-item.ts';
import { compareBytes, keyAfter } from '../../model/values/bytes.ts';
import { toHex } from '../../model/values/hex.ts';
import type { Entry, RangePage, RangeRequest, Reader } from '../../storage/store.ts';
import { type Clock, nowMs } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import { entryPrefixBytes } from '../store-keys.ts';
import type { WriteOutcome } from '../writes/write-item.ts';

/**
 * The lag of global indexes behind their table, as on the service. Entries are always committed with their item. This
 * class remembers their old states for as long as readers shall still see them. Another process or a fork starts
 * without these memories and sees every change at once.
 */
export class IndexLag {
  readonly #clock: Clock;
  readonly #random: Randomness;
  /** The changed entries of each index, by the prefix of the index. */
  readonly #indexes = new Map<string, Map<string, PastEntry>>();
  /** All changes that are not visible yet, oldest first. The list bounds the memory when the clock stands still. */
  readonly #waits: { readonly prefix: string; readonly key: string; readonly visibleAt: number }[] = [];

  /** The time when the last change of an item in an index becomes visible. */
  readonly #lastChanges = new Map<string, number>();

  constructor(clock: Clock, random: Randomness) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Records the index changes of a write. Called after each write. */
  note({ indexChanges, storedBefore }: WriteOutcome): void {
    const now = nowMs(this.#clock);
    while (this.#waits.length > 0 && this.#waits[0]!.visibleAt <= now) this.#forgetOldest();
    for (const { index, before, after } of indexChanges) {
      if (index.kind === 'local') continue;
      const prefix = toHex(index.prefix);
      const visibleAt = this.#visibleAt(prefix + itemIn((before ?? after)!.key), now);
      if (before !== undefined) {
        const header = { ...readHeader(storedBefore!), itemBytes: before.bytes };
        this.#wait(prefix, before.key, visibleAt, before.stored ?? encodeItem(before.item, header));
      }
      if (after !== undefined && (before === undefined || compareBytes(before.key, after.key) !== 0))
        this.#wait(prefix, after.key, visibleAt, undefined);
    }
  }

  /** Draws the time when a change becomes visible. The changes of one item become visible in order. */
  #visibleAt(item: string, now: number): number {
    const drawn = now + lagMsMin + this.#random.next() * (lagMsMax - lagMsMin);
    const visibleAt = Math.max(drawn, this.#lastChanges.get(item) ?? 0);
    this.#lastChanges.delete(item);
    this.#lastChanges.set(item, visibleAt);
    if (this.#lastChanges.size > waitsMax) this.#lastChanges.delete(firstOf(this.#lastChanges));
    return visibleAt;
  }

  #wait(prefix: string, key: Uint8Array, visibleAt: number, value: Uint8Array | undefined): void {
    const index = this.#indexes.get(prefix) ?? new Map<string, PastEntry>();
    this.#indexes.set(prefix, index);
    const name = toHex(key);
    // A copy, because the key may be part of a larger buffer, which would stay in memory with it.
    const past = index.get(name) ?? { key: new Uint8Array(key), states: [] };
    index.set(name, past);
    past.states.push({ visibleAt, value });
    this.#waits.push({ prefix, key: name, visibleAt });
    if (this.#waits.length > waitsMax) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const { prefix, key } = this.#waits.shift()!;
    const index = this.#indexes.get(prefix);
    const past = index?.get(key);
    past?.states.shift();
    if (past?.states.length === 0) index!.delete(key);
    if (index?.size === 0) this.#indexes.delete(prefix);
  }

  /**
   * A reader for an index, given by the start of a range in it. It is the given reader, or one that shows past entries.
   */
  over(reader: Reader, from: Uint8Array): Reader {
    const index = this.#indexes.get(toHex(from.subarray(0, entryPrefixBytes)));
    if (index === undefined) return reader;
    const now = nowMs(this.#clock);
    const past: PastState[] = [];
    for (const { key, states } of index.values()) {
      const state = states.find(({ visibleAt }) => visibleAt > now);
      if (state !== undefined) past.push({ key, value: state.value });
    }
    if (past.length === 0) return reader;
    past.sort((a, b) => compareBytes(a.key, b.key));
    return new PastReader(reader, past);
  }
}

/** The bounds of the lag. The service says only "within a fraction of a second"; these bounds are ours. */
const lagMsMin = 10;
const lagMsMax = 500;
const waitsMax = 10_000;

/** The item of an entry. The key of an entry ends with the hash of its item's key. */
function itemIn(entryKey: Uint8Array): string {
  return toHex(entryKey.subarray(-hashBytes));
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value!;
}

interface PastEntry {
  readonly key: Uint8Array;
  /** The value before each change, and the time until which readers see it. */
  readonly states: { readonly visibleAt: number; readonly value: Uint8Array | undefined }[];
}

interface PastState {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Shows some entries in their past state: with another value, still present, or not yet present. */
class PastReader implements Reader {
  readonly #present: Reader;
  /** The past states in key order. */
  readonly #past: readonly PastState[];

  constructor(present: Reader, past: readonly PastState[]) {
    this.#present = present;
    this.#past = past;
  }

  get(key: Uint8Array) {
    return this.#present.get(key);
  }

  getMany(keys: readonly Uint8Array[]) {
    return this.#present.getMany(keys);
  }

  counters(keys: readonly Uint8Array[]) {
    return this.#present.counters(keys);
  }

  range(request: RangeRequest): MaybePromise<RangePage> {
    return whenDone(this.#present.range(request), (page) => this.#asItWas(request, page));
  }

  #asItWas(request: RangeRequest, page: RangePage): MaybePromise<RangePage> {
    const { reverse = false, limit } = request;
    const last = page.more ? page.entries.at(-1)!.key : undefined;
    const isCovered = ({ key }: PastState) =>
      (request.from === undefined || compareBytes(key, request.from) >= 0) &&
      (request.to === undefined || compareBytes(key, request.to) < 0) &&
      (last === undefined || (reverse ? compareBytes(key, last) >= 0 : compareBytes(key, last) <= 0));
    const past = this.#past.filter(isCovered);
    if (past.length === 0) return page;
    const changed = new Set(past.map(({ key }) => toHex(key)));
    const entries = [
      ...page.entries.filter(({ key }) => !changed.has(toHex(key))),
      ...past.filter((state): state is Entry => state.value !== undefined),
    ].sort((a, b) => (reverse ? compareBytes(b.key, a.key) : compareBytes(a.key, b.key)));
    if (entries.length > limit) return { ...page, entries: entries.slice(0, limit), more: true };
    if (entries.length > 0 || last === undefined) return { ...page, entries };
    // None of the entries found is visible yet. A page with `more` must have an entry to continue from, so read on.
    return this.range(reverse ? { ...request, to: last } : { ...request, from: keyAfter(last) });
  }
}
