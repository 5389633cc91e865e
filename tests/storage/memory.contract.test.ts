import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import { rounds } from '../seeded-random.ts';
import { storeContract } from './contract.ts';

storeContract('memory', async () => ({
  open: async () => new MemoryStore(),
  remove: async () => {},
  keeps: false,
  manyKeys: rounds(200_000, 5),
}));
