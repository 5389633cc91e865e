import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import allOperations from '../../src/operations/all-operations.ts';
import { installed } from '../clients/installed-programs.ts';
import { newDirectory } from '../storage/directories.ts';
import { agrees, type Runnable, runModule, runnablesOf, runShell, withOutputs } from './handbook-page.ts';
import { install, root } from './page-blocks.ts';

/**
 * Runs every block of docs/handbook that is marked `run` and compares its output with the block behind it. With
 * STATOR_WRITE_HANDBOOK=1 it writes the outputs into the pages instead, for the author to read.
 */
const folder = `${root}/docs/handbook`;
const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));
const runsLong = process.env.STATOR_TEST_LONG === '1';
const writes = process.env.STATOR_WRITE_HANDBOOK === '1';

const lacksCli = (await installed('aws', ['--version'])).length === 0;
const lacksBoto = (await installed('python3', ['-c', 'import boto3'])).length === 0;
const callsCli = ({ language, text }: Runnable) => language === 'sh' && /\baws /.test(text);
const callsBoto = ({ language }: Runnable) => language === 'py';
if (lacksCli)
  console.warn('The AWS CLI is not installed: the blocks of the handbook that call it are not run.');
if (lacksBoto) console.warn('boto3 is not installed: the Python blocks of the handbook are not run.');

const packages: Record<string, () => Promise<unknown>> = {
  stator: () => import('../../src/index.ts'),
  'stator/client': () => import('../../src/client/index.ts'),
  'stator/design': () => import('../../src/design/index.ts'),
  'stator/testing': () => import('../../src/testing/index.ts'),
  '@aws-sdk/client-dynamodb': () => import('@aws-sdk/client-dynamodb'),
  '@aws-sdk/client-dynamodb-streams': () => import('@aws-sdk/client-dynamodb-streams'),
  '@aws-sdk/lib-dynamodb': () => import('@aws-sdk/lib-dynamodb'),
  '@aws-sdk/client-cloudwatch': () => import('@aws-sdk/client-cloudwatch'),
  'node:crypto': () => import('node:crypto'),
  'node:fs/promises': () => import('node:fs/promises'),
  'node:os': () => import('node:os'),
  'node:zlib': () => import('node:zlib'),
};
const load = (name: string) => {
  const found = packages[name];
  if (found === undefined) throw new Error(`The handbook imports ${name}, which a reader may not have.`);
  return found();
};

describe('the handbook', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await newDirectory();
    await install(directory);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it.each(pages)('%s prints what it shows', async (name) => {
    const page = readFileSync(`${folder}/${name}`, 'utf8');
    const blocks = runnablesOf(page);
    // Blocks for both programs may build on each other: where one is missing, none of the page's is run.
    const lacks = (lacksCli && blocks.some(callsCli)) || (lacksBoto && blocks.some(callsBoto));
    const runs = blocks.filter(
      (block) => (runsLong || !block.isLong) && !(lacks && (callsCli(block) || callsBoto(block))),
    );
    const modules = runs.filter(({ language }) => language === 'js');
    const commands = runs.filter(({ language }) => language !== 'js');
    const fromModule = await runModule(
      modules.map(({ text }) => text),
      load,
    );
    const fromShell = commands.length === 0 ? [] : await served(commands);
    const printedBy = new Map([
      ...modules.map((block, i) => [block, fromModule[i]!] as const),
      ...commands.map((block, i) => [block, fromShell[i]!] as const),
    ]);
    // A block that does not run here keeps the output it shows.
    const printed = blocks.map((block) => printedBy.get(block) ?? block.shown ?? '');
    if (writes) writeFileSync(`${folder}/${name}`, withOutputs(page, printed));
    else
      for (const [i, { text, shown = '' }] of blocks.entries())
        if (!agrees(printed[i]!, shown)) expect(`${text}\n${printed[i]}`).toBe(`${text}\n${shown}`);
  });

  async function served(commands: readonly Runnable[]): Promise<string[]> {
    const clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
    const db = await Stator.open({ clock, observe: true, seed: 1 });
    try {
      const { url } = await db.listen({ port: 0 });
      return await runShell(commands, { folder: directory, url });
    } finally {
      await db.close();
    }
  }
});

// The studio, the doctor and the course link to these names.
const subjects = [
  ...['method', 'items-and-keys', 'sort-keys', 'indexes', 'relationships', 'partitions', 'capacity-and-cost'],
  ...[
    'consistency',
    'conditions-and-transactions',
    'streams',
    'expiry',
    'tenancy',
    'evolution',
    'global-tables',
  ],
  ...[
    'observability',
    'security',
    'when-to-use',
    'limits',
    'anti-patterns',
    'api',
    'api-tables',
    'recipes',
    'practice',
    'glossary',
  ],
];

describe('the pages of the handbook', () => {
  it('are one for each subject, listed in the README', () => {
    expect([...pages].sort()).toEqual([...subjects.map((name) => `${name}.md`), 'README.md'].sort());
    const readme = readFileSync(`${folder}/README.md`, 'utf8');
    expect(subjects.filter((name) => !readme.includes(`](${name}.md`))).toEqual([]);
  });

  it('show every operation in a block that runs', () => {
    const blocks = ['api', 'api-tables'].flatMap((name) =>
      runnablesOf(readFileSync(`${folder}/${name}.md`, 'utf8')),
    );
    const text = blocks.map((block) => block.text).join('\n');
    const lacking = Object.values(allOperations)
      .flatMap((operations) => Object.keys(operations))
      .filter((operation) => {
        const name = `${operation[0]!.toUpperCase()}${operation.slice(1)}`;
        // The document client leaves "Item" out of the names of its commands.
        const ways = [
          `db\\.${operation}\\(`,
          `new ${name.replace(/Items?$/, '(?:Items?)?')}Command\\(`,
          `paginate${name}\\(`,
        ];
        return !new RegExp(ways.join('|')).test(text);
      });
    expect(lacking).toEqual([]);
  });

  it('lead from one to the next', () => {
    const next = (name: string) =>
      /^Next: \[[^\]]+\]\(([\w-]+)\.md\)\.$/m.exec(readFileSync(`${folder}/${name}.md`, 'utf8'))?.[1];
    expect(subjects.map(next)).toEqual([...subjects.slice(1), undefined]);
  });
});

describe('a page of the handbook', () => {
  it('fails where its output differs, and lets … stand for lines', () => {
    expect(agrees('a\nb\nc\n', 'a\n…\nc\n')).toBe(true);
    expect(agrees('a\nc\n', 'a\n…\nc\n')).toBe(true);
    expect(agrees('a\nb\nd\n', 'a\n…\nc\n')).toBe(false);
    expect(agrees('1.5\n', '1x5\n')).toBe(false);
    expect(agrees('printed\n', '')).toBe(false);
  });

  it('runs its blocks in one scope, and tells which one failed', async () => {
    const blocks = ["import { Stator as S } from 'stator';\nconst x = typeof S;\n", 'console.log(x);\n'];
    expect(await runModule(blocks, load)).toEqual(['', 'function\n']);
    await expect(runModule(['missing();\n'], load)).rejects.toThrow('This block failed:\nmissing();');
  });

  it('is written with its outputs', () => {
    const page = '```sh run\necho a\n```\n\nText\n\n```js run\nf()\n```\n\n```text\nold\n```\n';
    expect(withOutputs(page, ['a\n', 'new\n'])).toBe(
      '```sh run\necho a\n```\n\n```text\na\n```\n\nText\n\n```js run\nf()\n```\n\n```text\nnew\n```\n',
    );
  });
});
