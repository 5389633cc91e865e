import { describe, expect, it } from 'vitest';
import {
  type Claim,
  checkCertificate,
  checkDesign,
  type Design,
  derive,
  type Model,
  ModelError,
  type RefutationNode,
  type TableDesign,
} from '../../src/design/index.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { randomModel } from './random-model.ts';

const rounds = 500;

describe('the checker', () => {
  it(`accepts every design and certificate of ${rounds} random models, and no tampered one`, () => {
    const seen: Record<string, number> = {
      refused: 0,
      none: 0,
      clique: 0,
      tree: 0,
      searched: 0,
      tampered: 0,
    };
    for (let round = 0; round < rounds; round++) {
      const random = seededRandom(27_000 + round);
      const model = drawn(random, round);
      const design = derived(model);
      if (design === undefined) {
        seen.refused!++;
        continue;
      }
      const troubles = [...checkDesign(model, design), ...checkCertificate(model, design)];
      expect(troubles, `round ${round}`).toEqual([]);
      const { claims } = design.tables[0]!.certificate;
      if (claims.length === 0) seen.none!++;
      for (const { proof } of claims) seen[proof.kind]!++;
      for (const [what, forged] of forgeries(random, design)) {
        seen.tampered!++;
        const found = [...checkDesign(model, forged), ...checkCertificate(model, forged)];
        if (found.length === 0) expect(found, `round ${round}: ${what}`).not.toEqual([]);
      }
    }
    for (const [kind, count] of Object.entries(seen)) {
      if (kind !== 'searched') expect(count, JSON.stringify(seen)).toBeGreaterThan(20);
    }
    expect(seen.searched, JSON.stringify(seen)).toBeLessThan(rounds / 20);
  });
});

function drawn(random: SeededRandom, round: number): Model {
  return round % 3 === 0
    ? randomModel(random, { entities: 2, attributes: 3, patterns: 4, aggregates: true, quiet: true })
    : randomModel(random, {
        entities: 1,
        attributes: 4,
        patterns: 5,
        aggregates: false,
        strong: round % 6 === 1,
        quiet: true,
      });
}

function derived(model: Model): Design | undefined {
  try {
    return derive(model);
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}

/** Changes to a design or its certificate that make it wrong. */
function* forgeries(random: SeededRandom, design: Design): Generator<[string, Design]> {
  const [table] = design.tables as [TableDesign];
  const withTable = (change: Partial<TableDesign>): Design => ({
    ...design,
    tables: [{ ...table, ...change }],
  });
  const { placements, plans, certificate } = table;
  yield ['a plan is missing', withTable({ plans: plans.slice(1) })];
  const moved = random.pick(plans);
  const elsewhere = placements.filter(
    ({ slot, entity }) => slot !== moved.slot && moved.entities.includes(entity),
  );
  if (table.indexes.length > 0 && elsewhere.length === 0) {
    const other = moved.slot === 'table' ? table.indexes[0]!.name : 'table';
    if (!placements.some(({ slot, entity }) => slot === other && moved.entities.includes(entity))) {
      yield [
        'a plan reads a slot without its entity',
        withTable({ plans: plans.map((one) => (one === moved ? { ...one, slot: other } : one)) }),
      ];
    }
  }
  yield [
    'a plan takes more calls than it says',
    withTable({ plans: plans.map((one) => (one === moved ? { ...one, calls: one.calls + 1 } : one)) }),
  ];
  const victim = random.pick(placements);
  yield [
    'a key loses its attributes',
    withTable({
      placements: placements.map((one) =>
        one === victim
          ? { ...one, partition: [{ kind: 'constant', text: 'X' }], sort: [{ kind: 'constant', text: 'Y' }] }
          : one,
      ),
    }),
  ];
  for (const [at, claim] of certificate.claims.entries()) {
    const replaced = (change: Partial<Claim>) =>
      withTable({
        certificate: {
          claims: certificate.claims.map((one, index) => (index === at ? { ...one, ...change } : one)),
        },
      });
    if (claim.globals < 20)
      yield [
        'the claim is missing',
        withTable({ certificate: { claims: certificate.claims.toSpliced(at, 1) } }),
      ];
    if (claim.proof.kind === 'clique') {
      yield [
        'the clique is too small',
        replaced({ proof: { ...claim.proof, patterns: claim.proof.patterns.slice(1) } }),
      ];
      if (claim.proof.patterns.length > 1)
        yield [
          'the clique names a pattern twice',
          replaced({
            proof: {
              ...claim.proof,
              patterns: [claim.proof.patterns[0]!, ...claim.proof.patterns.slice(0, -1)],
            },
          }),
        ];
    }
    if (claim.proof.kind === 'tree') {
      yield ['a branch is cut off', replaced({ proof: { ...claim.proof, root: cut(claim.proof.root) } })];
      yield [
        'the root claims to be full',
        replaced({ proof: { ...claim.proof, root: { full: 0, patterns: [claim.proof.order[0]!] } } }),
      ];
      if (claim.globals < 20)
        yield ['the room is larger than proved', replaced({ globals: claim.globals + 1 })];
    }
  }
}

/** Removes the last branch of the first node. */
function cut(node: RefutationNode): RefutationNode {
  return 'full' in node ? node : { branches: node.branches.slice(0, -1) };
}
