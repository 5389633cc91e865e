import { describe, expect, it } from 'vitest';
import {
  type Claim,
  change,
  check,
  checkCertificate,
  checkDesign,
  count,
  type Design,
  derive,
  distinct,
  entity,
  type HeatClaim,
  hot,
  id,
  list,
  type Model,
  ModelError,
  model,
  number,
  type RefutationNode,
  type TableDesign,
  text,
  time,
  write,
} from '../../src/design/index.ts';
import type { Piece } from '../../src/design/ir.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { randomModel } from './random-model.ts';

const rounds = 300;

describe('the checker', () => {
  it(`accepts every design and certificate of ${rounds} random models, and no tampered one`, () => {
    const seen: Record<string, number> = {
      refused: 0,
      none: 0,
      clique: 0,
      tree: 0,
      searched: 0,
      sharded: 0,
      tampered: 0,
    };
    for (let round = 0; round < rounds; round++) {
      const random = seededRandom(27_000 + round);
      const given = drawn(random, round);
      const design = derived(given);
      if (design === undefined) {
        seen.refused!++;
        continue;
      }
      const troubles = [...checkDesign(given, design), ...checkCertificate(given, design)];
      expect(troubles, `round ${round}`).toEqual([]);
      const { claims } = design.tables[0]!.certificate;
      if (claims.length === 0) seen.none!++;
      if (design.tables[0]!.placements.some(({ shards }) => shards > 1)) seen.sharded!++;
      for (const { proof } of claims) seen[proof.kind]!++;
      for (const [what, forged] of forgeries(random, design)) {
        seen.tampered!++;
        const found = [...checkDesign(given, forged), ...checkCertificate(given, forged)];
        if (found.length === 0) expect(found, `round ${round}: ${what}`).not.toEqual([]);
      }
    }
    for (const [kind, count] of Object.entries(seen)) {
      if (kind !== 'searched') expect(count, JSON.stringify(seen)).toBeGreaterThan(10);
    }
    expect(seen.searched, JSON.stringify(seen)).toBeLessThan(rounds / 10);
  });

  it('accepts the shards of a family whose entries in local indexes take more writes than its items', () => {
    // Two entities under one partition value, with two local indexes.
    const family = drawn(seededRandom(528_851), 1_851);
    const { indexes, placements, certificate } = derive(family).tables[0]!;
    expect(indexes.map(({ kind }) => kind)).toEqual(['local', 'local']);
    expect(checkCertificate(family, derive(family))).toEqual([]);
    const writes = (slot: string) =>
      certificate.heat.filter((one) => one.slot === slot).reduce((sum, { demand }) => sum + demand.write, 0);
    expect(placements.every(({ shards }) => shards === Math.ceil(writes('LSI1') / 700))).toBe(true);
    expect(writes('LSI1')).toBeGreaterThan(writes('table'));
  });

  it('counts both writes of entries that move in the index of a family', () => {
    const task = entity('Task', {
      identity: { taskId: id(10) },
      fixed: { board: distinct(1, id(4)) },
      changing: { rank: number(6) },
      population: count(1_000),
    });
    const note = entity('Note', {
      identity: { noteId: id(10) },
      fixed: { board: distinct(1, id(4)) },
      population: count(1_000),
    });
    const board = model('board', {
      entities: [task, note],
      reads: {
        all: list([task, note], { does: 'a board', by: 'board', page: 5, peak: 1 }),
        ranked: list(task, { does: 'its tasks by rank', by: 'board', order: 'rank', page: 5, peak: 1 }),
      },
      writes: {
        move: write({
          does: 'move a task',
          steps: [change(task, { given: 'taskId', sets: 'rank' })],
          peak: 500,
        }),
      },
    });
    const design = derive(board);
    expect(checkCertificate(board, design)).toEqual([]);
    const entries = design.tables[0]!.placements.filter(({ slot }) => slot === 'GSI1');
    // 500 moves a second are 1,000 units of the index, and one partition may take 700.
    expect(entries.map(({ entity, shards }) => [entity, shards])).toEqual([
      ['Note', 2],
      ['Task', 2],
    ]);
  });

  it('counts the hottest item whole, however many shards there are', () => {
    const job = entity('Job', {
      identity: { jobId: id(10) },
      fixed: { at: time() },
      changing: { state: text(10) },
      population: count(1_000_000),
    });
    const jobs = model('jobs', {
      entities: [job],
      reads: { latest: list(job, { does: 'latest jobs', order: 'at desc', page: 10, peak: 1 }) },
      writes: {
        work: write({
          does: 'work on jobs, mostly on one',
          steps: [change(job, { given: 'jobId', sets: 'state' })],
          peak: 1_500,
          skew: { jobId: hot(1, 0.4) },
        }),
      },
    });
    const design = derive(jobs);
    const [table] = design.tables as [TableDesign];
    const claim = table.certificate.heat.find(({ slot }) => slot === 'GSI1')!;
    // A third of the writes for each shard, and four tenths for the one of the busy job.
    expect(claim).toMatchObject({ shards: 3, writes: [{ share: 1, item: 0.4 }] });
    const hottest = check(jobs, design).forecast!.partitions.find(({ slot }) => slot === 'GSI1')!;
    expect(hottest.writeUnits).toBeCloseTo(600);
    expect(checkCertificate(jobs, design)).toEqual([]);
    const { item: _, ...evenly } = claim.writes[0]!;
    const heat = table.certificate.heat.map((one) => (one === claim ? { ...one, writes: [evenly] } : one));
    const forged = { ...design, tables: [{ ...table, certificate: { ...table.certificate, heat } }] };
    expect(checkCertificate(jobs, forged)).not.toEqual([]);
  });
});

function drawn(random: SeededRandom, round: number): Model {
  // Busy models need shards: their heat is worth verifying.
  const busy = round % 4 === 3 ? {} : { quiet: true };
  return round % 3 === 0
    ? randomModel(random, { entities: 2, attributes: 3, patterns: 4, aggregates: true, ...busy })
    : randomModel(random, {
        entities: 1,
        attributes: 4,
        patterns: 5,
        aggregates: false,
        strong: round % 6 === 1,
        ...busy,
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
  yield* coolerThanTrue(random, table, withTable);
  for (const [at, claim] of certificate.claims.entries()) {
    const replaced = (change: Partial<Claim>) =>
      withTable({
        certificate: {
          ...certificate,
          claims: certificate.claims.map((one, index) => (index === at ? { ...one, ...change } : one)),
        },
      });
    if (claim.globals < 20)
      yield [
        'the claim is missing',
        withTable({ certificate: { ...certificate, claims: certificate.claims.toSpliced(at, 1) } }),
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

/** Heat that is told wrongly, and shards that do not fit it. */
function* coolerThanTrue(
  random: SeededRandom,
  { placements, certificate }: TableDesign,
  withTable: (change: Partial<TableDesign>) => Design,
): Generator<[string, Design]> {
  const claim = random.pick(certificate.heat);
  const { writes, demand, ceiling } = claim;
  const replaced = (change: Partial<HeatClaim>) =>
    withTable({
      certificate: {
        ...certificate,
        heat: certificate.heat.map((one) => (one === claim ? { ...one, ...change } : one)),
      },
    });
  yield [
    'a heat claim is missing',
    withTable({
      certificate: { ...certificate, heat: certificate.heat.filter((one) => one !== claim) },
    }),
  ];
  yield [
    'a partition gives more than the service',
    replaced({ ceiling: { ...ceiling, write: ceiling.write * 2 } }),
  ];
  if (demand.write > 0) {
    yield ['the demand is less than its lines', replaced({ demand: { ...demand, write: demand.write / 2 } })];
    const [first, ...rest] = writes;
    const without = rest.reduce((sum, { units, peak, share }) => sum + units * peak * share, 0);
    yield ['a writer is left out', replaced({ writes: rest, demand: { ...demand, write: without } })];
    const cheap = [{ ...first!, units: first!.units / 2 }, ...rest];
    const halved = demand.write - (first!.units * first!.peak * first!.share) / 2;
    yield [
      'a write costs less than it does',
      replaced({ writes: cheap, demand: { ...demand, write: halved } }),
    ];
  }
  const sharded = placements.find(({ shards }) => shards > 1);
  if (sharded === undefined) return;
  for (const [what, shards] of [
    ['a key has too few shards', sharded.shards - 1],
    ['a key has more shards than it needs', sharded.shards + 1],
  ] as const) {
    if (shards > sharded.shards && sharded.family !== undefined) continue;
    const of = (one: { entity: string; slot: string; copy?: number }) =>
      one.entity === sharded.entity && one.slot === sharded.slot && one.copy === sharded.copy;
    const spread = (partition: readonly Piece[]): Piece[] =>
      partition.map((piece) => (piece.kind === 'shard' ? { ...piece, count: shards } : piece));
    yield [
      what,
      withTable({
        placements: placements.map((one) =>
          of(one) ? { ...one, shards, partition: spread(one.partition) } : one,
        ),
        certificate: {
          ...certificate,
          heat: certificate.heat.map((one) => (of(one) ? { ...one, shards } : one)),
        },
      }),
    ];
  }
}

/** Removes the last branch of the first node. */
function cut(node: RefutationNode): RefutationNode {
  return 'full' in node ? node : { branches: node.branches.slice(0, -1) };
}
