import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { checkStore } from '../../src/check-store.ts';
import { encodeChange } from '../../src/engine/change-log/change-record.ts';
import { bucketName, LogPlaces, unnotedLayout } from '../../src/engine/change-log/log-layout.ts';
import { encodeLogNote } from '../../src/engine/change-log/log-note.ts';
import { encodeReader } from '../../src/engine/change-log/reader-note.ts';
import { encodeShards } from '../../src/engine/change-log/shards.ts';
import { encodeStream } from '../../src/engine/change-log/stream-note.ts';
import { type FindingKind, findingTitles } from '../../src/engine/check/check-report.ts';
import { beginEra } from '../../src/engine/history/eras.ts';
import { encodeNote } from '../../src/engine/indexes/fill-index.ts';
import {
  collectionCounter,
  entryPrefix,
  epochKey,
  expiringKey,
  fillingKey,
  historyNoteKey,
  logNoteKey,
  partitionsKey,
  readerKey,
  shardsKey,
  slotCounters,
  streamKey,
  tokenKeys,
} from '../../src/engine/store-keys.ts';
import { encodeRecord, type Table } from '../../src/engine/tables/table-record.ts';
import { encodeToken } from '../../src/engine/transactions/token-record.ts';
import { Stator, VirtualClock } from '../../src/index.ts';
import { encodeItem } from '../../src/model/stored/stored-item.ts';
import type { AttributeValue, Item } from '../../src/model/values/attribute-value.ts';
import { concatBytes } from '../../src/model/values/bytes.ts';
import { itemSize } from '../../src/model/values/item-size.ts';
import { decodeUtf8, encodeUtf8 } from '../../src/model/values/utf8.ts';
import { openStore } from '../../src/open-store.ts';
import { encodePartitionRecord } from '../../src/physics/partition-record.ts';
import { MemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { RangePage, Store } from '../../src/storage/store.ts';
import { StoreError } from '../../src/storage/store-error.ts';
import { newDirectory } from '../storage/directories.ts';
import { type Call, InterceptedStore } from '../storage/intercepted-store.ts';

import {
  checked,
  cleanups,
  definition,
  filled,
  itemOf,
  type Patient,
  patient,
  place,
  removeEntry,
  scope,
  TableName,
} from './check-patient.ts';

describe('a healthy database', () => {
  it('in memory is clean', async () => {
    const store = new MemoryStore();
    await filled(store);
    expect(await checked(store)).toEqual({
      clean: true,
      tables: 1,
      items: 7,
      indexEntries: 24,
      states: 1,
      findings: [],
      counts: {},
      unjudged: [],
    });
  });

  it('on lmdb is clean', async () => {
    const directory = await newDirectory();
    cleanups.push(() => rm(directory, { recursive: true, force: true }));
    const db = await filled(await openStore({ directory }, () => 0));
    expect(await db.check()).toMatchObject({ clean: true, tables: 1, items: 7, unjudged: [] });
    await db.close();
    expect(await checkStore({ directory })).toMatchObject({ clean: true, items: 7, indexEntries: 24 });
  });

  it('is clean when it is empty, and when a table is on its way out', async () => {
    const store = new MemoryStore();
    expect(await checked(store)).toMatchObject({ clean: true, tables: 0 });
    const clock = new VirtualClock(1_700_000_000_000);
    const db = await Stator.open({ store, clock, physics: 'enforce' });
    cleanups.push(() => db.close());
    await db.createTable(definition);
    clock.advanceMs(600_000);
    await db.putItem({ TableName, Item: itemOf('x', 1) });
    await db.deleteTable({ TableName });
    expect(await checked(store)).toMatchObject({ clean: true, tables: 0, unjudged: [] });
    await db.engine.settled();
    expect(await checked(store)).toMatchObject({ clean: true, tables: 0, unjudged: [] });
    clock.advanceMs(600_000);
    await db.createTable(definition);
    expect(await checked(store)).toMatchObject({ clean: true, tables: 1 });
  });

  it('is told how far the check has come, and can stop it', async () => {
    const db = await filled(new MemoryStore());
    const told: number[] = [];
    await db.check({ onProgress: ({ done, total }) => told.push(done / total) });
    expect(told.at(-1)).toBe(1);
    await expect(db.check({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});

const x1 = { pk: { S: 'x' }, sk: { N: '1' } };
const unread = { what: 'its items and indexes', why: 'its record is damaged' };
/** The note of a reader of the log. */
function readerOf({ record, name }: Table, positions: readonly number[]): [Uint8Array, Uint8Array] {
  const note = {
    ...scope,
    tableName: name,
    name: 'r',
    positions,
    seenAt: 0,
    retainMs: 1,
  } as const;
  return [readerKey(record.storageId, 'r'), encodeReader(note)];
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const somePartitions = {
  provisionedPeak: { read: 0, write: 0 },
  onDemandPeak: { read: 0, write: 0 },
  warm: { read: 0, write: 0 },
  ...{ decreasedAtMs: 0, decreasesThatDay: 0, growths: [], nextId: 2 },
  partitions: [{ id: 1, place: 0, sort: Uint8Array.of(), bytes: 0 }],
};

/** What the check must find after each kind of damage: these findings, and no others. */
const damage: Record<string, { harm: (p: Patient) => void; finds: object[]; unjudged?: object[] }> = {
  'a key of no known kind': {
    harm: ({ put }) => {
      put(Uint8Array.of(0x00, 1), Uint8Array.of(7));
      put(Uint8Array.of(0xf0, 1), Uint8Array.of(8));
      put(Uint8Array.of(0xff, 0xff), Uint8Array.of(9));
    },
    finds: [
      { kind: 'unknown-key', storeKey: '0001', found: '1 bytes: 07' },
      { kind: 'unknown-key', storeKey: 'f001', found: '1 bytes: 08' },
      { kind: 'unknown-key', storeKey: 'ffff', found: '1 bytes: 09' },
    ],
  },
  'an alarm that cannot be read': {
    harm: ({ put }) => put(Uint8Array.of(0x21, 1), Uint8Array.of(8)),
    finds: [{ kind: 'other-record', storeKey: '2101' }],
  },
  'refused rows of an import that cannot be read': {
    harm: ({ put }) => {
      put(Uint8Array.of(0x18, 1), Buffer.from('{"line":1}\n{"line":2}\n'));
      put(Uint8Array.of(0x18, 2), Buffer.from('{"line":1}\n{"li'));
      put(Uint8Array.of(0x18, 3), Buffer.from('{"line":1}\n7\n'));
    },
    finds: [
      { kind: 'other-record', storeKey: '1802', expected: 'rows that an import refused' },
      { kind: 'other-record', storeKey: '1803', found: 'JSON of another kind: 7' },
    ],
  },
  'a backup, a chunk and a job that cannot be read': {
    harm: ({ put }) => {
      put(Uint8Array.of(0x0f, 1), Uint8Array.of(8));
      put(Uint8Array.of(0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0), Uint8Array.of(8));
      put(Uint8Array.of(0x12, 1), Uint8Array.of(8));
    },
    finds: [
      { kind: 'backup-record', storeKey: '0f01' },
      { kind: 'backup-chunk', found: 'chunk 1 of none' },
      { kind: 'backup-job', storeKey: '1201' },
    ],
  },
  'an export and an import that cannot be read': {
    harm: ({ put }) => {
      put(Uint8Array.of(0x15, 1), Uint8Array.of(8));
      put(Uint8Array.of(0x16, 1), Uint8Array.of(8));
    },
    finds: [
      { kind: 'transfer', storeKey: '1501', expected: 'an import' },
      { kind: 'transfer', storeKey: '1601', expected: 'an export' },
    ],
  },
  'a note of old images that no table keeps': {
    harm: ({ put, table: { record, name } }) =>
      put(
        historyNoteKey(record.storageId),
        encodeUtf8(JSON.stringify({ format: 1, scope, tableName: name })),
      ),
    finds: [{ kind: 'history-note', ...place, found: 'none' }],
  },
  'an old image that cannot be read': {
    harm: ({ put, recordKey, table: { record } }) => {
      const { put: changed, also } = beginEra(record, scope, 0);
      put(recordKey, encodeRecord({ ...changed, epoch: record.epoch }));
      for (const each of also) if (each.kind === 'put') put(each.key, each.value);
      put(
        concatBytes(entryPrefix(record.storageId, changed.history!.slot), new Uint8Array(60)),
        Uint8Array.of(1),
      );
    },
    finds: [{ kind: 'old-image', ...place }],
  },
  'eras without their notes, and a note that cannot be read': {
    harm: ({ put, recordKey, table: { record } }) => {
      const first = beginEra(record, scope, 0);
      const third = beginEra(beginEra(first.put, scope, 0).put, scope, 0);
      put(recordKey, encodeRecord({ ...third.put, epoch: record.epoch }));
      for (const each of [...first.also, ...third.also]) if (each.kind === 'put') put(each.key, each.value);
      put(Uint8Array.of(0x19), Uint8Array.of(8));
    },
    finds: [
      { kind: 'history-note', storeKey: '19', expected: 'the time by which old images are forgotten' },
      { kind: 'history-note', ...place, expected: /^the era after 1/, found: 'era 3 of period 1' },
    ],
  },
  'keys of known kinds that are too short': {
    harm: ({ put }) => {
      for (const kind of [1, 2, 3, 4, 5, 6, 0x10]) put(Uint8Array.of(kind, 9), Uint8Array.of(kind));
    },
    finds: [1, 2, 3, 4, 5, 6, 0x10].map((kind) => ({
      kind: 'unknown-key',
      storeKey: `${hex(Uint8Array.of(kind))}09`,
    })),
  },
  'shards without their stream': {
    harm: ({ put, table: { record } }) => {
      const shards = { nextNumber: 0, shards: [] } as const;
      put(shardsKey(record.storageId, '2026-11-15T07:33:00.123'), encodeShards(shards));
    },
    finds: [{ kind: 'stream-note', expected: 'the stream of these shards', found: 'none' }],
  },
  'buckets of the change log that do not fit': {
    harm: ({ put, table: { record }, recordKey }) => {
      const log = [{ number: 0, place: 5, since: 1, generation: 0 }];
      put(recordKey, encodeRecord({ ...record, log }));
    },
    finds: [
      {
        kind: 'table-record',
        ...place,
        expected: 'buckets of the change log that fit',
        found: 'no open bucket of the first items',
      },
    ],
  },
  'the buckets of a dropped table whose table is there': {
    harm: ({ put, table: { record, name } }) =>
      put(logNoteKey(record.storageId), encodeLogNote({ ...scope, tableName: name, log: unnotedLayout })),
    finds: [
      { kind: 'stream-note', expected: 'the buckets of a dropped table', found: 'a table that is there' },
    ],
  },
  'a shard that ends before its bucket, which was split': {
    harm: ({ put, store, table: { record, name }, item, recordKey }) => {
      const { storageId, description } = record;
      const origin = { since: 2, parent: 0, generation: 1 };
      const log = [
        { number: 0, place: 0, since: 1, until: 2, generation: 0 },
        { number: 1, place: 0, ...origin },
        { number: 2, place: 2 ** 52, ...origin },
      ];
      const label = '2026-11-15T07:33:00.123';
      const stream = { label, viewType: 'NEW_IMAGE', createdAt: 0, since: 1 } as const;
      const { key, value, header } = item('x', 1);
      const change = encodeChange({ ...header, epoch: 1, by: 'user', before: undefined, after: value });
      store.transact({
        reads: [],
        decide: () => ({
          result: undefined,
          mutations: [{ kind: 'append', bucket: bucketName(storageId, 0), of: key, record: change }],
        }),
      });
      put(recordKey, encodeRecord({ ...record, log, followers: [{ kind: 'stream', ...stream }] }));
      const { keySchema } = description;
      put(
        streamKey(scope, name, label),
        encodeStream({ ...scope, tableName: name, storageId, keySchema, log, ...stream }),
      );
      const parent = { id: 'p', number: 0, bucket: 0, after: 0, openedAt: 0 };
      const shards = [
        { ...parent, through: 0, closedAt: 1 },
        { ...parent, id: 'a', number: 1, bucket: 1, generation: 1, turn: 0, parentId: 'p' },
        { ...parent, id: 'b', number: 2, bucket: 2, generation: 1, turn: 0, parentId: 'p', after: 3 },
      ];
      put(shardsKey(storageId, label), encodeShards({ nextNumber: 3, shards }));
    },
    finds: [
      { kind: 'stream-note', expected: 'shards that fit', found: 'b, which does not begin where p ends' },
      { kind: 'stream-note', expected: 'the end of p in bucket 0 at 1', found: '0' },
      { kind: 'stream-note', expected: 'a place of b in bucket 2 up to 0', found: '3' },
    ],
  },
  'a reader beyond the end of the log': {
    harm: ({ put, table }) => put(...readerOf(table, [0, 1, 0, 0])),
    finds: [
      { kind: 'log-reader', ...place, expected: 'a place of reader r in bucket 1 up to 0', found: '1' },
    ],
  },
  'a change that cannot be read, and one in the wrong bucket': {
    harm: ({ put, store, table, item }) => {
      put(...readerOf(table, [0, 0, 0, 0]));
      const { key, value, header } = item('x', 1);
      const places = new LogPlaces(table.record.storageId, unnotedLayout);
      const own = places.bucketFor(key, table.prefix.length).number;
      const change = encodeChange({ ...header, epoch: 1, by: 'user', before: undefined, after: value });
      const append = (bucket: number, record: Uint8Array) =>
        ({ kind: 'append', bucket: bucketName(table.record.storageId, bucket), of: key, record }) as const;
      const mutations = [
        append(own, change),
        append((own + 1) % 4, change),
        append(own, change.subarray(0, 9)),
      ];
      store.transact({ reads: [], decide: () => ({ result: undefined, mutations }) });
    },
    finds: [
      { kind: 'log-record', ...place, found: /^that of an item of bucket / },
      { kind: 'log-record', ...place, found: 'a change record of an unknown format' },
    ],
  },
  'an expiry that is missing': {
    harm: ({ remove, expiry }) => remove(expiry('bare', -1.5, 1_800_000_000)),
    finds: [
      {
        kind: 'expiry-missing',
        ...place,
        key: { pk: { S: 'bare' }, sk: { N: '-1.5' } },
        expected: /^the item's key 10/,
        found: 'nothing',
      },
    ],
  },
  'expiries of items that do not expire, or not then, or are not there': {
    harm: ({ put, expiry, item, table }) => {
      put(expiry('x', 1, 1_800_000_000), item('x', 1).key);
      put(expiry('bare', -1.5, 1_700_000_000), item('bare', -1.5).key);
      put(expiry('x', 2, 1_900_000_000), Uint8Array.of(...table.prefix, 1));
    },
    finds: [
      { kind: 'expiry-orphan', ...place, expected: 'no expiry of this item', found: /^one at 1800000000 s/ },
      { kind: 'expiry-orphan', ...place, expected: /^the one under 10/, found: /^one at 1700000000 s/ },
      { kind: 'expiry-orphan', ...place, expected: 'an item with this key' },
    ],
  },
  'an expiry that stands for another item': {
    harm: ({ put, expiry, item }) => put(expiry('bare', -1.5, 1_800_000_000), item('x', 1).key),
    finds: [
      { kind: 'expiry-value', ...place, key: { pk: { S: 'bare' }, sk: { N: '-1.5' } } },
      { kind: 'expiry-orphan', ...place, expected: 'no expiry of this item' },
    ],
  },
  'a table that nobody knows to expire, and one that does not': {
    harm: ({ put, remove, table: { record } }) => {
      remove(expiringKey(record.storageId));
      put(expiringKey('00000000000000aa'), encodeUtf8('{}'));
    },
    finds: [
      { kind: 'expiry-note', ...place, expected: 'a note that its items expire', found: 'none' },
      { kind: 'expiry-note', storeKey: '0a00000000000000aa', expected: 'a table whose items expire' },
    ],
  },
  'a lease and notes of no known form': {
    harm: ({ put, table: { record } }) => {
      put(Uint8Array.of(0x0b), encodeUtf8('{"format":9}'));
      put(Uint8Array.of(0x0b, 1), Uint8Array.of());
      put(expiringKey(record.storageId), encodeUtf8('{"format":9}'));
    },
    finds: [
      {
        kind: 'expiry-note',
        storeKey: '0b',
        found: /^The store has a lease under the key 0[bd] of the format 9/,
      },
      { kind: 'unknown-key', storeKey: '0b01' },
      { kind: 'expiry-note', ...place, found: /of the format 9/ },
    ],
  },
  'records of partitions that cannot be read or belong to nothing, and their lease': {
    harm: ({ put, table: { record } }) => {
      put(partitionsKey(record.storageId, 0), Uint8Array.of(9));
      put(partitionsKey('00000000000000aa', 0), encodePartitionRecord(somePartitions));
      put(Uint8Array.of(0x0d), encodeUtf8('{"format":9}'));
      put(Uint8Array.of(0x0d, 1), Uint8Array.of());
    },
    finds: [
      { kind: 'partition-record', ...place, expected: 'a record of partitions' },
      { kind: 'partition-record', storeKey: '0c00000000000000aa0000', expected: 'a table or global index' },
      {
        kind: 'partition-record',
        storeKey: '0d',
        found: /^The store has a lease under the key 0[bd] of the format 9/,
      },
      { kind: 'unknown-key', storeKey: '0d01' },
    ],
  },
  'a record that is no JSON': {
    harm: ({ put, recordKey }) => put(recordKey, encodeUtf8('{"storageId":')),
    finds: [{ kind: 'table-record', ...place, expected: 'the JSON of a table record' }],
    unjudged: [{ ...place, ...unread }, { what: /^entries under storage id/ }],
  },
  'a record of an unknown format': {
    harm: ({ put, recordKey, table }) =>
      put(recordKey, encodeRecord({ ...table.record, format: 9 as unknown as 2 })),
    finds: [
      {
        kind: 'table-record',
        ...place,
        found:
          'The store has a table record of format 9, and this version of Stator reads format 2: use the version that wrote it',
      },
    ],
    unjudged: [{ ...place, ...unread }],
  },
  'a record of another table': {
    harm: ({ put, recordKey, table: { record } }) =>
      put(recordKey, encodeRecord({ ...record, description: { ...record.description, tableName: 'Other' } })),
    finds: [
      { kind: 'table-record', ...place, expected: 'the record of table Orders', found: 'that of Other' },
    ],
    unjudged: [{ ...place, ...unread }],
  },
  'two indexes in one slot': {
    harm: ({ put, recordKey, table: { record } }) =>
      put(recordKey, encodeRecord({ ...record, slots: { ...record.slots, all: record.slots.keys! } })),
    finds: [
      {
        kind: 'table-record',
        ...place,
        expected: 'a slot for each index',
        found: /for both all and keys|for both keys and all/,
      },
    ],
    unjudged: [{ ...place, ...unread }],
  },
  'an index without a slot': {
    harm: ({ put, recordKey, table: { record } }) => {
      const { all: _, ...slots } = record.slots as Record<string, number>;
      put(recordKey, encodeRecord({ ...record, slots }));
    },
    finds: [{ kind: 'table-record', ...place, expected: 'a slot for index all', found: 'none' }],
    unjudged: [{ ...place, ...unread }],
  },
  'a storage id that two tables share': {
    harm: ({ put, table: { record } }) => {
      const key = encodeUtf8(`\u0001${scope.account}\u0009us-east-1Twin`);
      put(key, encodeRecord({ ...record, description: { ...record.description, tableName: 'Twin' } }));
    },
    finds: [
      { kind: 'storage-id', ...place, table: 'Twin', found: /which table Orders in us-east-1 has too/ },
    ],
  },
  'an epoch that differs': {
    harm: ({ put, table }) => put(table.epochKey, encodeUtf8('99')),
    finds: [{ kind: 'table-epoch', ...place, found: '"99"' }],
  },
  'an epoch that is missing': {
    harm: ({ remove, table }) => remove(table.epochKey),
    finds: [{ kind: 'table-epoch', ...place, found: 'none' }],
  },
  'an epoch without a table': {
    harm: ({ put }) => put(epochKey('00000000000000aa'), encodeUtf8('1')),
    finds: [{ kind: 'table-epoch', storeKey: '0200000000000000aa', found: 'none' }],
  },
  'a note that a living table was dropped': {
    harm: ({ put, table }) =>
      put(Uint8Array.of(3, ...table.prefix.subarray(1, 9)), encodeRecord(table.record)),
    finds: [{ kind: 'dropped-note', ...place, found: 'that of table Orders, which is in use' }],
  },
  'a note that a living index was dropped': {
    harm: ({ put, table }) =>
      put(Uint8Array.of(3, ...table.indexes[1]!.prefix.subarray(1)), new Uint8Array()),
    finds: [{ kind: 'dropped-note', ...place, found: 'that of index all, which is in use' }],
  },
  'a note of a dropped table that holds nothing': {
    harm: ({ put }) => put(Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0, 1), new Uint8Array()),
    finds: [{ kind: 'dropped-note', storeKey: '030000000000000001' }],
  },
  'a note of an index that is not being filled': {
    harm: ({ put, table }) =>
      put(Uint8Array.of(4, ...table.indexes[1]!.prefix.subarray(1)), encodeUtf8('{}')),
    finds: [{ kind: 'index-note', ...place, found: 'none' }],
  },
  'a token that is forgotten too late, and one that says nothing': {
    harm: ({ put }) => {
      const token = encodeToken({ fingerprint: new Uint8Array(8), expiresMs: 1_200_005, readUnits: [] });
      put(tokenKeys([1], scope, new Uint8Array(16))[0]!, token);
      put(tokenKeys([2], scope, new Uint8Array(16))[0]!, token);
      put(tokenKeys([2], scope, new Uint8Array(16).fill(1))[0]!, encodeUtf8('{}'));
    },
    finds: [
      { kind: 'request-token', ...scope, expected: 'a key of period 1', found: 'another' },
      { kind: 'request-token', ...scope, expected: 'what is remembered of a transaction' },
    ],
  },
  'entries of no table': {
    harm: ({ put, item }) => {
      const prefix = entryPrefix('00000000000000aa', 0);
      for (let i = 0; i < 3; i++) put(Uint8Array.of(...prefix, i), item('x', 1).value);
    },
    finds: [
      {
        kind: 'orphan-entries',
        expected: 'a table with storage id 00000000000000aa',
        found: '3 entries without one',
      },
    ],
  },
  'entries of no index': {
    harm: ({ put, item, table }) =>
      put(Uint8Array.of(...entryPrefix(table.record.storageId, 77), 1), item('x', 1).value),
    finds: [
      { kind: 'orphan-entries', ...place, expected: 'an index in slot 77', found: '1 entries without one' },
    ],
  },
  'an item that is no item': {
    harm: ({ put, item }) => put(item('bare', -1.5).key, encodeUtf8('rubbish')),
    finds: [{ kind: 'item-unreadable', ...place, found: /unknown header/ }],
  },
  'an item under the key of another': {
    harm: ({ put, item }) => {
      const { key, item: was, header } = item('bare', -1.5);
      put(key, encodeItem(new Map([...was, ['pk', { S: 'care' }]]), header));
    },
    finds: [{ kind: 'item-key', ...place, key: { pk: { S: 'care' }, sk: { N: '-1.5' } } }],
  },
  'an item without its key': {
    harm: ({ put, item }) => {
      const { key, header, item: whole } = item('bare', -1.5);
      // Of the same size, and with the same expiry.
      const until = new Map([['until', whole.get('until')!]]);
      const note = { S: 'x'.repeat(header.itemBytes - 4 - itemSize(until)) };
      put(key, encodeItem(new Map<string, AttributeValue>([...until, ['note', note]]), header));
    },
    finds: [{ kind: 'item-key', ...place, key: {}, expected: 'the key attributes of the table' }],
  },
  'attributes in another order': {
    harm: ({ put, item }) => {
      const { key, value } = item('bare', -1.5);
      put(
        key,
        rewritten(value, (json) => json.replace(/"pk":\{"S":"bare"\},(.*)\}$/, '$1,"pk":{"S":"bare"}}')),
      );
    },
    finds: [{ kind: 'item-form', ...place, key: { pk: { S: 'bare' }, sk: { N: '-1.5' } } }],
  },
  'a size that is not the size': {
    harm: ({ put, item }) => {
      const { key, item: was, header } = item('bare', -1.5);
      put(key, encodeItem(was, { ...header, itemBytes: header.itemBytes + 1 }));
    },
    finds: [{ kind: 'item-size', ...place, key: { pk: { S: 'bare' }, sk: { N: '-1.5' } } }],
  },
  'an item that says it is deleted': {
    harm: ({ put, item }) => {
      const { key, item: was, header } = item('bare', -1.5);
      put(key, encodeItem(was, { ...header, tombstone: true }));
    },
    finds: [{ kind: 'item-header', ...place, found: /a tombstone/ }],
  },
  'an item of an era that its table has not reached': {
    harm: ({ item, put, table }) => {
      const { key, item: was, header } = item('bare', -1.5);
      put(key, encodeItem(was, { ...header, era: table.era + 1 }));
    },
    finds: [{ kind: 'item-header', ...place, expected: 'an era up to 0, that of the table', found: /era 1/ }],
  },
  'an entry that is missing': {
    harm: (ill) => removeEntry(ill, 'keys', 'x', 1),
    finds: [
      {
        kind: 'entry-missing',
        ...place,
        index: 'keys',
        key: x1,
        expected: '{"kind":{"S":"k1"},"pk":{"S":"x"},"sk":{"N":"1"}}',
        found: 'nothing',
      },
    ],
  },
  'an entry that is missing although it is counted': {
    harm: ({ entry, remove }) => remove(entry('all', 'x', 1).key),
    finds: [
      { kind: 'entry-missing', ...place, index: 'all', key: x1 },
      { kind: 'item-count', ...place, index: 'all', expected: '5 entries', found: '6 entries' },
      { kind: 'size-bytes', ...place, index: 'all' },
    ],
  },
  'an item that is missing': {
    harm: ({ item, remove }) => remove(item('x', 1).key),
    finds: [
      ...['local', 'all', 'keys', 'some'].map((index) => ({
        kind: 'entry-orphan',
        ...place,
        index,
        key: x1,
        expected: 'an item with this key',
      })),
      { kind: 'collection-bytes', ...place, key: { pk: { S: 'x' } } },
      { kind: 'item-count', ...place, expected: '6 entries', found: '7 entries' },
      { kind: 'size-bytes', ...place },
    ],
  },
  'an entry of an earlier version of its item': {
    harm: ({ entry, item, put, add, table }) => {
      const { key, value, header } = entry('keys', 'x', 1);
      put(Uint8Array.of(...key.subarray(0, -17), 0xee, ...key.subarray(-16)), value);
      const { counters } = table.indexes.find(({ schema }) => schema.name === 'keys')!;
      add(counters.count, 1);
      add(counters.bytes, header.itemBytes);
      item('x', 1);
    },
    finds: [
      { kind: 'entry-orphan', ...place, index: 'keys', key: x1, expected: /^the entry under .* only$/ },
    ],
  },
  'an entry that is no entry': {
    harm: ({ entry, put }) => put(entry('some', 'x', 1).key, encodeUtf8('rubbish')),
    finds: [{ kind: 'entry-unreadable', ...place, index: 'some', found: /unknown header/ }],
  },
  'an entry that says something else': {
    harm: ({ entry, put }) => {
      const { key, item, header } = entry('some', 'x', 1);
      put(key, encodeItem(new Map([...item, ['note', { S: 'worst' }]]), header));
    },
    finds: [
      {
        kind: 'entry-value',
        ...place,
        index: 'some',
        key: x1,
        expected: /"note":\{"S":"first"\}/,
        found: /"note":\{"S":"worst"\}/,
      },
    ],
  },
  'an entry with the size of another': {
    harm: ({ entry, put }) => {
      const { key, item, header } = entry('some', 'x', 1);
      put(key, encodeItem(item, { ...header, itemBytes: header.itemBytes + 1 }));
    },
    finds: [{ kind: 'entry-header', ...place, index: 'some', key: x1 }],
  },
  'an entry of a version that its item has not reached': {
    harm: ({ entry, put }) => {
      const { key, item, header } = entry('local', 'x', 1);
      put(key, encodeItem(item, { ...header, version: header.version + 1 }));
    },
    finds: [{ kind: 'entry-header', ...place, index: 'local', key: x1 }],
  },
  'a counter of items': {
    harm: ({ add, table }) => add(table.counters.count, 1),
    finds: [{ kind: 'item-count', ...place, expected: '7 entries', found: '8 entries' }],
  },
  'a counter of bytes': {
    harm: ({ add, table }) => add(slotCounters(table.indexes[2]!.prefix).bytes, -1),
    finds: [{ kind: 'size-bytes', ...place, index: 'keys' }],
  },
  'a counter of an item collection': {
    harm: ({ add, table, item }) =>
      add(collectionCounter(table.prefix, item('y', 1).key.subarray(11, 27)), 5),
    finds: [{ kind: 'collection-bytes', ...place, key: { pk: { S: 'y' } } }],
  },
};

function rewritten(value: Uint8Array, change: (json: string) => string): Uint8Array {
  const json = encodeUtf8(change(decodeUtf8(value.subarray(24))));
  return Uint8Array.of(...value.subarray(0, 24), ...json);
}

/** Expected texts may be patterns. */
function asMatchers(finding: object): object {
  const members = Object.entries(finding).map(([name, value]) => [
    name,
    value instanceof RegExp ? expect.stringMatching(value) : value,
  ]);
  return expect.objectContaining(Object.fromEntries(members));
}

describe('damage is found, and nothing else:', () => {
  for (const [what, { harm, finds, unjudged }] of Object.entries(damage)) {
    it(what, async () => {
      const ill = await patient();
      harm(ill);
      const report = await checked(ill.store);
      expect(report.findings).toHaveLength(finds.length);
      expect(report.findings).toEqual(expect.arrayContaining(finds.map(asMatchers)));
      expect(report).toMatchObject({ clean: false, unjudged: (unjudged ?? []).map(asMatchers) });
    });
  }

  it('every kind of finding', () => {
    const planted = new Set(
      Object.values(damage).flatMap(({ finds }) => finds.map((each) => (each as { kind: FindingKind }).kind)),
    );
    // A value that the storage engine itself cannot read has a test of its own.
    const missing = (Object.keys(findingTitles) as FindingKind[]).filter(
      (kind) => kind !== 'value-damaged' && !planted.has(kind),
    );
    expect(missing).toEqual([]);
  });

  it.each([
    ['a number that is not canonical', { n: { N: '1.0' } }],
    ['a set with a member twice', { n: { NS: ['1', '1'] } }],
    ['an empty set', { n: { SS: [] } }],
    ['binary that is not base64', { n: { L: [{ B: '@@@@' }] } }],
  ])('%s', async (_, attribute) => {
    const ill = await patient();
    const { key, item, header } = ill.item('bare', -1.5);
    const odd = new Map([...item, ...Object.entries(attribute)]) as Item;
    ill.put(key, encodeItem(odd, header));
    const found = (await checked(ill.store)).counts;
    expect(found).toMatchObject({ 'item-form': 1 });
  });

  it('more than a report shows', async () => {
    const { store, put } = await patient();
    for (let i = 0; i < 130; i++) put(Uint8Array.of(0x99, i), Uint8Array.of(i));
    const report = await checked(store);
    expect(report.findings).toHaveLength(100);
    expect(report.counts).toEqual({ 'unknown-key': 130 });
  });
});

describe('an index that is being filled', () => {
  /** The index `keys` as if it had been added to the table and not been filled yet. */
  async function filling(): Promise<Patient> {
    const ill = await patient();
    const { record } = ill.table;
    const indexPhase = { kind: 'creating', indexName: 'keys', filled: false } as const;
    ill.put(ill.recordKey, encodeRecord({ ...record, indexPhase }));
    const note = {
      scope,
      tableName: TableName,
      indexName: 'keys',
      itemsSeen: 0,
      itemsLeftOut: 0,
      steppedAt: 0,
    } as const;
    ill.put(fillingKey(record.storageId, record.slots.keys!), encodeNote(note));
    return ill;
  }

  it('may lack entries', async () => {
    const ill = await filling();
    removeEntry(ill, 'keys', 'x', 1);
    expect(await checked(ill.store)).toMatchObject({ clean: true, unjudged: [] });
  });

  it('has none that are wrong', async () => {
    const ill = await filling();
    const { key, item, header } = ill.entry('keys', 'x', 1);
    ill.put(key, encodeItem(new Map([...item, ['more', { NULL: true }]]), header));
    const { findings } = await checked(ill.store);
    expect(findings.map(({ kind, index }) => [kind, index])).toContainEqual(['entry-value', 'keys']);
  });

  it('has its note', async () => {
    const ill = await filling();
    ill.remove(fillingKey(ill.table.record.storageId, ill.table.record.slots.keys!));
    expect((await checked(ill.store)).findings).toMatchObject([{ kind: 'index-note', found: 'none' }]);
  });
});

describe('a value that the storage engine cannot read', () => {
  /** Fails as lmdb does when a checksum is wrong. */
  class DamagedStore extends InterceptedStore {
    readonly key: Uint8Array;

    constructor(inner: Store, key: Uint8Array) {
      super(inner);
      this.key = key;
    }

    protected override intercept<T>({ method, args }: Call, run: () => T): T {
      const result = run();
      const keys = method === 'range' ? (result as RangePage).entries.map(({ key }) => key) : args.flat();
      if (
        method !== 'snapshot' &&
        keys.some((key) => key instanceof Uint8Array && hex(key) === hex(this.key))
      )
        throw new StoreError('corrupt', 'The value is not what was written');
      return result;
    }
  }

  it('is a finding, and what cannot be judged for it is told', async () => {
    const { store, entry } = await patient();
    const report = await checked(new DamagedStore(store, entry('all', 'x', 1).key));
    expect(report.findings).toEqual([
      {
        kind: 'value-damaged',
        ...place,
        index: 'all',
        expected: 'a readable value',
        found: 'The value is not what was written',
      },
    ]);
    expect(report.unjudged).toMatchObject([{ ...place, index: 'all' }]);
    // Everything else was checked.
    expect(report).toMatchObject({ items: 7, indexEntries: 18 });
  });
});
