import { afterEach, beforeEach, expect, it } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { Places } from './places.ts';
import type { StatorProcess } from './stator-process.ts';

const places = new Places();
const TableName = 'Orders';
let db: Stator;
let server: StatorServer;
let endpoint: string;

beforeEach(async () => {
  db = await Stator.open();
  server = await db.listen({ port: 0 });
  endpoint = server.url;
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'id', AttributeType: 'S' },
      { AttributeName: 'line', AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'id', KeyType: 'HASH' },
      { AttributeName: 'line', KeyType: 'RANGE' },
    ],
  });
});

afterEach(async () => {
  await db.close();
});

async function start(...args: string[]): Promise<StatorProcess> {
  const child = places.start(await places.directory(), ['tail', TableName, '--endpoint', endpoint, ...args]);
  await child.err.until(/Following Orders/);
  return child;
}

const put = (id: string, line: number, more: Record<string, object> = {}) =>
  db.putItem({ TableName, Item: { id: { S: id }, line: { N: String(line) }, ...more } as never });

const enableStream = (StreamViewType: 'NEW_AND_OLD_IMAGES' | 'KEYS_ONLY' = 'NEW_AND_OLD_IMAGES') =>
  db.updateTable({ TableName, StreamSpecification: { StreamEnabled: true, StreamViewType } });

it('ends when nobody reads it any more', async () => {
  const tail = await start('--enable');
  await put('a', 1);
  await tail.out.until(/INSERT/);
  tail.process.stdout!.destroy();
  await put('b', 1);
  expect(await tail.ended).toMatchObject({ code: 0, signal: null });
});

it('prints changes with their differences until Ctrl-C', async () => {
  const tail = await start('--enable');
  await put('a', 1, {
    total: { N: '5' },
    ship: { M: { city: { S: 'Ulm' }, zip: { S: '1' } } },
    old: { BOOL: true },
  });
  await tail.out.until(/INSERT/);
  await put('a', 1, {
    total: { N: '6' },
    ship: { M: { city: { S: 'Bonn' }, zip: { S: '1' } } },
    note: { S: 'x' },
  });
  await tail.out.until(/MODIFY/);
  await db.deleteItem({ TableName, Key: { id: { S: 'a' }, line: { N: '1' } } });
  await tail.out.until(/REMOVE/);
  tail.process.kill('SIGINT');
  const { code, out } = await tail.ended;
  expect(code).toBe(0);
  expect(
    out
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
      .trimEnd()
      .split('\n'),
  ).toEqual([
    'TIME  INSERT  id="a" line=1',
    '  + old    true',
    '  + ship   {city: "Ulm", zip: "1"}',
    '  + total  5',
    'TIME  MODIFY  id="a" line=1',
    '  + note       "x"',
    '  - old        true',
    '  ~ ship.city  "Ulm" → "Bonn"',
    '  ~ total      5 → 6',
    'TIME  REMOVE  id="a" line=1',
    '  - note   "x"',
    '  - ship   {city: "Bonn", zip: "1"}',
    '  - total  6',
  ]);
});

it('prints records as JSON, from the oldest, of chosen kinds, keys and content', async () => {
  await enableStream();
  for (const [id, line, total] of [
    ['a', 1, 1],
    ['a', 2, 9],
    ['b', 1, 9],
    ['last', 1, 9],
  ] as const)
    await put(id, line, { total: { N: String(total) } });
  await put('a', 2, { total: { N: '2' } });
  await put('last', 1, { total: { N: '3' } });
  const keysOf = async (...args: string[]) => {
    const tail = await start('--json', ...(args.includes('--from') ? [] : ['--from', 'oldest']), ...args);
    await tail.out.until(/"last"/);
    tail.process.kill('SIGTERM');
    const { out, code } = await tail.ended;
    expect(code).toBe(0);
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, never>);
    return records
      .map(
        ({
          eventName,
          dynamodb,
        }: {
          eventName?: string;
          dynamodb?: { Keys: { id: { S: string }; line: { N: string } } };
        }) => `${eventName} ${dynamodb!.Keys.id.S}${dynamodb!.Keys.line.N}`,
      )
      .sort();
  };
  expect(await keysOf('--event', 'insert')).toEqual(['INSERT a1', 'INSERT a2', 'INSERT b1', 'INSERT last1']);
  expect(await keysOf('--where', "total > 5 OR id = 'last'", '--event', 'MODIFY')).toEqual([
    'MODIFY a2',
    'MODIFY last1',
  ]);
  expect(await keysOf('--key', '{"id":{"S":"last"},"line":1}')).toEqual(['INSERT last1', 'MODIFY last1']);
  expect(await keysOf('--key', 'last', '--from', new Date(Date.now() - 60_000).toISOString())).toEqual([
    'INSERT last1',
    'MODIFY last1',
  ]);
});

it('begins with the next change, and shows what a stream of keys has', async () => {
  await enableStream('KEYS_ONLY');
  await put('before', 1);
  const tail = await start();
  await put('after', 1, { n: { N: '1' } });
  await tail.out.until(/after/);
  tail.process.kill('SIGINT');
  const { out } = await tail.ended;
  expect(out).toMatch(/^\S+ \S+ {2}INSERT {2}id="after" line=1\n$/);
});

it('goes on with a server that was away, and ends with the stream', async () => {
  await enableStream();
  const tail = await start();
  const { port } = server;
  await server.close(0);
  await tail.err.until(/trying again/);
  await put('meanwhile', 1);
  await db.listen({ port });
  await tail.out.until(/meanwhile/);
  await db.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
  await tail.err.until(/The stream has ended/);
  expect((await tail.ended).code).toBe(0);
});

it.each([
  [[], 2, 'There is no table to follow.'],
  [['Missing'], 1, 'ResourceNotFoundException: Requested resource not found: Table: Missing not found'],
  [['Orders'], 1, 'Table Orders has no stream, so that its changes cannot be followed.'],
  [
    ['Orders', '--event', 'CHANGE'],
    2,
    '--event must be one or more of INSERT, MODIFY and REMOVE, with commas between them.',
  ],
  [
    ['Orders', '--from', 'yesterday'],
    2,
    '--from must be now, oldest, or a time such as 2026-11-15T12:00:00Z.',
  ],
  [['Orders', '--key', '{'], 2, '--key is not JSON: {.'],
  [
    ['Orders', '--endpoint', 'aws'],
    1,
    'There are no credentials for AWS in the environment, and none in the AWS profile.',
  ],
])('refuses %j', async (args, code, said) => {
  const all = args.includes('--endpoint') ? args : [...args, '--endpoint', endpoint];
  const ended = await places.run(await places.directory(), ['tail', ...all], {
    AWS_ACCESS_KEY_ID: '',
    AWS_SECRET_ACCESS_KEY: '',
  });
  expect(ended.err.split('\n')[0]).toBe(`stator: ${said}`);
  expect(ended.code).toBe(code);
  expect(ended.out).toBe('');
});

it('says what is wrong with a condition, and when nobody answers', async () => {
  const wrong = await places.run(await places.directory(), [
    'tail',
    'Orders',
    '--where',
    'total >',
    '--endpoint',
    endpoint,
  ]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain('--where is not a condition: ');
  const nobody = await places.run(await places.directory(), [
    'tail',
    'Orders',
    '--endpoint',
    'http://127.0.0.1:1',
  ]);
  expect(nobody.code).toBe(1);
  expect(nobody.err).toContain('Nobody answers at http://127.0.0.1:1');
});
