import { rm } from 'node:fs/promises';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { rounds } from '../seeded-random.ts';
import { storeContract } from './contract.ts';
import { newDirectory } from './directories.ts';

for (const durability of ['durable', 'relaxed'] as const)
  storeContract(`lmdb (${durability})`, async () => {
    const directory = await newDirectory();
    return {
      open: async () => openLmdbStore({ directory, durability }),
      remove: () => rm(directory, { recursive: true, force: true }),
      keeps: true,
      manyKeys: durability === 'durable' ? rounds(50_000) : 10_000,
    };
  });

storeContract('lmdb (shared)', async () => {
  const directory = await newDirectory();
  return {
    open: async () => openLmdbStore({ directory, shared: true }),
    remove: () => rm(directory, { recursive: true, force: true }),
    keeps: true,
    manyKeys: 10_000,
  };
});
