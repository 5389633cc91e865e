import { describe, expect, it } from 'vitest';
import { checkIndexKeys, checkItemKey, checkKey, fitsIndex } from '../keys/key-checks.ts';
import type { AttributeValue, Item } from '../values/attribute-value.ts';
import {
  type IndexSchema,
  indexKeyValues,
  isProjected,
  keyItemOf,
  primaryKeyOf,
  projectForIndex,
  type TableSchema,
} from './table-schema.ts';

const byDay: IndexSchema = {
  name: 'by-day',
  hash: [
    { name: 'tenant', type: 'S' },
    { name: 'day', type: 'N' },
  ],
  range: [{ name: 'blob', type: 'B' }],
  projection: { type: 'INCLUDE', names: ['extra', 'never'] },
};
const local: IndexSchema = {
  name: 'local',
  hash: [{ name: 'pk', type: 'S' }],
  range: [{ name: 'at', type: 'S' }],
  projection: { type: 'KEYS_ONLY' },
};
const everything: IndexSchema = { ...local, name: 'everything', projection: { type: 'ALL' } };
const schema: TableSchema = {
  hash: { name: 'pk', type: 'S' },
  range: { name: 'sk', type: 'N' },
  localIndexes: [local],
  globalIndexes: [byDay],
};
const hashOnly: TableSchema = { ...schema, range: undefined, localIndexes: [], globalIndexes: [] };
const binaryRange: TableSchema = { ...hashOnly, range: { name: 'sk', type: 'B' } };

function item(attributes: Record<string, AttributeValue>): Item {
  return new Map(Object.entries(attributes));
}

const full = item({
  pk: { S: 'p' },
  sk: { N: '1' },
  tenant: { S: 't' },
  day: { N: '20261115' },
  blob: { B: 'AAAA' },
  at: { S: 'now' },
  extra: { BOOL: true },
  other: { NULL: true },
});

const invalid = 'One or more parameter values were invalid: ';
const notValid = 'One or more parameter values are not valid. ';
const emptyString = 'The AttributeValue for a key attribute cannot contain an empty string value.';
const emptyBinary = 'The AttributeValue for a key attribute cannot contain an empty binary value.';

describe('the key of an item', () => {
  it('is found', () => {
    expect(primaryKeyOf(schema, full)).toEqual({ hash: { S: 'p' }, range: { N: '1' } });
    expect(primaryKeyOf(hashOnly, full)).toEqual({ hash: { S: 'p' }, range: undefined });
    expect(keyItemOf(schema, full)).toEqual(item({ pk: { S: 'p' }, sk: { N: '1' } }));
    expect(() => primaryKeyOf(schema, item({ pk: { S: 'p' } }))).toThrow();
  });

  it.each<[string, TableSchema, Record<string, AttributeValue>, string | undefined]>([
    ['good', schema, { pk: { S: 'p' }, sk: { N: '1' } }, undefined],
    ['no hash', schema, { sk: { N: '1' } }, `${invalid}Missing the key pk in the item`],
    ['no range', schema, { pk: { S: 'p' } }, `${invalid}Missing the key sk in the item`],
    [
      'wrong type',
      schema,
      { pk: { N: '1' }, sk: { N: '1' } },
      `${invalid}Type mismatch for key pk expected: S actual: N`,
    ],
    [
      'document',
      schema,
      { pk: { M: new Map() }, sk: { N: '1' } },
      `${invalid}Type mismatch for key pk expected: S actual: M`,
    ],
    ['empty', schema, { pk: { S: '' }, sk: { N: '1' } }, `${notValid}${emptyString} Key: pk`],
    ['empty binary', binaryRange, { pk: { S: 'p' }, sk: { B: '' } }, `${notValid}${emptyBinary} Key: sk`],
    ['longest', binaryRange, { pk: { S: 'é'.repeat(1_024) }, sk: { B: 'A'.repeat(1_364) } }, undefined],
    [
      'long hash',
      hashOnly,
      { pk: { S: `a${'é'.repeat(1_024)}` } },
      `${invalid}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
    ],
    [
      'long range',
      binaryRange,
      { pk: { S: 'p' }, sk: { B: 'A'.repeat(1_368) } },
      `${invalid}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
    ],
  ])('is checked for PutItem: %s', (_, table, attributes, message) => {
    expect(checkItemKey(table, item(attributes))?.message).toBe(message);
  });

  it('is checked where it stands alone', () => {
    const mismatch = 'The provided key element does not match the schema';
    expect(checkKey(schema, item({ pk: { S: 'p' }, sk: { N: '1' } }))).toBeUndefined();
    expect(checkKey(schema, item({}))?.message).toBe(mismatch);
    expect(checkKey(schema, item({ pk: { S: 'p' } }))?.message).toBe(mismatch);
    expect(checkKey(schema, item({ pk: { S: 'p' }, other: { N: '1' } }))?.message).toBe(mismatch);
    expect(checkKey(schema, item({ pk: { S: 'p' }, sk: { S: '1' } }))?.message).toBe(mismatch);
    expect(checkKey(hashOnly, item({ pk: { S: 'p' }, sk: { N: '1' } }))?.message).toBe(mismatch);
    expect(checkKey(hashOnly, item({ pk: { S: '' } }))?.message).toBe(`${notValid}${emptyString} Key: pk`);
  });
});

describe('index keys', () => {
  const check = (change: Record<string, AttributeValue>, by: 'put' | 'update' = 'put') =>
    checkIndexKeys(schema, new Map([...full, ...item(change)]), by)?.message;

  it('may be absent, but not of another type, empty or too long', () => {
    expect(check({})).toBeUndefined();
    expect(checkIndexKeys(schema, item({ pk: { S: 'p' }, sk: { N: '1' } }), 'put')).toBeUndefined();
    expect(check({ day: { S: 'x' } })).toBe(
      `${invalid}Type mismatch for Index Key day Expected: N Actual: S IndexName: by-day`,
    );
    expect(check({ at: { NULL: true } })).toBe(
      `${invalid}Type mismatch for Index Key at Expected: S Actual: NULL IndexName: local`,
    );
    expect(check({ day: { S: 'x' } }, 'update')).toBe(
      'The update expression attempted to update the secondary index key to unsupported type',
    );
    expect(check({ tenant: { S: '' } })).toBe(
      `${notValid}A value specified for a secondary index key is not supported. ${emptyString} IndexName: by-day, IndexKey: tenant`,
    );
    expect(check({ blob: { B: '' } }, 'update')).toBe(
      `${notValid}The update expression attempted to update a secondary index key to a value that is not supported. ${emptyBinary}`,
    );
    expect(check({ tenant: { S: 'x'.repeat(2_049) } })).toContain('hashkey');
    expect(check({ at: { S: 'x'.repeat(1_025) } })).toContain('range keys');
  });

  it('are sparse', () => {
    expect(indexKeyValues(byDay, full)).toEqual({
      hash: [{ S: 't' }, { N: '20261115' }],
      range: [{ B: 'AAAA' }],
    });
    for (const name of ['tenant', 'day', 'blob']) {
      const without = new Map(full);
      without.delete(name);
      expect(indexKeyValues(byDay, without)).toBeUndefined();
      expect(indexKeyValues(byDay, without.set(name, { BOOL: true }))).toBeUndefined();
      expect(fitsIndex(byDay, without)).toBe(false);
    }
    expect(fitsIndex(byDay, full)).toBe(true);
    expect(fitsIndex(byDay, new Map(full).set('tenant', { S: '' }))).toBe(false);
    expect(fitsIndex(byDay, new Map(full).set('tenant', { S: 'x'.repeat(2_049) }))).toBe(false);
  });

  it('are projected with what the index asks for', () => {
    const names = (index: IndexSchema) => [...projectForIndex(schema, index, full).keys()].sort();
    expect(names(local)).toEqual(['at', 'pk', 'sk']);
    expect(names(byDay)).toEqual(['blob', 'day', 'extra', 'pk', 'sk', 'tenant']);
    expect(projectForIndex(schema, everything, full)).toBe(full);
    expect(isProjected(schema, byDay, 'extra')).toBe(true);
    expect(isProjected(schema, byDay, 'other')).toBe(false);
    expect(isProjected(schema, everything, 'other')).toBe(true);
  });
});
