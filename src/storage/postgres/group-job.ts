import { assertMutations } from '../mutations.ts';
import type { Bytes, Decision, Mutation, Outcome, Unit } from '../store.ts';
import { keyText } from './byte-arrays.ts';
import type { Job } from './job.ts';
import type { Belief } from './swap.ts';

/** What became of one unit of a group; `apart` is one that must run by itself. */
export type Share<R> = Outcome<R> | 'apart';

interface Member<R> {
  readonly unit: Unit<R>;
  /** Where this unit's keys and counters stand among those of the group. */
  readonly keys: readonly number[];
  readonly counters: readonly number[];
}

/**
 * Several independent units as one job: one read, one swap. Units that share only keys which none of them writes
 * (their table's epoch) fit together; one that touches what another one writes is set apart.
 */
export function groupJob<R>(units: readonly Unit<R>[]): Job<Share<R>[]> {
  const keys = new Places();
  const counters = new Places();
  const members: Member<R>[] = units.map((unit) => ({
    unit,
    keys: unit.reads.map((key) => keys.place(key)),
    counters: (unit.counters ?? []).map((key) => counters.place(key)),
  }));
  const settings = new Set(members.flatMap(({ unit, keys: places }) => places.slice(0, unit.settings ?? 0)));
  return {
    keys: keys.list,
    isSetting: keys.list.map((_, place) => settings.has(place)),
    counters: counters.list,
    guess: groupGuess(members, keys.list.length, counters.list.length),
    decide(beliefs) {
      const mutations: Mutation[] = [];
      const taken = new Taken();
      // A member that writes nothing has its answer by what was read; nothing depends on it staying so.
      const dependsOn = new Set<number>();
      let changesSettings = false;
      const result = members.map((member): Share<R> => {
        let decision: Decision<R>;
        try {
          decision = member.unit.decide({
            values: member.keys.map((place) => beliefs.keys[place]!.value),
            counters: member.counters.map((place) => beliefs.sums[place]!),
          });
          assertMutations(decision.mutations);
        } catch (error) {
          return { ok: false, error };
        }
        if (decision.mutations.length > 0) {
          if (!taken.take(member.unit, decision.mutations)) return 'apart';
          mutations.push(...decision.mutations);
          for (const place of member.keys) dependsOn.add(place);
          changesSettings ||= decision.changesSettings === true;
        }
        return { ok: true, result: decision.result };
      });
      return { result, mutations, dependsOn, changesSettings };
    },
  };
}

/** The guesses of all units, when each has one and no two differ. */
function groupGuess<R>(
  members: readonly Member<R>[],
  keyCount: number,
  counterCount: number,
): Job<R>['guess'] {
  if (counterCount > 0 || members.some((member) => member.unit.guess === undefined)) return undefined;
  const keys = new Array<Belief | undefined>(keyCount).fill(undefined);
  for (const { unit, keys: places } of members) {
    for (const [i, place] of places.entries()) keys[place] ??= { value: unit.guess![i], writeId: undefined };
  }
  return { keys: keys.map((belief) => belief!), sums: [] };
}

/** Distinct keys in the order of their first appearance. */
class Places {
  readonly list: Bytes[] = [];
  readonly #byText = new Map<string, number>();

  place(key: Bytes): number {
    const text = keyText(key);
    let place = this.#byText.get(text);
    if (place === undefined) {
      place = this.list.push(key) - 1;
      this.#byText.set(text, place);
    }
    return place;
  }
}

/** What the units of a group have read and written so far. */
class Taken {
  readonly #read = new Set<string>();
  readonly #written = new Set<string>();
  readonly #summed = new Set<string>();
  readonly #added = new Set<string>();

  /** False, and nothing taken, when the unit meets another one. */
  take(unit: Unit<unknown>, mutations: readonly Mutation[]): boolean {
    const read = unit.reads.map(keyText);
    const summed = (unit.counters ?? []).map(keyText);
    const written: string[] = [];
    const added: string[] = [];
    for (const mutation of mutations) {
      if (mutation.kind === 'put' || mutation.kind === 'delete') written.push(keyText(mutation.key));
      if (mutation.kind === 'add') added.push(keyText(mutation.counter));
    }
    if (
      read.some((key) => this.#written.has(key)) ||
      written.some((key) => this.#written.has(key) || this.#read.has(key)) ||
      summed.some((key) => this.#added.has(key)) ||
      added.some((key) => this.#summed.has(key))
    )
      return false;
    for (const key of read) this.#read.add(key);
    for (const key of written) this.#written.add(key);
    for (const key of summed) this.#summed.add(key);
    for (const key of added) this.#added.add(key);
    return true;
  }
}
