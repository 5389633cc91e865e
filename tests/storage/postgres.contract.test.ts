import { freshSchema, openTestStore } from '../postgres/test-store.ts';
import { rounds } from '../seeded-random.ts';
import { storeContract } from './contract.ts';

storeContract('postgres', async () => {
  const schema = freshSchema();
  let backSeconds = 0;
  const nowMicros = () => (Date.now() - backSeconds * 1000) * 1000;
  return {
    open: () => openTestStore({ schema, nowMicros }),
    remove: async () => {},
    keeps: true,
    setClockBack: (seconds) => {
      backSeconds += seconds;
    },
    manyKeys: rounds(10_000, 100),
  };
});
