import { expect, it } from 'vitest';
import { type CaseName, cases } from '../../benchmarks/http/cases.ts';
import { fillPlainly, wholeRequest } from '../../benchmarks/http/in-process.ts';
import { Orders, tableDefinition, tableName } from '../../benchmarks/http/items.ts';
import { Stator } from '../../src/stator.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { CallOptions, Unit } from '../../src/storage/store.ts';

/** A store whose calls may take their time, as those of engines on disk do, and that notes what units read first. */
class NotingStore extends MemoryStore {
  override readonly immediate: boolean = false;
  readonly firstReads: Uint8Array[] = [];

  override transact<R>(unit: Unit<R>, options?: CallOptions): R {
    this.firstReads.push(unit.reads[0]!);
    return super.transact(unit, options);
  }
}

it('every write to a table begins with the same array, its epoch, so that a group of them reads it once', async () => {
  const store = new NotingStore();
  const db = await Stator.open({ store });
  const orders = new Orders(50, 1);
  await db.createTable(tableDefinition as unknown as Parameters<Stator['createTable']>[0]);
  await fillPlainly(db, orders);
  const written = store.firstReads.length;
  for (const name of ['put', 'update', 'transact'] satisfies CaseName[]) {
    const { operation, input } = cases[name];
    await wholeRequest(db, operation, input(orders, 3, 1));
  }
  await wholeRequest(db, 'DeleteItem', { TableName: tableName, Key: orders.key(3) });
  const puts = [4, 5].map((index) => ({ PutRequest: { Item: orders.item(index, 1) } }));
  await wholeRequest(db, 'BatchWriteItem', { RequestItems: { [tableName]: puts } });

  const firstReads = store.firstReads.slice(written);
  expect(firstReads).toHaveLength(6);
  const { epochKey } = (await db.engine.catalogue.table(
    { account: '000000000000', region: db.region },
    tableName,
  ))!;
  for (const key of firstReads) expect(key).toBe(epochKey);
});
