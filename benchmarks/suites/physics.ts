import { createPhysics, type Physics } from '../../src/physics/physics.ts';
import { placesEnd } from '../../src/physics/place.ts';
import type { Resource } from '../../src/physics/resource.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import { median } from '../compare.ts';
import { grouped } from '../report.ts';
import { atLeast, type Finding, type Suite, seen } from '../suite.ts';

/** The bar: requests that the model judges and charges in a second, on one core. */
const judgedMin = 1_000_000;

const keys = 10_000;
const sortAt = 27;

/**
 * The physical model alone: admission and charge of single items, without a store or a request. Keys are as long as those
 * of a store (prefix, hash, a sort key of 20 bytes).
 */
export const physics: Suite = async (options, onProgress) => {
  const count = options.items ?? (options.small ? 2_000 : 2_000_000);
  const rounds = options.rounds ?? (options.small ? 1 : 7);
  const findings: Finding[] = [];
  const rows: string[][] = [];
  for (const way of ways) {
    const laps: Lap[] = [];
    for (let round = -1; round < rounds; round++) {
      onProgress(`${way.title}: round ${round + 1} of ${rounds}`);
      const lap = oneLap(way, count, options.seed);
      if (round >= 0) laps.push(lap);
    }
    const rate = median(laps.map((lap) => lap.rate));
    const bytes = median(laps.map((lap) => lap.bytes));
    findings.push(atLeast(way.title, rate, judgedMin, 'requests/s'));
    findings.push(seen(`${way.title}: allocated`, bytes, 'bytes/request'));
    rows.push([
      way.title,
      grouped(rate),
      (1e9 / rate).toFixed(0),
      bytes.toFixed(1),
      grouped(laps[0]!.refused),
    ]);
  }
  return {
    findings,
    tables: [
      {
        title: `${grouped(count)} requests to ${grouped(keys)} keys, the model alone`,
        head: ['requests', 'a second', 'ns each', 'bytes allocated each', 'refused'],
        rows,
      },
    ],
    notes: [],
  };
};

interface Way {
  readonly title: string;
  /** Requests in a millisecond of the model's clock: what is asked decides how much is refused. */
  readonly perMs: number;
  readonly hot: boolean;
  open(model: Physics): Resource;
}

const identity = {
  id: 'orders',
  tableName: 'Orders',
  arn: 'arn:aws:dynamodb:eu-west-1:0:table/Orders',
  hasLocalIndexes: false,
};

const ways: readonly Way[] = [
  {
    title: 'on demand, 16 partitions, all granted',
    perMs: 8,
    hot: false,
    open: (model) =>
      model.open(identity, { mode: 'PAY_PER_REQUEST', read: 0, write: 0, warmWrite: 16_000 }, startMs),
  },
  {
    title: 'provisioned, nearly all refused',
    perMs: 1_000,
    hot: false,
    open: (model) => model.open(identity, { mode: 'PROVISIONED', read: 10, write: 10 }, startMs),
  },
  {
    title: 'on demand, one key, half refused',
    perMs: 2,
    hot: true,
    open: (model) => model.open(identity, { mode: 'PAY_PER_REQUEST', read: 0, write: 0 }, startMs),
  },
];

const startMs = Date.UTC(2026, 10, 18);

interface Lap {
  readonly rate: number;
  readonly bytes: number;
  readonly refused: number;
}

function oneLap({ open, perMs, hot }: Way, count: number, seed: number): Lap {
  const random = seededRandom(seed);
  const model = createPhysics({ nowMs: startMs, settings: { mode: 'enforce' } });
  const resource = open(model);
  const places = Float64Array.from({ length: keys }, () => Math.floor(random.next() * placesEnd));
  const storeKeys = Array.from({ length: keys }, () => random.bytes(sortAt + 20));
  const turns = Uint16Array.from({ length: 65_536 }, () => (hot ? 0 : random.below(keys)));
  let refused = 0;
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const before = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    const at = turns[i & 65_535]!;
    const place = places[at]!;
    const key = storeKeys[at]!;
    const nowMs = startMs + Math.floor(i / perMs);
    if (model.admit(resource, 'write', place, key, sortAt, nowMs) !== undefined) refused++;
    else model.charge(resource, 'write', place, key, sortAt, 1, nowMs);
  }
  // Processor time: the bar is about one core, whoever else uses it.
  const { user, system } = process.cpuUsage(before);
  return {
    rate: (count * 1e6) / (user + system),
    bytes: (process.memoryUsage().heapUsed - heap) / count,
    refused,
  };
}
