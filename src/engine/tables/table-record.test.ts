import { describe, expect, it } from 'vitest';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import { newStoredTable, oldStoredTable } from './stored-table.fixture.ts';
import { changedTable, createdTable } from './table-parts.ts';
import { decodeRecord, encodeRecord, newTableRecord } from './table-record.ts';

const decoded = (record: object) => decodeRecord(encodeUtf8(JSON.stringify(record)));
const trouble = (kind: string) => expect.objectContaining({ name: 'StoreError', trouble: kind });

it('a record of an unreleased version is refused as trouble with the store, with what to do', () => {
  const unreleased = () => decodeRecord(encodeUtf8('{"format":1,"storageId":"00"}'));
  expect(unreleased).toThrow(trouble('format'));
  expect(unreleased).toThrow('export its tables with that version');
  const later = () => decodeRecord(encodeUtf8('{"format":9}'));
  expect(later).toThrow(trouble('format'));
  expect(later).toThrow('a table record of format 9, and this version of Stator reads format 2');
  expect(() => decodeRecord(encodeUtf8('{"a":9}'))).toThrow('a table record without a format');
});

describe('a record', () => {
  it.each(['{"format":2,', 'null', '7', ''])(
    'that is cut off or no object is trouble with the store: %s',
    (text) => {
      expect(() => decodeRecord(encodeUtf8(text))).toThrow(trouble('corrupt'));
    },
  );

  it.each([
    ['with every part, as the version before the parts wrote it', oldStoredTable],
    ['of a small table', newStoredTable],
  ])('%s is read and written again to the byte', (_, text) => {
    const record = decodeRecord(encodeUtf8(text));
    expect(decodeUtf8(encodeRecord(record))).toBe(text);
  });

  it('that is damaged is refused with the place, in every part', () => {
    const good = JSON.parse(oldStoredTable) as Record<string, unknown>;
    const of = (description: object) => ({
      ...good,
      description: { ...(good.description as object), ...description },
    });
    const cases: [object, string][] = [
      [{ ...good, epoch: '7' }, '.epoch is no whole number'],
      [{ ...good, slots: { a: 'x' } }, '.slots["a"] is no whole number'],
      [{ ...good, phases: undefined }, '.phases is no object'],
      [{ ...good, tags: [] }, '.tags is no object'],
      [{ ...good, followers: [{ kind: 'shadow' }] }, '.followers[0].kind is none of stream, reader'],
      [{ ...good, destinations: [{}] }, '.destinations[0].streamArn is no text'],
      [{ ...good, expiry: { slot: 3 } }, '.expiry.filled is no true or false'],
      [{ ...good, order: {} }, '.order.era is no number'],
      [{ ...good, restore: {} }, '.restore.jobId is no text'],
      [{ ...good, insights: [{}] }, '.insights[0].isEnabled is no true or false'],
      [{ ...good, physics: { mode: 'on' } }, '.physics is no physics settings'],
      [{ ...good, indexPhase: { kind: 'paused' } }, '.indexPhase.kind is none of creating, deleting'],
      [of({ keySchema: undefined }), '.description.keySchema is no list'],
      [of({ billing: { mode: 'FREE' } }), '.description.billing.mode is none of'],
      [of({ gsis: [{ indexName: 'g' }] }), '.description.gsis[0].keySchema is no list'],
      [of({ tableClass: 'GLACIER' }), '.description.tableClass is none of'],
      [of({ sse: {} }), '.description.sse.sseType is none of'],
      [of({ deletionProtection: 1 }), '.description.deletionProtection is no true or false'],
    ];
    for (const [record, place] of cases) {
      expect(() => decoded(record), place).toThrow(trouble('corrupt'));
      expect(() => decoded(record), place).toThrow(`that is damaged: its value${place}`);
    }
  });

  it('with a feature of a later version is refused: to ignore it could be wrong', () => {
    const good = JSON.parse(newStoredTable) as { readonly description: object };
    const later = [
      [{ ...good, policy: '{}' }, 'policy'],
      [{ ...good, description: { ...good.description, vectors: [] } }, 'description.vectors'],
    ] as const;
    for (const [record, name] of later) {
      expect(() => decoded(record)).toThrow(trouble('format'));
      expect(() => decoded(record)).toThrow(
        `of table T with "${name}", which this version of Stator does not know`,
      );
    }
  });

  it('of a table that begins or changes has what its parts read', () => {
    const moment = { nowMs: 5, account: '0', region: 'eu-west-1', kmsKeyId: 'k' };
    const table = createdTable(
      {
        tableName: 'T',
        keySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        attributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
        billingMode: 'PAY_PER_REQUEST',
        indexes: { local: [], global: [] },
        tags: {},
      },
      { ...moment, tableId: 'id' },
    );
    const begun = newTableRecord(table, '00');
    expect(decodeRecord(encodeRecord(begun))).toEqual(begun);
    const description = changedTable(
      { stream: { enabled: true, viewType: 'KEYS_ONLY' }, encryption: { enabled: true } },
      { ...table, ttl: { attributeName: 'at' } },
      moment,
    );
    expect(decodeRecord(encodeRecord({ ...begun, description }))).toMatchObject({
      description: {
        // UpdateTable leaves the parts alone that have operations of their own.
        ttl: { attributeName: 'at' },
        stream: { viewType: 'KEYS_ONLY', label: '1970-01-01T00:00:00.005' },
        sse: { sseType: 'KMS', kmsMasterKeyArn: 'arn:aws:kms:eu-west-1:0:key/k' },
        sseChangedAt: [5],
      },
    });
  });
});
