import { expect, it } from 'vitest';
import { memoryBounds } from '../../physics/constants.ts';
import { createPhysics } from '../../physics/physics.ts';
import { KnownTables } from './known-tables.ts';
import { TableResources } from './table-resources.ts';

it('a process that uses a great many tables remembers no more than the model lists', () => {
  const model = createPhysics({ nowMs: 0 });
  const known = new KnownTables();
  const count = 3 * memoryBounds.resourcesMax;
  for (let i = 0; i < count; i++) {
    const identity = { id: `${i}/0`, tableName: `T${i}`, arn: `arn:${i}`, hasLocalIndexes: false };
    const main = model.open(identity, { mode: 'PROVISIONED', read: 1, write: 1 }, 0);
    known.set(`${i}`, new TableResources(main, new Map(), 1));
  }
  expect(known.size).toBeLessThanOrEqual(memoryBounds.resourcesMax * 1.125);
  expect(known.find('arn:0')).toBeUndefined();
  expect(known.find(`arn:${count - 1}`)?.main.isOpen).toBe(true);
});
