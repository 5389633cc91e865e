import { describe, expect, it } from 'vitest';
import {
  breakEvenUse,
  type CostBasis,
  describeBasis,
  minuteCost,
  monthlyCost,
  provisionedHourCost,
  requestCost,
  reservedHourCost,
} from './cost.ts';
import { onDemand, provisioned } from './load.fixture.ts';
import { awsPrices } from './prices.ts';
import { PriceFileError, readPrices } from './read-prices.ts';

const standard: CostBasis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' };
const infrequent: CostBasis = { ...standard, tableClass: 'STANDARD_INFREQUENT_ACCESS' };
const ireland: CostBasis = { ...standard, region: 'eu-west-1' };

describe('costs', () => {
  it('of a million requests', () => {
    expect(requestCost(standard, { read: 1e6, write: 1e6 })).toBeCloseTo(0.75, 10);
    expect(requestCost(infrequent, { read: 1e6, write: 1e6 })).toBeCloseTo(0.935, 10);
    expect(requestCost(standard, { read: 0, write: 1e6, replicatedWrite: 1e6 })).toBeCloseTo(1.25, 10);
    expect(requestCost(ireland, { read: 0, write: 1e6 })).toBeCloseTo(0.625 * 1.131, 10);
    expect(requestCost(standard, { read: 0.5, write: 0 })).toBeCloseTo(6.25e-8, 15);
  });

  it('of provisioned units: 100 and 100 cost 56.94 dollars a month', () => {
    expect(provisionedHourCost(standard, { read: 100, write: 100 }) * 730).toBeCloseTo(56.94, 2);
  });

  it('of reserved units show the documented discounts of 54 and 77 percent', () => {
    const list = provisionedHourCost(standard, { read: 0, write: 100 });
    expect(1 - reservedHourCost(standard, 'oneYear', { read: 0, write: 100 }) / list).toBeCloseTo(0.54, 2);
    expect(1 - reservedHourCost(standard, 'threeYears', { read: 0, write: 100 }) / list).toBeCloseTo(0.77, 2);
    const reads = provisionedHourCost(standard, { read: 100, write: 0 });
    expect(1 - reservedHourCost(standard, 'oneYear', { read: 100, write: 0 }) / reads).toBeCloseTo(0.54, 1);
    // 101 units take two blocks.
    expect(reservedHourCost(standard, 'oneYear', { read: 0, write: 101 })).toBeCloseTo(
      2 * reservedHourCost(standard, 'oneYear', { read: 0, write: 100 }),
      10,
    );
  });

  it('break even at 29 percent of use, for reads and writes alike', () => {
    expect(breakEvenUse(standard).write).toBeCloseTo(0.289, 3);
    expect(breakEvenUse(standard).read).toBeCloseTo(0.289, 3);
  });

  it('of a minute follow consumption on demand, and the setting otherwise', () => {
    const load = { minute: 0, readUnits: 0, writeUnits: 3_400 * 60, refusedReads: 0, refusedWrites: 0 };
    expect(minuteCost(standard, onDemand, load)).toBeCloseTo(0.1275, 4);
    expect(minuteCost(standard, provisioned(10, 3_400), load)).toBeCloseTo(
      (3_400 * 0.00065 + 10 * 0.00013) / 60,
      8,
    );
    const idle = { ...load, writeUnits: 0 };
    expect(minuteCost(standard, onDemand, idle)).toBe(0);
    expect(minuteCost(standard, provisioned(10, 3_400), idle)).toBeGreaterThan(0);
  });

  it('of a month, line by line', () => {
    const { lines, total, basis } = monthlyCost(standard, {
      requests: { read: 100e6, write: 10e6, replicatedWrite: 10e6 },
      storedBytes: 100e9,
      recoveryBytes: 100e9,
      warmBackupBytes: 50e9,
      streamReads: 5e6,
      captureUnits: 10e6,
      exportedBytes: 100e9,
    });
    expect(Object.fromEntries(lines.map(({ what, cost }) => [what, Math.round(cost * 1e6) / 1e6]))).toEqual({
      'read requests': 12.5,
      'write requests': 6.25,
      'replicated write requests': 6.25,
      storage: 25,
      'point-in-time recovery': 20,
      'backups, warm': 5,
      exports: 10,
      'stream reads': 1,
      'change data capture': 1,
    });
    expect(total).toBeCloseTo(87, 6);
    expect(basis).toBe(
      'Prices of 2026-10 in USD for us-east-1; 1 GB is 1,000,000,000 bytes (decimal), 1 month is 730 hours.',
    );
  });

  it('leave the free tier out when it is for this use', () => {
    const use = { provisioned: { read: 25, write: 25 }, storedBytes: 25e9, streamReads: 2.5e6 };
    expect(monthlyCost(standard, { ...use, withFreeTier: true }).total).toBe(0);
    expect(monthlyCost(standard, use).total).toBeGreaterThan(20);
    expect(monthlyCost(infrequent, { ...use, withFreeTier: true }).total).toBeGreaterThan(2.5);
  });

  it('count reserved units once', () => {
    const reserved = { term: 'oneYear' as const, read: 0, write: 100 };
    const { lines } = monthlyCost(standard, { provisioned: { read: 0, write: 150 }, reserved });
    expect(lines.map(({ what, quantity }) => [what, quantity])).toEqual([
      ['provisioned writes', 150],
      ['reserved writes', 100],
    ]);
    expect(lines[0]!.cost).toBeCloseTo(50 * 0.00065 * 730, 6);
  });

  it('of a Region without prices say so', () => {
    const nowhere = { ...standard, region: 'fakeRegion' };
    expect(requestCost(nowhere, { read: 1e6, write: 0 })).toBe(0.125);
    expect(describeBasis(nowhere)).toContain('us-east-1, because no prices of fakeRegion are known');
    expect(describeBasis({ ...standard, region: 'toString' })).toContain('no prices of toString');
  });
});

describe('a price file', () => {
  it('replaces what it names', () => {
    const prices = readPrices(
      '{"asOf":"2027-01","gigabyteBytes":1073741824,"classes":{"STANDARD":{"writeRequestsMillion":0.5}},"exportGb":0.11,"regions":{"eu-west-1":2}}',
    );
    const basis = { ...standard, prices, region: 'eu-west-1' };
    expect(requestCost(basis, { read: 1e6, write: 1e6 })).toBeCloseTo(2 * 0.625, 10);
    expect(describeBasis(basis)).toContain('2027-01');
    expect(describeBasis(basis)).toContain('(binary)');
    expect(prices.unconfirmed).not.toContain('exportGb');
    expect(prices.unconfirmed).not.toContain('regions');
    expect(prices.unconfirmed).toContain('importGb');
    expect(awsPrices.exportGb).toBe(0.1);
  });

  it('may be the whole table', () => {
    expect(readPrices(JSON.stringify(awsPrices))).toEqual(awsPrices);
  });

  it.each([
    ['{', 'It is no JSON'],
    ['[]', 'It must be a JSON object.'],
    ['{}', '"asOf" is missing'],
    ['{"asOf":"yesterday"}', '"asOf" must be a month such as "2026-10", not "yesterday".'],
    ['{"asOf":"2026-13"}', '"asOf" must be a month'],
    ['{"asOf":"2026-10","currency":"dollars"}', '"currency" must be a currency such as "USD"'],
    ['{"asOf":"2026-10","exportGB":1}', '"exportGB" is no member of a price table. Here can be asOf,'],
    ['{"asOf":"2026-10","exportGb":"1"}', '"exportGb" must be a number of 0 or more, not "1".'],
    ['{"asOf":"2026-10","exportGb":-1}', '"exportGb" must be a number of 0 or more, not -1.'],
    ['{"asOf":"2026-10","exportGb":1e400}', '"exportGb" must be a number'],
    ['{"asOf":"2026-10","gigabyteBytes":0}', '"gigabyteBytes" must be more than 0.'],
    ['{"asOf":"2026-10","classes":{"GOLD":{}}}', '"classes.GOLD" is no member'],
    ['{"asOf":"2026-10","classes":{"STANDARD":5}}', '"classes.STANDARD" must be an object, not 5.'],
    ['{"asOf":"2026-10","regions":{"eu-west-1":0}}', '"regions.eu-west-1" must be a number above 0, not 0.'],
    ['{"asOf":"2026-10","regions":{}}', '"regions" must be an object with a multiplier'],
    ['{"asOf":"2026-10","unconfirmed":[1]}', '"unconfirmed" must be a list of texts'],
    ['{"asOf":"2026-10","__proto__":{"x":1}}', '"__proto__" is no member'],
  ])('%s is refused', (text, problem) => {
    expect(() => readPrices(text)).toThrow(PriceFileError);
    expect(() => readPrices(text)).toThrow(problem);
  });

  it('is told all its problems at once', () => {
    const text = '{"exportGb":-1,"importGb":null,"nonsense":1}';
    try {
      readPrices(text);
    } catch (error) {
      expect((error as PriceFileError).problems).toHaveLength(4);
    }
    expect.assertions(1);
  });
});
