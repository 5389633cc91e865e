import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedWorkspace, root } from './packed-workspace.ts';
import { runNode, runners } from './run-node.ts';

/** Small projects as people write them, each tested by its own runner with the package as it is installed. */
describe('the published package under', () => {
  let workspace: string;

  beforeAll(async () => {
    const sdk = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
    workspace = await packedWorkspace([...sdk, 'lmdb', 'sorted-btree', 'yaml', 'vitest', '@jest/globals']);
  });

  afterAll(() => rm(workspace, { recursive: true, force: true }));

  it('Jest, as it is without any configuration', async () => {
    const { stderr } = await runNode(join(workspace, 'jest'), runners.jest, '--ci');
    expect(stderr).toMatch(/^Tests: +12 passed, 12 total$/m);
    expect(stderr).not.toContain('did not exit');
  });

  it('TypeScript that is compiled to CommonJS, and then Jest', async () => {
    const project = join(workspace, 'jest-typescript');
    await runNode(project, join(root, 'node_modules/typescript/bin/tsc'), '-p', '.');
    const { stderr } = await runNode(project, runners.jest, '--ci');
    expect(stderr).toMatch(/^Tests: +3 passed, 3 total$/m);
  });

  it('Vitest', async () => {
    const { stdout } = await runNode(join(workspace, 'vitest'), runners.vitest, 'run');
    expect(stdout).toMatch(/^ *Tests +4 passed \(4\)$/m);
  });

  it('node:test', async () => {
    const { stdout } = await runNode(join(workspace, 'node-test'), '--test', '--test-reporter=tap');
    expect(stdout).toMatch(/^# pass 3$/m);
  });
});
