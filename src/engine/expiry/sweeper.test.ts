import { expect, it } from 'vitest';
import { newHash16 } from '../../hash16.ts';
import { VirtualClock } from '../../runtime/clock.ts';
import { seededRandomness } from '../../runtime/randomness.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { Catalogue } from '../tables/catalogue.ts';
import { noDelay } from './expiry-delay.ts';
import { Sweeper } from './sweeper.ts';

it('searches the store again when tables change during a search', async () => {
  const memory = new MemoryStore();
  const searches: (() => void)[] = [];
  const store = new Proxy(memory, {
    get: (target, name) => {
      if (name === 'range')
        return (...args: Parameters<Store['range']>) => {
          // A store on a disk: the answer is older than its arrival.
          const page = target.range(...args);
          return new Promise((resolve) => searches.push(() => resolve(page)));
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as Store;
  const clock = new VirtualClock(1_000_000);
  const sweeper = new Sweeper(
    {
      store,
      random: seededRandomness(1),
      h16: newHash16(),
      catalogue: new Catalogue(store, clock),
      inFlightOf: () => undefined,
      delay: noDelay,
      writeSettings: () => expect.unreachable(),
      noted: () => {},
      observer: undefined,
    },
    {
      clock,
      pause: async () => {},
      stopwatchMs: () => 0,
      signal: new AbortController().signal,
      log: (line) => expect.unreachable(line),
    },
  );
  sweeper.wake();
  expect(searches).toHaveLength(1);
  sweeper.tablesChanged();
  searches[0]!();
  await new Promise(setImmediate);
  expect(searches).toHaveLength(2);
  searches[1]!();
  await sweeper.settled();
  sweeper.wake();
  await sweeper.settled();
  expect(searches).toHaveLength(2);
});
