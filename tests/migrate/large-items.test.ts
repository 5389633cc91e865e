import { expect, it } from 'vitest';
import { compile } from '../../src/design/index.ts';
import type { MigrationEvent } from '../../src/migrate/index.ts';
import { SimulatedMigration } from './simulated-migration.ts';
import { first, withCustomers } from './tracking-models.ts';

const units = 100;
const rate = 50;

it('keeps within the rate from the first large item on', async () => {
  await using world = await SimulatedMigration.begin(first, withCustomers, 3, 0);
  const old = compile(first, world.plan.from.design);
  for (let n = 0; n < 8; n++)
    for (const item of old.itemsOf('Shipment', world.shipment(n)).items)
      await world.db.putItem({
        TableName: 'tracking',
        Item: { ...item, note: { S: 'x'.repeat(units * 1_000) } } as never,
      });
  let beganMs = 0;
  let used = 0;
  const over: number[] = [];
  world.refuse = (operation, input) => {
    // Programs add small ones meanwhile.
    if (operation !== 'UpdateItem' || !/SHIPMENT#S[0-7]"/.test(JSON.stringify(input))) return undefined;
    used += units;
    over.push(used - (rate * (world.nowMs - beganMs)) / 1_000);
    return undefined;
  };
  const report = (event: MigrationEvent) => {
    if (event.kind === 'step' && event.step?.kind === 'backfill') beganMs = world.nowMs;
  };
  await world.runner(undefined, { writeRate: rate, report }).up({ writersReady: true, until: 'verified' });
  expect(used).toBeGreaterThanOrEqual(8 * units);
  // One write may begin on credit, and a second's worth may be caught up.
  expect(Math.max(...over)).toBeLessThanOrEqual(units + rate);
});
