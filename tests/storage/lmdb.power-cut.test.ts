import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { firstFileName } from '../../src/storage/lmdb/current-file.ts';
import { openLmdbStore } from '../../src/storage/lmdb/lmdb-store.ts';
import { runChild } from '../run-child.ts';
import { seededRandom, testSeeds } from '../seeded-random.ts';
import { bytes } from './bytes.ts';
import { newDirectory } from './directories.ts';
import { checkLoad } from './load.ts';
import { afterPowerCut, readSteps, straceArguments } from './power-cut.ts';

const long = process.env.STATOR_TEST_LONG === '1';

describe('an lmdb store after a power cut', () => {
  // Recording needs strace, which a fresh machine may lack; the long run insists on it.
  for (const seed of testSeeds('power cut'))
    it.runIf(long || hasStrace()).each(['durable', 'relaxed'] as const)(
      `opens whole, having lost what it may (%s, ${seed})`,
      async (durability) => {
        if (!hasStrace())
          throw new Error('This test records writes with strace: install the package "strace"');
        const directory = await newDirectory();
        const random = seededRandom(seed);
        const clients = 8;
        const trace = `${directory}/trace`;
        const live = `${directory}/live`;
        const child = runChild(
          new URL('./children/lmdb-writer.ts', import.meta.url),
          [live, String(clients), durability],
          straceArguments(trace),
        );
        let left = long ? 3_000 : 400;
        await child.until((line) => !line.startsWith('open') && --left <= 0);
        // The traced program itself, not strace: killing only the tracer would let the program run on.
        execFileSync('pkill', ['-KILL', '-P', String(child.process.pid)]);
        await child.ended;
        const steps = readSteps(trace, `${live}/${firstFileName}`);
        const open = steps.findIndex((step) => step.kind === 'said');
        expect(steps.filter((step) => step.kind === 'sync').length).toBeGreaterThan(10);
        for (let cut = 0; cut < (long ? 400 : 40); cut++) {
          const at = open + random.below(steps.length - open);
          const acknowledged = new Array<number>(clients).fill(0);
          for (const step of steps.slice(open + 1, at)) {
            if (step.kind !== 'said') continue;
            const [client, version] = step.line.split(' ').map(Number);
            acknowledged[client!] = version!;
          }
          const place = `${directory}/cut`;
          await rm(place, { recursive: true, force: true });
          mkdirSync(place);
          writeFileSync(`${place}/${firstFileName}`, afterPowerCut(steps, at, random));
          const store = await openLmdbStore({ directory: place });
          if (durability === 'durable') await checkLoad(store, acknowledged);
          else {
            // The latest commit may be gone: it had at most one unit of each client, as each waits for its answer.
            await checkLoad(
              store,
              acknowledged.map(() => 0),
              Number.POSITIVE_INFINITY,
            );
            const [units] = await store.counters([bytes('units')]);
            expect(units).toBeGreaterThanOrEqual(
              acknowledged.reduce((sum, version) => sum + version, 0) - clients,
            );
          }
          await store.close();
        }
        await rm(directory, { recursive: true, force: true });
      },
    );
});

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
