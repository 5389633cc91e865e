import { describe, expect, it } from 'vitest';
import { encodeJob, newProgress } from '../../src/engine/backups/job.ts';
import { endIn, historyKey, historyPlace, segmentStart } from '../../src/engine/history/history-keys.ts';
import {
  alarmHistoryKind,
  alarmKind,
  alarmLeaseKind,
  entryKind,
  entryPrefix,
  importErrorKind,
  jobKey,
  metricKind,
  scalingKind,
} from '../../src/engine/store-keys.ts';
import { compareBytes } from '../../src/model/values/bytes.ts';
import { toHex } from '../../src/model/values/hex.ts';
import { encodeUtf8 } from '../../src/model/values/utf8.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Entry, RangePage, Store } from '../../src/storage/store.ts';
import { DamagedValue } from '../../src/storage/store-error.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';
import { checked, filled, itemOf, scope, TableName } from './check-patient.ts';

/** A store that finds the value under a key damaged, as lmdb does by its checksums. */
class DamagedStore extends InterceptedStore {
  readonly key: Uint8Array;

  constructor(inner: Store, key: Uint8Array) {
    super(inner);
    this.key = key;
  }

  protected override intercept<T>({ method, args }: Call, run: () => T): T {
    const result = run();
    if (method === 'snapshot' || method === 'readLog') return result;
    const keys = method === 'range' ? (result as RangePage).entries.map(({ key }) => key) : args.flat();
    for (const key of keys)
      if (key instanceof Uint8Array && compareBytes(key, this.key) === 0)
        throw new DamagedValue(key, `The value under key ${toHex(key)} is not what was written`);
    return result;
  }
}

/** Every kind of row: a database with everything, and rows of those who watch it. */
async function rich(): Promise<{ store: MemoryStore; rows: readonly Entry[] }> {
  const store = new MemoryStore();
  const db = await filled(store);
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  await db.putItem({ TableName, Item: itemOf('x', 1, { note: { S: 'again' } }) });
  await db.createBackup({ TableName, BackupName: 'whole' });
  await db.transactWriteItems({
    ClientRequestToken: 'token',
    TransactItems: [{ Put: { TableName, Item: itemOf('x', 9) } }],
  });
  await db.settled();
  const json = (value: object) => encodeUtf8(JSON.stringify({ format: 1, ...value }));
  for (const kind of [alarmKind, alarmHistoryKind, scalingKind, metricKind])
    put(store, Uint8Array.of(kind, 1, 2, 3), json({ name: 'row' }));
  put(store, Uint8Array.of(importErrorKind, 1, 2, 3), encodeUtf8('{"format":1,"name":"row"}\n'));
  put(store, Uint8Array.of(alarmLeaseKind), json({ holder: 'a', untilMs: 1 }));
  const id = 'a'.repeat(16);
  const job = { kind: 'discard', ...newProgress(id, scope, TableName, 0, 0), backupStorageId: id } as const;
  put(store, jobKey(id), encodeJob(job));
  const rows = store.range({ limit: 10_000 }).entries;
  expect(await checked(store)).toMatchObject({ clean: true, findings: [] });
  await db.close();
  return { store: copyOf(rows), rows };
}

function put(store: MemoryStore, key: Uint8Array, value: Uint8Array): void {
  store.transact({
    reads: [],
    decide: () => ({ result: undefined, mutations: [{ kind: 'put', key, value }] }),
  });
}

/** Without counters and log, which do not matter here. */
function copyOf(rows: readonly Entry[]): MemoryStore {
  const store = new MemoryStore();
  const mutations = rows.map(({ key, value }) => ({ kind: 'put', key, value }) as const);
  store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
  return store;
}

/** The first and the last row of every kind, and of every slot of entries. */
function samples(rows: readonly Entry[]): Entry[] {
  const byPlace = new Map<string, Entry[]>();
  for (const row of rows) {
    const place = toHex(row.key.subarray(0, row.key[0] === entryKind ? 11 : 1));
    byPlace.set(place, [...(byPlace.get(place) ?? []), row]);
  }
  return [...byPlace.values()].flatMap((some) => [...new Set([some[0]!, some.at(-1)!])]);
}

describe('a check comes to its end, whatever row', () => {
  it('cannot be read: it is a finding with its key', async () => {
    const { store, rows } = await rich();
    for (const { key } of samples(rows)) {
      const { findings } = await checked(new DamagedStore(store, key));
      expect(findings).toContainEqual(
        expect.objectContaining({ kind: 'value-damaged', storeKey: toHex(key) }),
      );
    }
  });

  it('is cut or altered', async () => {
    const { rows } = await rich();
    const isJudged = ({ key }: Entry) => key[0] !== metricKind;
    for (const row of samples(rows)) {
      const { key, value } = row;
      const others = rows.filter((each) => each !== row);
      for (const length of [0, 1, Math.floor(value.length / 2), value.length - 1]) {
        const cut = { key, value: value.slice(0, Math.max(0, length)) };
        const report = await checked(copyOf([...others, cut]));
        if (isJudged(row)) expect(report.counts, `${toHex(key)} cut to ${length}`).not.toEqual({});
      }
      for (const at of [0, Math.floor(value.length / 3), value.length - 1])
        for (const bit of [1, 0x80]) {
          const flipped = value.slice();
          flipped[at]! ^= bit;
          await checked(copyOf([...others, { key, value: flipped }]));
        }
    }
  });

  it('lies under a key with a flipped bit', async () => {
    const { rows } = await rich();
    for (const row of samples(rows))
      for (const at of [0, Math.floor(row.key.length / 2), row.key.length - 1]) {
        const key = row.key.slice();
        key[at]! ^= 1;
        const moved = copyOf([...rows.filter((each) => each !== row), { key, value: row.value }]);
        const { findings } = await checked(new DamagedStore(moved, key));
        expect(findings, `${toHex(row.key)} at ${at}`).toContainEqual(
          expect.objectContaining({ kind: 'value-damaged' }),
        );
      }
  });
});

it('a damaged old image is a finding of its table, and the check judges the others', async () => {
  const store = new MemoryStore();
  const db = await filled(store);
  await db.updateContinuousBackups({
    TableName,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
  });
  for (const n of [1, 2, 3]) await db.putItem({ TableName, Item: itemOf('x', n, { note: { S: 'again' } }) });
  const { storageId, history } = (await db.engine.catalogue.record(scope, TableName))!;
  const place = historyPlace(storageId, history!.slot);
  const { entries } = store.range({ from: segmentStart(place, history!.period), limit: 3 });
  const { entries: items } = store.range({ from: entryPrefix(storageId, 0), limit: 1 });
  // Another image lies where none may be.
  const end = endIn(entries[0]!.key);
  put(store, historyKey(place, history!.period, items[0]!.key, end), Uint8Array.of(1, 2));
  const report = await checked(new DamagedStore(store, entries[1]!.key));
  expect(report.findings).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'value-damaged', table: TableName, storeKey: toHex(entries[1]!.key) }),
      expect.objectContaining({ kind: 'old-image', table: TableName }),
    ]),
  );
});
