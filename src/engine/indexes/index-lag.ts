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
 * Global indexes as they look on the service, a moment behind their table. Entries are always committed with their
 * item; here is remembered what they were before, for as long as readers shall still see that. Another process, or a
 * fork, begins without such memories and sees everything at once.
 */
export class IndexLag {
  readonly #clock: Clock;
  readonly #random: Randomness;
  /** By the prefix of the index. */
  readonly #indexes = new Map<string, Map<string, PastEntry>>();
  /** All that is waited for, oldest first, so that there is a bound to it when time stands still. */
  readonly #waits: { readonly prefix: string; readonly key: string; readonly visibleAt: number }[] = [];

  /** When the last change of an item in an index becomes visible. */
  readonly #lastChanges = new Map<string, number>();

  constructor(clock: Clock, random: Randomness) {
    this.#clock = clock;
    this.#random = random;
  }

  /** To be called after each write. */
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

  /** The changes of one item become visible in their order. */
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
    // A copy: the key may be a part of a larger buffer, which would be kept with it.
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

  /** A reader for entries that begin with this key: that of the Store, or one that shows the past of their index. */
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

/** "Within a fraction of a second" is all that the service says; these bounds are ours. */
const lagMsMin = 10;
const lagMsMax = 500;
const waitsMax = 10_000;

/** The key of an entry ends with the hash of its item's key. */
function itemIn(entryKey: Uint8Array): string {
  return toHex(entryKey.subarray(-hashBytes));
}

function firstOf(map: ReadonlyMap<string, unknown>): string {
  return map.keys().next().value!;
}

interface PastEntry {
  readonly key: Uint8Array;
  /** What the entry was before each change, and until when that is seen. */
  readonly states: { readonly visibleAt: number; readonly value: Uint8Array | undefined }[];
}

interface PastState {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** Shows some entries as they were: others than now, still there, or not there yet. */
class PastReader implements Reader {
  readonly #present: Reader;
  /** In the order of their keys. */
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
    // All that was found is not there yet; a page that has more must have something to go on from.
    return this.range(reverse ? { ...request, to: last } : { ...request, from: keyAfter(last) });
  }
}
