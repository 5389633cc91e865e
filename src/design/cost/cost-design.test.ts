import { describe, expect, it } from 'vitest';
import orders from '../../../examples/models/orders/model.ts';
import { inCurrency } from '../../physics/currency.ts';
import { awsPrices } from '../../physics/prices.ts';
import { derive } from '../derive/derive.ts';
import {
  change,
  count,
  create,
  entity,
  get,
  id,
  list,
  model,
  number,
  plainText,
  remembered,
  remove,
  write,
} from '../index.ts';
import { costOf } from './cost-design.ts';
import { dayOf } from './day-curve.ts';

const basis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' } as const;
const design = derive(orders);

describe('a day', () => {
  it('has the declared peak, its mean, and nights at half of that', () => {
    const { capacity, floor, averageCapacity } = dayOf({ mean: 100, peak: 400 });
    expect(capacity.at(-1)! * 0.7).toBeCloseTo(400);
    expect(floor * 0.7).toBeGreaterThan(49);
    expect(floor * 0.7).toBeLessThan(60);
    expect(averageCapacity * 0.7).toBeGreaterThan(100);
    expect(averageCapacity * 0.7).toBeLessThan(125);
    expect(dayOf({ mean: 10, peak: 10 }).averageCapacity).toBeCloseTo(10 / 0.7);
    expect(dayOf({ mean: 0, peak: 0 }).averageCapacity).toBe(0);
  });
});

describe('the price of a design', () => {
  const priced = costOf(orders, design, { basis });

  it('adds up over patterns and over tables and indexes alike', () => {
    const onDemand = priced.modes.find(({ mode }) => mode === 'on demand')!;
    const sum = (costs: readonly number[]) => costs.reduce((total, cost) => total + cost, 0);
    expect(sum(priced.patterns.map((one) => one.onDemand))).toBeCloseTo(onDemand.requests, 6);
    expect(sum(priced.arms.map((one) => one.onDemand))).toBeCloseTo(onDemand.requests, 6);
    expect(onDemand.total - onDemand.requests).toBeCloseTo(sum(priced.always.map(({ cost }) => cost)), 6);
    expect(priced.always.map(({ what }) => what)).toEqual(['storage', 'point-in-time recovery']);
  });

  it('names the cheapest mode and the traffic at which the plain ones change places', () => {
    expect(priced.cheapest).toBe('provisioned, three years reserved');
    const { traffic, below, above } = priced.tipping;
    expect([below, above]).toEqual(['on demand', 'provisioned']);
    const at = (factor: number) => {
      const { modes } = costOf(orders, design, { basis, traffic: factor });
      return (
        modes.find(({ mode }) => mode === 'on demand')!.total <
        modes.find(({ mode }) => mode === 'provisioned')!.total
      );
    };
    expect(at(traffic! * 0.9)).toBe(true);
    expect(at(traffic! * 1.1)).toBe(false);
  });

  it('prices backups, restores, exports and imports of all tables, and other currencies at a given rate', () => {
    const copies = { backups: 7, coldBackups: 2, restores: 1, exports: 4, imports: 1 };
    const priced = costOf(orders, design, { basis, copies });
    const stored = (of: (arm: string) => boolean) =>
      priced.arms.filter(({ arm }) => of(arm)).reduce((sum, one) => sum + one.storedBytes, 0) / 1e9;
    const [tables, all] = [stored((arm) => arm === 'orders'), stored(() => true)];
    const costs = new Map(priced.always.map(({ what, cost }) => [what, cost]));
    const { prices } = basis;
    expect(costs.get('backups, warm')).toBeCloseTo(7 * tables * prices.warmBackupGbMonth);
    expect(costs.get('backups, cold')).toBeCloseTo(2 * tables * prices.coldBackupGbMonth);
    expect(costs.get('restores')).toBeCloseTo(all * prices.restoreGb);
    expect(costs.get('exports')).toBeCloseTo(4 * tables * prices.exportGb);
    expect(costs.get('imports')).toBeCloseTo(tables * prices.importGb);
    const rupees = costOf(orders, design, {
      basis: { ...basis, prices: inCurrency(prices, { currency: 'INR', rate: 88.5 }) },
      copies,
    });
    expect(rupees.currency).toBe('INR');
    expect(rupees.basis).toContain('in INR (1 USD is 88.5 INR, as given)');
    for (const [at, mode] of rupees.modes.entries())
      expect(mode.total / priced.modes[at]!.total).toBeCloseTo(88.5, 6);
    expect(rupees.cheapest).toBe(priced.cheapest);
  });

  it('pays replicas for storage and for every write, and Regions their own prices', () => {
    const twice = costOf(orders, design, { basis, replicas: 1 });
    expect(twice.always.find(({ what }) => what === 'storage')!.cost).toBeCloseTo(
      2 * priced.always.find(({ what }) => what === 'storage')!.cost,
    );
    // Each mode pays its own price for replicated writes; before, all paid that of requests.
    const added = twice.modes.map(({ requests }, at) => requests - priced.modes[at]!.requests);
    const writes = priced.arms.reduce((sum, { mean }) => sum + mean.write, 0) * 730 * 3_600;
    expect(added[0]).toBeCloseTo((writes * 0.625) / 1e6, 6);
    expect(added[1]).toBeGreaterThan(0);
    expect(added[1]! / added[0]!).toBeLessThan(0.9);
    expect(added[2]).toBeCloseTo(added[1]!, 6);
    expect(twice.always.some(({ what }) => /replicated/.test(what))).toBe(false);
    const there = costOf(orders, design, { basis: { ...basis, region: 'eu-west-1' } });
    expect(there.modes[0]!.requests / priced.modes[0]!.requests).toBeCloseTo(1.131, 6);
  });
});

describe('a write', () => {
  const space = entity('Space', {
    identity: { spaceId: id(8) },
    changing: { slug: plainText(12), seats: number(4) },
    population: count(1_000),
  });
  const at = { does: 'write', peak: 1 };
  const priced = model('spaces', {
    entities: [space],
    reads: { read: get(space, { does: 'a space', by: 'spaceId', peak: 1 }) },
    writes: {
      open: write({ ...at, steps: [create(space, { unique: 'slug' })] }),
      seat: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['seats'] })] }),
      seatOnce: write({
        ...at,
        steps: [change(space, { given: 'spaceId', sets: ['seats'] })],
        idempotency: { kind: 'token' },
      }),
      seatForAWeek: write({
        ...at,
        steps: [change(space, { given: 'spaceId', sets: ['seats'] })],
        idempotency: remembered('requestId', { keepDays: 7, bytes: 1_500 }),
      }),
      rename: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['slug'] })] }),
      close: write({ ...at, steps: [remove(space, { given: 'spaceId' })] }),
    },
  });

  it('pays for its transaction, for guards and commands, and for the item that it must read', () => {
    const { patterns } = costOf(priced, derive(priced), { basis });
    const units = Object.fromEntries(patterns.map(({ pattern, unitsPerCall }) => [pattern, unitsPerCall]));
    expect(units).toEqual({
      read: { read: 0.5, write: 0 },
      open: { read: 0, write: 4 },
      seat: { read: 0, write: 1 },
      seatOnce: { read: 0, write: 2 },
      seatForAWeek: { read: 0, write: 6 },
      rename: { read: 1, write: 6 },
      close: { read: 1, write: 4 },
    });
  });

  it('is known by the satellites that it touches', () => {
    const guard = derive(priced).tables[0]!.satellites.find(({ kind }) => kind === 'unique');
    expect(guard?.writes).toEqual(['open', 'rename', 'close']);
  });

  it('over several tables is paid by each for its own part, and by the index of that table', () => {
    const owned = { identity: { id: id(8) }, fixed: { owner: plainText(12) }, population: count(1_000) };
    const [note, receipt] = [entity('Note', owned), entity('Receipt', { ...owned, table: 'receipts' })];
    const apart = model('notes', {
      entities: [note, receipt],
      reads: {
        notes: list(note, { does: 'notes', by: 'owner', page: 5, peak: 1 }),
        noteById: get(note, { does: 'a note', by: 'id', peak: 1 }),
        receipts: list(receipt, { does: 'receipts', by: 'owner', page: 5, peak: 1 }),
        receiptById: get(receipt, { does: 'a receipt', by: 'id', peak: 1 }),
      },
      writes: { add: write({ ...at, peak: 10, steps: [create(note), create(receipt)] }) },
    });
    // Both parts are one transaction, which doubles what tables take.
    const { arms, patterns } = costOf(apart, derive(apart), { basis });
    expect(Object.fromEntries(arms.map(({ arm, peak }) => [arm, peak.write]))).toEqual({
      notes: 20,
      'notes/GSI1': 10,
      receipts: 20,
      'receipts/GSI1': 10,
    });
    expect(patterns.find(({ pattern }) => pattern === 'add')).toMatchObject({
      unitsPerCall: { read: 0, write: 6 },
      indexUnits: 2,
    });
  });
});
