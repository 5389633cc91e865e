import { expect, it } from 'vitest';
import { Stator, VirtualClock } from '../../index.ts';
import { encodeUtf8 } from '../../model/values/utf8.ts';
import { MemoryStore } from '../../storage/memory/memory-store.ts';
import { historyNoteKey } from '../store-keys.ts';

it('a note that cannot be read keeps no other table from forgetting its old images', async () => {
  const store = new MemoryStore();
  const clock = new VirtualClock(Date.UTC(2026, 10, 18));
  const lines: string[] = [];
  const db = await Stator.open({ store, clock, seed: 1, log: (line) => lines.push(line) });
  await db.createTable({
    TableName: 'past',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  await db.updateContinuousBackups({
    TableName: 'past',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  const key = historyNoteKey('0'.repeat(32));
  const mutations = [{ kind: 'put', key, value: encodeUtf8('{"format":1') }] as const;
  store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  let most = 0;
  for (let day = 0; day < 80; day++) {
    await db.putItem({ TableName: 'past', Item: { pk: { S: 'a' }, day: { N: `${day}` } } });
    clock.advanceMs(86_400_000);
    await db.settled();
    const { length } = store.range({ limit: 1_000 }).entries;
    if (day < 50) most = Math.max(most, length);
    else expect(length).toBeLessThanOrEqual(most);
  }
  expect(lines.filter((line) => line.includes('Old images of its table are kept'))).toHaveLength(1);
  await db.close();
});
