import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
// @ts-expect-error: the build's scripts are JavaScript without types
import { isStale } from '../../scripts/build-if-stale.js';
import { newDirectory } from '../storage/directories.ts';

it('npm start builds what has changed, and nothing that is fresh', async () => {
  const root = await newDirectory();
  const set = (name: string, second: number) => utimesSync(join(root, name), second, second);
  const write = (name: string, second: number) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), '');
    set(name, second);
  };
  write('src/cli/main.ts', 1);
  write('src/gone.ts', 1);
  write('studio/main.tsx', 1);
  for (const folder of ['src/cli', 'src', 'studio']) set(folder, 1);
  expect(isStale(root)).toBe(true);
  write('dist/THIRD-PARTY-LICENSES.txt', 2);
  expect(isStale(root)).toBe(false);
  set('studio/main.tsx', 3);
  expect(isStale(root)).toBe(true);
  set('studio/main.tsx', 1);
  expect(isStale(root)).toBe(false);
  rmSync(join(root, 'src/gone.ts'));
  expect(isStale(root)).toBe(true);
});
