import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';
import { Places } from './places.ts';
import { runHere } from './run-here.ts';

const places = new Places();
const clock = new VirtualClock(Date.UTC(2026, 10, 18, 9));
let db: Stator;
let endpoint: string;
let root: string;

const keys = {
  AttributeDefinitions: ['PK', 'SK', 'mail'].map((AttributeName) => ({
    AttributeName,
    AttributeType: 'S' as const,
  })),
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' as const },
    { AttributeName: 'SK', KeyType: 'RANGE' as const },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'ByMail',
      KeySchema: [{ AttributeName: 'mail', KeyType: 'HASH' as const }],
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    },
  ],
  BillingMode: 'PAY_PER_REQUEST' as const,
};

const customers = 40;
const orders = 600;

beforeAll(async () => {
  root = await newDirectory();
  await mkdir(join(root, 'buckets', 'data'), { recursive: true });
  db = await Stator.open({ clock, s3: { directory: join(root, 'buckets') } });
  endpoint = (await db.listen({ port: 0 })).url;
  await db.createTable({ TableName: 'Orders', ...keys });
  await db.updateContinuousBackups({
    TableName: 'Orders',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  for (let i = 0; i < customers; i++)
    await put({ PK: `CUST#${i}`, SK: 'PROFILE', mail: `c${i}@corp.test`, since: '2020-02-29' });
  for (let i = 0; i < orders; i++)
    await put({
      PK: `CUST#${i % customers}`,
      SK: `ORDER#${i}`,
      owner: `c${i % customers}@corp.test`,
      note: 'n',
    });
});

afterAll(() => db.close());

const put = (item: Readonly<Record<string, string>>, TableName = 'Orders') =>
  db.putItem({
    TableName,
    Item: Object.fromEntries(Object.entries(item).map(([name, S]) => [name, { S }])),
  });

type Item = Readonly<Record<string, { readonly S: string }>>;

async function itemsOf(TableName: string, from: Stator = db): Promise<Item[]> {
  const items: Item[] = [];
  for (let ExclusiveStartKey: object | undefined; ; ) {
    const page = await from.scan({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) } as never);
    items.push(...((page.Items ?? []) as unknown as Item[]));
    if (page.LastEvaluatedKey === undefined) break;
    ExclusiveStartKey = page.LastEvaluatedKey;
  }
  const text = (item: Item) => `${item.PK?.S} ${item.SK?.S}`;
  return items.sort((a, b) => (text(a) < text(b) ? -1 : 1));
}

const rules = {
  values: {
    customer: 'hash',
    mail: { fake: 'email' },
    when: { shiftDays: 30 },
    secret: 'drop',
  },
  attributes: {
    PK: 'CUST#{customer}',
    mail: '{mail}',
    owner: '{mail}',
    since: '{when}',
    note: '{secret}',
  },
};

const directoryWith = (files: Readonly<Record<string, unknown>> = {}) =>
  places.directory({ 'orders.json': { TableName: 'any', ...keys }, 'rules.json': rules, ...files });

describe('stator export', () => {
  const exportOrders = (...args: string[]) =>
    runHere(root, ['export', 'Orders', '--bucket', 'data', '--endpoint', endpoint, '--json', ...args]);
  const import_ = (directory: string, ...args: string[]) =>
    runHere(directory, ['import', ...args, '--endpoint', endpoint, '--json']);
  const folderOf = (out: string) =>
    join(root, 'buckets', 'data', (JSON.parse(out) as { manifest: string }).manifest, '..');

  it('full, with incremental exports behind it, makes the same table as a later full export', async () => {
    const directory = await directoryWith();
    const first = await exportOrders('--prefix', 'one');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(first.out)).toMatchObject({ event: 'exported', items: customers + orders });
    const copied = await import_(
      directory,
      'Copy',
      '--source',
      folderOf(first.out),
      '--create',
      'orders.json',
    );
    expect(copied).toMatchObject({ code: 0 });
    expect(await itemsOf('Copy')).toEqual(await itemsOf('Orders'));

    for (let window = 0; window < 2; window++) {
      clock.advanceMs(60_000);
      const from = clock.nowMicros() / 1000;
      await put({ PK: 'CUST#0', SK: 'ORDER#0', owner: `changed ${window}` });
      await put({ PK: 'CUST#new', SK: `ORDER#${window}` });
      await db.deleteItem({
        TableName: 'Orders',
        Key: { PK: { S: 'CUST#1' }, SK: { S: `ORDER#${1 + window * customers}` } },
      });
      clock.advanceMs(20 * 60_000);
      const to = clock.nowMicros() / 1000;
      const times = [from, to].map((ms) => String(ms));
      const done = await exportOrders('--from', times[0]!, '--to', times[1]!, '--prefix', 'incremental');
      expect(done).toMatchObject({ code: 0, err: '' });
      const merged = await import_(directory, 'Copy', '--source', folderOf(done.out), '--merge');
      expect(JSON.parse(merged.out)).toMatchObject({ read: 3, written: 3, refused: 0 });
    }
    const later = await exportOrders();
    await import_(directory, 'Later', '--source', folderOf(later.out), '--create', 'orders.json');
    expect(await itemsOf('Copy')).toEqual(await itemsOf('Later'));
    expect(await itemsOf('Later')).toEqual(await itemsOf('Orders'));
    const listed = await runHere(root, ['export', '--list', '--endpoint', endpoint]);
    expect(listed.out.trim().split('\n')).toHaveLength(4);

    // Both incremental exports lie under one prefix.
    const several = await import_(
      directory,
      'Copy',
      '--source',
      join(folderOf(later.out), '..', '..', 'incremental'),
      '--merge',
    );
    expect(several).toMatchObject({ code: 1, err: expect.stringContaining('2 exports') });
  });

  it('takes the items and attributes that its expressions name', async () => {
    const values = JSON.stringify({ ':c': { S: 'CUST#3' }, ':o': { S: 'ORDER#' } });
    const done = await exportOrders(
      ...['--key-condition', 'PK = :c AND begins_with(SK, :o)', '--values', values],
      ...['--projection', 'SK, #o', '--names', '{"#o":"owner"}', '--prefix', 'some'],
    );
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(done.out)).toMatchObject({ items: orders / customers });
    const [name] = await readdir(join(folderOf(done.out), 'data'));
    const lines = gunzipSync(await readFile(join(folderOf(done.out), 'data', name!))).toString();
    expect(lines.split('\n')).toContain('{"Item":{"SK":{"S":"ORDER#43"},"owner":{"S":"c3@corp.test"}}}');
    const wrong = await exportOrders('--filter', 'owner = :who', '--values', '[]');
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.err).toContain('--values must be a JSON object');
  });

  it('refuses what is wrong', async () => {
    const refusals: [string[], number, string][] = [
      [['export', 'Orders'], 2, 'no bucket'],
      [['export', 'Orders', '--bucket', 'b', '--to', '2026-01-01T00:00:00Z'], 2, 'has a beginning'],
      [['export', 'Orders', '--bucket', 'b', '--s3-dir', '.'], 2, 'own place for buckets'],
      [['export', 'Orders', '--bucket', 'b', '--data-dir', './x'], 2, 'where buckets are'],
      [['export', 'Orders', '--bucket', 'nowhere', '--endpoint', endpoint], 1, 'S3NoSuchBucket'],
      [['import', 'New'], 2, 'one source'],
      [['import', 'New', '--source', 'a', '--bucket', 'b'], 2, 'one source'],
      [['import', 'New', '--source', 'nowhere', '--endpoint', endpoint], 1, 'cannot be read'],
      [['import', 'New', '--bucket', 'data', '--rules', 'r', '--endpoint', endpoint], 2, 'imports by itself'],
      [
        [
          'import',
          'Orders',
          '--source-table',
          'Orders',
          '--source-endpoint',
          endpoint,
          '--endpoint',
          endpoint,
        ],
        1,
        'is there already',
      ],
      [
        ['import', 'New', '--source-table', 'None', '--source-endpoint', endpoint, '--endpoint', endpoint],
        1,
        'ResourceNotFoundException',
      ],
    ];
    const directory = await directoryWith();
    for (const [args, code, words] of refusals) {
      const ending = await runHere(directory, args);
      expect([args, ending.code, ending.out]).toEqual([args, code, '']);
      expect(ending.err).toContain(words);
    }
    expect((await readdir(directory)).sort()).toEqual(['orders.json', 'rules.json']);
  });
});

describe('stator import', () => {
  it('copies a table with its indexes, anonymised, and reports what was changed', async () => {
    const directory = await directoryWith({ secret: 'a secret of more than sixteen bytes' });
    const copy = (name: string, ...more: string[]) =>
      runHere(directory, [
        ...['import', name, '--source-table', 'Orders', '--source-endpoint', endpoint],
        ...['--endpoint', endpoint, '--rules', 'rules.json', '--secret-file', 'secret', ...more],
      ]);
    const ending = await copy('Anonymous', '--report', 'report.json');
    expect(ending).toMatchObject({ code: 0, err: '' });
    expect(ending.out).toContain('Left as they are, because no rule names them: SK (');
    const found = await itemsOf('Anonymous');
    const originals = await itemsOf('Orders');
    expect(found).toHaveLength(originals.length);
    const text = JSON.stringify(found);
    expect(text).not.toMatch(/corp\.test|CUST#\d+"|"note"|2020-02-29/);
    // Keys still join: an order has its customer's key, and its owner is that customer's mail.
    const profiles = new Map(found.filter(({ SK }) => SK!.S === 'PROFILE').map((item) => [item.PK!.S, item]));
    expect(profiles.size).toBe(customers);
    const joined = found.filter(({ SK, owner }) => SK!.S.startsWith('ORDER#') && owner !== undefined);
    const right = joined.filter(({ PK, owner }) => profiles.get(PK!.S)?.mail?.S === owner!.S);
    const expected = originals.filter(({ owner }) => owner?.S.endsWith('corp.test'));
    expect(right).toHaveLength(expected.length);
    const report = JSON.parse(await readFile(join(directory, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ read: originals.length, written: originals.length, refused: 0 });
    const since = report.anonymised.attributes.find(({ path }: { path: string }) => path === 'since');
    expect(since).toMatchObject({ changed: customers, unmatched: 0 });
    const { Table } = await db.describeTable({ TableName: 'Anonymous' });
    expect(Table!.GlobalSecondaryIndexes).toHaveLength(1);
    // The same secret gives the same values, another one others.
    await copy('Again');
    expect(await itemsOf('Again')).toEqual(found);
    await writeFile(join(directory, 'secret'), 'another secret of more than sixteen bytes');
    await copy('Other');
    expect(JSON.stringify(await itemsOf('Other'))).not.toContain(found[0]!.PK!.S);
    expect((await readdir(directory)).sort()).toEqual(['orders.json', 'report.json', 'rules.json', 'secret']);
  });

  it('reads CSV and JSON files into a data directory, and keeps refused rows', async () => {
    const line = (PK: string) => `${JSON.stringify({ Item: { PK: { S: PK }, SK: { S: '1' } } })}\n`;
    const directory = await directoryWith({ 'rows.csv': 'PK;SK;total\na;1;5\nb;;6\nc;3;\na;1;7\n' });
    await mkdir(join(directory, 'json'));
    await writeFile(
      join(directory, 'json', 'a.json.gz'),
      gzipSync(`${line('x')}{"Item":{"PK":{"N":"1"}}}\n${line('y')}`),
    );
    await writeFile(join(directory, 'json', 'b.jsonl'), `${line('z')}no JSON\n${line('unread')}`);
    const run = (...args: string[]) =>
      runHere(directory, ['import', ...args, '--create', 'orders.json', '--data-dir', 'data', '--json']);
    const csv = await run('Csv', '--source', 'rows.csv', '--delimiter', ';');
    expect(csv.code).toBe(1);
    expect(JSON.parse(csv.out)).toMatchObject({ read: 4, written: 3, refused: 1 });
    const json = await run('Json', '--source', 'json');
    expect(JSON.parse(json.out)).toMatchObject({ read: 5, written: 3, refused: 2 });
    const errors = (await readFile(join(directory, 'stator-import-Json.errors.jsonl'), 'utf8'))
      .trim()
      .split('\n');
    expect(errors.map((text) => JSON.parse(text))).toEqual([
      { source: 'a.json.gz', line: 2, error: expect.any(String), keys: { PK: { N: '1' } } },
      {
        source: 'b.jsonl',
        error: expect.stringMatching(/^Line 2 is not JSON.* Nothing behind line 1 is imported$/),
      },
    ]);
    await using own = await Stator.open({ store: { directory: join(directory, 'data') } });
    expect((await itemsOf('Csv', own)).map((item) => [item.PK!.S, item.total?.S])).toEqual([
      ['a', '7'],
      ['c', undefined],
    ]);
    expect((await itemsOf('Json', own)).map(({ PK }) => PK!.S)).toEqual(['x', 'y', 'z']);
    expect(await own.check()).toMatchObject({ clean: true });
  });

  it('refuses rows that are no items, one by one, anonymised or not', async () => {
    const row = (item: unknown) => `${JSON.stringify({ Item: item })}\n`;
    const good = (PK: string) => row({ PK: { S: PK }, SK: { S: '1' } });
    const bad = [
      ...[{ PK: { S: 5 }, SK: { S: '1' } }, { PK: null, SK: { S: '1' } }, { PK: { S: 'a' } }, null],
      ...[
        { PK: { Q: 'b' }, SK: { S: '1' } },
        { PK: { S: 'first' }, SK: { S: '1' }, since: { N: 'x' } },
      ],
      ...[{ PK: { S: 'c' }, SK: { S: '1' }, note: { S: 'x'.repeat(500_000) } }],
      ...[{ PK: { S: 'd' }, SK: { S: '1' }, owner: { SS: 'x' } }],
    ];
    const rows = `${good('first')}${bad.map(row).join('')}${good('last')}`;
    const directory = await directoryWith({ 'rows.json': rows });
    for (const [table, more] of [['Plain', []] as const, ['Hidden', ['--rules', 'rules.json']] as const]) {
      const ending = await runHere(directory, [
        ...['import', table, '--source', 'rows.json', '--create', 'orders.json', ...more],
        ...['--endpoint', endpoint, '--json'],
      ]);
      expect(ending.code).toBe(1);
      const isPlain = more.length === 0;
      // Rules that drop the note make its item small enough, and a hash is a number.
      const refused = isPlain ? bad.length : bad.length - 2;
      expect(JSON.parse(ending.out)).toMatchObject({ read: bad.length + 2, refused });
      const file = await readFile(join(directory, `stator-import-${table}.errors.jsonl`), 'utf8');
      const lines = file.trim().split('\n');
      expect(lines).toHaveLength(refused);
      // A good row stays although a bad one with its key comes later.
      if (isPlain) expect((await itemsOf(table)).map(({ PK }) => PK!.S)).toEqual(['first', 'last']);
    }
  });

  it('treats sets, lists every nested place without a rule, and fails by the name of a rule that fits nothing', async () => {
    const item = (n: number) => ({
      PK: { S: `CUST#${n}` },
      SK: { S: '1' },
      emails: { SS: [`a${n}@corp.test`, `b${n}@corp.test`] },
      profile: { M: { ssn: { S: `ssn-${n}` }, phones: { L: [{ S: `phone-${n}` }] } } },
    });
    const rows = [1, 2, 3].map((n) => `${JSON.stringify({ Item: item(n) })}\n`).join('');
    const attributes = { PK: 'CUST#{v}', SK: '{}', 'emails[]': '{v}', 'profile.phones[]': '{v}' };
    const directory = await directoryWith({
      'rows.json': rows,
      'nested.json': { values: { v: 'hash' }, attributes },
      'misspelt.json': { values: { v: 'hash' }, attributes: { ...attributes, 'profile.snn': '{v}' } },
      'strict.json': { values: { v: 'hash' }, attributes, unlisted: 'fail' },
    });
    const run = (table: string, file: string) =>
      runHere(directory, [
        ...['import', table, '--source', 'rows.json', '--create', 'orders.json', '--rules', file],
        ...['--endpoint', endpoint],
      ]);
    const nested = await run('Nested', 'nested.json');
    expect(nested).toMatchObject({ code: 0, err: '' });
    expect(nested.out).toContain('because no rule names them: profile.ssn (3)');
    const text = JSON.stringify(await itemsOf('Nested'));
    expect(text).not.toMatch(/corp\.test|phone-|CUST#\d+"/);
    expect(text).toContain('ssn-2');
    const misspelt = await run('Misspelt', 'misspelt.json');
    expect(misspelt).toMatchObject({
      code: 1,
      err: expect.stringContaining('No value stands at profile.snn: this rule changed nothing.'),
    });
    const strict = await run('Strict', 'strict.json');
    expect(strict).toMatchObject({ code: 1, err: expect.stringContaining('No rule names profile.ssn') });
    expect(await itemsOf('Strict')).toEqual([]);
  });

  it('refuses rules that drop a key before it makes the table', async () => {
    const directory = await directoryWith({
      'drop.json': { values: { gone: 'drop' }, attributes: { SK: ['PROFILE', '{gone}'] } },
    });
    const from = ['--source-table', 'Orders', '--source-endpoint', endpoint, '--endpoint', endpoint];
    const ending = await runHere(directory, ['import', 'Keyless', ...from, '--rules', 'drop.json']);
    expect(ending).toMatchObject({ code: 1, err: expect.stringContaining('The rules drop SK') });
    expect((await db.listTables({})).TableNames).not.toContain('Keyless');
    expect(await readdir(directory)).not.toContain('.stator-import-Keyless.json');
  });

  it('warns of fakes that may make two keys one', async () => {
    const directory = await directoryWith({
      'fakes.json': {
        values: { who: { fake: 'name' }, mail: { fake: 'email' } },
        attributes: { PK: 'CUST#{mail}', SK: ['PROFILE', 'OF#{who}'], note: '{who}' },
      },
    });
    await writeFile(join(directory, 'rows.csv'), 'PK,SK,note\nCUST#a,OF#b,c\n');
    const ending = await runHere(directory, [
      ...['import', 'Faked', '--source', 'rows.csv', '--create', 'orders.json', '--rules', 'fakes.json'],
      ...['--endpoint', endpoint],
    ]);
    expect(ending.code).toBe(0);
    expect(ending.err.match(/The rules fake \{\w+\} in \w+/g)).toEqual(['The rules fake {who} in SK']);
  });

  it('keeps its secret from the first row on, also where it merges', async () => {
    const directory = await directoryWith();
    await db.createTable({ TableName: 'Merged', ...keys });
    let writes = 0;
    // Between the command and the table: it passes some batches, and then refuses one.
    const between = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const isRefused = /BatchWriteItem/.test(String(request.headers['x-amz-target'])) && ++writes === 4;
        const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
        const body = Buffer.concat(chunks);
        const answer = isRefused
          ? new Response('{"__type":"AccessDeniedException","message":"not today"}', { status: 400 })
          : await fetch(endpoint, { method: 'POST', headers, body });
        response.writeHead(answer.status).end(await answer.text());
      });
    });
    await new Promise<void>((done) => between.listen(0, '127.0.0.1', done));
    const args = [
      ...['import', 'Merged', '--source-table', 'Orders', '--source-endpoint', endpoint, '--merge'],
      ...['--endpoint', `http://127.0.0.1:${(between.address() as AddressInfo).port}`],
      ...['--rules', 'rules.json', '--json', '--segments', '1', '--parallel', '1'],
    ];
    const state = join(directory, '.stator-import-Merged.json');
    const first = await runHere(directory, args);
    expect(first).toMatchObject({ code: 1, err: expect.stringContaining('the same command goes on') });
    expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ read: 0, secret: expect.any(String) });
    const begun = await itemsOf('Merged');
    expect(begun.length).toBeGreaterThan(0);
    expect((await runHere(directory, args)).code).toBe(0);
    // What the first run wrote is replaced by the same items.
    const found = await itemsOf('Merged');
    expect(found).toHaveLength((await itemsOf('Orders')).length);
    expect(found).toEqual(expect.arrayContaining(begun));
    expect(existsSync(state)).toBe(false);
    between.closeAllConnections();
    between.close();
  });

  it('tells what stopped it, also where its state cannot be kept', async () => {
    const directory = await directoryWith();
    const notes = join(directory, 'notes');
    const source = createServer((request, response) => {
      const isScan = String(request.headers['x-amz-target']).endsWith('.Scan');
      request.resume().on('end', async () => {
        if (isScan) {
          // A file takes the place of the state's folder while the source is read.
          await rm(notes, { recursive: true });
          await writeFile(notes, '');
        }
        const answer = isScan ? { __type: 'AccessDeniedException', message: 'not yours' } : { Table: {} };
        response.writeHead(isScan ? 400 : 200).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((done) => source.listen(0, '127.0.0.1', done));
    const { port } = source.address() as AddressInfo;
    const ending = await runHere(directory, [
      ...['import', 'Stopped', '--source-table', 'Orders', '--source-endpoint', `http://127.0.0.1:${port}`],
      ...[
        '--create',
        'orders.json',
        '--endpoint',
        endpoint,
        '--state',
        'notes/state.json',
        '--segments',
        '1',
      ],
    ]);
    expect(ending.code).toBe(1);
    expect(ending.err).toContain('AccessDeniedException: not yours');
    expect(ending.err).toMatch(/cannot be noted: .*notes/);
    source.close();
  });

  it('refuses a damaged export with the place of the damage, and writes nothing of that file', async () => {
    const directory = await directoryWith();
    const done = await runHere(root, [
      'export',
      'Orders',
      '--bucket',
      'data',
      '--prefix',
      'damaged',
      '--endpoint',
      endpoint,
      '--json',
    ]);
    const { manifest } = JSON.parse(done.out) as { manifest: string };
    const folder = join(root, 'buckets', 'data', manifest, '..');
    const [file] = await readdir(join(folder, 'data'));
    const packed = await readFile(join(folder, 'data', file!));
    packed[packed.length >> 1]! ^= 1;
    await writeFile(join(folder, 'data', file!), packed);
    const args = ['import', 'Damaged', '--source', folder, '--create', 'orders.json', '--endpoint', endpoint];
    const ending = await runHere(directory, args);
    expect(ending).toMatchObject({ code: 1, err: expect.stringContaining(`${file} is damaged: its MD5 is`) });
    expect(await itemsOf('Damaged')).toEqual([]);
    await writeFile(join(folder, 'manifest-files.json'), '{}\n');
    expect((await runHere(directory, args)).err).toContain('manifest-files.json is damaged');
  });

  it('refuses manifests that contradict each other, and exports of a newer format', async () => {
    const directory = await directoryWith();
    const request = ['Orders', '--bucket', 'data', '--prefix', 'odd', '--endpoint', endpoint, '--json'];
    const done = await runHere(root, ['export', ...request]);
    const { manifest } = JSON.parse(done.out) as { manifest: string };
    const folder = join(root, 'buckets', 'data', manifest, '..');
    const written = (name: string) => readFile(join(folder, `${name}.json`), 'utf8');
    const write = async (name: string, text: string) => {
      await writeFile(join(folder, `${name}.json`), text);
      await writeFile(join(folder, `${name}.checksum`), createHash('md5').update(text).digest('base64'));
    };
    const refusal = async () => {
      const args = ['import', 'Odd', '--source', folder, '--create', 'orders.json', '--endpoint', endpoint];
      const { code, err } = await runHere(directory, args);
      return `${code} ${err.split('\n')[0]}`;
    };
    const [files, summary] = [await written('manifest-files'), await written('manifest-summary')];
    await write('manifest-files', '');
    expect(await refusal()).toContain(
      '1 stator: The manifests contradict each other: manifest-files.json lists',
    );
    await write('manifest-files', files);
    const changed = (change: object) => JSON.stringify({ ...(JSON.parse(summary) as object), ...change });
    await write('manifest-summary', changed({ version: '2099-01-01' }));
    expect(await refusal()).toContain(
      '1 stator: The export has the format version 2099-01-01, and this version',
    );
    await write('manifest-summary', changed({ exportType: 'SIDEWAYS_EXPORT' }));
    expect(await refusal()).toContain('1 stator: The export has the unknown type SIDEWAYS_EXPORT.');
    await write('manifest-summary', changed({ exportType: 'FULL_EXPORT' }));
    expect(
      (
        await runHere(directory, [
          'import',
          'Odd',
          '--source',
          folder,
          '--create',
          'orders.json',
          '--endpoint',
          endpoint,
        ])
      ).code,
    ).toBe(0);
  });

  it('lets the server import from its bucket', async () => {
    const directory = await directoryWith();
    await mkdir(join(root, 'buckets', 'data', 'csv'));
    await writeFile(join(root, 'buckets', 'data', 'csv', 'a.csv'), 'PK,SK\na,1\nb,\n');
    const ending = await runHere(directory, [
      ...['import', 'Served', '--bucket', 'data', '--prefix', 'csv/', '--format', 'csv'],
      ...['--create', 'orders.json', '--endpoint', endpoint, '--json'],
    ]);
    expect(JSON.parse(ending.out)).toMatchObject({ read: 2, written: 1, refused: 1 });
    expect(ending.code).toBe(1);
  });

  it('that is killed goes on, writes every item and counts each once', async () => {
    const directory = await directoryWith();
    const state = join(directory, '.stator-import-Killed.json');
    const args = [
      ...['import', 'Killed', '--source-table', 'Orders', '--source-endpoint', endpoint],
      ...['--endpoint', endpoint, '--rules', 'rules.json', '--json'],
    ];
    const first = places.start(directory, [...args, '--rate', '1']);
    const saved = () =>
      existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as { read: number }).read : 0;
    while (saved() === 0) await new Promise((done) => setTimeout(done, 20));
    first.process.kill('SIGKILL');
    await first.ended;
    const originals = await itemsOf('Orders');
    expect(saved()).toBeLessThan(originals.length);
    const other = await runHere(directory, [...args, '--segments', '2']);
    expect(other.err).toContain('belongs to an import with other flags');
    const elsewhere = await runHere(directory, [...args, '--region', 'eu-west-1']);
    expect(elsewhere.err).toContain('belongs to an import with other flags');
    // A table that is gone would lack the rows that the first run wrote.
    const text = readFileSync(state, 'utf8').replaceAll('Killed', 'Gone');
    await writeFile(join(directory, '.stator-import-Gone.json'), text);
    const gone = await runHere(
      directory,
      args.map((arg) => (arg === 'Killed' ? 'Gone' : arg)),
    );
    expect(gone.err).toContain('Table Gone, which an earlier run of this import filled in part, is gone.');
    expect((await db.listTables({})).TableNames).not.toContain('Gone');
    const second = await runHere(directory, args);
    expect(second).toMatchObject({ code: 0, err: expect.stringContaining('Going on behind') });
    const { read, written, anonymised } = JSON.parse(second.out);
    expect([read, written]).toEqual([originals.length, originals.length]);
    const pk = anonymised.attributes.find(({ path }: { path: string }) => path === 'PK');
    expect(pk).toMatchObject({ changed: originals.length });
    // One secret for both runs: every customer still has one key.
    const found = await itemsOf('Killed');
    expect(found).toHaveLength(originals.length);
    expect(new Set(found.map(({ PK }) => PK!.S)).size).toBe(new Set(originals.map(({ PK }) => PK!.S)).size);
    expect(existsSync(state)).toBe(false);
  });
});
