import { describe, expect, it } from 'vitest';
import { NaiveTable } from './naive-table.ts';
import { NotKnown } from './outcome.ts';
import type { TransactAction } from './steps.ts';
import type { Attributes } from './values.ts';

const definition = {
  hash: { name: 'pk', type: 'S' },
  locals: [],
  globals: [],
} as const;

const key = (S: string): Attributes => ({ pk: { S } });
const put = (name: string, more: object = {}): TransactAction => ({
  kind: 'put',
  item: key(name),
  spelling: 0,
  ...more,
});
const exists = { kind: 'exists', path: ['pk'] } as const;
const missing = { kind: 'notExists', path: ['pk'] } as const;

function tableWith(...names: string[]): NaiveTable {
  const table = new NaiveTable(definition, 't');
  table.items = names.map(key);
  return table;
}

const write = (table: NaiveTable, ...actions: TransactAction[]) =>
  table.run({ kind: 'transactWrite', actions, capacity: 'TOTAL', spelling: 0 });

describe('a transaction of the naive model', () => {
  it('does all of its actions and costs twice', () => {
    const table = tableWith('a', 'b');
    const outcome = write(
      table,
      put('c'),
      { kind: 'delete', key: key('a'), spelling: 0 },
      { kind: 'check', key: key('b'), condition: exists, spelling: 0 },
    );
    expect(outcome).toEqual({
      answer: { ConsumedCapacity: [{ TableName: 't', CapacityUnits: 6, WriteCapacityUnits: 6 }] },
    });
    expect(table.items).toEqual([key('b'), key('c')]);
  });

  it('does none of them when a condition fails, and tells each', () => {
    const table = tableWith('a', 'b');
    const outcome = write(table, put('c'), put('a', { condition: missing, onFailure: 'ALL_OLD' }), {
      kind: 'check',
      key: key('x'),
      condition: exists,
      spelling: 0,
    });
    expect(table.items).toEqual([key('a'), key('b')]);
    if (!('refusal' in outcome)) throw new Error('it was done');
    expect(outcome.refusal.error).toBe('TransactionCanceledException');
    expect(outcome.refusal.messages).toHaveLength(1);
    const [first, ...reasons] = outcome.refusal.messages[0]!.split('\n');
    expect(first).toMatch(/\[None, ConditionalCheckFailed, ConditionalCheckFailed\]$/);
    expect(reasons).toHaveLength(3);
    expect(reasons[1]).toContain('"a"');
  });

  it('refuses one item twice, and does not know what comes first beside a wrong key', () => {
    const table = tableWith();
    expect(write(table, put('a'), put('a'))).toEqual({
      refusal: {
        error: 'ValidationException',
        messages: ['Transaction request cannot include multiple operations on one item'],
      },
    });
    const wrong: TransactAction = { kind: 'put', item: { pk: { N: '1' } }, spelling: 0 };
    expect(() => write(table, put('a'), put('a'), wrong)).toThrow(NotKnown);
  });

  it('reads what is there, in order', () => {
    const gets = ['b', 'x'].map((name) => ({ key: key(name), spelling: 0 }));
    expect(tableWith('a', 'b').run({ kind: 'transactGet', gets, spelling: 0 })).toEqual({
      answer: { Responses: [key('b'), undefined] },
    });
  });
});
