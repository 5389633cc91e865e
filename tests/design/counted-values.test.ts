import { describe, expect, it } from 'vitest';
import {
  check,
  copy,
  count,
  create,
  distinct,
  entity,
  get,
  id,
  list,
  model,
  number,
  of,
  per,
  plainText,
  time,
  write,
} from '../../src/design/index.ts';
import { proveDesign } from '../../src/prove/prove-design.ts';

const small = { calls: 10, instances: 1_000, seconds: 4 };

/** A marketplace whose index is keyed by the seller's region, copied into each offer: five values. */
const seller = entity('Seller', {
  identity: { sellerId: id(12) },
  fixed: { region: distinct(5, plainText(8)) },
  population: count(100_000),
  keys: { table: (s) => [`SELLER#${s.sellerId}`, 'SELLER'] },
});
const offer = entity('Offer', {
  identity: { offerId: id(12) },
  fixed: { sellerId: of(seller), region: copy(seller, 'region', 'never'), at: time() },
  population: per(seller, { mean: 10, max: 1_000 }),
  keys: {
    table: (o) => [`OFFER#${o.offerId}`, 'OFFER'],
    GSI1: (o) => [`REGION#${o.region}`, `${o.at}#${o.offerId}`],
  },
});
const market = model('market', {
  entities: [seller, offer],
  reads: {
    one: get(offer, { does: 'an offer', by: 'offerId', peak: 5 }),
    newest: list(offer, { does: 'offers of a region', by: 'region', order: 'at desc', page: 20, peak: 5 }),
  },
  writes: { offer: write({ does: 'offer', steps: [create(offer)], peak: 6_000 }) },
});

/** Revisions whose index is keyed by their number alone. */
const page = entity('Page', {
  identity: { pageId: id(12) },
  population: count(1_000_000),
  keys: { table: (p) => [`PAGE#${p.pageId}`, 'PAGE'] },
});
const revision = entity('Revision', {
  identity: { pageId: of(page), revision: number(6) },
  fixed: { at: time() },
  population: per(page, { mean: 2, max: 5_000 }),
  keys: {
    table: (r) => [`PAGE#${r.pageId}`, `REVISION#${r.revision}`],
    GSI1: (r) => [`NUMBER#${r.revision}`, `${r.at}#${r.pageId}`],
  },
});
const wiki = model('wiki', {
  entities: [page, revision],
  reads: {
    one: get(revision, { does: 'a revision', by: ['pageId', 'revision'], peak: 5 }),
    numbered: list(revision, { does: 'all with a number', by: 'revision', order: 'at', page: 20, peak: 5 }),
  },
  writes: {
    begin: write({ does: 'begin', steps: [create(page), create(revision)], atomic: false, peak: 2_000 }),
  },
});

describe.each([
  ['an attribute copied from five regions', market, 1_200],
  ["a child's number", wiki, 2_000],
] as const)('an index keyed by %s', (_, given, writes) => {
  it('is called hot by the check', () => {
    const report = check(given);
    expect(report.findings.map((one) => one.check)).toContain('hot-partition');
    expect(report.forecast!.partitions.find(({ slot }) => slot === 'GSI1')!.writeUnits).toBeCloseTo(writes);
  });

  it('throttles in the proof', async () => {
    const proof = await proveDesign(given, undefined, small);
    expect(proof.passed).toBe(false);
    expect(proof.findings.map(({ rule }) => rule)).toContain('throttled pattern');
    const [busiest] = proof.peak!.arms.find(({ arm }) => arm.endsWith('/GSI1'))!.hotKeys;
    expect(busiest!.write).toBeGreaterThan(0.85 * writes);
  });
});
