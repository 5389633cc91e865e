import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { installed } from '../clients/installed-programs.ts';
import { newDirectory } from '../storage/directories.ts';
import { blocksOf, install, output, root } from './page-blocks.ts';

const hasCli = (await installed('aws', ['--version'])).length > 0;
const blocks = (path: string) => blocksOf(readFileSync(`${root}/${path}`, 'utf8'));

const databases: Stator[] = [];
let folder: string | undefined;
afterEach(async () => {
  await Promise.all(databases.splice(0).map((db) => db.close()));
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

it.runIf(hasCli)('the commands of the README make a table, an item, and find it', async () => {
  const { url } = await served();
  folder = await newDirectory();
  const commands = blocks('README.md').find(({ text }) => text.includes('aws dynamodb create-table'))!;
  expect(commands.text.match(/aws dynamodb/g)).toHaveLength(3);
  const printed = await output(commands.text.replaceAll('http://127.0.0.1:8000', url), folder);
  expect(printed).toContain('"TableName": "Music"');
  // The answer of put-item is empty, so that of get-item follows that of create-table.
  expect(JSON.parse(printed.slice(printed.lastIndexOf('\n{')))).toEqual({
    Item: { Artist: { S: 'Nina Simone' }, Born: { N: '1933' } },
  });
});

it('the program of the page about operations copies a table', async () => {
  const [from, to] = [await served(), await served()];
  const table = {
    TableName: 'Orders',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    BillingMode: 'PAY_PER_REQUEST',
  } as const;
  for (const { db } of [from, to]) await db.createTable(table);
  // More than a page of a Scan, and no multiple of a batch.
  for (let id = 0; id < 103; id++)
    await from.db.putItem({
      TableName: 'Orders',
      Item: { id: { N: `${id}` }, text: { S: 'x'.repeat(20_000) } },
    });
  folder = await newDirectory();
  await install(folder);
  const program = blocks('docs/operations.md').find(({ words }) => words === 'copy-table.mjs')!;
  await writeFile(`${folder}/copy-table.mjs`, program.text);
  const variables = 'AWS_REGION=us-east-1 AWS_ACCESS_KEY_ID=local AWS_SECRET_ACCESS_KEY=local';
  const printed = await output(`${variables} node copy-table.mjs Orders ${from.url} ${to.url}`, folder);
  expect(printed).toBe('103 items copied\n');
  const { Table } = await to.db.describeTable({ TableName: 'Orders' });
  expect(Table).toMatchObject({ ItemCount: 103 });
});

async function served(): Promise<{ db: Stator; url: string }> {
  const db = await Stator.open();
  databases.push(db);
  return { db, url: (await db.listen({ port: 0 })).url };
}
