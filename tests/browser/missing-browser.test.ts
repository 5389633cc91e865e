import { spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { newDirectory } from '../storage/directories.ts';
import { findChromium } from './chromium.ts';

it('fails the tests of CI where no browser is found, and skips those of a person', () => {
  expect(() => findChromium(['/nowhere/chromium'], { CI: 'true' })).toThrow('/nowhere/chromium');
  expect(findChromium(['/nowhere/chromium'], {})).toBeUndefined();
  const here = fileURLToPath(import.meta.url);
  expect(findChromium(['/nowhere/chromium'], { CI: 'true', STATOR_TEST_CHROMIUM: here })).toBe(here);
});

it.skipIf(process.platform === 'win32')('ends .ci/run before anything is installed', async () => {
  const script = fileURLToPath(new URL('../../.ci/run', import.meta.url));
  // A machine that has these programs only: no browser, no apt-get, and no npm either.
  const bin = join(await newDirectory(), 'bin');
  await mkdir(bin);
  for (const name of ['dirname', 'id'])
    await symlink(
      spawnSync('/bin/sh', ['-c', `command -v ${name}`])
        .stdout.toString()
        .trim(),
      join(bin, name),
    );
  const run = (environment: NodeJS.ProcessEnv) => {
    const { status, stderr } = spawnSync('/bin/bash', [script], { env: { PATH: bin, ...environment } });
    return { status, text: stderr.toString() };
  };
  const inCi = run({ CI: 'true' });
  expect(inCi.status).toBe(1);
  expect(inCi.text).toBe('Chromium is missing and could not be installed.\n');
  // A person goes on, and here fails for the lack of npm.
  const byHand = run({});
  expect(byHand.status).toBe(127);
  expect(byHand.text).toContain('Tests in a browser are skipped.');
});
