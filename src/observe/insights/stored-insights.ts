import { metricKind } from '../../engine/store-keys.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { concatBytes, equalBytes, prefixEnd, readUint32, writeUint32 } from '../../model/values/bytes.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import type { Entry, Mutation, Store } from '../../storage/store.ts';
import { insightMinutes, minuteRecord, type RuleMinute } from './insight-rule.ts';
import type { KeyInsights } from './key-insights.ts';

export interface StoredInsightsDeps {
  readonly insights: KeyInsights;
  readonly store: Store;
  readonly h16: Hash16;
  readonly nowMs: () => number;
  /** Names this process among those that share the store: 8 bytes. */
  readonly process: Uint8Array;
}

const rows = 0x69;
const putsAtOnce = 50;
const hashEnd = 2 + 16;

/**
 * The minutes of Contributor Insights in a durable store, one row for each rule, minute and process. Every process writes
 * what it has seen, and reads what the others have: `kind 'i' | hash of the rule | minute | process`.
 */
export class StoredInsights {
  readonly #deps: StoredInsightsDeps;
  #trimmedMinute = -1;

  constructor(deps: StoredInsightsDeps) {
    this.#deps = deps;
  }

  /** Writes what has changed since the last time. */
  async write(): Promise<void> {
    const { insights, store, process, nowMs } = this.#deps;
    const minute = Math.floor(nowMs() / 60_000);
    const written = insights.takeUnwritten();
    if (written.length === 0) return;
    const puts = written.map(
      ({ id, minute: at, counted }): Mutation => ({
        kind: 'put',
        key: rowKey(this.#hash(id), at, process),
        value: minuteRecord.encode(counted),
      }),
    );
    try {
      for (let i = 0; i < puts.length; i += putsAtOnce) {
        const mutations = puts.slice(i, i + putsAtOnce);
        await store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
      }
    } catch (error) {
      for (const { rule, minute: at } of written) rule.unwritten.add(at);
      throw error;
    }
    if (Math.abs(minute - this.#trimmedMinute) < trimMinutes) return;
    this.#trimmedMinute = minute;
    await this.#trim(Math.max(0, minute - insightMinutes));
  }

  /** What other processes, and earlier ones, have seen of a rule. */
  async others(
    id: string,
    fromMinute: number,
    toMinute: number,
  ): Promise<(readonly [minute: number, counted: RuleMinute])[]> {
    const { process } = this.#deps;
    const nobody = new Uint8Array();
    const hash = this.#hash(id);
    const found: (readonly [number, RuleMinute])[] = [];
    const to = rowKey(hash, Math.min(toMinute, 2 ** 32 - 1), nobody);
    for (let from = rowKey(hash, Math.max(0, fromMinute), nobody); ; ) {
      const { entries, more } = await this.#deps.store.range({ from, to, limit: 200 });
      for (const { key, value } of entries)
        if (!equalBytes(key.subarray(hashEnd + 4), process))
          found.push([readUint32(key, hashEnd), minuteRecord.decode(value, key)]);
      const last = entries.at(-1);
      if (!more || last === undefined) return found;
      from = concatBytes(last.key, Uint8Array.of(0));
    }
  }

  /** Removes old minutes of all rules, also of those that nobody has any more. */
  async #trim(oldest: number): Promise<void> {
    const { store } = this.#deps;
    const nobody = new Uint8Array();
    const to = Uint8Array.of(metricKind, rows + 1);
    for (let from: Uint8Array = Uint8Array.of(metricKind, rows); ; ) {
      const { entries } = await store.range({ from, to, limit: 1 });
      const first: Entry | undefined = entries[0];
      if (first === undefined) return;
      const hash = first.key.slice(2, hashEnd);
      await store.deleteRange(rowKey(hash, 0, nobody), rowKey(hash, oldest, nobody));
      from = prefixEnd(first.key.slice(0, hashEnd))!;
    }
  }

  #hash(id: string): Uint8Array {
    return this.#deps.h16(encodeUtf8(id));
  }
}

const trimMinutes = 10;

function rowKey(hash: Uint8Array, minute: number, process: Uint8Array): Uint8Array {
  const number = new Uint8Array(4);
  writeUint32(number, 0, minute);
  return concatBytes(Uint8Array.of(metricKind, rows), hash, number, process);
}
