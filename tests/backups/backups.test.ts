import { describe, expect, it } from 'vitest';
import { behindEverything } from '../../src/engine/history/stamp.ts';
import { chunkKey } from '../../src/engine/store-keys.ts';
import { Stator, StoreError, VirtualClock } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Unit } from '../../src/storage/store.ts';
import { FaultyStore, Gate, holdCall } from '../storage/faulty-store.ts';
import type { Call } from '../storage/intercepted-store.ts';

const TableName = 'orders';
const definition = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
} as const;
const dayMs = 86_400_000;

async function fill(db: Stator, items: number, v: string): Promise<void> {
  for (let first = 0; first < items; first += 25)
    await db.batchWriteItem({
      RequestItems: {
        [TableName]: Array.from({ length: 25 }, (_, i) => ({
          PutRequest: { Item: { pk: { S: `${first + i}` }, v: { S: v } } },
        })),
      },
    });
}

async function valuesIn(db: Pick<Stator, 'scan'>, name: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let key: object | undefined;
  do {
    const page = await db.scan({ TableName: name, ...(key && { ExclusiveStartKey: key as never }) });
    for (const { v } of page.Items ?? []) counts[v!.S!] = (counts[v!.S!] ?? 0) + 1;
    key = page.LastEvaluatedKey;
  } while (key !== undefined);
  return counts;
}

const recover = (db: Stator, RecoveryPeriodInDays = 35) =>
  db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays },
  });

it('a restore whose source no longer keeps its past fails, and leaves no table', async () => {
  const lines: string[] = [];
  const db = Stator.inMemory({ log: (line) => lines.push(line) });
  await db.createTable(definition);
  await recover(db);
  await fill(db, 4_000, 'old');
  await db.restoreTableToPointInTime({
    ...{ SourceTableName: TableName, TargetTableName: 'restored', UseLatestRestorableTime: true },
  });
  // As the keeper of another process does for a process that stood still before it wrote its job.
  const { catalogue, past } = db.engine;
  const scope = { account: '000000000000', region: db.region };
  const source = (await catalogue.record(scope, TableName))!;
  const { jobId } = source.readers![0]!;
  const { storageId } = source;
  await past.backups.letGo({ scope, tableName: TableName, storageId, cut: behindEverything }, jobId);
  await db.settled();
  expect((await db.listTables({})).TableNames).toEqual([TableName]);
  expect(await db.check()).toMatchObject({ clean: true, findings: [] });
  await db.close();
});

describe('a backup', () => {
  it('holds the moment of its request, whatever is written and deleted while it is copied', async () => {
    const db = Stator.inMemory();
    await db.createTable(definition);
    await fill(db, 8_000, 'old');
    const { BackupDetails } = await db.createBackup({ TableName, BackupName: 'before' });
    // A thousand items were copied before the answer; the rest while these are written.
    const described = await db.describeBackup({ BackupArn: BackupDetails.BackupArn });
    expect(described.BackupDescription.BackupDetails.BackupStatus).toBe('CREATING');
    await fill(db, 6_000, 'late');
    for (let n = 7_000; n < 8_000; n += 10) await db.deleteItem({ TableName, Key: { pk: { S: `${n}` } } });
    await db.settled();
    await db.restoreTableFromBackup({
      BackupArn: BackupDetails.BackupArn,
      TargetTableName: 'restored',
    });
    await db.settled();
    expect(await valuesIn(db, 'restored')).toEqual({ old: 8_000 });
    // Nobody needs old images any more.
    expect((await db.engine.catalogue.record(scope, TableName))?.history).toBeUndefined();
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
    await db.close();
  });

  it('has all of a transaction or nothing that commits while it is copied', async () => {
    const gate = new Gate();
    const isTransaction = ({ args }: Call) => (args[0] as Unit<unknown>).reads.length === 3;
    const db = await Stator.open({
      store: new FaultyStore(new MemoryStore(), [
        { method: 'transact', where: isTransaction, effect: holdCall(gate) },
      ]),
    });
    await db.createTable(definition);
    await recover(db);
    await fill(db, 2_000, 'old');
    const keys = (await db.scan({ TableName })).Items!.map(({ pk }) => pk!);
    // Planned before the backup, with its time; committed when the first of both items was copied and the last was not.
    const written = db.transactWriteItems({
      TransactItems: [keys[0]!, keys.at(-1)!].map((pk) => ({
        Put: { TableName, Item: { pk, v: { S: 'new' } } },
      })),
    });
    await gate.reached;
    const { BackupArn } = (await db.createBackup({ TableName, BackupName: 'torn' })).BackupDetails;
    gate.open();
    await written;
    expect((await db.describeBackup({ BackupArn })).BackupDescription.BackupDetails.BackupStatus).toBe(
      'CREATING',
    );
    await db.settled();
    await db.restoreTableFromBackup({ BackupArn, TargetTableName: 'restored' });
    await db.settled();
    expect(await valuesIn(db, 'restored')).toEqual({ old: 2_000 });
    expect(await valuesIn(db, TableName)).toEqual({ old: 1_998, new: 2 });
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
    await db.close();
  });

  it('goes on when its table is deleted, and when the database is forked', async () => {
    const db = Stator.inMemory();
    await db.createTable(definition);
    await fill(db, 8_000, 'old');
    const { BackupDetails } = await db.createBackup({ TableName, BackupName: 'before' });
    await db.deleteTable({ TableName });
    const fork = db.fork();
    for (const each of [db, fork]) {
      await each.settled();
      await each.restoreTableFromBackup({
        BackupArn: BackupDetails.BackupArn,
        TargetTableName: TableName,
      });
      await each.settled();
      expect(await valuesIn(each, TableName)).toEqual({ old: 8_000 });
      expect(await each.check()).toMatchObject({ clean: true, findings: [] });
      await each.close();
    }
  });

  it('that is damaged is refused with the place of the damage, and leaves no table', async () => {
    const lines: string[] = [];
    const db = Stator.inMemory({ log: (line) => lines.push(line) });
    await db.createTable(definition);
    await fill(db, 1_000, 'old');
    const { BackupDetails } = await db.createBackup({ TableName, BackupName: 'before' });
    await db.settled();
    const { store, past } = db.engine;
    const [record] = await past.backups.list(scope, TableName);
    const key = chunkKey(record!.storageId, 2);
    const bytes = Uint8Array.from((await store.get(key))!);
    bytes[100]! ^= 1;
    await store.transact({
      reads: [],
      decide: () => ({ result: undefined, mutations: [{ kind: 'put', key, value: bytes }] }),
    });
    await db.restoreTableFromBackup({
      BackupArn: BackupDetails.BackupArn,
      TargetTableName: 'restored',
    });
    await db.settled();
    const reason = /^Chunk 3 of \d+ of backup .* of table orders is damaged/;
    expect(await past.backups.jobs.list()).toMatchObject([
      { kind: 'restore', phase: 'failed', reason: expect.stringMatching(reason) },
    ]);
    expect(lines.join('\n')).toMatch(/Chunk 3 of/);
    await expect(db.describeTable({ TableName: 'restored' })).rejects.toThrow(/not found/);
    expect(await db.check()).toMatchObject({ clean: false, counts: { 'backup-chunk': 1 } });
    // The backup is free again, to be deleted.
    await db.deleteBackup({ BackupArn: BackupDetails.BackupArn });
    await db.settled();
    expect(await db.check()).toMatchObject({ clean: true });
    await db.close();
  });

  it('ends when the disk is full, and the database goes on', async () => {
    const memory = new MemoryStore();
    let isFull = false;
    const transact = memory.transact.bind(memory);
    memory.transact = (unit) =>
      transact({
        ...unit,
        reads: unit.reads,
        decide: (found) => {
          const decision = unit.decide(found);
          if (isFull && decision.mutations.some((each) => 'key' in each && each.key[0] === 0x11))
            throw new StoreError('full', 'There is no room left on the disk');
          return decision;
        },
      });
    const db = await Stator.open({ store: memory });
    await db.createTable(definition);
    await fill(db, 1_000, 'old');
    isFull = true;
    const { BackupDetails } = await db.createBackup({ TableName, BackupName: 'before' });
    await db.settled();
    await expect(db.describeBackup({ BackupArn: BackupDetails.BackupArn })).rejects.toThrow(
      /Backup not found/,
    );
    expect(await db.engine.past.backups.jobs.list()).toMatchObject([
      { kind: 'backup', phase: 'failed', reason: 'There is no room left on the disk' },
    ]);
    await db.putItem({ TableName, Item: { pk: { S: 'a' }, v: { S: 'new' } } });
    isFull = false;
    await db.createBackup({ TableName, BackupName: 'again' });
    expect((await db.listBackups({ TableName })).BackupSummaries).toMatchObject([{ BackupName: 'again' }]);
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
    await db.close();
  });

  it('can be restored once at a time, and not deleted meanwhile', async () => {
    const db = Stator.inMemory();
    await db.createTable(definition);
    await fill(db, 8_000, 'old');
    const { BackupArn } = (await db.createBackup({ TableName, BackupName: 'before' })).BackupDetails;
    await expect(db.deleteBackup({ BackupArn })).rejects.toThrow(`Backup is being created: ${BackupArn}`);
    await db.settled();
    await db.restoreTableFromBackup({ BackupArn, TargetTableName: 'first' });
    const { Table } = await db.describeTable({ TableName: 'first' });
    expect(Table).toMatchObject({
      TableStatus: 'CREATING',
      RestoreSummary: { SourceBackupArn: BackupArn, RestoreInProgress: true },
    });
    await expect(db.scan({ TableName: 'first' })).rejects.toThrow('Requested resource not found');
    await expect(db.deleteTable({ TableName: 'first' })).rejects.toThrow('Table is being created');
    await expect(db.restoreTableFromBackup({ BackupArn, TargetTableName: 'second' })).rejects.toThrow(
      `Backup is being used to restore another table: ${BackupArn}`,
    );
    await expect(db.deleteBackup({ BackupArn })).rejects.toThrow(
      `Backup is being used to restore table: ${BackupArn}`,
    );
    const again = db.restoreTableFromBackup({ BackupArn, TargetTableName: 'first' });
    await expect(again).rejects.toThrow(`Table: first is already being restored from backup: ${BackupArn}`);
    await db.settled();
    expect((await db.describeTable({ TableName: 'first' })).Table.TableStatus).toBe('ACTIVE');
    await db.deleteBackup({ BackupArn });
    await db.close();
  });
});

const scope = { account: '000000000000', region: 'us-east-1' };

describe('point-in-time recovery', () => {
  it('forgets what is older than its period, by the clock of the database', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = Stator.inMemory({ clock });
    await db.createTable(definition);
    await recover(db, 2);
    for (let day = 0; day < 6; day++) {
      await db.putItem({ TableName, Item: { pk: { S: 'a' }, v: { S: `day ${day}` } } });
      clock.advanceMs(dayMs);
      await db.settled();
    }
    const earliest = clock.nowMs() - 2 * dayMs;
    const { ContinuousBackupsDescription } = await db.describeContinuousBackups({ TableName });
    expect(
      ContinuousBackupsDescription.PointInTimeRecoveryDescription!.EarliestRestorableDateTime!.getTime(),
    ).toBe(earliest);
    const read = (ms: number) => db.at(ms).getItem({ TableName, Key: { pk: { S: 'a' } } });
    expect((await read(earliest)).Item!.v).toEqual({ S: 'day 4' });
    await expect(read(earliest - dayMs)).rejects.toThrow(/^RestoreDateTime .* must be within/);
    // Images that ended before the window are gone from the store.
    const versions = await db.versions(TableName, { pk: { S: 'a' } });
    expect(versions.map(({ item }) => item.v!.S)).toEqual(['day 5', 'day 4']);
    // A longer period begins where the shorter one did: what lies before it is gone.
    const longer = (await recover(db, 35)).ContinuousBackupsDescription.PointInTimeRecoveryDescription!;
    expect(longer.EarliestRestorableDateTime!.getTime()).toBe(earliest);
    await expect(read(earliest - dayMs)).rejects.toThrow(/^RestoreDateTime .* must be within/);
    expect((await read(earliest)).Item!.v).toEqual({ S: 'day 4' });
    await db.close();
  });

  it('leaves a system backup that expires after 35 days', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = Stator.inMemory({ clock });
    await db.createTable(definition);
    await recover(db);
    await fill(db, 100, 'kept');
    await db.deleteTable({ TableName });
    const list = async () => (await db.listBackups({ BackupType: 'SYSTEM' })).BackupSummaries;
    expect(await list()).toHaveLength(1);
    clock.advanceMs(34 * dayMs);
    await db.settled();
    expect(await list()).toHaveLength(1);
    clock.advanceMs(2 * dayMs);
    await db.settled();
    expect(await list()).toEqual([]);
    expect(await db.check()).toMatchObject({ clean: true, findings: [] });
    await db.close();
  });

  it('acts out its phases with enforced physics', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = Stator.inMemory({ clock, physics: 'enforce' });
    await db.createTable(definition);
    await expect(recover(db)).rejects.toThrow(`Table not found: ${TableName}`);
    clock.advanceMs(6_000);
    await recover(db).catch(() => clock.advanceMs(6_000));
    await recover(db);
    const since = clock.nowMs();
    clock.advanceMs(3_600_000);
    const { PointInTimeRecoveryDescription: window } = (await db.describeContinuousBackups({ TableName }))
      .ContinuousBackupsDescription;
    expect(window!.EarliestRestorableDateTime!.getTime()).toBeLessThanOrEqual(since);
    expect(window!.LatestRestorableDateTime!.getTime()).toBe(clock.nowMs() - 300_000);
    await db.restoreTableToPointInTime({
      SourceTableName: TableName,
      TargetTableName: 'restored',
      UseLatestRestorableTime: true,
    });
    await db.settled();
    const status = async () => (await db.describeTable({ TableName: 'restored' })).Table.TableStatus;
    expect(await status()).toBe('CREATING');
    clock.advanceMs(13 * 60_000);
    expect(await status()).toBe('ACTIVE');
    await db.close();
  });

  it('shows the past over the control API', async () => {
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const db = Stator.inMemory({ clock });
    await db.createTable(definition);
    await recover(db);
    const put = (v: string) => db.putItem({ TableName, Item: { pk: { S: 'a' }, v: { S: v } } });
    await put('one');
    clock.advanceMs(60_000);
    await put('two');
    clock.advanceMs(60_000);
    const { url } = await db.listen({ port: 0 });
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`${url}/_stator/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await response.json()) as unknown;
    };
    const time = new Date(clock.nowMs() - 90_000).toISOString();
    expect(await ask(`at/${TableName}?time=${time}`, { GetItem: { Key: { pk: { S: 'a' } } } })).toEqual({
      Item: { pk: { S: 'a' }, v: { S: 'one' } },
    });
    expect(await ask(`at/${TableName}?time=${time}`)).toMatchObject({ Count: 1 });
    expect(await ask(`at/${TableName}?time=${time}`, { PutItem: {} })).toEqual({
      error: 'The body is { "GetItem": {…} }, { "Query": {…} } or { "Scan": {…} }',
    });
    expect(await ask(`at/missing?time=${time}`)).toMatchObject({
      error: expect.stringContaining('not found') as string,
    });
    expect(await ask(`changes/${TableName}?from=${time}`)).toEqual({
      changes: [
        {
          event: 'MODIFY',
          keys: { pk: { S: 'a' } },
          before: { pk: { S: 'a' }, v: { S: 'one' } },
          after: { pk: { S: 'a' }, v: { S: 'two' } },
          at: new Date(clock.nowMs() - 60_000).toISOString(),
        },
      ],
      looked: 1,
    });
    expect(await ask(`changes/${TableName}`, { Key: { pk: { S: 'a' } } })).toMatchObject({
      versions: [{ item: { v: { S: 'two' } } }, { item: { v: { S: 'one' } }, to: expect.anything() }],
    });
    expect(await ask('jobs')).toEqual({ jobs: [] });
    await expect(db.at(time).putItem({ TableName, Item: { pk: { S: 'a' } } })).rejects.toThrow(
      'The past can only be read',
    );
    await db.close();
  });
});
