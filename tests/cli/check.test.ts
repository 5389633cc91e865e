import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordKey } from '../../src/engine/store-keys.ts';
import { decodeRecord, prepareTable } from '../../src/engine/tables/table-record.ts';
import { Stator } from '../../src/index.ts';
import { openStore } from '../../src/open-store.ts';
import { Places } from './places.ts';

const places = new Places();
const TableName = 'Orders';

/** A working directory whose `.stator` holds a small database. */
async function withData(): Promise<string> {
  const directory = await places.directory();
  const db = await Stator.open({ store: { directory: join(directory, '.stator') } });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
  });
  for (const id of ['a', 'b']) await db.putItem({ TableName, Item: { id: { S: id } } });
  await db.close();
  return directory;
}

/** One item too many in the table's counter. */
async function damage(directory: string): Promise<void> {
  const store = await openStore({ directory: join(directory, '.stator') }, () => 0);
  const scope = { account: '000000000000', region: 'us-east-1' };
  const record = decodeRecord((await store.get(recordKey(scope, TableName)))!);
  const counter = prepareTable(scope, record).counters.count;
  await store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [{ kind: 'add', counter, delta: 1 }] }),
  });
  await store.close();
}

describe('stator check', () => {
  it('finds nothing wrong with a sound database', async () => {
    const directory = await withData();
    const { code, out, err } = await places.run(directory, ['check']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `Checked ${join(directory, '.stator')}: 1 table, 2 items, 0 index entries.\nEverything fits together.\n`,
    );
  });

  it('reports what is wrong, and ends with 1', async () => {
    const directory = await withData();
    await damage(directory);
    const { code, out, err } = await places.run(directory, ['check']);
    expect(code).toBe(1);
    expect(out).toContain('\n1 finding\n\nitem-count: a counter of items or entries that does not add up\n');
    expect(out).toContain('  000000000000/us-east-1/Orders key 10');
    expect(out).toContain('    expected 2 entries\n    found    3 entries\n');
    expect(err).toMatch(/^stator: 1 finding in .*\.stator\.\nKeep a copy/);
  });

  it('answers programs with JSON', async () => {
    const directory = await withData();
    const clean = await places.run(directory, ['check', '--json']);
    expect(JSON.parse(clean.out)).toMatchObject({
      event: 'checked',
      data: join(directory, '.stator'),
      ...{ clean: true, tables: 1, items: 2, indexEntries: 0, findings: [], counts: {}, unjudged: [] },
    });
    await damage(directory);
    const damaged = await places.run(directory, ['check', '--json']);
    expect(damaged.code).toBe(1);
    const finding = { kind: 'item-count', table: TableName, expected: '2 entries', found: '3 entries' };
    expect(JSON.parse(damaged.out)).toMatchObject({ clean: false, findings: [finding] });
    expect(JSON.parse(damaged.err)).toMatchObject({ level: 'error' });
  });

  it('changes nothing', async () => {
    const directory = await withData();
    const sizes = async () => {
      const names = (await readdir(join(directory, '.stator'))).filter((name) => !name.includes('lock'));
      return Promise.all(
        names.map(async (name) => [name, (await stat(join(directory, '.stator', name))).size]),
      );
    };
    const before = await sizes();
    await places.run(directory, ['check']);
    expect(await sizes()).toEqual(before);
  });

  it('cannot be made where there is no data, and makes none', async () => {
    const directory = await places.directory();
    const { code, err } = await places.run(directory, ['check', '--data-dir', './nowhere']);
    expect(code).toBe(3);
    expect(err).toBe(
      `stator: There is no data in ${join(directory, 'nowhere')}.\n--data-dir names the directory that stator start keeps its data in.\n`,
    );
    expect(await readdir(directory)).toEqual([]);
  });

  it('names the process that has the data, unless both share it', async () => {
    const directory = await withData();
    const server = places.start(directory, ['--port', '0']);
    await server.endpoint();
    const refused = await places.run(directory, ['check']);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain(`is in use by process ${server.process.pid}.\n`);
    // The advice is a command that can be taken as it is, where the system tells who listens where.
    if (process.platform === 'linux') {
      const url = /curl -X POST (http:\S+)\)/.exec(refused.err)![1]!;
      const checked = await fetch(url, { method: 'POST' });
      expect([checked.status, await checked.json()]).toEqual([200, expect.objectContaining({ clean: true })]);
    }
    server.process.kill('SIGTERM');
    await server.ended;

    await places.start(directory, ['--port', '0', '--shared']).endpoint();
    const shared = await places.run(directory, ['check', '--shared']);
    expect({ code: shared.code, err: shared.err }).toEqual({ code: 0, err: '' });
  });

  it('has nothing to look at in memory', async () => {
    const { code, err } = await places.run(await places.directory(), ['check', '--store', 'memory:']);
    expect(code).toBe(2);
    expect(err).toContain('POST /_stator/check');
  });
});
