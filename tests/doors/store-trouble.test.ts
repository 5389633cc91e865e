import { afterEach, expect, it, vi } from 'vitest';
import { ServiceError, Stator, StoreError } from '../../src/index.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { CallOptions, Unit } from '../../src/storage/store.ts';
import { plainRequest, tableOf } from '../cli/plain-request.ts';

let db: Stator | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await db?.close();
});

/** A store that can be made to fail as one does whose database server has gone. */
class UnsteadyStore extends MemoryStore {
  trouble: Error | undefined;

  override transact<R>(unit: Unit<R>, options?: CallOptions): R {
    if (this.trouble !== undefined) throw this.trouble;
    return super.transact(unit, options);
  }
}

async function open(debug: boolean) {
  const logged: string[] = [];
  const store = new UnsteadyStore();
  db = await Stator.open({ store, debug, log: (line) => logged.push(line) });
  await db.createTable(tableOf('Orders') as never);
  const { url } = await db.listen({ port: 0 });
  // From here on a second passes when the test says so.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  return { db, store, logged, url };
}

const put = { TableName: 'Orders', Item: { id: { S: '1' } } };
const gone = new StoreError(
  'unavailable',
  'PostgreSQL cannot be reached: no answer',
  new Error('ECONNREFUSED'),
);

it('trouble with the store is a line in the log, through every door, and then one a second', async () => {
  const { db: open_, store, logged, url } = await open(false);
  store.trouble = gone;
  for (let i = 0; i < 20; i++)
    expect(await plainRequest(url, 'PutItem', put)).toMatchObject({
      status: 500,
      body: { __type: expect.stringContaining('#InternalServerError') },
    });
  const thrown = await open_.putItem(put as never).catch((error: unknown) => error);
  expect([thrown, (thrown as ServiceError).cause]).toEqual([expect.any(ServiceError), gone]);
  expect(logged).toEqual([
    expect.stringMatching(/^PutItem failed, request \w+: PostgreSQL cannot be reached: no answer$/),
  ]);
  vi.advanceTimersByTime(1_000);
  expect(logged[1]).toBe(
    '20 more requests failed within a second (unavailable): PostgreSQL cannot be reached: no answer',
  );
  expect(logged).toHaveLength(2);
});

it('its stack is in the log for whoever debugs, and that of a defect always', async () => {
  const { store, logged, url } = await open(true);
  store.trouble = gone;
  await plainRequest(url, 'PutItem', put);
  expect(logged.splice(0)).toEqual([
    expect.stringMatching(/no answer\n[\s\S]*Caused by Error: ECONNREFUSED\n +at /),
  ]);
  store.trouble = new TypeError('broken');
  for (let i = 0; i < 2; i++) await plainRequest(url, 'PutItem', put);
  expect(logged).toEqual(Array(2).fill(expect.stringMatching(/TypeError: broken\n +at /)));
});
