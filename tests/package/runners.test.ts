import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedWorkspace, root } from './packed-workspace.ts';

/** Small projects as people write them, each tested by its own runner with the package as it is installed. */
describe('the published package under', () => {
  let workspace: string;

  beforeAll(async () => {
    const sdk = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
    workspace = await packedWorkspace([...sdk, 'lmdb', 'yaml', 'vitest', '@jest/globals']);
  });

  afterAll(() => rm(workspace, { recursive: true, force: true }));

  it('Jest, as it is without any configuration', async () => {
    const said = await runIn('jest', jest, '--ci');
    expect(said).toMatch(/^Tests: +11 passed, 11 total$/m);
    expect(said).not.toContain('did not exit');
  });

  it('TypeScript that is compiled to CommonJS, and then Jest', async () => {
    await runIn('jest-typescript', join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
    expect(await runIn('jest-typescript', jest, '--ci')).toMatch(/^Tests: +3 passed, 3 total$/m);
  });

  it('Vitest', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    expect(await runIn('vitest', vitest, 'run')).toMatch(/^ *Tests +4 passed \(4\)$/m);
  });

  it('node:test', async () => {
    expect(await runIn('node-test', '--test', '--test-reporter=tap')).toMatch(/^# pass 3$/m);
  });

  /** Runs a program of Node in a project and answers all that it said; a program that fails is an error. */
  function runIn(project: string, ...words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { cwd: join(workspace, project), env: ownEnvironment() };
      execFile(process.execPath, words, options, (error, stdout, stderr) => {
        if (error) reject(new Error(`${words.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error }));
        else resolve(`${stdout}\n${stderr}`);
      });
    });
  }
});

const jest = join(root, 'node_modules/jest/bin/jest.js');

/** The environment without what this runner has put there, and without colours. */
function ownEnvironment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST|NODE_ENV|FORCE_COLOR)/.test(name),
  );
  return { ...Object.fromEntries(others), NO_COLOR: '1' };
}
