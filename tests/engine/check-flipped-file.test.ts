import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { checkStore } from '../../src/check-store.ts';
import { historyPlace, segmentStart } from '../../src/engine/history/history-keys.ts';
import { entryPrefix } from '../../src/engine/store-keys.ts';
import { Stator } from '../../src/index.ts';
import { newDirectory } from '../storage/directories.ts';

const TableName = 'orders';
const scope = { account: '000000000000', region: 'us-east-1' };
let directory: string;
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A table with old images; answers the keys of all items and of all images. */
async function begin(): Promise<{ items: Uint8Array[]; images: Uint8Array[] }> {
  directory = await newDirectory();
  const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
  await db.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  for (const v of ['first', 'second'])
    for (let n = 0; n < 5; n++) await db.putItem({ TableName, Item: { pk: { S: `${n}` }, v: { S: v } } });
  await db.settled();
  const { storageId, history } = (await db.engine.catalogue.record(scope, TableName))!;
  const keys = async (prefix: Uint8Array) => {
    const { entries } = await db.engine.store.range({ from: prefix, limit: 5 });
    return entries.map(({ key }) => key);
  };
  const items = await keys(entryPrefix(storageId, 0));
  const images = await keys(segmentStart(historyPlace(storageId, history!.slot), history!.period));
  await db.close();
  return { items, images };
}

/** Flips a bit behind every place at which the key lies in the file: pages that were replaced lie there too. */
async function flip(key: Uint8Array, offset: number): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes === undefined) continue;
    let isFlipped = false;
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
      bytes[at + offset]! ^= 4;
      isFlipped = true;
    }
    if (isFlipped) await writeFile(path, bytes);
  }
}

it('a flipped bit in an old image in the file is a finding, and the check goes on', async () => {
  const { images } = await begin();
  await flip(images[2]!, images[2]!.length + 12);
  const report = (await checkStore({ directory }))!;
  expect(report).toMatchObject({ clean: false, tables: 1, items: 5, counts: { 'value-damaged': 1 } });
  expect(report.findings[0]).toMatchObject({
    table: TableName,
    storeKey: Buffer.from(images[2]!).toString('hex'),
  });
});

it.each([-1, -9])('a flipped bit in the key of an item is found by the check, at %i', async (at) => {
  const { items } = await begin();
  const key = items[2]!;
  await flip(key, key.length + at);
  // A read of the original key finds nothing: only the check tells.
  const report = (await checkStore({ directory }))!;
  expect(report.clean).toBe(false);
  expect(report.counts['value-damaged']).toBeGreaterThan(0);
  const db = await Stator.open({ store: { directory, durability: 'relaxed' } });
  await expect(db.scan({ TableName })).rejects.toThrow();
  await db.close();
});
