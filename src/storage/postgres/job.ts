import { assertMutations } from '../mutations.ts';
import type { Bytes, Found, Mutation, Unit } from '../store.ts';
import type { Beliefs } from './swap.ts';

/** What is read, decided and committed at once: a unit, or several that do not touch each other. */
export interface Job<R> {
  readonly keys: readonly Bytes[];
  /** Whether the key at the same place is a settings key. */
  readonly isSetting: readonly boolean[];
  readonly counters: readonly Bytes[];
  /** What to decide on before anything was read. */
  readonly guess: Beliefs | undefined;
  decide(beliefs: Beliefs): JobDecision<R>;
}

export interface JobDecision<R> {
  readonly result: R;
  readonly mutations: readonly Mutation[];
  readonly changesSettings?: boolean;
  /** Which of the job's keys the mutations depend on, by their places; all unless said. */
  readonly dependsOn?: ReadonlySet<number>;
}

export function jobOf<R>(unit: Unit<R>): Job<R> {
  const counters = unit.counters ?? [];
  // Nothing can be guessed of a counter.
  const guess =
    unit.guess === undefined || counters.length > 0
      ? undefined
      : { keys: unit.guess.map((value) => ({ value, writeId: undefined })), sums: [] };
  return {
    keys: unit.reads,
    isSetting: unit.reads.map((_, i) => i < (unit.settings ?? 0)),
    counters,
    guess,
    decide(beliefs) {
      const decision = unit.decide(foundIn(beliefs));
      assertMutations(decision.mutations);
      return decision;
    },
  };
}

function foundIn(beliefs: Beliefs): Found {
  return { values: beliefs.keys.map((belief) => belief.value), counters: beliefs.sums };
}
