import { describe, expect, it } from 'vitest';
import {
  check,
  copy,
  count,
  create,
  derive,
  distinct,
  entity,
  get,
  hot,
  id,
  list,
  type Model,
  model,
  number,
  of,
  per,
  plainText,
  time,
  write,
} from './index.ts';
import { ModelFacts } from './model-facts.ts';

const seller = entity('Seller', {
  identity: { sellerId: id(12) },
  fixed: { region: distinct(5, plainText(8)) },
  population: count(100_000),
});
const offer = entity('Offer', {
  identity: { offerId: id(12) },
  fixed: { sellerId: of(seller), region: copy(seller, 'region', 'never'), at: time() },
  population: per(seller, { mean: 10, max: 1_000 }),
});
const bid = entity('Bid', {
  identity: { bidId: id(12) },
  fixed: { offerId: of(offer), region: copy(offer, 'region', 'never'), at: time() },
  population: per(offer, { mean: 3, max: 100 }),
});

describe('copies', () => {
  const market = (skew: Parameters<typeof write>[0]['skew'] = {}) =>
    model('market', {
      entities: [seller, offer, bid],
      reads: {
        newest: list(bid, { does: 'bids of a region', by: 'region', order: 'at desc', page: 20, peak: 10 }),
      },
      writes: { bid: write({ does: 'bid', steps: [create(bid)], peak: 2_000, skew }) },
    });

  it('have as many values as their source, through copies of copies', () => {
    const facts = new ModelFacts(market());
    expect(facts.distinct(facts.entity('Offer'), 'region')).toBe(5);
    expect(facts.distinct(facts.entity('Bid'), 'region')).toBe(5);
    expect(facts.isOpen(facts.entity('Bid'), 'region')).toBe(false);
  });

  it('heat an index like their source, which derivation shards and forecasts', () => {
    const given = market();
    const [table] = derive(given).tables;
    const index = table!.placements.find(({ entity, slot }) => entity === 'Bid' && slot !== 'table')!;
    // A fifth of 2,000 writes a second is 400 units: within 700. With a hot offer it is not.
    const partition = check(given).forecast!.partitions.find(({ slot }) => slot === index.slot)!;
    expect(partition.writeUnits).toBeCloseTo(400);
    expect(index.shards).toBe(1);
    const skewed = market({ offerId: hot(1, 0.45) });
    const sharded = derive(skewed).tables[0]!.placements;
    expect(sharded.find(({ slot }) => slot === index.slot)!.shards).toBe(2);
  });

  it('that lead back to themselves are refused', () => {
    const given = market();
    const circle = {
      ...given,
      entities: given.entities.map((one) => ({
        ...one,
        attributes: one.attributes.map((attribute) =>
          one.name === 'Seller' && attribute.name === 'region'
            ? { ...attribute, copyOf: { entity: 'Bid', attribute: 'region', refreshedBy: 'never' as const } }
            : attribute,
        ),
      })),
    };
    expect(() => derive(circle as Model)).toThrow('copied from itself');
  });
});

describe("a child's number", () => {
  const page = entity('Page', { identity: { pageId: id(12) }, population: count(1_000_000) });
  const revision = entity('Revision', {
    identity: { pageId: of(page), revision: number(6) },
    fixed: { text: plainText(200) },
    population: per(page, { mean: 2, max: 5_000 }),
  });
  const wiki = (steps: Parameters<typeof write>[0]['steps']) =>
    model('wiki', {
      entities: [page, revision],
      reads: {
        one: get(revision, { does: 'a revision', by: ['pageId', 'revision'], peak: 10 }),
        first: list(revision, { does: 'all with a number', by: 'revision', page: 20, peak: 1 }),
      },
      writes: { save: write({ does: 'save', steps, peak: 1_000 }) },
    });

  it('is the same for all first children', () => {
    const facts = new ModelFacts(wiki([create(revision)]));
    const entity = facts.entity('Revision');
    expect(facts.distinct(entity, 'revision')).toBe(5_000);
    expect(facts.hottestShare(entity, ['revision'], [], new Set(), true)).toBe(0.5);
    expect(facts.isOpen(entity, 'revision')).toBe(false);
  });

  it('is always the first where the parent is created in the same call', () => {
    const heat = (given: Model) => {
      const { writeUnits, shards } = check(given).forecast!.partitions.find(({ slot }) => slot !== 'table')!;
      return writeUnits * shards;
    };
    const more = heat(wiki([create(revision)]));
    const first = heat(wiki([create(page), create(revision)]));
    expect(first).toBe(2 * more);
  });
});
