import {
  alarmHistoryKind,
  alarmKind,
  readScopedKey,
  type Scope,
  scopePrefix,
} from '../../engine/store-keys.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { compareBytes, concatBytes, prefixEnd } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { Entry, Mutation, Store } from '../../storage/store.ts';
import { commitEdits, type RecordEdit } from '../record-edit.ts';
import { type AlarmRecord, alarmRecord, type HistoryItem, historyRecord } from './alarm-record.ts';
import { configurationItem } from './configuration-item.ts';
import { momentKey } from './moment-key.ts';

export interface AlarmBookDeps {
  readonly store: Store;
  readonly nowMs: () => number;
  /** A number below 2^32, by which history items of one moment differ. */
  readonly nextNumber: () => number;
}

/** A change of an alarm: what becomes of it, and what its history says. */
export interface AlarmChange<R> {
  readonly result: R;
  /** The new record; null deletes it, undefined leaves it as it is. */
  readonly record?: AlarmRecord | null;
  readonly history?: readonly HistoryItem[];
}

/** How long the history of alarms is kept, as on the service. */
const historyMs = 30 * 86_400_000;
/** More than this are refused, as on the service. */
export const alarmsMax = 5_000;
const historyItemsMax = 4;
const recountPuts = 200;
const scopesMax = 1_000;

/** The alarms in the store, with their history. */
export class AlarmBook {
  readonly #deps: AlarmBookDeps;
  /** The number of alarms at the last count and the puts since, by scope. It may be too high: alarms are deleted. */
  readonly #counts = new Map<string, { count: number; puts: number }>();

  constructor(deps: AlarmBookDeps) {
    this.#deps = deps;
  }

  async get(scope: Scope, name: string): Promise<AlarmRecord | undefined> {
    const key = alarmKey(scope, name);
    const stored = await this.#deps.store.get(key);
    return stored && alarmRecord.decode(stored, key);
  }

  /** Changes one alarm in a unit. `decide` is pure and may run twice. */
  async change<R>(
    scope: Scope,
    name: string,
    decide: (before: AlarmRecord | undefined) => AlarmChange<R>,
  ): Promise<R> {
    let change: AlarmChange<R> | undefined;
    const edit = this.edit(scope, name, (before) => {
      change = decide(before);
      return change;
    });
    await this.changeAll([edit]);
    return change!.result;
  }

  /** What a unit does to one alarm: several may share a unit. */
  edit(
    scope: Scope,
    name: string,
    decide: (before: AlarmRecord | undefined) => Omit<AlarmChange<unknown>, 'result'>,
  ): RecordEdit {
    const { nowMs, nextNumber } = this.#deps;
    const key = alarmKey(scope, name);
    const at = nowMs();
    const prefix = scopePrefix(alarmHistoryKind, scope);
    const historyKeys = Array.from({ length: historyItemsMax }, () => momentKey(prefix, at, nextNumber()));
    return {
      key,
      decide(stored) {
        const change = decide(stored && alarmRecord.decode(stored, key));
        const mutations: Mutation[] = (change.history ?? [])
          .slice(0, historyItemsMax)
          .map((item, i) => ({ kind: 'put', key: historyKeys[i]!, value: historyRecord.encode(item) }));
        if (change.record === null) mutations.push({ kind: 'delete', key });
        else if (change.record !== undefined)
          mutations.push({ kind: 'put', key, value: alarmRecord.encode(change.record) });
        return mutations;
      },
    };
  }

  /** The edit that deletes an alarm, if there is one. */
  deletion(scope: Scope, name: string): RecordEdit {
    const at = this.#deps.nowMs();
    return this.edit(scope, name, (before) =>
      before === undefined ? {} : { record: null, history: [configurationItem(before, undefined, at)] },
    );
  }

  /** Changes several alarms in one unit, unless one of `existing` is gone. */
  changeAll(edits: readonly RecordEdit[], existing: readonly RecordEdit[] = []): Promise<boolean> {
    const expected = existing.map(({ key }) => ({
      key,
      isMet: (stored?: Uint8Array) => stored !== undefined,
    }));
    return commitEdits(this.#deps.store, edits, expected);
  }

  /** The alarms of a scope in the order of their names, from a name on. */
  async *alarms(scope: Scope, namePrefix = '', after?: string): AsyncGenerator<AlarmRecord, void> {
    const prefix = concatBytes(scopePrefix(alarmKind, scope), encodeUtf8(namePrefix));
    const begin = after === undefined ? prefix : concatBytes(alarmKey(scope, after), Uint8Array.of(0));
    const from = compareBytes(begin, prefix) < 0 ? prefix : begin;
    for await (const { key, value } of this.#entries(from, prefixEnd(prefix)!))
      yield alarmRecord.decode(value, key);
  }

  /** Every alarm of every scope. */
  async *everyAlarm(): AsyncGenerator<{ readonly scope: Scope; readonly record: AlarmRecord }, void> {
    const from = Uint8Array.of(alarmKind);
    for await (const { key, value } of this.#entries(from, Uint8Array.of(alarmKind + 1)))
      yield { scope: readScopedKey(key).scope, record: alarmRecord.decode(value, key) };
  }

  /** Whether there is any alarm. A store in memory answers at once. */
  hasAny(): MaybePromise<boolean> {
    const from = Uint8Array.of(alarmKind);
    const page = this.#deps.store.range({ from, to: Uint8Array.of(alarmKind + 1), limit: 1 });
    return page instanceof Promise ? page.then(({ entries }) => entries.length > 0) : page.entries.length > 0;
  }

  /**
   * Whether a scope has as many alarms as it may have. The number is counted once and then kept up: counting at every put
   * made five thousand alarms cost two minutes. Near the bound, and now and then, it is counted again, because other
   * processes put and delete alarms too.
   */
  async isFull(scope: Scope): Promise<boolean> {
    const id = `${scope.account}/${scope.region}`;
    let known = this.#counts.get(id);
    if (known === undefined || known.puts >= recountPuts || known.count >= alarmsMax - recountPuts) {
      let count = 0;
      const prefix = scopePrefix(alarmKind, scope);
      for await (const _ of this.#entries(prefix, prefixEnd(prefix)!)) if (++count >= alarmsMax) break;
      if (this.#counts.size >= scopesMax) this.#counts.clear();
      known = { count, puts: 0 };
      this.#counts.set(id, known);
    }
    known.count++;
    known.puts++;
    return known.count > alarmsMax;
  }

  /** Items of the history between two moments, from `after` on if given; the key of an item is its place. */
  async *history(
    scope: Scope,
    fromMs: number,
    toMs: number,
    reverse: boolean,
    after?: Uint8Array,
  ): AsyncGenerator<{ readonly key: Uint8Array; readonly item: HistoryItem }, void> {
    const prefix = scopePrefix(alarmHistoryKind, scope);
    const from = momentKey(prefix, Math.max(0, fromMs), 0);
    const to = momentKey(prefix, Math.max(0, toMs) + 1, 0);
    // A place comes from a client's token, and may lead nowhere else than into this range.
    const isInside = after !== undefined && compareBytes(from, after) <= 0 && compareBytes(after, to) < 0;
    const low = isInside && !reverse ? concatBytes(after, Uint8Array.of(0)) : from;
    const high = isInside && reverse ? after : to;
    for await (const { key, value } of this.#entries(low, high, reverse))
      yield { key, item: historyRecord.decode(value, key) };
  }

  /** Adds to the history of an alarm that may be gone. */
  async tell(scope: Scope, item: HistoryItem): Promise<void> {
    const { store, nextNumber } = this.#deps;
    const key = momentKey(scopePrefix(alarmHistoryKind, scope), item.at, nextNumber());
    await store.transact({
      reads: [],
      decide: () => ({
        result: undefined,
        mutations: [{ kind: 'put', key, value: historyRecord.encode(item) }],
      }),
    });
  }

  /** Forgets what is too old, for one scope. */
  async trimHistory(scope: Scope): Promise<void> {
    const { store, nowMs } = this.#deps;
    const prefix = scopePrefix(alarmHistoryKind, scope);
    await store.deleteRange(prefix, momentKey(prefix, Math.max(0, nowMs() - historyMs), 0));
  }

  async *#entries(from: Uint8Array, to: Uint8Array, reverse = false): AsyncGenerator<Entry, void> {
    let [low, high] = [from, to];
    for (;;) {
      const page = await this.#deps.store.range({ from: low, to: high, limit: pageSize, reverse });
      yield* page.entries;
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) return;
      if (reverse) high = last.key;
      else low = concatBytes(last.key, Uint8Array.of(0));
    }
  }
}

const pageSize = 200;

function alarmKey(scope: Scope, name: string): Uint8Array {
  return concatBytes(scopePrefix(alarmKind, scope), encodeUtf8(name));
}
