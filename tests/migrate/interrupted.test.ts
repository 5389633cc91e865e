import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/design/index.ts';
import { MigrationError, type MigrationEvent } from '../../src/migrate/index.ts';
import { seededRandom, testSeeds } from '../seeded-random.ts';
import { type Death, SimulatedMigration } from './simulated-migration.ts';
import { first, withCustomers, withMegaShipments, withStatus, withUniqueCodes } from './tracking-models.ts';

const migrations: readonly (readonly [string, Model, Model])[] = [
  ['a new access pattern', first, withCustomers],
  ['an index with other keys', withCustomers, withStatus],
  ['a sharded key', first, withMegaShipments],
  ['unique values', first, withUniqueCodes],
];

describe.each(migrations)('%s', (name, from, to) => {
  it.each(testSeeds(`migrations that die: ${name}`))(
    'comes to the same end whatever dies on the way, while programs see nothing (seed %i)',
    async (seed) => {
      await using world = await SimulatedMigration.begin(from, to, seed);
      const random = seededRandom(seed);
      const deaths = Array.from(
        { length: 6 },
        (): Death => ({ at: 1 + random.below(150), reaches: random.chance(0.5) }),
      );
      await world.survive((runner) => runner.up({ writersReady: true }), deaths);
      await world.survive((runner) => runner.up({ until: 'done' }), deaths.toReversed());
      const { wanted, found } = await world.compare('to');
      expect(world.troubles).toEqual([]);
      expect(found).toEqual(wanted);
    },
    60_000,
  );

  it('leads back to where it began, whatever dies on the way back', async () => {
    await using world = await SimulatedMigration.begin(from, to, 9);
    await world.runner().up({ writersReady: true });
    const deaths: Death[] = [3, 20, 60, 90].map((at) => ({ at, reaches: at % 40 === 20 }));
    const toStart = async (runner: ReturnType<typeof world.runner>) => {
      const { state } = await runner.status();
      if (state?.phase === 'before' && state.done.length === 0 && state.direction === 'up') return;
      await runner.down('start');
    };
    await world.survive(toStart, deaths);
    const { wanted, found } = await world.compare('from');
    expect(world.troubles).toEqual([]);
    expect(found).toEqual(wanted);
    await expect(world.runner().down()).rejects.toThrow('There is nothing to take back.');
  }, 60_000);
});

it('writes no item twice', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 4, 100);
  const { shipments } = world;
  const before = shipments.size;
  await world.runner().up({ writersReady: true, until: 'verified' });
  // Programs fill what they write themselves.
  expect(world.writes).toBeLessThanOrEqual(before);
  const status = await world.runner().status();
  expect(status.history.at(-1)!.text).toMatch(/^reconcile tracking.*right/);
});

it('backs off from throttles and comes to the same end', async () => {
  await using world = await SimulatedMigration.begin(first, withMegaShipments, 6);
  let asked = 0;
  world.refuse = (operation) => {
    if (!/^(Scan|TransactWriteItems)$/.test(operation) || ++asked % 4 !== 0) return undefined;
    const error = new Error('The level of configured provisioned throughput was exceeded.');
    error.name = 'ProvisionedThroughputExceededException';
    return error;
  };
  const seen: number[] = [];
  const report = (event: MigrationEvent) => {
    if (event.kind === 'progress') seen.push(event.figures.throttles);
  };
  await world.runner(undefined, { report }).up({ writersReady: true, until: 'done' });
  const { wanted, found } = await world.compare('to');
  expect(world.troubles).toEqual([]);
  expect(found).toEqual(wanted);
  expect(Math.max(...seen)).toBeGreaterThan(5);
}, 60_000);

describe('a runner refuses', () => {
  it('to fill anything before the writers are ready', async () => {
    await using world = await SimulatedMigration.begin(first, withCustomers, 1, 5);
    const result = await world.runner().up();
    expect(result).toMatchObject({ phase: 'dual-write', waitsForWriters: true });
  });

  it('to share a step with another runner', async () => {
    await using world = await SimulatedMigration.begin(first, withCustomers, 1, 5);
    await expect(
      world
        .survive((runner) => runner.up({ writersReady: true }), [])
        .then(async () => {
          // A live runner holds the lock; the next one must not think it dead.
          const held = world.runner({ at: 8, reaches: true });
          await held.up({ until: 'done' }).catch(() => undefined);
          await world.runner(undefined, { isGone: () => false }).up();
        }),
    ).rejects.toMatchObject({ trouble: 'locked' });
  });

  it('a plan other than the one that was begun', async () => {
    await using world = await SimulatedMigration.begin(first, withCustomers, 1, 5);
    await world.runner().up();
    const other = await SimulatedMigration.begin(first, withMegaShipments, 1, 5);
    const clash = other.plan;
    await other[Symbol.asyncDispose]();
    (world as unknown as { plan: unknown }).plan = clash;
    await expect(world.runner().up()).rejects.toMatchObject({ trouble: 'plan' });
    await expect(world.runner().down()).rejects.toMatchObject({ trouble: 'plan' });
  });

  it('a table whose index somebody else took away', async () => {
    await using world = await SimulatedMigration.begin(first, withCustomers, 1, 5);
    await world.runner().up();
    await world.db.updateTable({
      TableName: 'tracking',
      GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: 'GSI1' } }],
    });
    await expect
      .poll(
        async () => (await world.db.describeTable({ TableName: 'tracking' })).Table?.GlobalSecondaryIndexes,
      )
      .toBeUndefined();
    await expect(world.runner().up({ writersReady: true })).rejects.toMatchObject({
      trouble: 'schema',
      message: 'Index GSI1 of table tracking is gone.',
    });
  });

  it('to go on without a permission, cleanly, and goes on when it is given', async () => {
    await using world = await SimulatedMigration.begin(first, withCustomers, 1, 80);
    let writes = 0;
    world.refuse = (operation) => {
      if (operation !== 'UpdateItem' || ++writes < 30) return undefined;
      const error = new Error('User: x is not authorized to perform: dynamodb:UpdateItem');
      error.name = 'AccessDeniedException';
      return error;
    };
    const denied = world.runner().up({ writersReady: true });
    await expect(denied).rejects.toBeInstanceOf(MigrationError);
    await expect(denied).rejects.toMatchObject({ trouble: 'denied' });
    world.refuse = undefined;
    await world.runner().up({ writersReady: true, until: 'done' });
    const { wanted, found } = await world.compare('to');
    expect(found).toEqual(wanted);
  });

  it('two items with one unique value, and names them', async () => {
    await using world = await SimulatedMigration.begin(first, withUniqueCodes, 1, 10);
    const twin = { ...world.shipment(4), shipmentId: 'S5000' };
    const [Item] = (await import('../../src/design/index.ts'))
      .compile(first, world.plan.from.design)
      .itemsOf('Shipment', twin).items;
    await world.db.putItem({ TableName: 'tracking', Item: Item as never });
    await expect(world.runner().up({ writersReady: true })).rejects.toMatchObject({
      trouble: 'data',
      message: expect.stringContaining('have the same "code"') as string,
    });
  });
});
