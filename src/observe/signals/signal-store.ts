import { ownCopy } from '../../model/json/json-reader.ts';
import { InsightRule, rankKeys } from '../insights/insight-rule.ts';
import type { HandleScope } from '../series-handle.ts';

/** What a signal is about: habits of callers and refusals that no metric tells apart. */
export type SignalKind =
  /** A put or update that would have passed 400 KB. */
  | 'item-size'
  /** A range whose upper bound sorts before its lower bound. */
  | 'upside-down-range'
  /** A Query with a condition on its sort key that found nothing. */
  | 'empty-range'
  /** A key or an index key of another type than its schema says, or none. */
  | 'wrong-key'
  | 'condition-failed'
  | 'transaction-conflict'
  /** Any other refusal; the detail is the name of its exception. */
  | 'refused'
  /** A read of a global index that was answered from before the latest writes. */
  | 'stale-index-read'
  /** `list_append` to an attribute, which is the detail. */
  | 'list-append'
  /** Of every eighth GetItem: that there was one, and that the same caller then wrote the item without a condition. */
  | 'sampled-get'
  | 'get-then-write'
  /** Of every eighth read by partition key: that another table, the detail, was read by the same value right after. */
  | 'sampled-read'
  | 'read-together'
  /** Of every eighth read of a global index: the attributes asked for, or `*`. */
  | 'index-projection';

export interface Noted {
  readonly scope: HandleScope;
  readonly table: string;
  readonly kind: SignalKind;
  readonly index?: string | undefined;
  readonly detail?: string | undefined;
  /** The values of the key, as people write them. */
  readonly key?: readonly string[] | undefined;
  readonly operation: string;
  /** The words of a refusal, or the bounds of a range. */
  readonly message?: string | undefined;
}

/** A signal over some minutes. */
export interface ReportedSignal {
  readonly table: string;
  readonly kind: SignalKind;
  readonly index?: string | undefined;
  readonly detail?: string | undefined;
  readonly operation: string;
  /** The latest words. */
  readonly message?: string | undefined;
  readonly count: number;
  /** Most often first. */
  readonly keys: readonly { readonly values: readonly string[]; readonly count: number }[];
  /** The minutes that had it, in milliseconds, oldest first. */
  readonly minutes: readonly { readonly atMs: number; readonly value: number }[];
}

interface Signal extends Noted {
  readonly rule: InsightRule;
  latest: string | undefined;
}

/** What is told of each operation apart. */
const ofOperations: ReadonlySet<SignalKind> = new Set(['refused', 'wrong-key', 'get-then-write']);

/** How many signals are kept; the oldest gives way. */
const signalsMax = 400;
const textMax = 300;
const keysShown = 5;

/** Signals with their keys, minute by minute, for three hours. */
export class SignalStore {
  readonly #nowMs: () => number;
  readonly #signals = new Map<string, Signal>();
  /** The latest signal of each kind: most requests do what the one before them did. */
  readonly #latest = new Map<SignalKind, Signal>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  add(noted: Noted): void {
    const { kind, key = [], message } = noted;
    const latest = this.#latest.get(kind);
    const signal = latest !== undefined && isSame(latest, noted) ? latest : this.#signalOf(noted);
    if (message !== undefined) signal.latest = ownCopy(message.slice(0, textMax));
    // The text of an array shares nothing with the request.
    const text = key.length === 0 ? '[]' : JSON.stringify(key);
    signal.rule.add(text, 1, Math.floor(this.#nowMs() / 60_000));
  }

  #signalOf(noted: Noted): Signal {
    const { scope, table, kind, index = '', detail = '', operation } = noted;
    const who = ofOperations.has(kind) ? operation : '';
    const id = `${scope.account}/${scope.region}\n${table}\n${kind}\n${index}\n${detail}\n${who}`;
    let signal = this.#signals.get(id);
    if (signal === undefined) {
      if (this.#signals.size >= signalsMax) {
        this.#signals.delete(this.#signals.keys().next().value!);
        this.#latest.clear();
      }
      signal = { ...owned(noted), rule: new InsightRule(), latest: undefined };
      this.#signals.set(ownCopy(id), signal);
    }
    this.#latest.set(kind, signal);
    return signal;
  }

  /** The signals of an account in a Region over the last minutes. */
  report({ account, region }: HandleScope, nowMs: number, minutes: number): ReportedSignal[] {
    const to = Math.floor(nowMs / 60_000) + 1;
    return [...this.#signals.values()].flatMap((signal) => {
      if (signal.scope.account !== account || signal.scope.region !== region) return [];
      const report = rankKeys(['key'], signal.rule.minutes(to - minutes, to), keysShown);
      if (report.total === 0) return [];
      return [
        {
          table: signal.table,
          kind: signal.kind,
          index: signal.index,
          detail: signal.detail,
          operation: signal.operation,
          message: signal.latest,
          count: report.total,
          keys: report.contributors
            .filter(({ keys }) => keys.length > 0)
            .map(({ keys: values, value: count }) => ({ values, count })),
          minutes: report.minutes.map(({ minute, total }) => ({ atMs: minute * 60_000, value: total })),
        },
      ];
    });
  }
}

function isSame(a: Noted, b: Noted): boolean {
  return (
    a.table === b.table &&
    a.index === b.index &&
    a.detail === b.detail &&
    (a.operation === b.operation || !ofOperations.has(a.kind)) &&
    a.scope.account === b.scope.account &&
    a.scope.region === b.scope.region
  );
}

/** Texts of a request keep its whole body alive. */
function owned(noted: Noted): Noted {
  return JSON.parse(JSON.stringify({ ...noted, key: undefined, message: undefined })) as Noted;
}
