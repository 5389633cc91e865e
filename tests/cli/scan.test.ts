import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { Places } from './places.ts';

const places = new Places();
const TableName = 'Orders';
const count = 400;
let db: Stator;
let endpoint: string;

beforeEach(async () => {
  db = await Stator.open();
  endpoint = (await db.listen({ port: 0 })).url;
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  for (let at = 0; at < count; at++)
    await db.putItem({
      TableName,
      Item: {
        id: { S: `o-${at}` },
        status: { S: at % 4 === 0 ? 'active' : 'done' },
        pad: { S: 'x'.repeat(4_000) },
      },
    });
});

afterEach(() => db.close());

const scan = (directory: string, ...args: string[]) =>
  places.run(directory, ['scan', '--endpoint', endpoint, '--table', TableName, ...args]);

type Line = Readonly<Record<string, { readonly S: string }>>;

const read = async (path: string) =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

const ids = (lines: readonly Line[]) => lines.map(({ id }) => id!.S).sort();
const all = Array.from({ length: count }, (_, at) => `o-${at}`).sort();

it('reads every item once into a file, and prints what a filter and a projection leave', async () => {
  const directory = await places.directory();
  const written = await scan(directory, '--segments', '5', '--output', 'all.json');
  expect(written).toMatchObject({ code: 0, out: '' });
  expect(written.err).toContain(`${count} items in `);
  expect(ids(await read(join(directory, 'all.json')))).toEqual(all);
  expect(await readdir(directory)).toEqual(['all.json']);
  const printed = await scan(
    directory,
    ...['--filter', '#s = :s', '--values', '{":s":{"S":"active"}}', '--names', '{"#s":"status"}'],
    ...['--projection', 'id', '--quiet'],
  );
  expect([printed.code, printed.err]).toEqual([0, '']);
  const lines = printed.out.trim().split('\n');
  expect(lines).toHaveLength(count / 4);
  expect(Object.keys(JSON.parse(lines[0]!) as object)).toEqual(['id']);
});

it('runs the printed calls, whose attributes are reserved words', async () => {
  const directory = await places.directory();
  const active = await scan(
    directory,
    ...['--filter', 'status = :s', '--values', '{":s":{"S":"active"}}', '--projection', 'id, status'],
  );
  expect([active.code, active.out.trim().split('\n').length]).toEqual([0, count / 4]);
  expect(Object.keys(JSON.parse(active.out.split('\n')[0]!) as object).sort()).toEqual(['id', 'status']);
  const absent = await scan(
    directory,
    ...['--filter', 'attribute_exists(total) or name = :s', '--values', '{":s":{"S":"x"}}'],
  );
  expect([absent.code, absent.out]).toEqual([0, '']);
});

it.each(['SIGINT', 'SIGKILL'] as const)('goes on after %s, and has every item once', async (signal) => {
  const directory = await places.directory();
  const part = join(directory, 'all.json.part');
  const args = ['scan', '--endpoint', endpoint, '--table', TableName, '--output', 'all.json'];
  const first = places.start(directory, [...args, '--rate', '60']);
  // A state is saved about every second; some pages must be behind the first one.
  const state = join(directory, 'all.json.state');
  while (!existsSync(state) || (await stat(part)).size === 0)
    await new Promise((done) => setTimeout(done, 20));
  first.process.kill(signal);
  const ending = await first.ended;
  if (signal === 'SIGINT') expect(ending).toMatchObject({ code: 1, signal: null });
  expect(existsSync(join(directory, 'all.json'))).toBe(false);
  // A page whose state was not saved is cut off.
  const bytes = await readFile(part);
  await writeFile(part, Buffer.concat([bytes, Buffer.from('{"half":')]));

  const other = await scan(directory, '--output', 'all.json', '--filter', 'id = id');
  expect(other.code).toBe(1);
  expect(other.err).toContain('belongs to a scan with other flags');

  const second = await places.run(directory, args);
  expect(second.err).toContain('Going on behind');
  expect(second.code).toBe(0);
  expect(ids(await read(join(directory, 'all.json')))).toEqual(all);
  expect(await readdir(directory)).toEqual(['all.json']);
});

it('refuses what is wrong and leaves no file behind', async () => {
  const directory = await places.directory({ 'there.json': 'mine' });
  const refusals: [string[], number, string][] = [
    [['--output', 'there.json'], 1, 'is there already'],
    [['--index', 'GSI1'], 1, 'has no index GSI1'],
    [['--filter', 'a = :b', '--output', 'new.json'], 1, 'ValidationException'],
    [['--values', '[1]'], 2, '--values must be a JSON object'],
    [['--segments', '0'], 2, '--segments must be a whole number'],
    [['--rate', 'fast'], 2, '--rate must be a number between'],
  ];
  for (const [args, code, words] of refusals) {
    const ending = await scan(directory, ...args);
    expect([args, ending.code, ending.out]).toEqual([args, code, '']);
    expect(ending.err).toContain(words);
  }
  const nowhere = await places.run(directory, ['scan', '--endpoint', endpoint, '--table', 'Nothing']);
  expect(nowhere.err).toContain('ResourceNotFoundException');
  expect(await readdir(directory)).toEqual(['there.json']);
  expect(await readFile(join(directory, 'there.json'), 'utf8')).toBe('mine');
});
