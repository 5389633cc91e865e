import { describe, expect, it } from 'vitest';
import { NaiveTable } from './naive-table.ts';
import type { BatchWrite } from './steps.ts';
import { attributes, type Value } from './values.ts';

const item = (pk: string, others: Record<string, Value> = {}) =>
  attributes([['pk', { N: pk }], ...Object.entries(others)]);
const put = (pk: string, others: Record<string, Value> = {}): BatchWrite => ({ put: item(pk, others) });
const remove = (pk: string): BatchWrite => ({ delete: item(pk) });
const duplicates = {
  refusal: {
    error: 'ValidationException',
    messages: ['Provided list of item keys contains duplicates'],
  },
};

function table(): NaiveTable {
  return new NaiveTable({ hash: { name: 'pk', type: 'N' }, locals: [], globals: [] }, 't');
}

function write(naive: NaiveTable, ...writes: BatchWrite[]) {
  return naive.run({ kind: 'batchWrite', writes, capacity: 'TOTAL', spelling: 0 });
}

function get(naive: NaiveTable, ...keys: string[]) {
  const step = { kind: 'batchGet', keys: keys.map((key) => item(key)), capacity: 'TOTAL' } as const;
  return naive.run({ ...step, spelling: 0 });
}

describe('a batch in the naive model', () => {
  it('is many operations with one sum', () => {
    const naive = table();
    const large = { filler: { S: 'x'.repeat(1_500) } };
    expect(write(naive, put('1'), put('2', large), remove('3'))).toEqual({
      answer: { ConsumedCapacity: [{ TableName: 't', CapacityUnits: 4 }] },
    });
    expect(get(naive, '2', '3')).toEqual({
      answer: { Items: [item('2', large)], ConsumedCapacity: [{ TableName: 't', CapacityUnits: 1 }] },
    });
  });

  it('compares keys as written when it reads, and by value when it writes', () => {
    const naive = table();
    expect(write(naive, put('1'), remove('1.0'))).toEqual(duplicates);
    expect(naive.items).toEqual([]);
    write(naive, put('1'));
    expect(get(naive, '1', '1')).toEqual(duplicates);
    expect(get(naive, '1', '1.0')).toMatchObject({ answer: { Items: [item('1'), item('1')] } });
  });

  it('tells of a put without its key in the words for keys, and of an empty number in the older words', () => {
    const told = (...writes: BatchWrite[]) => write(table(), ...writes);
    expect(told(put('1'), { put: attributes([['id', { S: 'a' }]]) })).toMatchObject({
      refusal: { messages: ['The provided key element does not match the schema'] },
    });
    expect(told(put('1', { n: { N: '' } }))).toMatchObject({
      refusal: { messages: ['The parameter cannot be converted to a numeric value'] },
    });
  });
});
