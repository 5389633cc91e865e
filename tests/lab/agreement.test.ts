import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { scenarioSource } from '../../src/lab/lab-source.ts';
import { laidOver } from '../../src/lab/lay-over.ts';
import { runSource, type SentRequest } from '../../src/lab/run-source.ts';
import type { Scenario } from '../../src/lab/scenario.ts';
import { labTable } from '../../src/lab/table-requests.ts';
import { SimulatedClock } from '../../src/runtime/clock.ts';
import type { VirtualRuntime } from '../../src/runtime/virtual-runtime.ts';
import { send } from '../../src/sdk-commands.ts';
import { small } from './small-scenario.ts';

const seed = 11;
const scenario = laidOver(small, small.variants!.hot!);
/** Busy enough that a second shows throttling. */
const busier: Scenario = {
  ...scenario,
  seconds: 1,
  patterns: { ...scenario.patterns, placeHot: { put: 'HotOrder', rate: 2_600 } },
};

/**
 * The requests of a run, sent again at their times through the SDK over HTTP to a server that enforces the same physics,
 * with the same seed, on simulated time. Outcomes, charges and partitions must be the same.
 */
async function agrees(wanted: Scenario, least: number) {
  const sent: SentRequest[] = [];
  let states: unknown;
  let endMs = 0;
  const source = scenarioSource(wanted, 'hot', '');
  await runSource(source, {
    seed,
    scale: 1,
    onSent: (one) => sent.push(one),
    onEnd: ({ db, clock }) => {
      endMs = clock.nowMicros() / 1000;
      states = stateOf(db);
    },
  });
  expect(sent.length).toBeGreaterThanOrEqual(least);
  expect(sent.filter(({ error }) => error !== undefined).length).toBeGreaterThan(20);

  const clock = new SimulatedClock(source.startMs);
  const db = await Stator.open({ clock, seed, physics: 'off' });
  const server = await db.listen({ port: 0 });
  const client = new DynamoDBClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'anyone', secretAccessKey: 'anything' },
    maxAttempts: 1,
  });
  try {
    for (const table of wanted.tables) await db.createTable(labTable(table).request as never);
    await loadAgain(db, wanted, source);
    db.engine.capacity.modes.setServer({ mode: 'enforce' });
    const runtime = db.engine.runtime as VirtualRuntime;
    const runTo = (ms: number) => runtime.run(ms - clock.nowMicros() / 1000);
    const answers: Promise<unknown>[] = [];
    const bySending = sent.toSorted((a, b) => a.number - b.number);
    for (const { atMs, request } of bySending) {
      await runTo(atMs);
      const sleeping = runtime.waiting;
      let isAnswered = false;
      const answer = send(client, request.operation as never, { ...request.input } as never).then(
        (value) => plain(value),
        (wrong: Error) => `${wrong.name}: ${wrong.message}`,
      );
      answers.push(answer.finally(() => (isAnswered = true)));
      // On its way over the socket no time passes; then it is answered, or sleeps in the engine.
      while (!isAnswered && runtime.waiting === sleeping) await new Promise(setImmediate);
    }
    await runTo(endMs);
    for (const [compared, { request, answer, error }] of bySending.entries()) {
      const found = await answers[compared];
      const expected = error === undefined ? plain(answer) : `${error.name}: ${error.message}`;
      if (JSON.stringify(found) !== JSON.stringify(expected))
        expect({ compared, request, found }).toEqual({ compared, request, found: expected });
    }
    expect(stateOf(db)).toEqual(states);
  } finally {
    client.destroy();
    await db.close();
  }
}

async function loadAgain(db: Stator, wanted: Scenario, { startMs }: { startMs: number }) {
  const { LabDatabase } = await import('../../src/lab/lab-database.ts');
  const other = new LabDatabase(wanted.tables.map(labTable), { seed, startMs });
  const put = db.putItem.bind(db);
  // The same items, put through the same door into the server's database.
  (other.db as unknown as { putItem: typeof put }).putItem = put;
  await other.load(wanted);
  await other.close();
}

function plain(answer: unknown): object {
  const { $metadata: _, ...rest } = answer as Record<string, unknown>;
  return sorted(rest) as object;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}

/** Partitions with their balances and loads, and how much was refused. */
function stateOf(db: Stator) {
  const { capacity } = db.engine;
  const found = capacity.find({ account: '000000000000', region: 'us-east-1' }, 'orders')!;
  return found.all().map((resource) => {
    const { partitions, lastHour } = capacity.model.describe(resource, capacity.nowMs());
    return { partitions, lastHour };
  });
}

describe('the laboratory and a server in enforce', () => {
  it('agree on every request', () => agrees(busier, 2_500), 300_000);

  it.runIf(process.env.STATOR_TEST_LONG === '1')(
    'agree on a hundred thousand requests',
    () => agrees({ ...scenario, seconds: 41 }, 100_000),
    3_600_000,
  );
});
