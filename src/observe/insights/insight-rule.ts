import { jsonRecord } from '../../engine/json-record.ts';
import { listOf, number, object, text, tuple } from '../../model/json/fields.ts';
import { parseTexts } from '../../model/json/parse-texts.ts';
import { FrequentKeys } from './frequent-keys.ts';

/** How many minutes of a rule are kept, and how many keys of each. */
export const insightMinutes = 180;
const keysInMinute = 50;
/** Every key with more than 1/257 of a minute's weight is found, and no weight is too low by more than that share. */
const sketchSize = 256;

/** One minute of a rule. */
export interface RuleMinute {
  readonly total: number;
  /** How many keys there were, if few; else at least so many. */
  readonly keys: number;
  readonly top: readonly (readonly [key: string, weight: number])[];
  /** The most that a key can have which is not in `top`, or more than is shown of one that is. */
  readonly unseen: number;
}

export const minuteRecord = jsonRecord<RuleMinute>(
  'a minute of a rule of Contributor Insights',
  1,
  object<RuleMinute>({
    total: number,
    keys: number,
    top: listOf(tuple<readonly [string, number]>(text, number)),
    unseen: number,
  }),
);

export interface Contributor {
  /** The values of the key attributes, in the order of the rule's labels. */
  readonly keys: readonly string[];
  /** What the key weighs at least. */
  readonly value: number;
  /** What it weighs at most: the sketch of each minute forgets a little. */
  readonly atMost: number;
  readonly datapoints: readonly { readonly minute: number; readonly value: number }[];
}

export interface RuleReport {
  readonly labels: readonly string[];
  readonly total: number;
  readonly uniqueKeys: number;
  /** Heaviest first. */
  readonly contributors: readonly Contributor[];
  readonly minutes: readonly {
    readonly minute: number;
    readonly total: number;
    readonly keys: number;
    readonly max: number;
  }[];
}

/** One rule of Contributor Insights: which keys weigh most, minute by minute, for three hours. */
export class InsightRule {
  /** Minutes that have changed since they were last written to a store. */
  readonly unwritten = new Set<number>();
  readonly #minutes = new Map<number, RuleMinute>();
  #minute = 0;
  #keys = new FrequentKeys(sketchSize);
  #isOpenUnwritten = false;

  add(key: string, weight: number, minute: number): void {
    if (minute !== this.#minute) this.#begin(minute);
    this.#keys.add(key, weight);
    this.#isOpenUnwritten = true;
  }

  /** The minutes from `fromMinute` up to but not including `toMinute`, in no order. */
  minutes(fromMinute: number, toMinute: number): (readonly [minute: number, counted: RuleMinute])[] {
    return [...this.#minutes, [this.#minute, minuteOf(this.#keys)] as const].filter(
      ([minute, { total }]) => minute >= fromMinute && minute < toMinute && total > 0,
    );
  }

  /** The minutes that have changed since this was last asked. */
  takeUnwritten(): (readonly [minute: number, counted: RuleMinute])[] {
    const taken: (readonly [number, RuleMinute])[] = [];
    for (const minute of this.unwritten) {
      const counted = this.#minutes.get(minute);
      if (counted !== undefined) taken.push([minute, counted]);
    }
    this.unwritten.clear();
    if (this.#isOpenUnwritten) taken.push([this.#minute, minuteOf(this.#keys)]);
    this.#isOpenUnwritten = false;
    return taken;
  }

  #begin(minute: number): void {
    if (this.#keys.total > 0) {
      this.#minutes.set(this.#minute, minuteOf(this.#keys));
      if (this.#isOpenUnwritten) this.unwritten.add(this.#minute);
      this.#isOpenUnwritten = false;
      for (const old of this.#minutes.keys()) if (old <= minute - insightMinutes) this.#forget(old);
      if (this.#minutes.size > insightMinutes) this.#forget(this.#minutes.keys().next().value!);
      this.#keys = new FrequentKeys(sketchSize);
    }
    this.#minute = minute;
  }

  #forget(minute: number): void {
    this.#minutes.delete(minute);
    this.unwritten.delete(minute);
  }
}

/** Ranks the keys of minutes, of which several processes may have counted the same one. */
export function rankKeys(
  labels: readonly string[],
  counted: readonly (readonly [minute: number, counted: RuleMinute])[],
  contributors: number,
): RuleReport {
  const minutes = [...joined(counted)].sort(([a], [b]) => a - b);
  const keys = new Map<string, { minute: number; value: number }[]>();
  let unseenInAll = 0;
  let total = 0;
  for (const [minute, one] of minutes) {
    for (const [key, value] of one.top) {
      const points = keys.get(key) ?? [];
      points.push({ minute, value });
      keys.set(key, points);
    }
    unseenInAll += one.unseen;
    total += one.total;
  }
  const found = [...keys].map(([key, datapoints]): Contributor => {
    let value = 0;
    for (const point of datapoints) value += point.value;
    return { keys: parseTexts(key), value, atMost: value + unseenInAll, datapoints };
  });
  found.sort((a, b) => b.value - a.value);
  return {
    labels,
    total,
    uniqueKeys: Math.max(keys.size, ...minutes.map(([, minute]) => minute.keys)),
    contributors: found.slice(0, contributors),
    minutes: minutes.map(([minute, one]) => ({
      ...{ minute, total: one.total, keys: one.keys, max: one.top[0]?.[1] ?? 0 },
    })),
  };
}

/** Puts what several processes have counted in the same minute together. */
function joined(counted: readonly (readonly [number, RuleMinute])[]): Map<number, RuleMinute> {
  const all = new Map<number, RuleMinute>();
  for (const [minute, one] of counted) {
    const before = all.get(minute);
    if (before === undefined) {
      all.set(minute, one);
      continue;
    }
    const weights = new Map(before.top);
    for (const [key, weight] of one.top) weights.set(key, (weights.get(key) ?? 0) + weight);
    all.set(minute, {
      total: before.total + one.total,
      keys: Math.max(before.keys, one.keys, weights.size),
      top: [...weights].sort(([, a], [, b]) => b - a),
      unseen: before.unseen + one.unseen,
    });
  }
  return all;
}

function minuteOf(keys: FrequentKeys): RuleMinute {
  const top = keys.top(keysInMinute + 1);
  return {
    total: keys.total,
    keys: keys.held,
    top: top.slice(0, keysInMinute),
    unseen: (top[keysInMinute]?.[1] ?? 0) + keys.error,
  };
}
