import { rm } from 'node:fs/promises';
import { CreateTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Stator, type StatorOptions } from '../../src/index.ts';
import { VirtualClock } from '../../src/runtime/clock.ts';
import { newDirectory } from '../storage/directories.ts';
import { allKeys } from './store-content.ts';

const TableName = 'catalogued';
const simple = {
  TableName,
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' as const }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' as const }],
};
const onDemand = { ...simple, BillingMode: 'PAY_PER_REQUEST' as const };
const provisioned = { ...simple, ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 } };
const withIndex = {
  ...onDemand,
  GlobalSecondaryIndexes: [
    {
      IndexName: 'again',
      KeySchema: simple.KeySchema,
      Projection: { ProjectionType: 'ALL' as const },
    },
  ],
};
const Item = { pk: { S: 'a' } };
const notFound = 'ResourceNotFoundException: Requested resource not found';
const inUse = 'ResourceInUseException: Attempt to change a resource which is still in use: ';

const databases: Stator[] = [];
const directories: string[] = [];

afterEach(async () => {
  await Promise.all(databases.splice(0).map((db) => db.close()));
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

async function open(options: StatorOptions): Promise<Stator> {
  const db = await Stator.open(options);
  databases.push(db);
  return db;
}

describe('the catalogue', () => {
  it('survives restarts with all that is known of a table', async () => {
    const directory = await newDirectory();
    directories.push(directory);
    const first = await Stator.open({ store: { directory } });
    await first.createTable({
      ...withIndex,
      StreamSpecification: { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' },
      DeletionProtectionEnabled: true,
      TableClass: 'STANDARD_INFREQUENT_ACCESS',
      OnDemandThroughput: { MaxReadRequestUnits: 7 },
      Tags: [{ Key: 'team', Value: 'blue' }],
    });
    await first.updateTimeToLive({
      TableName,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' },
    });
    await first.putItem({ TableName, Item });
    await first.createTable({ ...provisioned, TableName: 'another' });
    await first.deleteTable({ TableName: 'another' });
    const told = await everything(first);
    await first.close();

    const second = await open({ store: { directory } });
    expect(await everything(second)).toEqual(told);
    expect(await second.getItem({ TableName, Key: Item })).toEqual({ Item });
    await expect(second.createTable(onDemand)).rejects.toThrow(`Table already exists: ${TableName}`);
  });

  it('says in the log when a table that is missed exists in another Region', async () => {
    const lines: string[] = [];
    const db = await open({ log: (line) => lines.push(line) });
    const ofRegion = (region: string) => db.client({ region, maxAttempts: 1 });
    for (const region of ['eu-west-1', 'ap-south-1'])
      await ofRegion(region).send(new CreateTableCommand(onDemand));
    const read = () => ofRegion('us-east-1').send(new GetItemCommand({ TableName, Key: Item }));
    await expect(read()).rejects.toThrow('Requested resource not found');
    await expect(read()).rejects.toThrow('Requested resource not found');
    await vi.waitFor(() => expect(lines).not.toEqual([]));
    // Once is enough.
    expect(lines).toEqual([
      `Table ${TableName} was not found in Region us-east-1, but it exists in eu-west-1, ap-south-1.`,
    ]);
  });
});

describe('with physics enforced', () => {
  const startMs = Date.UTC(2026, 10, 15);

  async function enforced(seed: number): Promise<{ db: Stator; clock: VirtualClock }> {
    const clock = new VirtualClock(startMs);
    return { db: await open({ clock, seed, physics: 'enforce' }), clock };
  }

  async function status(db: Stator): Promise<string> {
    return answer(db.describeTable({ TableName }).then(({ Table }) => Table!.TableStatus));
  }

  /** Moves the clock on until the table's status is another one, and answers how long that took. */
  async function durationOf(phase: string, db: Stator, clock: VirtualClock): Promise<number> {
    expect(await status(db)).toBe(phase);
    const began = clock.nowMicros();
    while ((await status(db)) === phase) clock.advanceMs(10);
    return (clock.nowMicros() - began) / 1000;
  }

  function expectBetween(ms: number, least: number, most: number): void {
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most + 10);
  }

  it('a table is created in two to six seconds, and cannot be used before', async () => {
    const { db, clock } = await enforced(1);
    expect((await db.createTable(onDemand)).TableDescription!.TableStatus).toBe('CREATING');
    expect(await answer(db.putItem({ TableName, Item }))).toBe(notFound);
    expect(await answer(db.getItem({ TableName, Key: Item }))).toBe(notFound);
    const beingCreated = `${inUse}Table is being created: ${TableName}`;
    expect(await answer(db.deleteTable({ TableName }))).toBe(beingCreated);
    expect(await answer(db.updateTable({ TableName, DeletionProtectionEnabled: true }))).toBe(beingCreated);
    expect(await answer(db.createTable(onDemand))).toBe(
      `ResourceInUseException: Table already exists: ${TableName}`,
    );
    expect((await db.listTables({})).TableNames).toEqual([TableName]);
    expectBetween(await durationOf('CREATING', db, clock), 2_000, 6_000);
    expect(await status(db)).toBe('ACTIVE');
    await db.putItem({ TableName, Item });
    expect(await db.getItem({ TableName, Key: Item })).toEqual({ Item });
  });

  it('a table with global indexes takes 14 to 22 seconds', async () => {
    const { db, clock } = await enforced(2);
    await db.createTable(withIndex);
    const indexStatus = async () =>
      (await db.describeTable({ TableName })).Table!.GlobalSecondaryIndexes![0]!.IndexStatus;
    expect(await indexStatus()).toBe('CREATING');
    expectBetween(await durationOf('CREATING', db, clock), 14_000, 22_000);
    expect(await indexStatus()).toBe('ACTIVE');
  });

  it('changes of throughput and billing take their time, in which items can be used', async () => {
    const { db, clock } = await enforced(3);
    await db.createTable(provisioned);
    await durationOf('CREATING', db, clock);
    const units = { ReadCapacityUnits: 5, WriteCapacityUnits: 5 };
    const phases: [Parameters<Stator['updateTable']>[0], number, number][] = [
      [{ TableName, ProvisionedThroughput: units }, 1_000, 2_000],
      [{ TableName, BillingMode: 'PAY_PER_REQUEST' }, 129_000, 172_000],
      [{ TableName, BillingMode: 'PROVISIONED', ProvisionedThroughput: units }, 60_000, 98_000],
      [{ TableName, BillingMode: 'PAY_PER_REQUEST' }, 4_000, 5_000],
    ];
    for (const [change, least, most] of phases) {
      await db.updateTable(change);
      await db.putItem({ TableName, Item });
      expect(await db.getItem({ TableName, Key: Item, ConsistentRead: true })).toEqual({ Item });
      const busy = `${inUse}Table IOPS are currently being updated. Table: ${TableName}`;
      expect(await answer(db.updateTable(change))).toBe(busy);
      expect(await answer(db.deleteTable({ TableName }))).toBe(busy);
      expectBetween(await durationOf('UPDATING', db, clock), least, most);
      expect(await status(db)).toBe('ACTIVE');
    }
  });

  it('settings without a phase of their own leave the table active', async () => {
    const { db, clock } = await enforced(4);
    await db.createTable(onDemand);
    await durationOf('CREATING', db, clock);
    await db.updateTable({ TableName, DeletionProtectionEnabled: true });
    await db.updateTable({ TableName, OnDemandThroughput: { MaxReadRequestUnits: 5 } });
    expect(await status(db)).toBe('ACTIVE');
  });

  it('a table is deleted in four to six seconds, and its name is free right afterwards', async () => {
    const { db, clock } = await enforced(5);
    await db.createTable(onDemand);
    await durationOf('CREATING', db, clock);
    await db.putItem({ TableName, Item });
    const { TableArn: arn } = (await db.describeTable({ TableName })).Table!;
    expect((await db.deleteTable({ TableName })).TableDescription!.TableStatus).toBe('DELETING');
    expect(await answer(db.getItem({ TableName, Key: Item }))).toBe(notFound);
    expect(await answer(db.putItem({ TableName, Item }))).toBe(notFound);
    const beingDeleted = `${inUse}Table is being deleted: ${TableName}`;
    expect(await answer(db.deleteTable({ TableName }))).toBe(beingDeleted);
    expect(await answer(db.createTable(onDemand))).toBe(beingDeleted);
    // A tag must not bring anything of the table back.
    const tag = db.tagResource({ ResourceArn: arn!, Tags: [{ Key: 'a', Value: 'b' }] });
    expect(await answer(tag)).toContain('ResourceNotFoundException');
    await db.engine.settled();
    // Nothing is left but the record that tells of the deletion.
    expect(await allKeys(db.engine.store)).toHaveLength(1);
    expect((await db.listTables({})).TableNames).toEqual([TableName]);
    expectBetween(await durationOf('DELETING', db, clock), 4_000, 6_000);
    expect(await status(db)).toBe(`${notFound}: Table: ${TableName} not found`);
    expect((await db.listTables({})).TableNames).toEqual([]);
    await db.createTable(onDemand);
    await durationOf('CREATING', db, clock);
    expect(await db.getItem({ TableName, Key: Item })).toEqual({});
  });

  it('the setting for time to live rests for half an hour after a change', async () => {
    const { db, clock } = await enforced(6);
    await db.createTable(onDemand);
    await durationOf('CREATING', db, clock);
    const set = (Enabled: boolean) =>
      answer(
        db.updateTimeToLive({
          TableName,
          TimeToLiveSpecification: { Enabled, AttributeName: 'expires' },
        }),
      );
    expect(await set(true)).toBe('done');
    expect(await set(true)).toBe('ValidationException: TimeToLive is already enabled');
    expect(await set(false)).toBe(
      'ValidationException: Time to live has been modified multiple times within a fixed interval',
    );
    clock.advanceMs(31 * 60_000);
    expect(await set(false)).toBe('done');
  });

  it('the same seed gives the same durations, another seed others', async () => {
    const durations = async (seed: number) => {
      const { db, clock } = await enforced(seed);
      await db.createTable(withIndex);
      const creation = await durationOf('CREATING', db, clock);
      await db.deleteTable({ TableName });
      return [creation, await durationOf('DELETING', db, clock)];
    };
    const first = await durations(7);
    expect(await durations(7)).toEqual(first);
    expect(await durations(8)).not.toEqual(first);
  });

  it('a restart in the middle of a phase does not cut it short', async () => {
    const directory = await newDirectory();
    directories.push(directory);
    const clock = new VirtualClock(startMs);
    const options = { store: { directory }, clock, seed: 9, physics: 'enforce' } as const;
    const first = await Stator.open(options);
    await first.createTable(onDemand);
    await first.close();
    clock.advanceMs(1_000);
    const db = await open(options);
    expectBetween((await durationOf('CREATING', db, clock)) + 1_000, 2_000, 6_000);
  });
});

/** All that can be asked about a table. */
async function everything(db: Stator): Promise<object> {
  const { Table: table } = await db.describeTable({ TableName });
  return {
    table,
    tags: await db.listTagsOfResource({ ResourceArn: table!.TableArn! }),
    ttl: await db.describeTimeToLive({ TableName }),
    names: await db.listTables({}),
  };
}

async function answer(request: Promise<unknown>): Promise<string> {
  try {
    const result = await request;
    return typeof result === 'string' ? result : 'done';
  } catch (error) {
    const { name, message } = error as Error;
    return `${name}: ${message}`;
  }
}
