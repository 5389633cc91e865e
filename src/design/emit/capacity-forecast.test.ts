import { describe, expect, it } from 'vitest';
import cases from '../../../examples/models/cases/model.ts';
import feed from '../../../examples/models/feed/model.ts';
import orders from '../../../examples/models/orders/model.ts';
import { awsPrices } from '../../physics/prices.ts';
import { costOf } from '../cost/cost-design.ts';
import { derive } from '../derive/derive.ts';
import { documentRows, writeUnitsText } from '../document/document-rows.ts';
import { change, count, create, entity, get, id, model, number, plainText, remove, write } from '../index.ts';
import { forecastCapacity } from './capacity-forecast.ts';

const basis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' } as const;

const space = entity('Space', {
  identity: { spaceId: id(8) },
  changing: { slug: plainText(12), seats: number(4) },
  population: count(1_000),
});
const at = { does: 'write', peak: 1 };
const spaces = model('spaces', {
  entities: [space],
  reads: { read: get(space, { does: 'a space', by: 'spaceId', peak: 1 }) },
  writes: {
    open: write({ ...at, steps: [create(space, { unique: 'slug' })] }),
    seat: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['seats'] })] }),
    rename: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['slug'] })] }),
    close: write({ ...at, steps: [remove(space, { given: 'spaceId' })] }),
  },
});

describe('the capacity of a template', () => {
  it.each([cases, feed, orders, spaces].map((one) => [one.name, one] as const))(
    'follows from the units that %s is priced by',
    (_name, given) => {
      const design = derive(given);
      const forecast = forecastCapacity(given, design);
      for (const { pattern, unitsPerCall } of costOf(given, design, { basis }).patterns)
        expect(forecast.unitsOf(pattern), pattern).toEqual(unitsPerCall);
    },
  );

  it('counts the guards that move or go, and what must be read to find them', () => {
    const forecast = forecastCapacity(spaces, derive(spaces));
    expect(forecast.peak('spaces', 'table')).toEqual({ read: 0.5 + 1 + 1, write: 4 + 1 + 6 + 4 });
  });
});

it('a document tells transactions and reads of guards that move or go', () => {
  const { writes } = documentRows(spaces, derive(spaces));
  const told = writes.map((row) => [row.name, row.isTransaction, writeUnitsText(row)]);
  expect(told).toEqual([
    ['open', true, '4'],
    ['seat', false, '1'],
    ['rename', true, '6 + 1 read'],
    ['close', true, '4 + 1 read'],
  ]);
});
