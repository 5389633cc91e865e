import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type AttributeMapInput, Stator, type StatorOptions, VirtualClock } from '../../src/index.ts';
import { openTestStore } from '../postgres/test-store.ts';
import { rounds, seededRandom, testSeeds } from '../seeded-random.ts';
import { newDirectory } from '../storage/directories.ts';
import { canonical, definition, NaiveHistory, TableName } from './naive-history.ts';

const start = Date.UTC(2026, 10, 18, 22, 59, 59, 500);

describe('a random history', () => {
  const cleanUps: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0)) await cleanUp();
  });

  const stores: [name: string, writes: number, open: () => Promise<NonNullable<StatorOptions['store']>>][] = [
    ['memory', 400, async () => 'memory'],
    [
      'lmdb',
      200,
      async () => {
        const directory = await newDirectory();
        cleanUps.push(() => rm(directory, { recursive: true, force: true }));
        return { directory, durability: 'relaxed' };
      },
    ],
    ['postgres', 60, openTestStore],
  ];

  for (const [name, writes, open] of stores)
    it.each(testSeeds(`restores on ${name}`))(`is restored to any moment, on ${name}, %i`, async (seed) => {
      const random = seededRandom(seed);
      for (let round = 0; round < rounds(1); round++) {
        const clock = new VirtualClock(start);
        const db = await Stator.open({ store: await open(), clock, seed: random.below(1_000) });
        cleanUps.push(() => db.close());
        await db.createTable(definition);
        const history = new NaiveHistory(db, clock, random);
        for (let i = 0; i < 20; i++) await history.write();
        const since = clock.nowMs();
        await db.updateContinuousBackups({
          TableName,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        });
        const backups: [ms: number, arn: string][] = [];
        for (let i = 0; i < writes; i++) {
          if (random.chance(4 / writes)) {
            const { BackupDetails } = await db.createBackup({ TableName, BackupName: `backup-${i}` });
            // Later writes of a clock that stands still do not belong to the backup.
            backups.push([history.times.length, BackupDetails.BackupArn]);
          }
          await history.write();
        }
        const window = 35 * 86_400_000;
        const earliest = Math.max(since, clock.nowMs() - window);
        const moments = history.times.filter((ms) => ms >= earliest);
        for (let i = 0; i < 10; i++) {
          const ms = random.pick(moments) + random.pick([0, 0, -1, 1, 500]);
          if (ms < earliest || ms > clock.nowMs()) continue;
          const target = `restored-${i}`;
          await db.restoreTableToPointInTime({
            SourceTableName: TableName,
            TargetTableName: target,
            RestoreDateTime: ms / 1000,
          });
          await db.settled();
          expect(await allItems(db, target), `${new Date(ms).toISOString()}`).toEqual(history.at(ms));
          await agrees(db, target, ms);
          const other = random.pick(moments);
          const [from, to] = other < ms ? [other, ms] : [ms, other];
          const changed: string[] = [];
          for await (const { keys } of db.changes(TableName, { from, to }))
            changed.push(`[${canonical(keys)}]`);
          expect(changed.sort()).toEqual(history.changed(from, to));
        }
        for (const [written, arn] of backups) {
          const target = `from-backup-${written}`;
          await db.restoreTableFromBackup({ BackupArn: arn, TargetTableName: target });
          await db.settled();
          expect(await allItems(db, target)).toEqual(history.after(written));
          const { Table } = await db.describeTable({ TableName: target });
          expect(Table.TableStatus).toBe('ACTIVE');
        }
        expect(await db.check()).toMatchObject({ clean: true, findings: [], unjudged: [] });
      }
    });
});

async function allItems(db: Pick<Stator, 'scan'>, TableName: string): Promise<string[]> {
  const items: string[] = [];
  let key: AttributeMapInput | undefined;
  do {
    const page = await db.scan({ TableName, Limit: 50, ...(key && { ExclusiveStartKey: key }) });
    items.push(...(page.Items ?? []).map((item) => canonical(item)));
    key = page.LastEvaluatedKey;
  } while (key !== undefined);
  return items.sort();
}

/** A view of the past answers what the restored table answers: items, queries both ways, and both kinds of index. */
async function agrees(db: Stator, restored: string, ms: number): Promise<void> {
  const view = db.at(ms);
  const there = await allItems(db, restored);
  expect(await allItems(view, TableName)).toEqual(there);
  const first = (await db.scan({ TableName: restored, Limit: 1 })).Items?.[0];
  if (first !== undefined) {
    const Key = { pk: first.pk!, sk: first.sk! };
    expect(await view.getItem({ TableName, Key })).toEqual({ Item: first });
    const versions = await db.versions(TableName, Key);
    const current = versions.find(({ fromMs, toMs }) => fromMs < ms + 1 && (toMs ?? Infinity) >= ms + 1);
    expect(current?.item).toEqual(first);
  }
  for (const [name, value, IndexName] of [
    ['pk', 'p1', undefined],
    ['pk', 'p1', 'by-n'],
    ['owner', 'o1', 'by-owner'],
  ] as const)
    for (const ScanIndexForward of [true, false]) {
      const query = {
        ...(IndexName && { IndexName }),
        ScanIndexForward,
        Limit: 7,
        KeyConditionExpression: '#k = :v',
        ExpressionAttributeNames: { '#k': name },
        ExpressionAttributeValues: { ':v': { S: value } },
      };
      expect(await view.query({ TableName, ...query })).toEqual(
        await db.query({ TableName: restored, ...query }),
      );
    }
}
