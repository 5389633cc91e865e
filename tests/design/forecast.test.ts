import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
import {
  change,
  count,
  create,
  entity,
  id,
  list,
  model,
  number,
  plainText,
  remove,
  write,
} from '../../src/design/index.ts';
import { proveDesign } from '../../src/prove/prove-design.ts';

/**
 * Patterns whose forecast may be further off, and by how much. All callers read the same short collection: its size in the
 * sample is chance, which no number of calls averages out, and a few bytes more can cost the next unit.
 */
const ofOneShortCollection: Readonly<Record<string, number>> = { 'cases P6': 0.15, 'saas P14': 0.34 };

// As many calls and instances as the command has unless told otherwise: minutes for each model.
describe.runIf(process.env.STATOR_TEST_LONG === '1')('the forecast from distributions alone', () => {
  it.each([orders, cases, ecommerce, feed, saas, parcels].map((model) => [model.name, model] as const))(
    'is within 5 % of the charges of every pattern of %s',
    async (name, model) => {
      const { patterns } = await proveDesign(model, undefined, { seconds: 1 });
      for (const { pattern, units } of patterns)
        for (const kind of ['read', 'write'] as const) {
          const off = Math.abs(units[kind] - units.forecast[kind]);
          const tolerance = ofOneShortCollection[`${name} ${pattern}`] ?? 0.05;
          expect(off, `${pattern} ${kind}`).toBeLessThanOrEqual(tolerance * units[kind]);
        }
    },
    900_000,
  );
});

describe('a write that makes, moves or removes guards of unique values', () => {
  const space = entity('Space', {
    identity: { spaceId: id(8) },
    changing: { slug: plainText(12), seats: number(4), owner: id(8) },
    population: count(100),
  });
  const seat = entity('Seat', {
    identity: { seatId: id(8) },
    changing: { row: number(4) },
    population: count(100),
  });
  const at = { does: 'write', peak: 1 };
  const spaces = model('spaces', {
    entities: [space, seat],
    reads: {
      bySlug: list(space, { does: 'spaces', by: 'slug', page: 10, peak: 1 }),
      ofOwner: list(space, { does: 'spaces', by: 'owner', page: 10, peak: 1 }),
    },
    writes: {
      open: write({ ...at, steps: [create(space, { unique: 'slug' })] }),
      replace: write({ ...at, steps: [create(space, { once: false })] }),
      grow: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['seats'] })] }),
      hand: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['owner'] })] }),
      rename: write({ ...at, steps: [change(space, { given: 'spaceId', sets: ['slug'] })] }),
      renameAndMove: write({
        ...at,
        atomic: false,
        steps: [
          change(space, { given: 'spaceId', sets: ['slug'] }),
          change(seat, { given: 'seatId', sets: ['row'] }),
        ],
      }),
      close: write({ ...at, steps: [remove(space, { given: 'spaceId' })] }),
    },
  });

  it('is forecast with exactly the units that it is charged', async () => {
    const { patterns } = await proveDesign(spaces, undefined, { calls: 20, instances: 200, seconds: 0 });
    const writes = patterns.filter(({ kind }) => kind === 'write');
    for (const { pattern, units } of writes) {
      expect(units.differing, pattern).toBe(0);
      expect(units.forecast, pattern).toEqual({ read: units.read, write: units.write });
    }
    const units = Object.fromEntries(writes.map(({ pattern, units }) => [pattern, units.forecast]));
    expect(units).toEqual({
      open: { read: 0, write: 6 },
      replace: { read: 1, write: 6 },
      grow: { read: 0, write: 3 },
      hand: { read: 0, write: 4 },
      rename: { read: 1, write: 9 },
      renameAndMove: { read: 1, write: 10 },
      close: { read: 1, write: 6 },
    });
  });
});
