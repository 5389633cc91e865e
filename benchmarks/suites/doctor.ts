import type { Doctor } from '../../src/doctor/index.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { atMost, type Suite, seen, suiteOf } from '../suite.ts';

/** The bars: seconds of the first look at 200 tables, and milliseconds of CPU of the server for each later one. */
const lookSecondsMax = 5;
const pollCpuMsMax = 50;
const itemsOf = 20;

/** The pace of `stator doctor --watch` unless `--seconds` says otherwise, on the clock of the database. */
const paceMs = 30_000;
/** One table in so many has requests between two looks; with `busy` all have. */
const idlePerActive = 10;

/**
 * `stator doctor` at a server with 200 tables: the first look, and the CPU of later ones, as `--watch` makes them. Thirty
 * seconds of the database's clock pass between two looks, so that definitions and samples age as they would.
 */
const watched =
  (activeEvery: number): Suite =>
  async (options, onProgress) => {
    const tables = options.small ? 10 : (options.items ?? 200);
    const rounds = options.rounds ?? (options.small ? 2 : 20);
    const clock = new VirtualClock(Date.UTC(2026, 0, 5, 9));
    const db = await Stator.open({ clock, observe: true, physics: 'shadow' });
    onProgress(`making ${tables} tables`);
    const names = Array.from({ length: tables }, (_, i) => `table-${String(i).padStart(3, '0')}`);
    for (const [i, name] of names.entries()) await makeTable(db, name, i);
    clock.advanceMs(60_000);
    await db.settled();
    const { url } = await db.listen({ port: 0 });
    const look = async () => {
      const began = { ms: performance.now(), cpu: process.cpuUsage() };
      const answer = await fetch(`${url}/_stator/doctor`);
      const report = (await answer.json()) as Awaited<ReturnType<Doctor['look']>>;
      const { user, system } = process.cpuUsage(began.cpu);
      if (report.tables.length !== tables) throw new Error(`${report.tables.length} tables were looked at`);
      return { ms: performance.now() - began.ms, cpuMs: (user + system) / 1_000, report };
    };
    onProgress('looking for the first time');
    const first = await look();
    const polls: Awaited<ReturnType<typeof look>>[] = [];
    for (let round = 0; round < rounds; round++) {
      onProgress(`looking again, ${round + 1} of ${rounds}`);
      for (let i = 0; i < tables; i += activeEvery) await use(db, names[i]!, round % itemsOf, i);
      clock.advanceMs(paceMs);
      await db.settled();
      polls.push(await look());
    }
    await db.close();
    // What is renewed now and then counts with every look, so that means are right here and medians are not.
    const mean = (of: (poll: (typeof polls)[number]) => number) =>
      polls.reduce((sum, poll) => sum + of(poll), 0) / polls.length;
    const cpu = mean(({ cpuMs }) => cpuMs);
    const active = activeEvery === 1 ? 'all with requests' : `one in ${activeEvery} with requests`;
    const { findings, consumed } = first.report;
    return {
      findings: [
        atMost(`the first look at ${tables} tables`, first.ms / 1_000, lookSecondsMax, 's'),
        atMost(`CPU of a later look, ${active}`, cpu, pollCpuMsMax, 'ms'),
        seen('requests of the first look', consumed.requests, ''),
        seen('requests of a later look', polls.at(-1)!.report.consumed.requests, ''),
      ],
      tables: [
        {
          title: `${tables} tables with ${itemsOf} items and an index each, ${active} between looks`,
          head: ['look', 'ms', 'CPU ms', 'requests', 'read units', 'findings'],
          rows: [
            [
              ...['first', first.ms.toFixed(0), first.cpuMs.toFixed(0), String(consumed.requests)],
              ...[consumed.readUnits.toFixed(1), String(findings.length)],
            ],
            [
              ...['later', mean(({ ms }) => ms).toFixed(0), cpu.toFixed(0)],
              mean(({ report }) => report.consumed.requests).toFixed(0),
              mean(({ report }) => report.consumed.readUnits).toFixed(1),
              String(polls.at(-1)!.report.findings.length),
            ],
          ],
        },
      ],
      notes: [
        'The asking side runs in the same process: its share, a fetch and the JSON of the report, is counted.',
      ],
    };
  };

/** What a watching doctor costs. */
export const doctor: Suite = suiteOf({ watch: watched(idlePerActive), busy: watched(1) });

async function makeTable(db: Stator, TableName: string, seed: number): Promise<void> {
  await db.createTable({
    ...{ TableName, BillingMode: 'PAY_PER_REQUEST' },
    AttributeDefinitions: ['pk', 'sk', 'state'].map((AttributeName) => ({
      ...{ AttributeName, AttributeType: 'S' as const },
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'byState',
        KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  for (let i = 0; i < itemsOf; i++) await use(db, TableName, i, seed);
}

async function use(db: Stator, TableName: string, i: number, seed: number): Promise<void> {
  const Item = { pk: { S: `ID#a${i}b` }, sk: { S: 'META' }, state: { S: `S${(i + seed) % 7}` } };
  await db.putItem({ TableName, Item });
  await db.getItem({ TableName, Key: { pk: Item.pk, sk: Item.sk } });
}
