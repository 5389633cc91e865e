import { expect, it } from 'vitest';
import { FakeBackground, nextTurn } from '../../../tests/engine/fake-background.ts';
import { newHash16 } from '../../hash16.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { seededRandomness } from '../randomness.ts';
import { Catalogue } from '../tables/catalogue.ts';
import { Jobs } from './jobs.ts';

it('looks at a shared store without work and writes nothing, not even a lease', async () => {
  const memory = new MemoryStore();
  const store = new Proxy(memory, {
    get: (target, name) => {
      if (name === 'exclusive') return false;
      if (name === 'transact') return () => expect.unreachable('an idle process writes');
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  }) as Store;
  const background = new FakeBackground();
  const jobs = new Jobs(
    {
      store,
      random: seededRandomness(1),
      h16: newHash16(),
      catalogue: new Catalogue(store, background.clock),
      dropped: () => {},
      expired: () => expect.unreachable(),
    },
    background,
  );
  jobs.start();
  await jobs.settled();
  await nextTurn();
  expect(background.lines).toEqual([]);
  // It rests until it looks for work of processes that were killed.
  expect(background.open.map(({ ms }) => ms)).toEqual([15_000]);
  background.abort();
});
