import type { Mutation, Store, Unit } from '../../src/storage/store.ts';

/** What was asked of a Store: how often each method was called, and what the units read and wrote. */
export interface StoreCounts {
  readonly calls: Record<string, number>;
  /** Keys that units read before they decide. */
  unitReads: number;
  /** Mutations that units decided on, by kind. */
  readonly mutations: Record<Mutation['kind'], number>;
}

/** A Store that counts. Counts are exact on any machine, so that a test may insist on them. */
export class CountingStore {
  readonly store: Store;
  #counts = noCounts();

  constructor(below: Store) {
    this.store = new Proxy(below, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: readonly unknown[]) => {
          this.#count(String(name));
          return member.apply(target, name.toString().startsWith('transact') ? this.#watched(args) : args);
        };
      },
    });
  }

  /** What was counted since the last time. */
  take(): StoreCounts {
    const counts = this.#counts;
    this.#counts = noCounts();
    return counts;
  }

  #count(name: string): void {
    this.#counts.calls[name] = (this.#counts.calls[name] ?? 0) + 1;
  }

  #watched([units, ...rest]: readonly unknown[]): readonly unknown[] {
    const watched = Array.isArray(units)
      ? units.map((unit: Unit<unknown>) => this.#watchedUnit(unit))
      : this.#watchedUnit(units as Unit<unknown>);
    return [watched, ...rest];
  }

  #watchedUnit(unit: Unit<unknown>): Unit<unknown> {
    this.#counts.unitReads += unit.reads.length;
    return {
      ...unit,
      decide: (found) => {
        const decision = unit.decide(found);
        for (const { kind } of decision.mutations) this.#counts.mutations[kind]++;
        return decision;
      },
    };
  }
}

function noCounts(): StoreCounts {
  return { calls: {}, unitReads: 0, mutations: { put: 0, delete: 0, append: 0, add: 0 } };
}
