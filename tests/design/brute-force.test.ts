import { describe, expect, it } from 'vitest';
import { BlockPricer } from '../../src/design/derive/block-cost.ts';
import { entityProblem } from '../../src/design/derive/entity-problem.ts';
import { searchTable } from '../../src/design/derive/table-search.ts';
import { type Model, modelFormat, type ReadPattern } from '../../src/design/ir.ts';
import { ModelFacts } from '../../src/design/model-facts.ts';
import { listPrices } from '../../src/design/prices.ts';
import { seededRandom } from '../seeded-random.ts';
import { bruteForceEntity, type Outcome } from './brute-force.ts';
import { bruteForcePair } from './brute-force-pair.ts';
import { randomModel } from './random-model.ts';

const singles = 4_500;
const pairs = 500;

describe('the search', () => {
  it(`equals brute force on ${singles} models of one entity`, () => {
    const random = seededRandom(25);
    const kinds = { unsolved: 0, copies: 0, locals: 0, globals: 0 };
    for (let round = 0; round < singles; round++) {
      const model = randomModel(random, {
        entities: 1,
        attributes: round % 8 === 0 ? 4 : 3,
        patterns: 4,
        aggregates: false,
        strong: round % 3 === 0,
      });
      const facts = new ModelFacts(model);
      const problem = entityProblem(facts, model.entities[0]!);
      const naive = bruteForceEntity(facts, problem, new BlockPricer(problem, listPrices));
      const found = outcomeOf(model);
      if (found === undefined) kinds.unsolved++;
      else for (const kind of ['copies', 'locals', 'globals'] as const) if (found[kind] > 0) kinds[kind]++;
      if (!same(found, naive)) expect({ round, model, found }).toEqual({ round, model, found: naive });
    }
    // The models are worth comparing: each kind of answer occurs often.
    for (const count of Object.values(kinds)) expect(count, JSON.stringify(kinds)).toBeGreaterThan(50);
  });

  it('equals brute force where a pattern that forces more shards makes the reads of another cheaper', () => {
    const facts = new ModelFacts(cheaperByShards);
    const problem = entityProblem(facts, cheaperByShards.entities[0]!);
    const naive = bruteForceEntity(facts, problem, new BlockPricer(problem, listPrices))!;
    expect(naive.globals).toBe(2);
    expect(outcomeOf(cheaperByShards)).toEqual({ ...naive, cost: expect.closeTo(naive.cost, 6) });
  });

  it(`equals brute force on ${pairs} models of two entities that aggregates tie`, () => {
    const random = seededRandom(26);
    const seen = { unsolved: 0, inTable: 0, indexed: 0 };
    for (let round = 0; round < pairs; round++) {
      const drawn = randomModel(random, {
        entities: 2,
        attributes: 3,
        patterns: 3,
        aggregates: true,
        quiet: true,
      });
      // Only aggregates and exact reads, and an attribute that only one of the entities has.
      const model: Model = {
        ...drawn,
        reads: drawn.reads.map((read) => ({
          ...read,
          mayDiscard: 0,
          mayFetch: false,
          where: read.where.filter(({ kind }) => kind === 'equals'),
        })),
      };
      const facts = new ModelFacts(model);
      const [first, second] = model.entities.map((entity) => {
        const problem = entityProblem(facts, entity);
        return { problem, pricer: new BlockPricer(problem, listPrices) };
      });
      const search = searchTable(facts, model.entities, listPrices);
      const found = 'unsolved' in search || search.copies > 0 || search.locals > 0 ? undefined : search;
      let naive: { globals: number; cost: number } | undefined;
      for (let globals = 0; naive === undefined && globals <= model.reads.length; globals++) {
        const cost = bruteForcePair(facts, [first!, second!], globals);
        if (cost !== undefined) naive = { globals, cost };
      }
      if (found === undefined) seen.unsolved++;
      else if (found.globals === 0) seen.inTable++;
      else seen.indexed++;
      const close =
        found !== undefined &&
        naive !== undefined &&
        Math.abs(found.cost - naive.cost) <= 1e-6 * (1 + naive.cost);
      if (found === undefined ? naive !== undefined : !close || found.globals !== naive!.globals) {
        const shown = found && { globals: found.globals, cost: found.cost };
        expect({ round, model, found: shown }).toEqual({ round, model, found: naive });
      }
    }
    for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).toBeGreaterThan(20);
  });
});

/**
 * R0 alone needs two shards and reads 8.5 items from each, three units; beside R2 it needs five, and reads 3.4 items from
 * each, two and a half.
 */
const cheaperByShards: Model = {
  format: modelFormat,
  name: 'cheaper',
  entities: [
    {
      name: 'E0',
      attributes: [
        { name: 'a', type: { kind: 'time' } },
        {
          name: 'b',
          type: {
            kind: 'choice',
            values: [
              { value: 'X', share: 0.1 },
              { value: 'Y', share: 0.9 },
            ],
            ordered: false,
          },
        },
        { name: 'c', type: { kind: 'id', bytes: { mean: 12, max: 12 } }, distinct: 55 },
        { name: 'filling', type: { kind: 'text', bytes: { mean: 894, max: 3_000 }, plain: false } },
      ],
      identity: ['a', 'c'],
      fixed: ['b'],
      population: { kind: 'count', count: 10_000, growthPerDay: 0 },
    },
  ],
  reads: [
    reading('R0', { where: [{ kind: 'equals', attribute: 'b', value: 'X' }], returns: 17 }, 1_500, 20),
    reading('R1', { by: ['a'], order: [{ attribute: 'c', direction: 'asc' }], returns: 6 }, 1, 1),
    reading(
      'R2',
      { by: ['a'], where: [{ kind: 'equals', attribute: 'b', value: 'X' }], returns: 13 },
      1_500,
      20,
    ),
    reading(
      'R3',
      { by: ['c'], where: [{ kind: 'equals', attribute: 'b', value: 'X' }], returns: 17, needs: ['c'] },
      1_500,
      1,
    ),
  ],
  writes: [
    {
      name: 'W0',
      steps: [
        { kind: 'create', entity: 'E0', count: 1, once: true, unique: [], values: [] },
        {
          kind: 'change',
          entity: 'E0',
          count: 1,
          given: ['a', 'c'],
          sets: [{ attribute: 'filling' }],
          when: [],
          checksVersion: false,
        },
      ],
      atomic: false,
      rate: { peak: 50, mean: 1 },
      skew: [],
    },
  ],
  environment: { capacity: 'on-demand', streams: [], headroom: 0.7, shardsMax: 6 },
};

function reading(name: string, asks: Partial<ReadPattern>, peak: number, mean: number): ReadPattern {
  return {
    ...{ name, entities: ['E0'], result: 'list', by: [], where: [], order: [], page: 'all' },
    ...{ consistency: 'eventual', rate: { peak, mean }, skew: [], mayDiscard: 0, mayFetch: false },
    ...asks,
  } as ReadPattern;
}

function outcomeOf(model: Model): Outcome | undefined {
  const found = searchTable(new ModelFacts(model), model.entities, listPrices);
  if ('unsolved' in found) return undefined;
  const { copies, locals, globals, cost } = found;
  return { copies, locals, globals, cost };
}

function same(a: Outcome | undefined, b: Outcome | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const close = Math.abs(a.cost - b.cost) <= 1e-6 * (1 + b.cost);
  return close && a.copies === b.copies && a.locals === b.locals && a.globals === b.globals;
}
