import { expect, it } from 'vitest';
import { client } from '../../src/client/index.ts';
import { compile, type ModelTypes, phaseVersion, planMigration } from '../../src/design/index.ts';
import {
  Migration,
  type MigrationCalls,
  type MigrationEvent,
  type MigrationOperation,
  sdkCalls,
} from '../../src/migrate/index.ts';
import { SimulatedMigration } from './simulated-migration.ts';
import { first, withCustomers, withMegaShipments, withStatus } from './tracking-models.ts';

const isOwn = (input: object) => !JSON.stringify(input).includes('_stator#');

/** What the reconciliation counted. */
function verified(events: readonly MigrationEvent[]): Readonly<Record<string, number>> {
  const found = events.findLast((one) => one.kind === 'done' && one.text.startsWith('reconcile'));
  return found?.kind === 'done' ? (found.counts ?? {}) : {};
}

it('takes samples although the run before died when it had read everything', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3);
  let isVerifying = false;
  const events: MigrationEvent[] = [];
  const report = (event: MigrationEvent) => {
    events.push(event);
    if (event.kind === 'step') isVerifying = event.step?.kind === 'verify';
  };
  world.refuse = (operation, input) =>
    isVerifying && operation === 'GetItem' && isOwn(input) ? new Error('gone') : undefined;
  await expect(world.runner(undefined, { report }).up({ writersReady: true })).rejects.toThrow('gone');
  world.refuse = undefined;
  await world.runner(undefined, { report }).up();
  expect(verified(events).compared).toBe(10);
});

it('proves a table whole that grows faster than it can be counted', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 12);
  const sdk = sdkCalls(world.db.client() as never);
  const { model, design } = phaseVersion(world.plan, 'dual-write');
  const during = compile(model, design);
  let next = 10_000;
  let added = 0;
  const calls: MigrationCalls = {
    call: async <Answer>(operation: MigrationOperation, input: object) => {
      if (operation === 'Scan')
        for (let n = 0; n < added; n++) {
          const values = world.shipment(next++);
          for (const Item of during.itemsOf('Shipment', values).items)
            await world.db.putItem({ TableName: 'tracking', Item: Item as never });
          world.shipments.set(values.shipmentId as string, values);
        }
      return sdk.call<Answer>(operation, input);
    },
  };
  const report = (event: MigrationEvent) => {
    if (event.kind === 'step' && event.step?.kind === 'verify') added = 20;
  };
  await world.runner(undefined, { calls, report }).up({ writersReady: true, until: 'verified' });
  const { history } = await world.runner().status();
  expect(history.map(({ text }) => text).join()).toContain('counted once more: index GSI1 has');
}, 60_000);

it('finds entries of a new index that nobody should have', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 13, 5);
  for (let n = 0; n < 30; n++)
    await world.db.putItem({
      TableName: 'tracking',
      Item: { PK: { S: `alien${n}` }, SK: { S: 'x' }, GSI1PK: { S: 'alien' }, GSI1SK: { S: `${n}` } },
    });
  await expect(world.runner().up({ writersReady: true })).rejects.toThrow('pass after pass: index GSI1 has');
}, 60_000);

it('begins a pass anew whose checkpoints are gone in part', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3);
  let isVerifying = false;
  const events: MigrationEvent[] = [];
  const report = (event: MigrationEvent) => {
    events.push(event);
    if (event.kind === 'step') isVerifying = event.step?.kind === 'verify';
  };
  world.refuse = (operation) => (isVerifying && operation === 'Scan' ? new Error('gone') : undefined);
  await expect(world.runner(undefined, { report }).up({ writersReady: true })).rejects.toThrow('gone');
  // Something to mend, so that the pass is repeated; the run dies between its checkpoints.
  const late = world.shipment(5_000);
  const old = compile(first, world.plan.from.design);
  for (const Item of old.itemsOf('Shipment', late).items)
    await world.db.putItem({ TableName: 'tracking', Item: Item as never });
  world.shipments.set('S5000', late);
  let dropped = 0;
  world.refuse = (operation) =>
    isVerifying && operation === 'DeleteItem' && ++dropped === 2 ? new Error('gone') : undefined;
  await expect(world.runner(undefined, { report }).up()).rejects.toThrow('gone');
  world.refuse = undefined;
  await world.runner(undefined, { report }).up();
  expect(verified(events).items).toBeGreaterThan(80);
});

it('ends only the way back of the readers when that was held up', async () => {
  await using world = await SimulatedMigration.begin(first, withMegaShipments, 5, 10);
  await world.runner().up({ writersReady: true });
  const wait = () => Promise.reject(new Error('gone'));
  const surroundings = { now: () => world.nowMs, wait, random: () => 0.5 };
  await expect(world.runner(undefined, { surroundings }).down()).rejects.toThrow('gone');
  expect(await world.runner().down()).toMatchObject({ phase: 'dual-write' });
  expect((await world.runner().status()).state).toMatchObject({ direction: 'up', returning: false });
  await world.runner().up({ until: 'done' });
  const { wanted, found } = await world.compare('to');
  expect(world.troubles).toEqual([]);
  expect(found).toEqual(wanted);
});

it('takes away what programs wrote although the step that told them had not ended', async () => {
  await using world = await SimulatedMigration.begin(first, withMegaShipments, 5, 10);
  const surroundings = {
    now: () => world.nowMs,
    random: () => 0.5,
    wait: () => Promise.reject(new Error('gone')),
  };
  await expect(world.runner(undefined, { surroundings }).up()).rejects.toThrow('gone');
  expect((await world.runner().status()).state).toMatchObject({ phase: 'dual-write', done: [] });
  for (let look = 0; look < 100; look++) await world.runner().status();
  await world.runner().down();
  const { wanted, found } = await world.compare('from');
  expect(world.troubles).toEqual([]);
  expect(found).toEqual(wanted);
});

it('leaves programs of a migration that is over with its new keys when the next one begins', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 5, 10);
  await world.runner().up({ writersReady: true, until: 'done' });
  await world.rest();
  const next = planMigration({ model: withCustomers, design: world.plan.to.design }, { model: withStatus });
  await new Migration(next, {
    calls: sdkCalls(world.db.client() as never),
    surroundings: { now: () => world.nowMs, wait: async () => {}, random: () => 0.5 },
    ...{ owner: 'the next', isGone: () => true, signal: new AbortController().signal },
  }).up();
  // A new instance of the program starts.
  const app = client<ModelTypes>(withCustomers, {
    client: world.db.client(),
    migration: { plan: world.plan },
  }) as unknown as { readonly entities: { readonly Shipment: { put(values: unknown): Promise<unknown> } } };
  const values = world.shipment(7_000);
  await app.entities.Shipment.put(values);
  const [wanted] = compile(withCustomers, world.plan.to.design).itemsOf('Shipment', values).items;
  const { PK, SK } = wanted as never;
  const { Item } = await world.db.getItem({ TableName: 'tracking', Key: { PK, SK } });
  expect(Item).toMatchObject(wanted as object);
});

it('names a table that is not there', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 5, 0);
  const runner = world.runner(undefined, { tables: { tracking: 'elsewhere' } });
  await expect(runner.up()).rejects.toMatchObject({
    trouble: 'schema',
    message: 'There is no table elsewhere.',
  });
});

it('takes back an index that was being made when the run died', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3, 5);
  const surroundings = {
    now: () => world.nowMs,
    wait: () => Promise.reject(new Error('gone')),
    random: () => 0.5,
  };
  await expect(world.runner(undefined, { surroundings }).up()).rejects.toThrow('gone');
  expect((await world.runner().describe('tracking'))?.GlobalSecondaryIndexes).toHaveLength(1);
  await world.runner().down('start');
  expect((await world.runner().describe('tracking'))?.GlobalSecondaryIndexes ?? []).toEqual([]);
  await expect(world.runner().down()).rejects.toThrow('nothing to take back');
}, 60_000);

it('goes the way back although its index was deleted, and leaves one alone that somebody else made', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3, 5);
  await world.runner().up();
  const update = (definitions: string[], change: object) =>
    world.db.updateTable({
      TableName: 'tracking',
      AttributeDefinitions: definitions.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      GlobalSecondaryIndexUpdates: [change],
    } as never);
  await update([], { Delete: { IndexName: 'GSI1' } });
  await world.db.settled();
  const KeySchema = [{ AttributeName: 'mine', KeyType: 'HASH' }];
  await update(['mine'], {
    Create: { IndexName: 'GSI1', KeySchema, Projection: { ProjectionType: 'ALL' } },
  });
  await world.db.settled();
  await expect(world.runner().up({ writersReady: true })).rejects.toThrow('Index GSI1 of table tracking has');
  expect(await world.runner().down('start')).toMatchObject({ phase: 'before', done: [] });
  const { GlobalSecondaryIndexes } = (await world.runner().describe('tracking'))!;
  expect(GlobalSecondaryIndexes).toMatchObject([{ IndexName: 'GSI1', KeySchema }]);
  await expect(world.runner().down()).rejects.toThrow('nothing to take back');
}, 60_000);

it('goes on although somebody deleted the lock', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3, 5);
  for (let run = 0; run < 3; run++) await world.runner().up({ until: 'dual-write' });
  await world.db.deleteItem({
    TableName: 'tracking',
    Key: { PK: { S: '_stator#migration' }, SK: { S: 'lock' } },
  });
  expect(await world.runner().up({ writersReady: true })).toMatchObject({ phase: 'flipped' });
}, 60_000);
