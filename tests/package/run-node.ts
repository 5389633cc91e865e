import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { root } from './packed-workspace.ts';

/** The programs of test runners, which come from this repository. */
export const runners = {
  jest: join(root, 'node_modules/jest/bin/jest.js'),
  vitest: join(root, 'node_modules/vitest/vitest.mjs'),
};

/** Runs Node in a directory and answers what it printed; a program that fails is an error with all of it. */
export function runNode(
  directory: string,
  ...words: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, { cwd: directory, env: ownEnvironment() }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${words.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error }));
      else resolve({ stdout, stderr });
    });
  });
}

/** The environment without what the runner of this test has put there, and without colours. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST|NODE_ENV|FORCE_COLOR)/.test(name),
  );
  return { ...Object.fromEntries(others), NO_COLOR: '1' };
}
