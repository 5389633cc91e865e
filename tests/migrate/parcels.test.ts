import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import parcels from '../../examples/models/parcels/model.ts';
import unsharded from '../../examples/models/parcels/unsharded.ts';
import { client } from '../../src/client/index.ts';
import { createTableRequests, derive, type MigrationPlan } from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { runHere } from '../cli/run-here.ts';

const directory = mkdtempSync(join(tmpdir(), 'stator-parcels-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const models = resolve('examples/models/parcels');
const events = 240;

it('shards the events of mega-shipments: plan, dual write, backfill, flip, verify, and the way back', async () => {
  await using db = Stator.inMemory({ physics: 'off', seed: 3 });
  const server = await db.listen({ port: 0 });
  const sdk = new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
  });
  for (const request of createTableRequests(unsharded, derive(unsharded)))
    await db.createTable(request as never);
  const before = client(unsharded, { client: sdk }) as unknown as Patterns;
  for (let n = 0; n < events; n++) await before.patterns.scan(event(n));
  expect(await hottest(db)).toBe(events - events / 10);

  const planFile = join(directory, 'migration.json');
  const at = ['--endpoint', server.url];
  const planned = await run(
    'plan',
    join(models, 'unsharded.ts'),
    join(models, 'model.ts'),
    '--out',
    planFile,
    ...at,
  );
  expect(planned.out).toContain(
    '~  key  Event  EVENT#{shipmentId} / {at}#{eventId} → EVENT#{shipmentId}#{shard of',
  );
  expect(planned.out).toContain('backfill Event in parcels');
  const plan = JSON.parse(readFileSync(planFile, 'utf8')) as MigrationPlan;

  // A plan without its steps would look as if it were done.
  const edited = join(directory, 'edited.json');
  const [head, ...others] = plan.steps;
  for (const steps of [[], others, [{ ...head!, kind: 'unknown' }, ...others]]) {
    writeFileSync(edited, JSON.stringify({ ...plan, steps }));
    expect((await refused('up', edited, ...at)).err).toContain('was changed after it was written');
  }

  const dual = await run('up', planFile, ...at, '--settle', '0');
  expect(dual.out).toContain('phase dual-write');
  const app = client(parcels, { client: sdk, migration: { plan, refreshMs: 0 } }) as unknown as Patterns;
  await app.patterns.scan(event(events));
  const up = () => run('up', planFile, ...at, '--settle', '0', '--writers-ready', '--write-rate', '100000');
  await up();
  expect((await app.patterns.history({ shipmentId: 'MEGA' }).all()).length).toBe(events - events / 10 + 1);

  // A list that began before a change over goes on behind it.
  const pages = app.patterns.history({ shipmentId: 'MEGA' });
  const first = await pages.page();
  await run('down', planFile, ...at, '--settle', '0');
  const status = await run('status', planFile, ...at);
  expect(status.out).toContain('Phase dual-write');
  const rest: object[] = [...first.items];
  for await (const page of pages.pages(first.cursor)) rest.push(...page.items);
  expect(rest.length).toBe(events - events / 10 + 1);

  await up();
  const done = await run('up', planFile, ...at, '--settle', '0', '--until', 'done', '--write-rate', '100000');
  expect(done.out).toContain('All steps are done.');
  expect((await app.patterns.history({ shipmentId: 'MEGA' }).all()).length).toBe(events - events / 10 + 1);
  expect(await hottest(db)).toBeLessThan(events / 3);
  expect((await refused('down', planFile, ...at)).err).toContain('there is no way back');
  sdk.destroy();
}, 60_000);

interface Patterns {
  readonly patterns: {
    scan(values: object): Promise<unknown>;
    history(given: { readonly shipmentId: string }): {
      all(): Promise<object[]>;
      page(cursor?: string): Promise<{ readonly items: readonly object[]; readonly cursor?: string }>;
      pages(cursor?: string): AsyncIterable<{ readonly items: readonly object[] }>;
    };
  };
}

function event(n: number) {
  return {
    shipmentId: n % 10 === 9 ? `S${n}` : 'MEGA',
    eventId: `E${String(n).padStart(25, '0')}`,
    at: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    ...{ place: 'Hall 7', kind: 'SCAN', parcel: 'P1' },
  };
}

/** The most events under one partition key. */
async function hottest(db: Stator): Promise<number> {
  const counts = new Map<string, number>();
  const { Items = [] } = await db.scan({ TableName: 'parcels' });
  for (const { PK } of Items) {
    const key = (PK as { readonly S: string }).S;
    if (key.startsWith('EVENT#')) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Math.max(...counts.values());
}

async function run(...args: string[]) {
  const ended = await runHere(directory, ['migrate', ...args]);
  expect(ended.code, ended.err).toBe(0);
  return ended;
}

async function refused(...args: string[]) {
  const ended = await runHere(directory, ['migrate', ...args]);
  expect(ended.code).toBe(1);
  return ended;
}
