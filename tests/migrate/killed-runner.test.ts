import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { client } from '../../src/client/index.ts';
import { compile, createTableRequests, planMigration } from '../../src/design/index.ts';
import { Stator } from '../../src/index.ts';
import { runStator } from '../cli/stator-process.ts';
import { first, withCustomers } from './tracking-models.ts';

const directory = mkdtempSync(join(tmpdir(), 'stator-migrate-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const isLong = process.env.STATOR_TEST_LONG === '1';
const sizes = isLong ? [300_000, 1_000_000] : [3_000];
const customers = 500;

it.each(sizes)(
  'adds an access pattern to %i items under load, killed twice, with no error and no throttle',
  async (items) => {
    const plan = planMigration({ model: first }, { model: withCustomers });
    const planFile = join(directory, `plan-${items}.json`);
    writeFileSync(planFile, JSON.stringify(plan));
    await using db = Stator.inMemory({ physics: 'off', seed: 7, observe: true });
    for (const request of createTableRequests(first, plan.from.design))
      await db.createTable(request as never);
    const old = compile(first, plan.from.design);
    for (let n = 0; n < items; n++)
      await db.putItem({ TableName: 'tracking', Item: old.item('Shipment', shipment(n)).item as never });
    const server = await db.listen({ port: 0 });
    const sdk = new DynamoDBClient({
      endpoint: server.url,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    });
    const app = client(withCustomers, { client: sdk, migration: { plan, refreshMs: 300 } });
    const load = new Load(app, items);
    load.start();

    const rate = isLong ? 20_000 : 3_000;
    const up = (writeRate = rate) =>
      runStator(
        [
          ...['migrate', 'up', planFile, '--endpoint', server.url, '--writers-ready', '--json'],
          ...['--write-rate', String(writeRate), '--read-rate', '20000', '--settle', '1', '--segments', '4'],
        ],
        { directory },
      );
    // Each of the first two runners is killed in the middle of the backfill. They are so slow that a segment saves its place
    // four times, with seconds between: the places go with the end of the pass, and must be seen before.
    for (const share of [0.2, 0.55]) {
      const runner = up(items / (isLong ? 4 : 8));
      await until(async () => (await indexed(db)) > items * share || runner.process.exitCode !== null);
      expect(runner.process.exitCode, runner.err.text).toBeNull();
      runner.process.kill('SIGKILL');
      expect(await indexed(db)).toBeLessThan(items);
      expect((await runner.ended).signal).toBe('SIGKILL');
    }
    const beganMs = performance.now();
    const before = await indexed(db);
    const last = await up().ended;
    expect(last.code, last.err).toBe(0);
    const result = JSON.parse(last.out) as { readonly phase: string; readonly left: readonly string[] };
    expect(result).toMatchObject({ phase: 'flipped', left: ['phase done'] });
    await load.stop();

    expect(load.troubles).toEqual([]);
    expect(load.calls).toBeGreaterThan(50);
    // Every shipment that there is now, those of the load included, is found by the new pattern.
    const wanted = new Map<string, string[]>();
    for (const [id, { customer }] of load.all) wanted.set(customer, [...(wanted.get(customer) ?? []), id]);
    for (const customer of isLong ? [...wanted.keys()].slice(0, 20) : [...wanted.keys()].slice(0, 60)) {
      const found = await app.patterns.ofCustomer({ customer }).all();
      expect(found.map(({ shipmentId }) => shipmentId).sort()).toEqual(wanted.get(customer)!.sort());
    }
    const history = (await historyOf(db)).join('\n');
    expect(history).toMatch(/reconcile tracking: .* compared/);
    // What is written twice is at most what came after the last checkpoint of each killed segment.
    expect(history).not.toContain('stops');
    if (isLong)
      console.log(
        `${items} items: the last run took ${((performance.now() - beganMs) / 1000).toFixed(1)} s for ${items - before} items and the reconciliation; the load made ${load.calls} calls, slowest ${load.slowestMs.toFixed(0)} ms`,
      );
    sdk.destroy();
  },
  isLong ? 7_200_000 : 120_000,
);

function shipment(n: number) {
  return {
    shipmentId: `S${n}`,
    createdAt: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    customer: `C${n % customers}`,
    code: `K${n}`,
    status: n % 10 === 0 ? 'OPEN' : 'CLOSED',
    total: n % 1_000,
  } as const;
}

type App = ReturnType<typeof client<NonNullable<(typeof withCustomers)['types']>>>;

/** A program that goes on reading and writing, and remembers what it was told. */
class Load {
  readonly #app: App;
  readonly all = new Map<string, { readonly customer: string }>();
  readonly troubles: string[] = [];
  #running: Promise<void> | undefined;
  #stopped = false;
  calls = 0;
  slowestMs = 0;
  #next: number;

  constructor(app: App, items: number) {
    this.#app = app;
    this.#next = items;
    for (let n = 0; n < items; n++) this.all.set(`S${n}`, { customer: `C${n % customers}` });
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let round = 0; !this.#stopped; round++) {
      await this.#try(async () => {
        const n = this.#next++;
        await this.#app.patterns.register(shipment(n));
        this.all.set(`S${n}`, { customer: `C${n % customers}` });
      });
      const known = `S${(round * 7_919) % this.#next}`;
      await this.#try(async () => {
        const found = await this.#app.patterns.shipmentById({ shipmentId: known });
        if ((found !== undefined) !== this.all.has(known))
          throw new Error(`${known} is ${found ? 'there' : 'gone'}`);
        if (found === undefined) return;
        await this.#app.patterns.close({
          ...{ shipmentId: known, createdAt: found.createdAt },
          ...{ status: 'CLOSED', total: round % 1_000 },
        });
      });
      const doomed = `S${(round * 104_729) % this.#next}`;
      await this.#try(async () => {
        await this.#app.patterns.forget({ shipmentId: doomed });
        this.all.delete(doomed);
      });
      await wait(5);
    }
  }

  async #try(call: () => Promise<void>): Promise<void> {
    const beganMs = performance.now();
    try {
      await call();
    } catch (error) {
      if (this.troubles.length < 5) this.troubles.push(String(error));
    }
    this.calls++;
    this.slowestMs = Math.max(this.slowestMs, performance.now() - beganMs);
  }
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(50);
}

/** How many items the checkpoints of the backfill account for. */
async function indexed(db: Stator): Promise<number> {
  const { Items = [] } = await db.query({
    TableName: 'tracking',
    KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)',
    ExpressionAttributeValues: {
      ':p': { S: '_stator#migration' },
      ':s': { S: 'segment#backfill tracking#' },
    },
  });
  return Items.reduce((sum, { counts }) => {
    const text = (counts as { readonly S?: string } | undefined)?.S ?? '{}';
    return sum + ((JSON.parse(text) as { readonly items?: number }).items ?? 0);
  }, 0);
}

async function historyOf(db: Stator): Promise<string[]> {
  const { Items = [] } = await db.query({
    TableName: 'tracking',
    KeyConditionExpression: 'PK = :p AND begins_with(SK, :s)',
    ExpressionAttributeValues: { ':p': { S: '_stator#migration' }, ':s': { S: 'history#' } },
  });
  return Items.map(({ event, text }) => `${(event as { S: string }).S} ${(text as { S: string }).S}`);
}
