import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { includedScenarios } from '../../src/lab/included.ts';
import { labHtml } from '../../src/lab/lab-html.ts';
import { scenarioSource } from '../../src/lab/lab-source.ts';
import { laidOver, variantsOf } from '../../src/lab/lay-over.ts';
import { readScenario } from '../../src/lab/read-scenario.ts';
import { recordedSource } from '../../src/lab/recorded-source.ts';
import { runLab } from '../../src/lab/run-lab.ts';
import { runSource } from '../../src/lab/run-source.ts';
import type { Scenario } from '../../src/lab/scenario.ts';
import { scenarioSchema } from '../../src/lab/scenario-schema.ts';
import { labTable } from '../../src/lab/table-requests.ts';
import type { RequestLine } from '../../src/traffic/traffic-file.ts';
import { small } from './small-scenario.ts';

const run = (scenario: Scenario, seed = 3, scale = 1) =>
  runSource(scenarioSource(scenario, scenario.name, ''), { seed, scale });

function labOf(scenario: Scenario) {
  const sources = variantsOf(scenario).map((one) => scenarioSource(one.scenario, one.name, one.change));
  return { name: scenario.name, description: scenario.description ?? '', sources };
}

describe('a run', () => {
  it('throttles a key that asks for more than a partition gives, and not its shards', async () => {
    const { runs } = await runLab(labOf(small), { seed: 3, scale: 1 });
    const [hot, sharded] = runs;
    expect(hot!.totals.throttles).toBeGreaterThan(500);
    expect(hot!.findings[0]).toMatchObject({ severity: 'error', rule: 'hot key' });
    expect(hot!.findings[0]!.message).toContain('CUST#HOT1 took');
    expect(hot!.moments[0]).toMatchObject({ kind: 'throttling' });
    const [table] = hot!.arms;
    // A second's worth is in the bucket at first; then the partition gives 1,000 a second.
    const partition = table!.heat.find(({ throttles }) => throttles.some((refused) => refused > 0))!;
    expect(Math.max(...partition.load.slice(1, 4))).toBeLessThan(1.2);
    expect(table!.hotKeys).toEqual([]);
    expect(sharded!.totals.throttles).toBe(0);
    expect(sharded!.totals.gaveUp).toBe(0);
    // Each call is in one of its ends.
    for (const { totals } of runs)
      expect(totals.calls).toBe(
        totals.answered + totals.gaveUp + totals.failed + totals.conflicts + totals.conditionFailed,
      );
  });

  it('is the same byte for byte on every version of Node, and another under another seed', async () => {
    const scenario = { ...small, seconds: 2 };
    const report = JSON.stringify(await runLab(labOf(scenario), { seed: 5, scale: 1 }));
    expect(JSON.stringify(await runLab(labOf(scenario), { seed: 5, scale: 1 }))).toBe(report);
    expect(JSON.stringify(await runLab(labOf(scenario), { seed: 6, scale: 1 }))).not.toBe(report);
    expect(createHash('sha256').update(report).digest('hex').slice(0, 16)).toBe('270880515e29936d');
  });

  it('counts conflicts of transactions, and grows with the scale', async () => {
    const scenario = laidOver(small, {
      seconds: 2,
      patterns: {
        ...Object.fromEntries(Object.keys(small.patterns).map((name) => [name, null])),
        buy: {
          transact: [{ put: 'Order' }, { update: 'Profile', add: { orders: 1 } }],
          rate: 60,
          keys: { customer: { kind: 'hot', keys: 1, share: 1 } },
        },
      },
    });
    const once = await run(scenario);
    expect(once.totals.conflicts).toBeGreaterThan(10);
    expect(once.totals.writeUnits).toBeGreaterThan(once.totals.answered * 3.9);
    const tenfold = await run(scenario, 3, 10);
    expect(tenfold.totals.calls / once.totals.calls).toBeGreaterThan(8);
    expect(tenfold.totals.conflicts / tenfold.totals.calls).toBeGreaterThan(
      once.totals.conflicts / once.totals.calls,
    );
  });

  it('shows how far a consumer falls behind', async () => {
    const scenario = laidOver(small, {
      seconds: 3,
      patterns: {
        ...Object.fromEntries(Object.keys(small.patterns).map((name) => [name, null])),
        place: { put: 'Order', rate: 100 },
        count: {
          update: 'Profile',
          add: { orders: 1 },
          after: { pattern: 'place', delayMs: 200, perSecond: 50 },
        },
      },
    });
    const { consumers, patterns } = await run(scenario);
    const [placed, counted] = patterns;
    expect(counted!.calls).toBe(placed!.answered);
    // Twice as much comes as it manages: at the end it is as far behind as the traffic lasted.
    expect(consumers[0]!.maxLagMs).toBeGreaterThan(2_500);
    expect(consumers[0]!.maxLagMs).toBeLessThan(4_500);
  });

  it('lets auto scaling act by what was consumed, and tells when', async () => {
    const scenario: Scenario = {
      ...laidOver(small, {
        seconds: 240,
        patterns: {
          ...Object.fromEntries(Object.keys(small.patterns).map((name) => [name, null])),
          place: { put: 'HotOrder', rate: 30 },
        },
      }),
      tables: [
        {
          ...{ name: 'orders', partitionKey: 'PK', sortKey: 'SK', mode: 'provisioned' },
          provisioned: { read: 10, write: 20 },
          autoScaling: { write: { min: 20, max: 100, target: 70 } },
        },
      ],
    };
    const { moments, arms } = await run(scenario);
    const capacity = moments.find(({ kind }) => kind === 'capacity');
    expect(capacity?.text).toMatch(/write capacity of orders from 20 to 4\d/);
    // An alarm is evaluated at the end of a minute, and changing a table takes the service some seconds.
    expect(capacity!.second).toBeGreaterThan(60);
    expect(capacity!.second % 60).toBeGreaterThan(0);
    expect(capacity!.second % 60).toBeLessThan(30);
    expect(arms[0]!.series.writeCapacity[0]).toBe(20);
    expect(arms[0]!.series.writeCapacity.at(-1)).toBeGreaterThan(40);
  });

  it('replays recorded requests, ten times as many where it is told so', async () => {
    const lines: RequestLine[] = Array.from({ length: 200 }, (_, at) => ({
      at: at * 10,
      op: at % 4 === 0 ? 'GetItem' : 'PutItem',
      input:
        at % 4 === 0
          ? { TableName: 'orders', Key: { PK: { S: 'a' }, SK: { S: 'b' } } }
          : { TableName: 'orders', Item: { PK: { S: `CUST#${at % 7}` }, SK: { S: `${at}` } } },
    }));
    const header = {
      format: 'stator-traffic/1',
      kind: 'requests',
      startedAt: '2026-06-01T09:00:00Z',
      values: 'plain',
    } as const;
    const source = recordedSource({ name: 'monday', header, lines, tables: small.tables.map(labTable) });
    const once = await runSource(source, { seed: 1, scale: 1 });
    expect(once.totals).toMatchObject({ calls: 200, answered: 200, failed: 0, writeUnits: 150 });
    const tenfold = await runSource(source, { seed: 1, scale: 10 });
    expect(tenfold.totals).toMatchObject({ calls: 2_000, answered: 2_000, writeUnits: 1_500 });
    const half = await runSource(source, { seed: 1, scale: 0.5 });
    expect(half.totals.calls).toBeGreaterThan(60);
    expect(half.totals.calls).toBeLessThan(140);
  });
});

describe('the page', () => {
  it('shows nothing of the data as markup, and loads nothing', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const scenario = laidOver(small, {
      seconds: 1,
      description: evil,
      patterns: { place: { does: evil, put: 'Order', rate: 2_000 } },
      keys: { customer: { count: 1, as: `${evil}{n}` } },
    });
    const html = labHtml(await runLab(labOf({ ...scenario, name: evil }), { seed: 1, scale: 1 }));
    expect(html).not.toContain('<img');
    expect(html).toContain('&#60;img src=x');
    expect(html).not.toMatch(/<script|https?:\/\/|url\(|@import/);
    expect(html).toContain('prefers-color-scheme:dark');
    expect(html).toContain("default-src 'none'");
  });
});

describe('the included scenarios', () => {
  it('are nine, each with a sentence, and fit the schema', () => {
    expect(includedScenarios.map(({ scenario }) => scenario.name)).toEqual([
      ...['parcels', 'date-key', 'giant-tenant', 'open-index', 'thin-index', 'flash-sale', 'backfill'],
      ...['retry-storm', 'hot-counter'],
    ]);
    for (const { scenario } of includedScenarios) {
      expect(scenario.description).toMatch(/\.$/);
      readScenario(scenario);
    }
  });

  it.each(includedScenarios.map((one) => [one.scenario.name, one] as const))(
    '%s runs, and tells its story',
    async (_, { scenario, story }) => {
      const { variants = {} } = scenario;
      const short: Scenario = {
        ...scenario,
        keys: Object.fromEntries(
          Object.entries(scenario.keys ?? {}).map(([name, key]) => [
            name,
            { ...key, count: Math.min(key.count, 300) },
          ]),
        ),
        variants: Object.fromEntries(
          Object.entries(variants).map(([name, variant]) => [name, { ...variant, seconds: 1 }]),
        ),
      };
      const { runs } = await runLab(labOf(short), { seed: 7, scale: 0.2 });
      expect(runs.map(({ name }) => name)).toEqual(Object.keys(variants));
      for (const { totals, change } of runs) {
        expect(totals.calls).toBeGreaterThan(5);
        expect(change).toMatch(/\.$/);
      }
      const rows = story(runs);
      expect(rows.length).toBeGreaterThan(1);
      for (const { what } of rows) expect(what).not.toMatch(/NaN|undefined|Infinity/);
    },
  );
});

it('the scenario in the guide is one', () => {
  const guide = readFileSync(new URL('../../docs/lab.md', import.meta.url), 'utf8');
  const [, example] = /```json\n([\s\S]*?)```/.exec(guide)!;
  expect(readScenario(JSON.parse(example!)).name).toBe('orders');
});

it('the schema for editors is the one that scenarios are checked by', () => {
  const copy = readFileSync(new URL('../../docs/lab.schema.json', import.meta.url), 'utf8');
  expect(JSON.parse(copy)).toEqual(JSON.parse(JSON.stringify(scenarioSchema)));
});
