import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packedWorkspace, root } from './packed-workspace.ts';
import { runNode, runners } from './run-node.ts';

/** The programs of docs/embedded.md do what the page says, with the package as it is installed. */
describe('docs/embedded.md', () => {
  const programs = programsOf(readFileSync(join(root, 'docs/embedded.md'), 'utf8'));
  let workspace: string;

  beforeAll(async () => {
    const sdk = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb'];
    workspace = await packedWorkspace([...sdk, 'lmdb', 'sorted-btree', 'yaml', 'vitest']);
  });

  afterAll(() => rm(workspace, { recursive: true, force: true }));

  it.each([
    ['A first program', '1933\n'],
    ['Clients of the AWS SDK', ''],
    ['Plain methods', 'true ResourceNotFoundException\n'],
    ['Listening', expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/)],
    ['Time', 'CREATING\nACTIVE\n'],
    ['ES modules and CommonJS', '0\n'],
  ])('has a program under "%s"', async (heading, said) => {
    const name = heading === 'ES modules and CommonJS' ? 'program.cjs' : 'program.mjs';
    const place = await placed(heading, name);
    expect((await runNode(place, name)).stdout).toEqual(said);
  });

  it('has a test for Jest', async () => {
    const place = await placed('Jest', 'music.test.js');
    expect((await runNode(place, runners.jest, '--ci')).stderr).toMatch(/^Tests: +2 passed, 2 total$/m);
  });

  it('has a test for Vitest', async () => {
    const place = await placed('Vitest', 'music.test.mjs');
    expect((await runNode(place, runners.vitest, 'run')).stdout).toMatch(/^ *Tests +2 passed \(2\)$/m);
  });

  it('has a test for node:test', async () => {
    const place = await placed('node:test', 'music.test.mjs');
    const { stdout } = await runNode(place, '--test', '--test-reporter=tap');
    expect(stdout).toMatch(/^# pass 2$/m);
  });

  it('has no other programs', () => {
    expect(programs.size).toBe(9);
  });

  async function placed(heading: string, name: string): Promise<string> {
    const place = join(workspace, 'page', heading.replaceAll(/\W/g, '-'));
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), '{ "name": "page", "private": true }');
    await writeFile(join(place, name), programs.get(heading)!);
    return place;
  }
});

/** The blocks of JavaScript by the heading above them; a heading has one at most. */
function programsOf(page: string): Map<string, string> {
  const programs = new Map<string, string>();
  for (const section of page.split(/^#+ /m).slice(1)) {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```js\n(.*?)^```$/gms)];
    if (blocks.length > 1) throw new Error(`There are ${blocks.length} programs under "${heading}"`);
    for (const block of blocks) programs.set(heading, block[1]!);
  }
  return programs;
}
