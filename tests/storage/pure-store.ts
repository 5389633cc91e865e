import { isDeepStrictEqual } from 'node:util';
import type { Found, Store, Unit } from '../../src/storage/store.ts';

/**
 * Holds every `decide` to what the contract asks of it: run twice on equal inputs it must agree with itself, and it
 * must not change the bytes it was given. All tests of the storage and of what stands on it go through this.
 */
export function pureStore<S extends Store>(store: S): S {
  return new Proxy(store, {
    get(target, property) {
      const value = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property === 'transact')
        return (unit: Unit<unknown>, ...rest: unknown[]) => value.call(target, pureUnit(unit), ...rest);
      if (property === 'transactMany')
        return (units: Unit<unknown>[], ...rest: unknown[]) =>
          value.call(target, units.map(pureUnit), ...rest);
      return value.bind(target);
    },
  });
}

function pureUnit<R>(unit: Unit<R>): Unit<R> {
  return {
    ...unit,
    decide(found) {
      const [first, second] = [freeze(found), freeze(found)];
      const decision = unit.decide(first);
      if (!isDeepStrictEqual(decision, unit.decide(second)))
        throw new Error('decide does not agree with itself on equal inputs');
      if (!isDeepStrictEqual(first.values, freeze(found).values))
        throw new Error('decide changed the bytes it was given');
      return decision;
    },
  };
}

/** Arrays are frozen; bytes cannot be, so each call gets its own copy to be compared afterwards. */
function freeze(found: Found): Found {
  return Object.freeze({
    values: Object.freeze(found.values.map((value) => value && new Uint8Array(value))),
    counters: Object.freeze([...found.counters]),
  });
}
