import { rm } from 'node:fs/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  PutItemCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { setTableModes } from '../../src/engine/capacity/table-modes.ts';
import { Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import { tableArnIn } from '../../src/model/tables/table-arn.ts';
import type { PhysicsOverrides } from '../../src/physics/modes.ts';
import { freshSchema } from '../postgres/test-store.ts';
import { newDirectory } from '../storage/directories.ts';
import { opened, resourceOf, scope, startMs, tableWith } from './load.ts';

const TableName = 'Tracking';
const arn = tableArnIn(scope, TableName);
const put = () => new PutItemCommand({ TableName, Item: { pk: { S: 'a' }, sk: { S: '1' } } });
const provisioned = (units: number) => ({
  BillingMode: 'PROVISIONED' as const,
  ProvisionedThroughput: { ReadCapacityUnits: units, WriteCapacityUnits: units },
});
const set = (db: Stator, modes: PhysicsOverrides | undefined) =>
  setTableModes(db.engine, scope, TableName, modes);
const modeOf = (db: Stator) => db.engine.capacity.modes.of(arn).mode;

async function isRefused(db: Stator): Promise<boolean> {
  const client = db.client({ maxAttempts: 1 });
  await client.send(put()).catch(() => {});
  resourceOf(db).write.balance = -1_000;
  return client.send(put()).then(
    () => false,
    (error: Error) => error.name === 'ProvisionedThroughputExceededException',
  );
}

async function openedIn(
  directory: string,
  options: StatorOptions = {},
): Promise<{ db: Stator; clock: VirtualClock }> {
  const clock = new VirtualClock(startMs);
  const db = await Stator.open({ store: { directory, durability: 'relaxed' }, clock, ...options });
  onTestFinished(() => db.close());
  return { db, clock };
}

async function temporary(): Promise<string> {
  const directory = await newDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

describe('the settings of a table', () => {
  it('that were changed while the server ran are kept over a restart', async () => {
    const directory = await temporary();
    const first = await openedIn(directory);
    await first.db.client().send(new CreateTableCommand(tableWith(provisioned(1))));
    await set(first.db, { mode: 'enforce', effects: { staleReads: false } });
    expect(await isRefused(first.db)).toBe(true);
    await first.db.close();

    const second = await openedIn(directory);
    expect(await isRefused(second.db)).toBe(true);
    expect(second.db.engine.acts('staleReads', { scope, name: TableName })).toBe(false);
    expect(await second.db.check()).toMatchObject({ clean: true });
    await set(second.db, undefined);
    expect(await isRefused(second.db)).toBe(false);
    await set(second.db, { mode: 'enforce' });
    await second.db.close();

    // Also for the request that administers the table, before anybody has used it.
    const third = await openedIn(directory);
    await third.db.client().send(new DeleteTableCommand({ TableName }));
    const { Table } = await third.db.client().send(new DescribeTableCommand({ TableName }));
    expect(Table!.TableStatus).toBe('DELETING');
  });

  it('reach other processes on the same store, where nothing is enforced', async () => {
    const store = { url: inject('postgresUrl'), schema: freshSchema() };
    const lines: string[] = [];
    const open = async () => {
      const db = await Stator.open({ store, log: (line) => lines.push(line) });
      onTestFinished(() => db.close());
      return db;
    };
    const [one, other] = [await open(), await open()];
    await one.client().send(new CreateTableCommand(tableWith(provisioned(1))));
    await other.client().send(put());
    expect(modeOf(other)).toBe('shadow');
    await set(one, { mode: 'off' });
    await other.client().send(put());
    expect(modeOf(other)).toBe('off');
    // The control API refuses this; a store that was used by one process alone may have it.
    await set(one, { mode: 'enforce' });
    await other.client().send(put());
    expect(modeOf(other)).toBe('shadow');
    expect(await isRefused(other)).toBe(false);
    expect(
      lines.filter((line) => line.includes('is kept in "enforce" and judged in "shadow" here')),
    ).toHaveLength(2);
  });

  it('go with the table, and those that the process was started with stay with the name', async () => {
    const all = await opened(tableWith(provisioned(1)), { physics: { tables: { [TableName]: 'enforce' } } });
    const { db, client, clock } = all;
    onTestFinished(() => db.close());
    const again = async () => {
      await client.send(new DeleteTableCommand({ TableName }));
      clock.advanceMs(60_000);
      await client.send(new CreateTableCommand(tableWith(provisioned(1))));
      clock.advanceMs(60_000);
    };
    expect(await isRefused(db)).toBe(true);
    await again();
    expect(await isRefused(db)).toBe(true);
    // A change of the server's settings must not take the table's away.
    db.engine.capacity.modes.setServer({ effects: { indexLag: false } });
    expect(await isRefused(db)).toBe(true);
    await set(db, { mode: 'off' });
    expect(await isRefused(db)).toBe(false);
    const fork = db.fork();
    expect(await isRefused(fork)).toBe(false);
    await fork.close();
    await again();
    expect(await isRefused(db)).toBe(true);
  });

  it('are not brought back by a request that began before they were changed', async () => {
    const { db, client } = await opened(tableWith(provisioned(10)), {});
    onTestFinished(() => db.close());
    await client.send(put());
    const before = db.engine.catalogue.known(scope, TableName)!;
    await client.send(new UpdateTableCommand({ TableName, ...provisioned(50) }));
    await set(db, { mode: 'enforce' });
    await client.send(put());
    await db.engine.capacity.load(before);
    expect([resourceOf(db).write.rate, modeOf(db)]).toEqual([50, 'enforce']);
  });
});
