import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScript } from './compare.ts';
import { type Door, memoryInProcess } from './doors.ts';
import type { Script, TransactAction } from './steps.ts';
import type { Attributes, Value } from './values.ts';

/** Scripts on which the model and the engine once differed, by the seed that found them. */

const S = (text: string): Value => ({ S: text });
const N = (text: string): Value => ({ N: text });
const empty: Value = { B: '' };

const table: Script['table'] = {
  hash: { name: 'pk', type: 'S' },
  locals: [],
  globals: [{ name: 'gsi', hash: [{ name: 'n1', type: 'B' }], range: [], projection: 'ALL' }],
};
const item = (name: string, more: Attributes = {}): Attributes => ({ pk: S(name), ...more });
const setN1 = (name: string, otherwise: Value): TransactAction => ({
  kind: 'update',
  key: item(name),
  update: [
    {
      kind: 'set',
      path: ['n1'],
      value: { kind: 'ifNotExists', path: ['b', 0, 0], otherwise: { kind: 'value', value: otherwise } },
    },
  ],
  spelling: 0,
});
const put = (item: Attributes) => ({ kind: 'put', item, spelling: 0 }) as const;
const transact = (...actions: TransactAction[]) => ({ kind: 'transactWrite', actions, spelling: 0 }) as const;

const cases: Readonly<Record<string, Script>> = {
  // A fault that shows only while the transaction runs is a reason for its cancellation.
  'seed 1279711667: an empty value of the item becomes the key of an index': {
    table,
    steps: [
      put(item('a', { b: { L: [{ L: [empty] }] } })),
      transact(setN1('a', { B: 'AQ==' })),
      transact(put(item('b')), setN1('a', { B: 'AQ==' }), setN1('c', { B: 'AQ==' })),
    ],
  },
  'a value of another type becomes the key of an index': {
    table,
    steps: [transact(setN1('a', N('1')), setN1('b', S('x')), put(item('c')))],
  },
};

describe('the model and the engine agree on', () => {
  let door: Door;
  beforeAll(async () => {
    door = await memoryInProcess();
  });
  afterAll(() => door.close());

  it.each(Object.entries(cases))('%s', async (_, script) => {
    const report = { steps: 0, tables: 0, answers: 0, refusals: new Map(), notKnown: new Map() };
    expect(await runScript(door.client, script, report)).toBeUndefined();
    expect(report.notKnown).toEqual(new Map());
  });
});
