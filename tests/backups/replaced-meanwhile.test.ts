import { expect, it } from 'vitest';
import { momentBefore } from '../../src/engine/history/eras.ts';
import { readPastPage } from '../../src/engine/history/past-pages.ts';
import { pastSource } from '../../src/engine/history/recovery.ts';
import { entryPrefix } from '../../src/engine/store-keys.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { parseJson } from '../../src/model/json/parse-json.ts';
import type { MaybePromise } from '../../src/model/maybe-promise.ts';
import { itemJson } from '../../src/model/stored/stored-item.ts';
import { equalBytes } from '../../src/model/values/bytes.ts';
import { decodeUtf8 } from '../../src/model/values/utf8.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { RangeRequest } from '../../src/storage/store.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';
import {
  backUp,
  createTable,
  dayMs,
  inBackup,
  put,
  recover,
  startMs,
  TableName,
  valuesIn,
} from './clock-engines.ts';

const scope = { account: '000000000000', region: 'us-east-1' };

/** Does something before each read of current items. */
class BeforeItems extends InterceptedStore {
  prefix: Uint8Array | undefined;
  does: () => Promise<void> = () => Promise.resolve();

  protected override intercept<T>(call: Call, run: () => MaybePromise<T>): MaybePromise<T> {
    const { from } = (call.method === 'range' ? call.args[0] : {}) as RangeRequest;
    const { prefix } = this;
    return prefix !== undefined && from !== undefined && equalBytes(from.subarray(0, prefix.length), prefix)
      ? this.does().then(run)
      : run();
  }
}

it('a backup has an item whose first old image comes while it is read', async () => {
  const store = new BeforeItems(new MemoryStore());
  const db = await Stator.open({ store });
  await createTable(db);
  for (let i = 0; i < 30; i++) await put(db, `item ${i}`, 'old');
  const before = await valuesIn(db);
  const record = (await db.engine.catalogue.record(scope, TableName))!;
  store.does = async () => {
    store.prefix = undefined;
    for (let i = 0; i < 30; i += 2) await put(db, `item ${i}`, 'new');
  };
  store.prefix = entryPrefix(record.storageId, 0);
  const arn = await backUp(db);
  expect(store.prefix).toBeUndefined();
  expect(await inBackup(db, arn)).toEqual(before);
  await db.close();
});

it.each([false, true])(
  'a page has items whose images come under new periods meanwhile, reverse: %s',
  async (reverse) => {
    const clock = new VirtualClock(startMs);
    const memory = new MemoryStore();
    const db = await Stator.open({ store: memory, clock });
    await createTable(db);
    await recover(db);
    for (let i = 0; i < 450; i++) await put(db, `item ${i}`, 'old');
    const before = await valuesIn(db);
    await db.createBackup({ TableName, BackupName: 'moment' });
    const record = (await db.engine.catalogue.record(scope, TableName))!;
    const reader = new BeforeItems(memory);
    let reads = 0;
    reader.prefix = entryPrefix(record.storageId, 0);
    reader.does = async () => {
      reads++;
      clock.advanceMs(dayMs);
      // Begins an era, and with it a period.
      await db.createBackup({ TableName, BackupName: `later-${reads}` });
      for (let i = reads; i < 450; i += 3) await put(db, `item ${i}`, `new ${reads}`);
      for (let i = reads; i < 450; i += 7)
        await db.deleteItem({ TableName, Key: { pk: { S: `item ${i}` } } });
    };
    const { items, next } = await readPastPage(reader, pastSource(record), {
      bounds: { from: reader.prefix, to: undefined, reverse },
      cuts: [momentBefore(record)],
      limit: 10_000,
      maxBytes: 1e9,
      reads: { entries: 1e9, bytes: 1e9 },
    });
    expect(next).toBeUndefined();
    expect(reads).toBeGreaterThan(1);
    const found = items.map(({ states }): [string, string] => {
      const { pk, v } = parseJson(decodeUtf8(itemJson(states[0]!))) as Record<'pk' | 'v', { S: string }>;
      return [pk.S, v.S];
    });
    expect(found).toHaveLength(450);
    expect(Object.fromEntries(found)).toEqual(before);
    await db.close();
  },
);
