import { type MaybePromise, whenDone } from '../model/maybe-promise.ts';
import { compareBytes, keyAfter } from '../model/values/bytes.ts';
import { toHex } from '../model/values/hex.ts';
import { type Clock, nowMs } from '../runtime/clock.ts';
import type { Entry, RangePage, RangeRequest, Reader } from '../storage/store.ts';
import { entryPrefixBytes } from './store-keys.ts';

/**
 * What entries were before they changed, for as long as some readers shall still see that. The store is always ahead:
 * these memories are laid over what it answers. Another process, or a fork, begins without them and sees everything
 * at once.
 */
export class PastEntries {
  readonly #clock: Clock;
  /** By the prefix of the table or index, then by the key of the entry. */
  readonly #byPrefix = new Map<string, Map<string, PastEntry>>();
  /** All that is remembered, oldest first, so that there is a bound to it when time stands still. */
  readonly #waits: ({ readonly prefix: string; readonly key: string } & Span)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#byPrefix.size === 0;
  }

  /** Forgets what everybody sees by now. */
  forgetVisible(): void {
    const now = nowMs(this.#clock);
    while (this.#waits.length > 0 && !isPast(this.#waits[0]!, now)) this.#forgetOldest();
  }

  /** Remembers what an entry was before a change that becomes visible at a time; undefined if it was not there. */
  remember(prefix: string, key: Uint8Array, visibleAt: number, value: Uint8Array | undefined): void {
    const entries = this.#byPrefix.get(prefix) ?? new Map<string, PastEntry>();
    this.#byPrefix.set(prefix, entries);
    const name = toHex(key);
    // A copy: the key may be a part of a larger buffer, which would be kept with it.
    const past = entries.get(name) ?? { key: new Uint8Array(key), states: [] };
    entries.set(name, past);
    const changedAt = nowMs(this.#clock);
    past.states.push({ changedAt, visibleAt, value });
    this.#waits.push({ prefix, key: name, changedAt, visibleAt });
    if (this.#waits.length > pastEntriesMax) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const { prefix, key } = this.#waits.shift()!;
    const entries = this.#byPrefix.get(prefix);
    const past = entries?.get(key);
    past?.states.shift();
    if (past?.states.length === 0) entries!.delete(key);
    if (entries?.size === 0) this.#byPrefix.delete(prefix);
  }

  /** The past state of one entry, if it has one that is still seen. */
  at(key: Uint8Array): { readonly value: Uint8Array | undefined } | undefined {
    if (this.isEmpty) return undefined;
    const past = this.#byPrefix.get(toHex(key.subarray(0, entryPrefixBytes)))?.get(toHex(key));
    const now = nowMs(this.#clock);
    return past?.states.find((state) => isPast(state, now));
  }

  /** A reader for entries that begin with this key: that of the Store, or one that shows the past of their index. */
  over(reader: Reader, from: Uint8Array): Reader {
    const entries = this.#byPrefix.get(toHex(from.subarray(0, entryPrefixBytes)));
    if (entries === undefined) return reader;
    const now = nowMs(this.#clock);
    const past: PastState[] = [];
    for (const { key, states } of entries.values()) {
      const state = states.find((each) => isPast(each, now));
      if (state !== undefined) past.push({ key, value: state.value });
    }
    if (past.length === 0) return reader;
    past.sort((a, b) => compareBytes(a.key, b.key));
    return new PastReader(reader, past);
  }
}

export const pastEntriesMax = 10_000;

/** From a change until everybody sees it. */
interface Span {
  readonly changedAt: number;
  readonly visibleAt: number;
}

/** Whether some still see what was before a change. A clock that was set back must not show it until it gets there again. */
function isPast({ changedAt, visibleAt }: Span, now: number): boolean {
  return changedAt <= now && now < visibleAt;
}

interface PastEntry {
  readonly key: Uint8Array;
  /** What the entry was before each change, and until when that is seen. */
  readonly states: (Span & { readonly value: Uint8Array | undefined })[];
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
