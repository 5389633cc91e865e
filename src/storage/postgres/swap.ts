import { compareBytes } from '../../model/values/bytes.ts';
import type { Bytes, Mutation } from '../store.ts';
import { byteaArray, keyText, plainBytes } from './byte-arrays.ts';
import type { Isolation } from './dialect.ts';
import type { Row, Statement } from './statement.ts';
import { answer, comparison, type SwapParameters, type SwapShape, swapStatement } from './swap-statement.ts';
import type { Tables } from './tables.ts';

/** What a unit was decided on for one key: what was read there, or only guessed. */
export interface Belief {
  readonly value: Bytes | undefined;
  /** Null when there was no row; undefined when the value is a guess. */
  readonly writeId: string | null | undefined;
}

/** The state a unit is decided on. Keys and counters stand in the order of the unit's. */
export interface Beliefs {
  readonly keys: readonly Belief[];
  readonly sums: readonly number[];
}

/** A decided unit, ready to be sent; sent again it is the same bytes, but for the shard of the connection. */
export interface Swap {
  readonly statement: Statement;
  readonly writeId: string;
  values(shard: number): unknown[];
  /**
   * Which of the unit's keys it both compares and writes, and what they hold afterwards. With at least one, the
   * statement cannot be committed twice, however often it is sent.
   */
  readonly guarded: ReadonlyMap<number, Bytes | undefined>;
  /** What other units that do the same would fight over with it: the keys it writes, the counters it was decided on. */
  readonly claims: readonly string[];
  /** Whether it waits for every unit that was decided on older settings. */
  readonly changesSettings: boolean;
}

export interface Expectations {
  readonly keys: readonly Bytes[];
  /** Whether the key at the same place is a settings key; none is unless said. */
  readonly isSetting?: readonly boolean[];
  readonly counters: readonly Bytes[];
  readonly beliefs: Beliefs;
}

/** What a unit was decided to do. */
export interface Plan {
  readonly mutations: readonly Mutation[];
  readonly changesSettings?: boolean;
  /** Which of the keys the mutations depend on, by their places; all unless said. */
  readonly dependsOn?: ReadonlySet<number>;
}

/** What came back: the unit's version, or what the keys and counters hold instead of what was believed. */
export type SwapAnswer =
  | { readonly committed: true; readonly version: number }
  | {
      readonly committed: false;
      /** False when everything was as believed, and yet nothing was committed. */
      readonly changed: boolean;
      readonly beliefs: Beliefs;
      readonly versionMax: number;
    };

/** Turns decided units into statements. Texts are few, so each is made once. */
export class SwapPlanner {
  readonly #tables: Tables;
  readonly #isolation: Isolation;
  readonly #made = new Map<string, ReturnType<typeof swapStatement>>();

  constructor(tables: Tables, isolation: Isolation) {
    this.#tables = tables;
    this.#isolation = isolation;
  }

  plan(expected: Expectations, plan: Plan, now: number, writeId: string): Swap {
    const { keys, counters, beliefs } = expected;
    const { mutations, changesSettings = false } = plan;
    const index = new Map(keys.map((key, i) => [keyText(key), i]));
    const written: { key: Bytes; value: Bytes | null }[] = [];
    const added = new Map<string, { key: Bytes; delta: number }>();
    const appended: { bucket: Bytes; of: Bytes; record: Bytes }[] = [];
    for (const mutation of mutations) {
      if (mutation.kind === 'append') {
        appended.push(mutation);
      } else if (mutation.kind === 'add') {
        const text = keyText(mutation.counter);
        const delta = (added.get(text)?.delta ?? 0) + mutation.delta;
        added.set(text, { key: mutation.counter, delta });
      } else {
        written.push({ key: mutation.key, value: mutation.kind === 'put' ? mutation.value : null });
      }
    }
    // Every unit that reads a counter writes it, by adding nothing if need be, so that two of them cannot pass each other.
    for (const key of counters) if (!added.has(keyText(key))) added.set(keyText(key), { key, delta: 0 });
    const measured = new Set(counters.map(keyText));
    const writes = new Set(written.map(({ key }) => keyText(key)));
    const locked: { key: Bytes; isShared: boolean }[] = [];
    let isFenced = false;
    for (const [i, key] of keys.entries()) {
      const isShared = !writes.has(keyText(key));
      if (isShared && plan.dependsOn?.has(i) === false) continue;
      if (expected.isSetting?.[i] === true) isFenced = true;
      else if (hasRow(beliefs.keys[i]!)) locked.push({ key, isShared });
      else if (isShared) written.push({ key, value: null });
    }
    locked.sort((a, b) => compareBytes(a.key, b.key));
    // All writers take rows in the same order, so that few of them deadlock.
    written.sort((a, b) => compareBytes(a.key, b.key));
    const adds = [...added.values()].sort((a, b) => compareBytes(a.key, b.key));

    const guarded = new Map<number, Bytes | undefined>();
    for (const { key, value } of written) {
      const i = index.get(keyText(key));
      if (i !== undefined) guarded.set(i, value ?? undefined);
    }
    // A log record takes the version of the unit, which must be above that of the key the record is about.
    const unread = new Map<string, Bytes>();
    for (const { of } of appended) if (!index.has(keyText(of))) unread.set(keyText(of), of);
    const all = [...keys, ...unread.values()];
    const believed = beliefs.keys;

    const shape: SwapShape = {
      guesses: believed.some((belief) => belief.writeId === undefined),
      sums: counters.length > 0,
      fenced: isFenced && !changesSettings,
      changes: changesSettings,
      locks: locked.length > 0,
      writes: written.length > 0,
      deletes: written.some((write) => write.value === null),
      adds: adds.length > 0,
      appends: appended.length > 0,
    };
    const { statement, parameters } = this.#statement(shape);
    const values: Omit<SwapParameters, 'shard'> = {
      now,
      writeId,
      keys: byteaArray(all),
      comparisons: all.map((_, i) => comparisonOf(believed[i])),
      writeIds: all.map((_, i) => believed[i]?.writeId ?? null),
      values: shape.guesses ? byteaArray(all.map((_, i) => guessedValue(believed[i]))) : byteaArray([]),
      lockedKeys: byteaArray(locked.map(({ key }) => key)),
      lockedShared: locked.map(({ isShared }) => isShared),
      counters: byteaArray(counters),
      sums: beliefs.sums,
      writtenKeys: byteaArray(written.map((write) => write.key)),
      writtenValues: byteaArray(written.map((write) => write.value)),
      addedKeys: byteaArray(adds.map((add) => add.key)),
      addedDeltas: adds.map((add) => add.delta),
      addedMeasured: adds.map((add) => measured.has(keyText(add.key))),
      buckets: byteaArray(appended.map((append) => append.bucket)),
      subjects: byteaArray(appended.map((append) => append.of)),
      records: byteaArray(appended.map((append) => append.record)),
    };
    return {
      statement,
      writeId,
      guarded,
      changesSettings,
      claims: [...written.map(({ key }) => keyText(key)), ...counters.map((key) => `sum ${keyText(key)}`)],
      values: (shard) => parameters.map((name) => (name === 'shard' ? shard : values[name])),
    };
  }

  #statement(shape: SwapShape): ReturnType<typeof swapStatement> {
    const id = Object.values(shape).join();
    let made = this.#made.get(id);
    if (made === undefined) {
      made = swapStatement(this.#tables, this.#isolation, shape);
      this.#made.set(id, made);
    }
    return made;
  }
}

export function readAnswer(rows: readonly Row[], believed: Beliefs): SwapAnswer {
  const keys = [...believed.keys];
  const sums = [...believed.sums];
  let versionMax = 0;
  let changed = false;
  for (const row of rows) {
    const [kind, n, holds, value, number, writeId] = row as AnswerRow;
    const version = Number(number ?? 0);
    if (kind === answer.committed) return { committed: true, version };
    changed ||= !holds;
    if (kind === answer.sum) {
      sums[n - 1] = version;
      continue;
    }
    versionMax = Math.max(versionMax, version);
    // Rows beyond the unit's keys are those of its log records, which nothing was believed of.
    if (kind === answer.key && n <= keys.length)
      keys[n - 1] = { value: holds ? keys[n - 1]!.value : bytesOrNothing(value), writeId };
  }
  return { committed: false, changed, beliefs: { keys, sums }, versionMax };
}

type AnswerRow = [
  kind: number,
  n: number,
  holds: boolean,
  value: Buffer | null,
  number: string | null,
  writeId: string | null,
];

function bytesOrNothing(value: Buffer | null): Bytes | undefined {
  return value === null ? undefined : plainBytes(value);
}

/** Whether there is a row under the key, if what is believed holds; of a guess of nothing that is not known. */
function hasRow({ value, writeId }: Belief): boolean {
  return writeId === undefined ? value !== undefined : writeId !== null;
}

function comparisonOf(belief: Belief | undefined): number {
  if (belief === undefined) return comparison.none;
  return belief.writeId === undefined ? comparison.value : comparison.writeId;
}

function guessedValue(belief: Belief | undefined): Bytes | null {
  return belief?.writeId === undefined ? (belief?.value ?? null) : null;
}
