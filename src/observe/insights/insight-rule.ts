import { FrequentKeys } from './frequent-keys.ts';

/** How many minutes of a rule are kept, and how many keys of each. */
export const insightMinutes = 180;
const keysInMinute = 50;
/** Every key with more than 1/257 of a minute's weight is found, and no weight is too low by more than that share. */
const sketchSize = 256;

/** One minute of a rule. */
interface RuleMinute {
  readonly total: number;
  /** How many keys there were, if few; else at least so many. */
  readonly keys: number;
  readonly top: readonly (readonly [key: string, weight: number])[];
  /** The most that a key can have which is not in `top`, or more than is shown of one that is. */
  readonly unseen: number;
}

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
  readonly labels: readonly string[];
  readonly #minutes = new Map<number, RuleMinute>();
  #minute = 0;
  #keys = new FrequentKeys(sketchSize);

  constructor(labels: readonly string[]) {
    this.labels = labels;
  }

  add(key: string, weight: number, minute: number): void {
    if (minute !== this.#minute) this.#begin(minute);
    this.#keys.add(key, weight);
  }

  report(fromMinute: number, toMinute: number, contributors: number): RuleReport {
    const minutes = [...this.#minutes, [this.#minute, minuteOf(this.#keys)] as const]
      .filter(([minute, { total }]) => minute >= fromMinute && minute < toMinute && total > 0)
      .sort(([a], [b]) => a - b);
    const keys = new Map<string, { minute: number; value: number; unseen: number }[]>();
    for (const [minute, { top, unseen }] of minutes)
      for (const [key, value] of top) {
        const points = keys.get(key) ?? [];
        points.push({ minute, value, unseen });
        keys.set(key, points);
      }
    let unseenInAll = 0;
    let total = 0;
    for (const [, minute] of minutes) {
      unseenInAll += minute.unseen;
      total += minute.total;
    }
    const found = [...keys].map(([key, datapoints]): Contributor => {
      let value = 0;
      for (const point of datapoints) value += point.value;
      return { keys: JSON.parse(key) as string[], value, atMost: value + unseenInAll, datapoints };
    });
    found.sort((a, b) => b.value - a.value);
    return {
      labels: this.labels,
      total,
      uniqueKeys: Math.max(keys.size, ...minutes.map(([, minute]) => minute.keys)),
      contributors: found.slice(0, contributors),
      minutes: minutes.map(([minute, one]) => ({
        ...{ minute, total: one.total, keys: one.keys, max: one.top[0]?.[1] ?? 0 },
      })),
    };
  }

  #begin(minute: number): void {
    if (this.#keys.total > 0) {
      this.#minutes.set(this.#minute, minuteOf(this.#keys));
      for (const old of this.#minutes.keys()) if (old <= minute - insightMinutes) this.#minutes.delete(old);
      if (this.#minutes.size > insightMinutes) this.#minutes.delete(this.#minutes.keys().next().value!);
      this.#keys = new FrequentKeys(sketchSize);
    }
    this.#minute = minute;
  }
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
