import { describe, expect, it } from 'vitest';
import { Effort } from '../../src/design/derive/effort.ts';
import { searchTable } from '../../src/design/derive/table-search.ts';
import {
  type Certificate,
  checkCertificate,
  checkDesign,
  derive,
  type TableDesign,
} from '../../src/design/index.ts';
import { type Model, modelFormat, type ReadPattern } from '../../src/design/ir.ts';
import { ModelFacts } from '../../src/design/model-facts.ts';
import { listPrices } from '../../src/design/prices.ts';
import { seededRandom } from '../seeded-random.ts';
import { randomModel } from './random-model.ts';

/** The models of the random tests that took longest to refuse: aggregates whose layouts multiply, and no design. */
const slow = [83, 701, 1_117];

describe('the effort of a derivation', () => {
  it.each(slow)('stays small for the random model %i, which has no design', (round) => {
    const random = seededRandom(31_000 + round);
    const model = randomModel(random, {
      entities: 2,
      attributes: 4,
      patterns: 5,
      aggregates: true,
      strong: round % 3 === 0,
      ...(round % 4 === 1 ? {} : { quiet: true }),
    });
    const effort = new Effort();
    expect(searchTable(new ModelFacts(model), model.entities, listPrices, effort)).toMatchObject({
      cut: false,
    });
    expect(effort.spent).toBeLessThan(2_000);
  });

  it('ends at a number of steps with the best design found, which says that it is not proved', () => {
    const model = tangled();
    const effort = new Effort(8_000);
    const solution = searchTable(new ModelFacts(model), model.entities, listPrices, effort);
    if ('unsolved' in solution) throw new Error('there is a design');
    expect(solution.proved).toBe(false);
    // A question that has begun may spend what it was allotted, and later ones the least.
    expect(effort.spent).toBeLessThan(100_000);
  });

  it('answers the same design for the same model, proved or not, and the checkers accept it', () => {
    const model = tangled();
    const shuffled = { ...model, reads: model.reads.toReversed() };
    const design = derive(model);
    expect(derive(shuffled)).toEqual(design);
    expect(checkDesign(model, design)).toEqual([]);
    expect(checkCertificate(model, design)).toEqual([]);
    const [table] = design.tables;
    const forged = {
      ...design,
      tables: [{ ...table!, proved: !table!.proved, certificate: claimed(table!) }],
    };
    expect(checkCertificate(model, forged)).not.toEqual([]);
  });
});

function claimed({ certificate, proved }: TableDesign): Certificate {
  const kind = proved ? 'searched' : 'unproved';
  return { ...certificate, claims: certificate.claims.map((claim) => ({ ...claim, proof: { kind } })) };
}

/** One entity with so many ways in that a full search would take millions of steps. */
function tangled(): Model {
  const random = seededRandom(5);
  const names = Array.from({ length: 9 }, (_, at) => `a${at}`);
  const id = { kind: 'id', bytes: { mean: 12, max: 12 } } as const;
  const rate = { peak: 5, mean: 1 };
  return {
    format: modelFormat,
    name: 'tangled',
    entities: [
      {
        name: 'E',
        attributes: [{ name: 'id', type: id }, ...names.map((name) => ({ name, type: id, distinct: 5_000 }))],
        identity: ['id'],
        fixed: [],
        population: { kind: 'count', count: 1_000_000, growthPerDay: 0 },
      },
    ],
    reads: Array.from({ length: 18 }, (_, at): ReadPattern => {
      const by = names.filter(() => random.chance(0.25));
      if (by.length === 0) by.push(names[at % names.length]!);
      const left = names.filter((name) => !by.includes(name));
      return {
        name: `r${String(at).padStart(2, '0')}`,
        entities: ['E'],
        result: 'list',
        by,
        where: [],
        order: random.chance(0.5) ? [{ attribute: random.pick(left), direction: 'asc' }] : [],
        page: 10,
        returns: 5,
        consistency: 'eventual',
        rate,
        skew: [],
        mayDiscard: random.chance(0.3) ? 0.9 : 0,
        mayFetch: random.chance(0.3),
      };
    }),
    writes: [
      {
        name: 'w',
        steps: [{ kind: 'create', entity: 'E', count: 1, once: true, unique: [], values: [] }],
        atomic: false,
        rate,
        skew: [],
      },
    ],
    environment: { capacity: 'on-demand', streams: [], headroom: 0.7, shardsMax: 6 },
  };
}
