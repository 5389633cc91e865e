import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { drillText, restoreDrill } from '../../examples/drills/restore-drill.ts';
import {
  addedAttributes,
  type Checkpoint,
  createIndex,
  exportTable,
  indexName,
  type OrderLine,
  ordersOfMonth,
  ordersOfMonthByScan,
  readOrders,
  reconcile,
  writeBack,
} from '../../examples/migrations/export-transform-write-back.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';

const TableName = 'orders';
const keys = {
  AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
  KeySchema: [
    { AttributeName: 'PK', KeyType: 'HASH' as const },
    { AttributeName: 'SK', KeyType: 'RANGE' as const },
  ],
  BillingMode: 'PAY_PER_REQUEST' as const,
};
const recovery = {
  TableName,
  PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
};

let root: string;
let clock: VirtualClock;
let db: Stator;

beforeEach(async () => {
  root = await newDirectory();
  await mkdir(join(root, 'exports'));
  clock = new VirtualClock(Date.parse('2026-11-18T09:00:00Z'));
  db = await Stator.open({ clock, observe: true, physics: 'off', s3: { directory: root } });
  await db.createTable({ TableName, ...keys });
  await db.updateContinuousBackups(recovery);
});
afterEach(() => db.close());

const order = (id: number, more: object = {}) => ({
  ...{ PK: { S: `CUST#${id % 7}` }, SK: { S: `ORDER#${id}` }, order_id: { S: `${id}` } },
  ...{ created_at: { S: `2026-${id % 2 === 0 ? '10' : '11'}-0${1 + (id % 9)}T00:00:00Z` } },
  ...{ status: { S: id % 3 === 0 ? 'shipped' : 'open' }, total: { N: String(id) }, ...more },
});
const put = (Item: object) => db.putItem({ TableName, Item: Item as never });

describe('the restore drill', () => {
  it('restores, compares, says what is left to do, and leaves nothing behind', async () => {
    for (let id = 0; id < 50; id++) await put(order(id));
    clock.advanceMs(60_000);
    const at = new Date(clock.nowMs());
    clock.advanceMs(60_000);
    await put(order(1, { status: { S: 'cancelled' } }));
    await put(order(99));
    await db.deleteItem({ TableName, Key: { PK: { S: 'CUST#2' }, SK: { S: 'ORDER#2' } } });
    await db.updateTimeToLive({
      TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    const report = await restoreDrill(db.client(), { table: TableName, at, copy: 'orders-drill' });
    expect(report).toMatchObject({
      ...{ at: at.toISOString(), items: 50, same: 48, changed: 1, newer: 1, failures: [] },
    });
    expect(report.toDo[0]).toBe('Time to Live on expires');
    expect(drillText(TableName, report)).toContain('The drill has passed.');
    expect((await db.listTables({})).TableNames).toEqual([TableName]);
  });

  it('fails a restore that takes too long, and a table without recovery', async () => {
    await put(order(1));
    const slow = await restoreDrill(db.client(), {
      table: TableName,
      copy: 'orders-drill',
      withinSeconds: 0,
    });
    expect(slow.failures[0]).toMatch(/^The restore took .* s; 0 s are allowed\.$/);
    expect((await db.listTables({})).TableNames).toEqual([TableName]);
    await db.updateContinuousBackups({
      ...{ TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false } },
    });
    await expect(restoreDrill(db.client(), { table: TableName, copy: 'copy' })).rejects.toThrow(
      /could not be restored at all/,
    );
  });
});

describe('the migration by export, transform and write-back', () => {
  const count = 300;
  const read = (key: string) => readFile(join(root, 'exports', key));
  /** A writer after step 1: old and new attributes. */
  const putBoth = (id: number, more: object = {}) => {
    const item = order(id, more);
    return put({ ...item, ...addedAttributes(item as never) });
  };
  const questions = ['open', 'shipped'].flatMap((status) =>
    ['2026-10', '2026-11'].map((month) => ({ status, month })),
  );
  const readUnits = async () => {
    const dimensions = [{ name: 'TableName', value: TableName }];
    const scope = { accountId: '000000000000', region: 'us-east-1', namespace: 'AWS/DynamoDB' };
    const key = { ...scope, name: 'ConsumedReadCapacityUnits', dimensions };
    const points = await db.observation.read(key, 0, Number.MAX_SAFE_INTEGER);
    return points.reduce((sum, point) => sum + point.sum, 0);
  };

  it('fills the new index once, whatever happens meanwhile', async () => {
    const client = db.client();
    for (let id = 0; id < count; id++) await put(order(id));
    await put({ PK: { S: 'CUST#1' }, SK: { S: 'PROFILE' } });
    // Writers know the new schema before the export is made.
    await putBoth(count);
    await createIndex(client, TableName);
    clock.advanceMs(60_000);
    const unitsBefore = await readUnits();
    const exported = await exportTable(client, TableName, 'exports', read);
    expect(await readUnits()).toBe(unitsBefore);
    expect(exported.items).toBe(count + 2);

    // The table is in use: an order changes, one is deleted, one comes.
    await putBoth(4, { status: { S: 'shipped' } });
    await db.deleteItem({ TableName, Key: { PK: { S: 'CUST#5' }, SK: { S: 'ORDER#5' } } });
    await putBoth(count + 1);

    // The first run is stopped in the middle.
    let last: Checkpoint = { file: 0, line: 0 };
    let seen = 0;
    const stopped = writeBack(client, TableName, exported, read, {
      checkpoint(at) {
        last = at;
        if (++seen === 100) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect((await reconcile(client, TableName)).indexed).toBeLessThan(count);
    const rest = await writeBack(client, TableName, exported, read, { from: last });
    // From the beginning again: nothing is done twice.
    const again = await writeBack(client, TableName, exported, read);
    expect(again).toEqual({ updated: 0, already: count, gone: 1, writeUnits: 0 });
    expect(rest.updated).toBeGreaterThan(0);

    const { orders, indexed } = await reconcile(client, TableName);
    expect([orders, indexed]).toEqual([count + 1, count + 1]);
    for (const { status, month } of questions) {
      const found = await ordersOfMonth(client, TableName, status, month);
      expect(found).toEqual(await ordersOfMonthByScan(client, TableName, status, month));
      expect(found.length).toBeGreaterThan(40);
    }
    const { Items: entries = [] } = await db.scan({ TableName, IndexName: indexName });
    expect(new Set(entries.map(({ GSI3PK }) => (GSI3PK as { S: string }).S)).size).toBe(4 * 4);
    // What the writer made of an order since the export stays.
    const { Item } = await db.getItem({ TableName, Key: { PK: { S: 'CUST#4' }, SK: { S: 'ORDER#4' } } });
    expect(Item).toMatchObject({ status: { S: 'shipped' }, schema_version: { N: '2' } });
    expect(await db.check()).toMatchObject({ clean: true });
  });

  it('turns readers to the index and back by a flag, at any time, without a loss', async () => {
    const client = db.client();
    for (let id = 0; id < 40; id++) await put(order(id));
    let percent = 0;
    const callers = Array.from({ length: 50 }, (_, i) => `caller ${i}`);
    const open = { status: 'open', month: '2026-10' };
    const readAll = () =>
      Promise.all(callers.map((caller) => readOrders(client, TableName, { caller, ...open }, () => percent)));
    const kinds = (answers: readonly OrderLine[][]) => new Set(answers.map((lines) => JSON.stringify(lines)));
    const truth = () => ordersOfMonthByScan(client, TableName, open.status, open.month);
    await createIndex(client, TableName);

    // The rehearsal, before there is anything to lose: the index is empty yet, and the flag alone mends that.
    percent = 100;
    expect(await readAll()).toEqual(callers.map(() => []));
    percent = 0;
    expect(kinds(await readAll())).toEqual(new Set([JSON.stringify(await truth())]));
    expect(await truth()).toHaveLength(13);

    await putBoth(40);
    await writeBack(client, TableName, await exportTable(client, TableName, 'exports', read), read);
    expect(await reconcile(client, TableName)).toEqual({ orders: 41, indexed: 41 });

    // A few at first, who stay; then all. Everybody sees the same, whichever way.
    const units = { before: 0, after: 0 };
    for (percent of [0, 10, 50, 100]) {
      units.before = await readUnits();
      expect(kinds(await readAll()).size).toBe(1);
      units.after = await readUnits();
      if (percent === 0) expect(units.after).toBeGreaterThan(units.before);
    }
    // Nobody scans the table any more. Reads of the index are counted apart.
    expect(units.after).toBe(units.before);

    // While all read by the index, an order comes, one changes and one goes. Then the flag is turned back.
    await putBoth(42);
    await putBoth(4, { status: { S: 'shipped' } });
    await db.deleteItem({ TableName, Key: { PK: { S: 'CUST#1' }, SK: { S: 'ORDER#8' } } });
    const forward = await readAll();
    percent = 0;
    expect(await readAll()).toEqual(forward);
    expect(kinds(forward)).toEqual(new Set([JSON.stringify(await truth())]));
    expect(forward[0]!.map(({ id }) => id)).not.toContain('4');
    expect(forward[0]!.map(({ id }) => id)).not.toContain('8');
  });
});
