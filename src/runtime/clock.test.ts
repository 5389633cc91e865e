import { expect, it } from 'vitest';
import { Stator } from '../index.ts';
import { VirtualClock } from './clock.ts';

it('keeps whole microseconds, however long it is moved', () => {
  const clock = new VirtualClock(1_000.0004);
  expect(clock.nowMicros()).toBe(1_000_000);
  clock.advanceMs(161.80339887);
  expect(clock.nowMicros()).toBe(1_161_803);
  clock.setMs(0.1 + 0.2);
  expect(clock.nowMicros()).toBe(300);
  expect(() => clock.advanceMs(Number.NaN)).toThrow(TypeError);
});

it('may be moved by a fraction of a microsecond between transactions', async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  await using db = Stator.inMemory({ clock });
  await db.createTable({
    TableName: 'app',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  clock.advanceMs(161.80339887);
  const TransactItems = [{ Put: { TableName: 'app', Item: { pk: { S: 'a' } } } }];
  await db.transactWriteItems({ ClientRequestToken: 'once', TransactItems });
});
