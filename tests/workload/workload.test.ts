import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import { compile, derive, type Model } from '../../src/design/index.ts';
import { readTraffic, type TrafficLine, writeHeader, writeLine } from '../../src/traffic/traffic-file.ts';
import { applyEffects } from '../../src/workload/apply-effects.ts';
import { CallSource } from '../../src/workload/calls.ts';
import { ModelFeed, peakTraffic } from '../../src/workload/feed.ts';
import { type KeyDistribution, KeyPicker } from '../../src/workload/key-distribution.ts';
import { Population } from '../../src/workload/population.ts';
import { Arrivals, factorAt, type RateCurve } from '../../src/workload/rate-curve.ts';
import { sampleOf } from '../../src/workload/scale-model.ts';
import { Seeded } from '../../src/workload/seeded.ts';
import { Simulation } from '../../src/workload/simulate.ts';
import { callLine, trafficFeed } from '../../src/workload/traffic-feed.ts';

const era = { nowMs: Date.UTC(2026, 10, 18, 9), days: 90 };

function populated(model: Model, budget: number, seed = 1): Population {
  const population = new Population(sampleOf(model, budget), { seed, era });
  population.fill();
  return population;
}

async function simulated(model: Model, seconds: number, seed = 1) {
  const compiled = compile(model, derive(model));
  const population = populated(model, 1_500, seed);
  const simulation = await Simulation.open(compiled, { seed, startMs: era.nowMs });
  await simulation.loadAll(population);
  const lines: string[] = [];
  const feed = new ModelFeed(population, compiled, { seconds, seed, traffic: peakTraffic(model, 0.05) });
  const { outcomes } = await simulation.run({
    feed,
    onCall: ({ atMs }, { call }) => lines.push(writeLine(callLine(atMs, call!, era.nowMs))),
  });
  return { compiled, population, simulation, outcomes, lines };
}

describe('a population', () => {
  it('has the declared shares, sizes and relations, and unique identities', () => {
    const population = populated(orders, 6_000);
    const placed = population.kind('Order').instances as Record<string, unknown>[];
    const customers = new Set(population.kind('Customer').instances.map((one) => one!.customerId));
    expect(placed.every(({ customerId }) => customers.has(customerId as never))).toBe(true);
    expect(new Set(placed.map(({ orderId }) => orderId)).size).toBe(placed.length);
    const shipped = placed.filter(({ status }) => status === 'SHIPPED').length / placed.length;
    expect(shipped).toBeGreaterThan(0.85);
    expect(shipped).toBeLessThan(0.95);
    const names = population.kind('Customer').instances.map((one) => String(one!.name).length);
    const mean = names.reduce((sum, length) => sum + length, 0) / names.length;
    expect(Math.abs(mean - 30)).toBeLessThan(3);
    const low = population
      .kind('Stock')
      .instances.filter((one) => Number(one!.quantity) < Number(one!.minimum));
    expect(low.length / population.kind('Stock').present).toBeLessThan(0.08);
  });

  it('is the same from the same seed, on every version of Node', () => {
    const text = JSON.stringify([...populated(orders, 2_000, 7).kinds].map(([, { instances }]) => instances));
    expect(text).toBe(
      JSON.stringify([...populated(orders, 2_000, 7).kinds].map(([, { instances }]) => instances)),
    );
    expect(text).not.toBe(
      JSON.stringify([...populated(orders, 2_000, 8).kinds].map(([, { instances }]) => instances)),
    );
    expect(digest(text)).toBe('f942623b29746cb2');
  });
});

describe('keys', () => {
  const share = (distribution: KeyDistribution, declared: number, present: number, first: number) => {
    const random = new Seeded(5);
    const picker = new KeyPicker(distribution, declared);
    let hits = 0;
    for (let at = 0; at < 20_000; at++) if (picker.pick(random, present) < first) hits++;
    return hits / 20_000;
  };

  it('of a sample are as hot as in the whole population', () => {
    // The first of two million by Zipf's law with 0.8 takes about 1.1 %, not the 6 % that it would take of a thousand.
    expect(share({ kind: 'zipf', exponent: 0.8 }, 2_000_000, 1_000, 1)).toBeCloseTo(0.0115, 2);
    expect(share({ kind: 'hot', keys: 3, share: 0.9 }, 1e6, 500, 3)).toBeCloseTo(0.9, 1);
    expect(share({ kind: 'uniform' }, 1e6, 100, 10)).toBeCloseTo(0.1, 1);
    expect(share({ kind: 'latest', window: 10, share: 0.8 }, 1e6, 100, 90)).toBeCloseTo(0.2, 1);
    expect(share({ kind: 'tenants', keys: 1, share: 0.4, exponent: 1 }, 1_000, 1_000, 1)).toBeCloseTo(0.4, 1);
  });
});

describe('rates', () => {
  it('follow their curves', () => {
    const at = (curve: RateCurve, seconds: number) => factorAt(curve, seconds);
    expect(at({ kind: 'ramp', from: 0, to: 2, seconds: 10 }, 5)).toBe(1);
    expect(at({ kind: 'spike', factor: 10, at: 5, seconds: 2 }, 6)).toBe(10);
    expect(at({ kind: 'diurnal', low: 1, high: 3, period: 100 }, 50)).toBe(3);
    expect(at({ kind: 'diurnal', low: 1, high: 3, period: 100 }, 0)).toBe(1);
    expect(
      at(
        {
          kind: 'steps',
          steps: [
            { factor: 1, seconds: 5 },
            { factor: 4, seconds: 5 },
          ],
        },
        7,
      ),
    ).toBe(4);
    expect(
      at(
        {
          kind: 'trace',
          points: [
            { at: 0, factor: 1 },
            { at: 3, factor: 2 },
          ],
        },
        9,
      ),
    ).toBe(2);
    const arrivals = new Arrivals(
      new Seeded(1),
      100,
      {
        kind: 'steps',
        steps: [
          { factor: 1, seconds: 10 },
          { factor: 0.1, seconds: 10 },
        ],
      },
      20,
    );
    const times: number[] = [];
    for (let next = arrivals.next(); next !== undefined; next = arrivals.next()) times.push(next);
    expect(times.filter((one) => one < 10_000).length).toBeGreaterThan(850);
    expect(times.filter((one) => one >= 10_000).length).toBeLessThan(150);
  });
});

describe('the calls of a write', () => {
  it('create what is not there yet, also when a hot key has met everybody in the sample', () => {
    const population = populated(feed, 1_500);
    const source = new CallSource(population, 1);
    const pattern = feed.writes.find(({ name }) => name === 'like')!;
    const before = population.kind('Like').present;
    const users = population.kind('User').present;
    const calls = users * 5;
    for (let at = 0; at < calls; at++) applyEffects(population, source.write(pattern)!.effects);
    expect(population.kind('Like').present).toBe(before + calls);
    const likes = new Map<unknown, number>();
    for (const one of population.kind('Like').instances)
      likes.set(one!.postId, (likes.get(one!.postId) ?? 0) + 1);
    expect(Math.max(...likes.values())).toBeGreaterThan(users);
  });
});

describe('a simulated workload', () => {
  it('calls every pattern, and the instances agree with the table afterwards', async () => {
    const { outcomes, population, simulation, compiled } = await simulated(orders, 20);
    for (const outcome of outcomes.values()) {
      expect(outcome.failed, [...outcome.errors].join()).toBe(0);
      expect(outcome.answered + outcome.idle + outcome.conditionFailed + outcome.throttledCalls).toBe(
        outcome.calls,
      );
    }
    expect([...outcomes.values()].reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(3_000);
    for (const values of population.kind('Order').instances.slice(-200)) {
      const { table, item } = compiled.item('Order', values!);
      const found = await simulation.db.getItem({
        TableName: table,
        Key: { PK: item.PK as never, SK: item.SK as never },
      });
      expect(found.Item).toEqual(item);
    }
    const report = await simulation.db.check();
    expect(report.findings).toEqual([]);
    await simulation.close();
  });

  it('is the same from the same seed, on every version of Node', async () => {
    const [first, second] = [await simulated(parcels, 3), await simulated(parcels, 3)];
    expect(first.lines.join('')).toBe(second.lines.join(''));
    expect(digest(first.lines.join(''))).toBe('a50d196315f50214');
    await first.simulation.close();
    await second.simulation.close();
  });

  it('plays a traffic file again', async () => {
    const { lines, outcomes, compiled, simulation } = await simulated(orders, 3);
    await simulation.close();
    const file =
      writeHeader({ kind: 'calls', startedAt: new Date(era.nowMs).toISOString(), values: 'plain' }) +
      lines.join('');
    const again = await Simulation.open(compiled, { seed: 1, startMs: era.nowMs });
    await again.loadAll(populated(orders, 1_500));
    const feed = await trafficFeed(await readTraffic(pieces(file)), { compiled });
    const replayed = await again.run({ feed });
    for (const [pattern, { calls, answered, items }] of outcomes)
      expect(replayed.outcomes.get(pattern)).toMatchObject({
        calls: calls - outcomes.get(pattern)!.idle,
        answered,
        items,
      });
    await again.close();
  });
});

describe('a traffic file', () => {
  const header = writeHeader({ kind: 'requests', startedAt: '2026-11-18T09:00:00.000Z', values: 'plain' });

  it('keeps bytes and sets, in pieces of any size', async () => {
    const line: TrafficLine = {
      at: 1.5,
      op: 'PutItem',
      input: { Item: { b: { B: new Uint8Array([1, 2]) } }, s: new Set(['é']) },
    };
    const { lines } = await readTraffic(pieces(`${header}\n${writeLine(line)}`, 3));
    const read: TrafficLine[] = [];
    for await (const one of lines) read.push(one);
    expect(read).toEqual([line]);
  });

  it.each([
    ['', 'line 1: the file is empty'],
    ['{"format":"x"}', 'line 1: the format is "x", not "stator-traffic/1"'],
    ['{', 'line 1: it is no JSON'],
    [`${header}{"at":-1}`, 'line 2: "at" must be milliseconds from the start'],
    [
      `${header}{"at":2,"op":"a","input":{}}\n{"at":1,"op":"a","input":{}}`,
      'line 3: "at" is 1, but the line before has 2',
    ],
    [`${header}{"at":2,"input":{}}`, 'line 2: "op" is missing'],
    [`${header}{"at":2,"op":"Query","input":[]}`, 'line 2: "input" must be an object'],
  ])('that is none is refused with the line: %s', async (text, message) => {
    await expect(
      (async () => {
        const { lines } = await readTraffic(pieces(text));
        for await (const _ of lines);
      })(),
    ).rejects.toThrow(message);
  });
});

async function* pieces(text: string, size = 1_000): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
