import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';

const startMs = Date.UTC(2026, 0, 1);

function createTable(db: Stator, TableName: string) {
  return db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
}

async function fill(db: Stator, TableName: string): Promise<void> {
  await createTable(db, TableName);
  await db.putItem({ TableName, Item: { pk: { S: TableName } } });
}

const countIn = async (db: Stator, TableName: string) => (await db.scan({ TableName })).Count;

it('a store that is opened again with its seed draws no id again', async () => {
  const directory = await newDirectory();
  const ids: string[] = [];
  for (const name of ['first', 'second', 'third']) {
    await using db = await Stator.open({ store: { directory }, seed: 7, clock: new VirtualClock(startMs) });
    await fill(db, name);
    ids.push((await db.describeTable({ TableName: name })).Table.TableId!);
    expect(await countIn(db, name)).toBe(1);
    expect(await db.check()).toMatchObject({ clean: true });
  }
  expect(new Set(ids).size).toBe(3);
  // A new store draws as the first one did.
  await using other = await Stator.open({ store: { directory: await newDirectory() }, seed: 7 });
  await fill(other, 'first');
  expect((await other.describeTable({ TableName: 'first' })).Table.TableId).toBe(ids[0]);
});

it('a fork with the seed of its original draws no id of it again, nor does a fork of that', async () => {
  await using db = await Stator.open({ seed: 7, clock: new VirtualClock(startMs) });
  await fill(db, 'first');
  await using fork = db.fork({ seed: 7 });
  await fill(fork, 'second');
  await using next = fork.fork({ seed: 7 });
  await fill(next, 'third');
  for (const name of ['first', 'second', 'third']) expect(await countIn(next, name)).toBe(1);
  expect(await next.check()).toMatchObject({ clean: true });
  next.restore(fork);
  await fill(next, 'fourth');
  expect(await countIn(next, 'fourth')).toBe(1);
});
