import { equalBytes } from '../../model/values/bytes.ts';
import { assertMutations } from '../mutations.ts';
import type { Bytes, Decision, Mutation, Outcome, Unit } from '../store.ts';
import { GroupCounters } from './group-counters.ts';
import type { Environment } from './lmdb-environment.ts';
import { readValue } from './lmdb-reads.ts';
import { logKey, readNumber, writeNumber } from './log-keys.ts';
import { seal } from './sealed-value.ts';

/** A job that waits for a commit: a unit, or a step of a range delete. */
export interface Job {
  readonly unit?: Unit<unknown>;
  readonly remove?: () => number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs a group of jobs in one write transaction. An exception rolls back the whole group; a failed outcome concerns
 * one job.
 *
 * The units of a group often read the same key first, that of their table's epoch, so its value is cached. The cache
 * compares keys by identity, and drops the value when a unit writes an equal key.
 */
export class GroupCommit {
  readonly #environment: Environment;
  readonly #counters: GroupCounters;
  /** The bytes of the values that units have read and written so far. */
  bytes = 0;
  #firstKey: Bytes | undefined;
  #firstValue: Bytes | undefined;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#counters = new GroupCounters(environment.counters);
  }

  run({ signal, remove, unit }: Job): Outcome<unknown> {
    if (signal?.aborted) return { ok: false, error: signal.reason };
    if (remove !== undefined) {
      this.#counters.write();
      this.#firstKey = undefined;
      return { ok: true, result: remove() };
    }
    let decision: Decision<unknown>;
    try {
      decision = this.#decide(unit!);
      assertMutations(decision.mutations);
    } catch (error) {
      return { ok: false, error };
    }
    for (const mutation of decision.mutations) this.#apply(mutation);
    return { ok: true, result: decision.result };
  }

  end(): void {
    this.#counters.write();
  }

  #decide(unit: Unit<unknown>): Decision<unknown> {
    const { reads, counters } = unit;
    return unit.decide({
      values: reads.map((key, i) => {
        const value = i === 0 ? this.#first(key) : readValue(this.#environment, key, undefined);
        if (value !== undefined) this.bytes += value.length;
        return value;
      }),
      counters: counters === undefined ? [] : counters.map((key) => this.#counters.read(key)),
    });
  }

  #first(key: Bytes): Bytes | undefined {
    if (key !== this.#firstKey) {
      this.#firstValue = readValue(this.#environment, key, undefined);
      this.#firstKey = key;
    }
    return this.#firstValue;
  }

  /** Applies a mutation inside LMDB's transaction, where a put writes at once and its promise adds nothing. */
  #apply(mutation: Mutation): void {
    const { values, logHeads, log } = this.#environment;
    switch (mutation.kind) {
      case 'put':
        this.#dropFirstIf(mutation.key);
        this.bytes += mutation.value.length;
        void values.put(mutation.key, seal(mutation.key, mutation.value));
        break;
      case 'delete':
        this.#dropFirstIf(mutation.key);
        void values.remove(mutation.key);
        break;
      case 'add':
        this.#counters.add(mutation.counter, mutation.delta);
        break;
      case 'append': {
        const position = readNumber(logHeads.getBinary(mutation.bucket)) + 1;
        void logHeads.put(mutation.bucket, writeNumber(position));
        const key = logKey(mutation.bucket, position);
        void log.put(key, seal(key, mutation.record));
        break;
      }
    }
  }

  #dropFirstIf(written: Bytes): void {
    if (this.#firstKey !== undefined && equalBytes(this.#firstKey, written)) this.#firstKey = undefined;
  }
}
