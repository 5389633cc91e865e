import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
import {
  add,
  change,
  check,
  choice,
  compare,
  count,
  derive,
  entity,
  exists,
  get,
  id,
  type Model,
  model,
  number,
  optional,
  remove,
  time,
  write,
} from '../../src/design/index.ts';
import type { Proof } from '../../src/prove/proof.ts';
import { proofHtml } from '../../src/prove/proof-html.ts';
import { proofMarkdown } from '../../src/prove/proof-text.ts';
import { proveDesign } from '../../src/prove/prove-design.ts';

/** A small proof: the command calls each pattern a thousand times and runs the peak for half a minute. */
// Five seconds: a partition's burst is spent after two, so that throttling would show.
const small = { calls: 30, instances: 2_000, seconds: 5 };

/** The key that the declared peak heats most where values are few, and write units a second that it takes at least. */
const hottest: Readonly<
  Record<string, { readonly arm: string; readonly key: RegExp; readonly least: number }>
> = {
  orders: { arm: 'orders/GSI1', key: /^ORDER$/, least: 200 },
  cases: { arm: 'cases/GSI2', key: /^CASE#OPEN#\w+$/, least: 20 },
  // New orders of the present month, paid 300 times a second: 1,200 write units on three shards.
  ecommerce: { arm: 'ecommerce/GSI2', key: /^ORDER#NEW#\w+#[012]$/, least: 350 },
  feed: { arm: 'feed/GSI1', key: /^LIKE#\w+#[0-3]$/, least: 250 },
  saas: { arm: 'saas-audit', key: /^AUDITLOG#\w+$/, least: 100 },
  parcels: { arm: 'parcels', key: /^EVENT#\w+#[0-5]$/, least: 150 },
};

const errorsOf = ({ findings }: Proof) => findings.filter(({ severity }) => severity === 'error');

describe.each([orders, cases, ecommerce, feed, saas, parcels].map((model) => [model.name, model] as const))(
  'the model %s',
  (_name, model) => {
    it('is proved: right answers, the planned calls, the charges that its items let expect, no hot key', async () => {
      const proof = await proveDesign(model, undefined, small);
      expect(errorsOf(proof)).toEqual([]);
      for (const one of proof.patterns) {
        expect(one.calls, one.pattern).toBeGreaterThan(0);
        expect(one.agreed, one.pattern).toBe(one.compared);
        expect(one.units.differing, one.pattern).toBe(0);
        expect(one.units.expected).toEqual({ read: one.units.read, write: one.units.write });
      }
      expect(proof.peak!.requests).toBeGreaterThan(1_000);
      expect(proof.peak!.throttles).toBe(0);
      // The load of the month, status, tenant or post that takes most must have been part of that peak.
      const { arm, key, least } = hottest[model.name]!;
      const [first] = proof.peak!.arms.find((one) => one.arm === arm)!.hotKeys;
      expect(first!.key).toMatch(key);
      expect(first!.write).toBeGreaterThan(least);
      // The open orders are one key of an index: all that writes put there must show.
      if (model === orders) {
        const index = proof.peak!.arms.find(({ arm }) => arm === 'orders/GSI1')!;
        const [busiest] = index.hotKeys;
        const forecast = check(model).forecast!.partitions.find(({ slot }) => slot === 'GSI1')!;
        expect(busiest!.key).toBe('ORDER');
        expect(Math.abs(busiest!.write - forecast.writeUnits)).toBeLessThan(0.15 * forecast.writeUnits);
      }
    });
  },
);

/** The tracker as it was before its incident: all events of a shipment under one key. */
function oneHotKey(model: Model): Model {
  return {
    ...model,
    entities: model.entities.map((entity) =>
      entity.name !== 'Event'
        ? entity
        : {
            ...entity,
            keys: [
              {
                slot: 'table',
                partition: [
                  { kind: 'constant', text: 'EVENT#' },
                  { kind: 'attribute', attribute: 'shipmentId' },
                ],
                sort: [
                  { kind: 'attribute', attribute: 'at' },
                  { kind: 'constant', text: '#' },
                  { kind: 'attribute', attribute: 'eventId' },
                ],
                when: [],
              },
            ],
          },
    ),
  };
}

/** The queue of all open orders without shards, where orders come faster than one index key takes them. */
function oneHotEntry(): Model {
  const faster = ({ rate, ...write }: Model['writes'][number]) => ({
    ...write,
    rate: write.name === 'A6' ? { ...rate, peak: 1_300 } : rate,
  });
  const { placements, indexes } = derive(orders).tables[0]!;
  expect(indexes.map(({ name }) => name)).toEqual(['GSI1', 'GSI2']);
  return {
    ...orders,
    reads: orders.reads.filter(({ name }) => name !== 'A11'),
    writes: orders.writes.filter(({ name }) => name === 'A6' || name === 'A7' || name === 'pay').map(faster),
    entities: orders.entities.map((entity) =>
      entity.name !== 'Order'
        ? entity
        : {
            ...entity,
            keys: placements
              .filter((one) => one.entity === 'Order')
              .map(({ slot, partition, sort, when }) => ({ slot, partition, sort, when })),
          },
    ),
  };
}

/** The shop as it was: the orders of a month in one status are one key. */
function unshardedMonths(): Model {
  const { placements } = derive(ecommerce).tables[0]!;
  const without = ({ slot, partition, sort, when }: (typeof placements)[number]) => {
    const shard = partition.findIndex(({ kind }) => kind === 'shard');
    // The delimiter before the shard goes with it.
    return { slot, partition: shard < 0 ? partition : partition.slice(0, shard - 1), sort, when };
  };
  return {
    ...ecommerce,
    reads: ecommerce.reads.filter(({ name }) => name === 'byStatus'),
    // What happens to orders alone, so that the test is short.
    writes: ecommerce.writes
      .filter(({ name }) => ['placeOrder', 'pay'].includes(name))
      .map((write) => ({ ...write, steps: write.steps.filter(({ entity }) => entity === 'Order') })),
    entities: ecommerce.entities.map((entity) =>
      entity.name !== 'Order'
        ? entity
        : {
            ...entity,
            keys: placements
              .filter(({ entity: name, slot }) => name === 'Order' && slot !== 'GSI1')
              .map(without),
          },
    ),
  };
}

/** Writes of jobs in states that few of them are in, and no write leads there. */
function rareStates(): Model {
  const job = entity('Job', {
    identity: { jobId: id(10) },
    changing: {
      state: choice({ NEW: 0.98, RUNNING: 0.01, DONE: 0.01 }),
      tries: number(3),
      held: optional(time()),
    },
    states: { state: { NEW: ['RUNNING'], RUNNING: ['DONE'] } },
    population: count(100),
  });
  const given = 'jobId';
  return model('jobs', {
    entities: [job],
    reads: { one: get(job, { does: 'a job', by: 'jobId', peak: 1 }) },
    writes: {
      finish: write({ does: 'finish', steps: [change(job, { given, sets: { state: 'DONE' } })], peak: 1 }),
      release: write({
        does: 'release one that is held and was tried often',
        steps: [
          change(job, {
            given,
            sets: { held: null },
            when: [exists('held', 0.01), compare('tries', '>', 990, 0.01)],
          }),
        ],
        peak: 1,
      }),
      drop: write({ does: 'remove', steps: [remove(job, { given, when: { state: 'DONE' } })], peak: 1 }),
      retry: write({ does: 'count a try', steps: [add(job, { given, to: 'tries' })], peak: 1 }),
    },
  });
}

describe('a proof', () => {
  it('brings instances into the states that writes need, where there are too few', async () => {
    const proof = await proveDesign(rareStates(), undefined, { calls: 150, instances: 100, seconds: 0 });
    expect(proof.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(proof.patterns.map(({ pattern, calls, agreed }) => [pattern, calls, agreed])).toEqual([
      // Reads are compared once more behind the writes.
      ['one', 150, 170],
      ...['finish', 'release', 'drop', 'retry'].map((name) => [name, 150, 150]),
    ]);
  });

  it('fails for one hot key of an index, and names it', async () => {
    const proof = await proveDesign(oneHotEntry(), undefined, { ...small, calls: 5, instances: 1_000 });
    const found = errorsOf(proof).filter(({ rule }) => rule === 'hot key');
    expect(found.map(({ message }) => message).join()).toMatch(/GSI1/);
    const index = proof.peak!.arms.find(({ arm }) => arm === 'orders/GSI1')!;
    expect(index.hotKeys[0]!.key).toBe('ORDER');
    expect(index.hotKeys[0]!.write).toBeGreaterThan(1_000);
  });

  it('fails for the orders of a month in one key of an index', async () => {
    // The burst of a partition is a second of its ceiling; 200 units a second too many spend it in five.
    const options = { calls: 5, instances: 1_000, seconds: 8 };
    const proof = await proveDesign(unshardedMonths(), undefined, options);
    const hot = errorsOf(proof).find(({ rule }) => rule === 'hot key')!;
    expect(hot.message).toMatch(/ORDER#NEW#\w+ took 1,\d+ write units a second/);
    expect(proof.peak!.throttles).toBeGreaterThan(0);
  });

  it('fails for one hot key, and says so', async () => {
    const proof = await proveDesign(oneHotKey(parcels), undefined, { ...small, calls: 20, seconds: 4 });
    expect(proof.passed).toBe(false);
    const hot = errorsOf(proof).find(({ rule }) => rule === 'hot key')!;
    expect(hot.message).toMatch(/EVENT#\w+ took [\d,]+ write units a second; a partition gives 1,000/);
    expect(hot.message).toContain('no table setting helps a single key');
    expect(errorsOf(proof).every(({ rule }) => rule === 'hot key' || rule === 'throttled pattern')).toBe(
      true,
    );
    expect(proofMarkdown(proof)).toContain('✗ Not proved');
  });

  it('is the same from the same seed', async () => {
    const tiny = { calls: 10, instances: 600, seconds: 1 };
    const [a, b] = [await proveDesign(parcels, undefined, tiny), await proveDesign(parcels, undefined, tiny)];
    const withoutSpeed = ({ peak, ...rest }: Proof) => ({ ...rest, peak: { ...peak, requestsPerSecond: 0 } });
    expect(withoutSpeed(a)).toEqual(withoutSpeed(b));
  });

  it('is told as a page without a way in for what data holds', async () => {
    const proof = await proveDesign(parcels, undefined, { calls: 5, instances: 600, seconds: 1 });
    const evil = '<script>alert(1)</script>"';
    const page = proofHtml({
      ...proof,
      findings: [{ severity: 'error', rule: evil, pattern: evil, message: evil }],
      peak: {
        ...proof.peak!,
        arms: [{ ...proof.peak!.arms[0]!, hotKeys: [{ key: evil, read: 1, write: 1 }] }],
      },
    });
    expect(page).not.toContain('<script');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/https?:\/\//);
  });
});
