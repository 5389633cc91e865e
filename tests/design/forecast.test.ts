import { describe, expect, it } from 'vitest';
import cases from '../../examples/models/cases/model.ts';
import ecommerce from '../../examples/models/ecommerce/model.ts';
import feed from '../../examples/models/feed/model.ts';
import orders from '../../examples/models/orders/model.ts';
import parcels from '../../examples/models/parcels/model.ts';
import saas from '../../examples/models/saas/model.ts';
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
