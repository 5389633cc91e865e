import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { firstFileName } from '../../src/storage/lmdb/current-file.ts';
import { verifyDataFile } from '../../src/storage/lmdb/data-file.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { runChild } from '../run-child.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { bytes, numberedKey } from './bytes.ts';
import { newDirectory } from './directories.ts';
import { checkLoad } from './load.ts';

describe('an lmdb store whose process is killed', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
  });

  for (const seed of testSeeds('kill'))
    it.each(['durable', 'relaxed'])(
      `has every acknowledged write and no half of a unit (%s, ${seed})`,
      async (durability) => {
        const directory = await newDirectory();
        directories.push(directory);
        const clients = 16;
        const random = seededRandom(seed);
        let acknowledged = new Array<number>(clients).fill(0);
        for (let round = 0; round < rounds(6, 25); round++) {
          const child = runChild(new URL('./children/lmdb-writer.ts', import.meta.url), [
            directory,
            String(clients),
            durability,
          ]);
          let left = 1 + random.below(2_000);
          await child.until((line) => !line.startsWith('open') && --left <= 0);
          child.process.kill('SIGKILL');
          expect((await child.ended).signal).toBe('SIGKILL');
          for (const line of child.lines.slice(1)) {
            const [client, version] = line.split(' ').map(Number);
            // The last line may have been cut by the kill; a cut number is only lower, never higher.
            if (version !== undefined) acknowledged[client!] = Math.max(acknowledged[client!]!, version);
          }
          verifyDataFile(`${directory}/${firstFileName}`);
          const store = await openLmdbStore({ directory });
          await checkLoad(store, acknowledged);
          const found = await store.getMany(acknowledged.map((_, client) => bytes(`left${client}`)));
          acknowledged = found.map((value) =>
            value === undefined ? 0 : Number.parseInt(Buffer.from(value).toString(), 10),
          );
          await store.close();
        }
        expect(Math.min(...acknowledged)).toBeGreaterThan(0);
      },
    );

  it('finishes a range delete that was killed half-way', async () => {
    const directory = await newDirectory();
    directories.push(directory);
    const count = rounds(50_000);
    const store = await openLmdbStore({ directory });
    for (let i = 0; i < count; i += 1_000)
      await store.transact({
        reads: [],
        decide: () => ({
          result: undefined,
          mutations: Array.from({ length: 1_000 }, (_, j) => ({
            kind: 'put',
            key: numberedKey('k', i + j),
            value: bytes('v'),
          })),
        }),
      });
    await store.close();
    const child = runChild(new URL('./children/range-deleter.ts', import.meta.url), [directory]);
    await child.until((line) => line > `from ${Buffer.from(numberedKey('k', count / 10)).toString()}`);
    child.process.kill('SIGKILL');
    await child.ended;
    const again = await openLmdbStore({ directory });
    const deleted = await again.deleteRange(bytes('k'), bytes('l'));
    expect(deleted).toBeLessThan(count);
    expect((await again.range({ limit: 1 })).entries).toEqual([]);
    await again.close();
  });
});
