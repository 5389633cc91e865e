import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
const TableName = 'Orders';

const run = async (...args: string[]) => {
  const ending = await runHere(await places.directory(), args);
  return { ...ending, lines: ending.out.trim().split('\n') };
};

async function prepare(db: Stator): Promise<{ readonly middle: string }> {
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  const put = (pk: string, total: string) =>
    db.putItem({ TableName, Item: { pk: { S: pk }, total: { N: total } } });
  await put('a', '1');
  await put('b', '1');
  await new Promise((resolve) => setTimeout(resolve, 5));
  const middle = new Date().toISOString();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await put('a', '2');
  await put('c', '1');
  await db.deleteItem({ TableName, Key: { pk: { S: 'b' } } });
  return { middle };
}

it('backs up, restores and compares, with a server and on a data directory', async () => {
  const directory = await places.directory();
  const store = { directory, durability: 'relaxed' } as const;
  let db = await Stator.open({ store });
  const { middle } = await prepare(db);
  const { url } = await db.listen({ port: 0 });
  const ways = [
    { where: ['--endpoint', url], name: 'server' },
    { where: ['--data-dir', directory], name: 'directory' },
  ];
  for (const { where, name } of ways) {
    if (name === 'directory') await db.close();
    const made = await run('backup', TableName, ...where, '--json');
    expect(made.code, made.err).toBe(0);
    const { backupArn, items } = JSON.parse(made.lines[0]!) as { backupArn: string; items: number };
    expect(items).toBe(2);
    const restored = await run('restore', backupArn, '--to', `from-backup-${name}`, ...where);
    expect(restored.out).toMatch(/^from-backup-\w+: 2 items/);
    if (name === 'directory') continue;
    const rewound = await run('restore', TableName, '--to', `rewound-${name}`, '--at', middle, ...where);
    expect(rewound.out).toMatch(/^rewound-\w+: 2 items/);
    const diff = await run('diff', TableName, '--from', middle, ...where, '--json');
    const changes = diff.lines.map((line) => JSON.parse(line) as { change: string; keys: { pk: object } });
    expect(changes.map(({ change, keys }) => [change, keys.pk]).sort()).toEqual([
      ['INSERT', { S: 'c' }],
      ['MODIFY', { S: 'a' }],
      ['REMOVE', { S: 'b' }],
    ]);
    const taken = await run('restore', TableName, '--to', 'rewound-server', ...where);
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('TableAlreadyExistsException') });
    const text = await run('diff', TableName, '--from', middle, ...where);
    expect(text.out).toMatch(/MODIFY {2}pk="?a/);
    expect(text.err).toContain('1 inserted, 1 changed, 1 removed.');
    const listed = await run('backup', '--list', ...where);
    expect(listed.out).toContain(backupArn);
    const deleted = await run('backup', '--delete', backupArn, ...where);
    expect(deleted.out).toContain('Deleted');
  }
  db = await Stator.open({ store });
  expect(await db.check()).toMatchObject({ clean: true, findings: [] });
  await db.close();
});

it('says what is missing', async () => {
  expect(await run('restore', TableName)).toMatchObject({ code: 2 });
  expect(await run('diff', TableName, '--from', 'yesterday-ish')).toMatchObject({ code: 2 });
  const reversed = await run('diff', TableName, '--from', '2026-11-18T10:00Z', '--to', '2026-11-18T09:00Z');
  expect(reversed).toMatchObject({ code: 2, err: expect.stringContaining('later than') });
  const unreachable = await run('backup', TableName, '--endpoint', 'http://127.0.0.1:1');
  expect(unreachable).toMatchObject({ code: 1, err: expect.stringContaining('Nobody answers') });
});

/** A server whose answers are given by operation, or by path; `undefined` breaks the connection. */
async function stubServer(
  answer: (asked: string, body: string) => object | undefined,
): Promise<{ url: string } & Disposable> {
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    const isControl = request.url!.startsWith('/_stator/');
    const body = (await request.toArray()).join('');
    const found = answer(isControl ? request.url!.split('?')[0]! : target!, body);
    if (found === undefined) return void request.socket.destroy();
    response.statusCode = '__type' in found ? 400 : 200;
    response.end(JSON.stringify(found));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

it('waits out a server that restarts in the middle of a backup, and tells why one failed', async () => {
  const BackupDetails = { BackupArn: 'arn:1', BackupName: 'nightly', BackupStatus: 'CREATING' };
  const summaries = [{ ...BackupDetails, BackupName: 'other' }, BackupDetails];
  const asked: string[] = [];
  using server = await stubServer((operation) => {
    asked.push(operation);
    if (operation === 'ListBackups') return { BackupSummaries: summaries };
    if (operation === '/_stator/jobs')
      return {
        jobs: [{ kind: 'backup', tableName: TableName, state: 'FAILED', reason: 'the disk is full' }],
      };
    return asked.filter((each) => each === 'DescribeBackup').length <= 2
      ? undefined
      : { __type: 'BackupNotFoundException', message: 'Backup not found' };
  });
  const ended = await run('backup', TableName, '--name', 'nightly', '--endpoint', server.url);
  expect(ended.err).toMatch(/Going on with arn:1.*trying again.*The backup failed: the disk is full\./s);
  expect(ended.code).toBe(1);
  expect(asked).not.toContain('CreateBackup');
});

it('does not take a restore to another moment for its own', async () => {
  const RestoreSummary = {
    RestoreInProgress: true,
    RestoreDateTime: 1_800_000_000,
    SourceTableArn: 't/Orders',
  };
  let begun = 0;
  using server = await stubServer((operation) => {
    if (operation !== 'DescribeTable') {
      begun++;
      return { __type: 'TableInUseException', message: 'it is taken' };
    }
    return { Table: { TableName: 'new', TableStatus: begun === 0 ? 'CREATING' : 'ACTIVE', RestoreSummary } };
  });
  const to = (at: string) => run('restore', TableName, '--to', 'new', '--at', at, '--endpoint', server.url);
  expect(await to('1800000001000')).toMatchObject({ code: 1, err: expect.stringContaining('taken') });
  expect(await to('1800000000000')).toMatchObject({ code: 0, err: expect.stringContaining('Going on with') });
});

it('compares all pages with the moment of the first', async () => {
  const asked: unknown[] = [];
  using server = await stubServer((_, body) => {
    asked.push(JSON.parse(body));
    return { changes: [], ...(asked.length < 3 && { next: '00', to: '2027-01-15T08:00:00.000Z' }) };
  });
  const ended = await run('diff', TableName, '--from', '1700000000000', '--endpoint', server.url);
  expect(ended.code, ended.err).toBe(0);
  const [from, to] = [1_700_000_000_000, 1_800_000_000_000];
  expect(asked).toEqual([{ from }, { from, to, after: '00' }, { from, to, after: '00' }]);
});
