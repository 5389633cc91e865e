import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exceptions } from '../../src/doctor/exceptions.ts';
import { checkList } from '../../src/doctor/index.ts';
import { installed } from '../clients/installed-programs.ts';
import { blocksOf, output, root } from '../examples/page-blocks.ts';
import { newDirectory } from '../storage/directories.ts';
import { dismissPatients, type Patient, patient, withTable } from './patient.ts';
import { runCommandLine } from './run-command-line.ts';

const folder = `${root}/docs/runbooks`;
const pages = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .sort();
const textOf = (page: string) => readFileSync(`${folder}/${page}`, 'utf8');

/** The lines of the last block, which the page ends with. */
function commandsOf(page: string): string[] {
  const [last] = blocksOf(textOf(page)).slice(-1);
  return last === undefined || last.language !== 'sh' ? [] : last.text.trimEnd().split('\n');
}

let one: Patient;
let directory: string;

async function prepare(): Promise<void> {
  directory = await newDirectory();
  one = await patient({ physics: 'shadow' });
  await withTable(one, {
    TableName: 'Orders',
    AttributeDefinitions: ['pk', 'sk', 'status'].map((AttributeName) => ({
      ...{ AttributeName, AttributeType: 'S' as const },
    })),
    ProvisionedThroughput: { ReadCapacityUnits: 50, WriteCapacityUnits: 40 },
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byStatus',
        KeySchema: [{ AttributeName: 'status', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
        ProvisionedThroughput: { ReadCapacityUnits: 10, WriteCapacityUnits: 10 },
      },
    ],
  });
}

async function tidy(): Promise<void> {
  await dismissPatients();
  await rm(directory, { recursive: true, force: true });
}

describe('the runbooks', () => {
  beforeAll(prepare);
  afterAll(tidy);

  it('are those that findings link to, and the index lists them', () => {
    const wanted = new Set(Object.values(checkList).map(({ runbook }) => `${runbook}.md`));
    expect(pages).toEqual([...wanted].sort());
    for (const page of pages) expect(textOf('README.md')).toContain(`](${page})`);
  });

  it.each(pages)('%s ends in commands that work', async (page) => {
    const commands = commandsOf(page);
    expect(textOf(page).trimEnd().endsWith('```')).toBe(true);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { ok, text } = await runCommandLine(command, one.url, directory);
      expect(ok, `${command}\n${text}`).toBe(true);
      // Changes of tables take their time.
      await one.pass(60_000);
    }
  });

  it('have the exceptions as the doctor tells them', () => {
    const page = textOf('exceptions.md');
    for (const [name, { meaning, retry, cause, firstFix }] of Object.entries(exceptions))
      expect(page).toContain(`| \`${name}\` | ${meaning} | ${retry} | ${cause} | ${firstFix} |`);
  });
});

const hasCli = process.env.STATOR_TEST_LONG === '1' && (await installed('aws', ['--version'])).length > 0;

describe.runIf(hasCli)('with the AWS CLI itself', () => {
  beforeAll(prepare);
  afterAll(tidy);

  it.each(pages)('%s has the commands that the CLI takes', async (page) => {
    const commands = commandsOf(page).filter((command) => command.startsWith('aws '));
    const variables = 'AWS_DEFAULT_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local';
    for (const command of commands) {
      await output(`${variables} ${command.replace('http://127.0.0.1:8000', one.url)}`, directory);
      await one.pass(60_000);
    }
  });
});
