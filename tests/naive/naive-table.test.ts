import { describe, expect, it } from 'vitest';
import { numberTexts } from './big-decimal.ts';
import type { Condition, Operand, Path, Update, UpdateOperand } from './expression-trees.ts';
import { base64 } from './generate-values.ts';
import { checkTexts, enveloped } from './naive-checks.ts';
import { holds } from './naive-conditions.ts';
import { project } from './naive-paths.ts';
import { NaiveTable } from './naive-table.ts';
import { updateTexts } from './naive-updates.ts';
import { NotKnown, type Outcome, parameter } from './outcome.ts';
import type { Step } from './steps.ts';
import type { TableDefinition } from './table-definition.ts';
import { type Attributes, attributes, canonicalItem, type Value } from './values.ts';

const N = (text: string): Value => ({ N: text });
const S = (text: string): Value => ({ S: text });
const L = (...elements: Value[]): Value => ({ L: elements });
const M = (members: Readonly<Record<string, Value>>): Value => ({ M: item(members) });
const at = (...path: Path): Operand => ({ kind: 'path', path });
const constant = (value: Value) => ({ kind: 'value', value }) as const;
const size = (...path: Path): Operand => ({ kind: 'size', of: at(...path) });

function item(members: Readonly<Record<string, Value>>): Attributes {
  return attributes(Object.entries(members));
}

const simple: TableDefinition = { hash: { name: 'pk', type: 'S' }, locals: [], globals: [] };

describe('naive conditions', () => {
  const it1 = item({
    n: N('5'),
    s: S('abc'),
    b: { B: base64('00ff') },
    ss: { SS: ['a', 'b'] },
    ns: { NS: ['1', '2.0'] },
    l: L(N('1'), S('x'), M({ y: N('2') })),
    m: M({ x: N('1'), 'a.b': S('dot') }),
    t: { BOOL: true },
    nothing: { NULL: true },
  });
  const compare = (
    left: Operand,
    comparator: '=' | '<>' | '<' | '<=' | '>' | '>=',
    right: Operand,
  ): Condition => ({
    kind: 'compare',
    comparator,
    left,
    right,
  });
  const between = (operand: Operand, low: Operand, high: Operand): Condition => ({
    kind: 'between',
    operand,
    low,
    high,
  });
  const contains = (whole: Operand, part: Operand): Condition => ({ kind: 'contains', whole, part });
  const beginsWith = (whole: Operand, start: Operand): Condition => ({ kind: 'beginsWith', whole, start });
  const cases: [boolean, Condition][] = [
    [true, compare(at('n'), '=', constant(N('5.0')))],
    [false, compare(at('n'), '=', constant(S('5')))],
    [true, compare(at('n'), '<>', constant(S('5')))],
    [true, compare(at('ss'), '=', constant({ SS: ['b', 'a'] }))],
    [true, compare(at('ns'), '=', constant({ NS: ['2', '1'] }))],
    [true, compare(at('m', 'a.b'), '=', constant(S('dot')))],
    [true, compare(at('l', 2, 'y'), '=', constant(N('2')))],
    // A missing attribute is equal to nothing and different from everything.
    [false, compare(at('missing'), '=', at('gone'))],
    [true, compare(at('missing'), '<>', at('gone'))],
    [true, compare(at('missing'), '<>', constant(N('1')))],
    [false, compare(at('l', 9), '=', constant(N('1')))],
    [false, compare(at('m', 0), '=', constant(N('1')))],
    [true, compare(at('n'), '<', constant(N('10')))],
    [false, compare(at('s'), '<', constant(N('10')))],
    [false, compare(at('s'), '>=', constant(N('10')))],
    [true, compare(at('s'), '<', constant(S('abd')))],
    [true, compare(at('b'), '>', constant({ B: base64('00') }))],
    [false, compare(at('missing'), '<', constant(N('10')))],
    [false, compare(at('t'), '<=', at('t'))],
    [true, between(at('n'), constant(N('5')), constant(N('5')))],
    [false, between(at('n'), constant(N('6')), constant(N('7')))],
    [false, between(at('n'), constant(N('1')), at('s'))],
    [true, { kind: 'in', operand: at('n'), list: [constant(S('5')), constant(N('5'))] }],
    [false, { kind: 'in', operand: at('missing'), list: [at('gone'), constant(N('5'))] }],
    [true, { kind: 'exists', path: ['nothing'] }],
    [false, { kind: 'exists', path: ['l', 3] }],
    [true, { kind: 'notExists', path: ['m', 'y'] }],
    [true, { kind: 'type', operand: at('nothing'), type: 'NULL' }],
    [false, { kind: 'type', operand: at('missing'), type: 'NULL' }],
    [true, beginsWith(at('s'), constant(S('ab')))],
    [true, beginsWith(at('s'), constant(S('')))],
    [true, beginsWith(at('b'), constant({ B: base64('00') }))],
    [false, beginsWith(at('n'), constant(S('5')))],
    [true, beginsWith(constant(S('abcd')), at('s'))],
    [true, contains(at('s'), constant(S('bc')))],
    [true, contains(at('b'), constant({ B: base64('ff') }))],
    [true, contains(at('ss'), constant(S('a')))],
    [false, contains(at('ss'), constant({ SS: ['a'] }))],
    [true, contains(at('ns'), constant(N('2')))],
    [true, contains(at('l'), constant(M({ y: N('2.0') })))],
    [false, contains(at('m'), constant(S('x')))],
    [false, contains(at('n'), constant(N('5')))],
    [true, compare(size('s'), '=', constant(N('3')))],
    [true, compare(size('b'), '=', constant(N('2')))],
    [true, compare(size('m'), '=', constant(N('2')))],
    [true, compare(size('l'), '>', size('ss'))],
    [false, compare(size('n'), '>=', constant(N('0')))],
    [false, compare(size('missing'), '=', constant(N('0')))],
    [true, { kind: 'not', part: compare(size('missing'), '=', constant(N('0'))) }],
    [
      true,
      {
        kind: 'or',
        parts: [
          { kind: 'exists', path: ['gone'] },
          { kind: 'exists', path: ['n'] },
        ],
      },
    ],
    [
      false,
      {
        kind: 'and',
        parts: [
          { kind: 'exists', path: ['gone'] },
          { kind: 'exists', path: ['n'] },
        ],
      },
    ],
  ];
  it.each(cases)('are %s: %j', (expected, condition) => {
    expect(holds(condition, it1)).toBe(expected);
  });
});

describe('naive projections', () => {
  const whole = item({
    a: L(N('0'), N('1'), M({ x: N('2'), y: N('3'), z: N('4') }), N('3')),
    m: M({ b: S('b'), c: M({ d: S('d') }) }),
    s: S('s'),
  });
  const cases: [Path[], Readonly<Record<string, Value>>][] = [
    [[['s']], { s: S('s') }],
    [[['gone']], {}],
    [
      [
        ['a', 3],
        ['a', 1],
      ],
      { a: L(N('1'), N('3')) },
    ],
    [
      [
        ['a', 2, 'z'],
        ['a', 2, 'x'],
        ['a', 0],
      ],
      { a: L(N('0'), M({ x: N('2'), z: N('4') })) },
    ],
    [[['m', 'c', 'd']], { m: M({ c: M({ d: S('d') }) }) }],
    [[['m', 'gone']], {}],
    [[['m', 0]], {}],
    [[['a', 9]], {}],
  ];
  it.each(cases)('keep %j', (paths, kept) => {
    expect(canonicalItem(project(whole, paths))).toBe(canonicalItem(item(kept)));
  });
});

describe('naive updates', () => {
  const before = {
    n: N('5'),
    s: S('a'),
    ss: { SS: ['a', 'b'] },
    l: L(N('0'), N('1'), N('2')),
    m: M({ x: N('1') }),
  };
  const value = (given: Value): UpdateOperand => constant(given);
  const path = (...steps: Path): UpdateOperand => ({ kind: 'path', path: steps });
  const set = (target: Path, to: UpdateOperand): Update[number] => ({ kind: 'set', path: target, value: to });
  const sum = (left: UpdateOperand, sign: '+' | '-', right: UpdateOperand) =>
    ({ kind: 'arithmetic', sign, left, right }) as const;
  const good: [string, Update, Readonly<Record<string, Value>>][] = [
    ['set a new attribute', [set(['z'], value(N('1')))], { z: N('1') }],
    ['see the item before', [set(['n'], path('s')), set(['s'], path('n'))], { n: S('a'), s: N('5') }],
    [
      'add and subtract',
      [{ kind: 'set', path: ['n'], value: sum(path('n'), '-', value(N('0.5'))) }],
      { n: N('4.5') },
    ],
    ['set a map member', [set(['m', 'y'], value(S('')))], { m: M({ x: N('1'), y: S('') }) }],
    ['set a list element', [set(['l', 1], value(S('x')))], { l: L(N('0'), S('x'), N('2')) }],
    [
      'append in order of index',
      [set(['l', 9], value(S('9'))), set(['l', 7], value(S('7')))],
      { l: L(N('0'), N('1'), N('2'), S('7'), S('9')) },
    ],
    [
      'remove by the indexes before',
      [
        { kind: 'remove', path: ['l', 0] },
        { kind: 'remove', path: ['l', 2] },
        set(['l', 1], value(S('x'))),
        set(['l', 5], value(S('y'))),
      ],
      { l: L(S('x'), S('y')) },
    ],
    [
      'ignore what is not there to remove',
      [
        { kind: 'remove', path: ['gone'] },
        { kind: 'remove', path: ['m', 'gone'] },
        { kind: 'remove', path: ['l', 9] },
      ],
      {},
    ],
    ['leave an empty map', [{ kind: 'remove', path: ['m', 'x'] }], { m: M({}) }],
    ['add to a number', [{ kind: 'add', path: ['n'], value: N('-5') }], { n: N('0') }],
    [
      'add to nothing',
      [{ kind: 'add', path: ['m', 'y'], value: N('2') }],
      { m: M({ x: N('1'), y: N('2') }) },
    ],
    [
      'unite sets',
      [{ kind: 'add', path: ['ss'], value: { SS: ['b', 'c'] } }],
      { ss: { SS: ['a', 'b', 'c'] } },
    ],
    ['subtract sets', [{ kind: 'delete', path: ['ss'], value: { SS: ['b', 'c'] } }], { ss: { SS: ['a'] } }],
    ['ignore deletion from nothing', [{ kind: 'delete', path: ['gone'], value: { SS: ['b'] } }], {}],
    [
      'append lists',
      [set(['l'], { kind: 'listAppend', first: value(L(S('x'))), second: path('l') })],
      { l: L(S('x'), N('0'), N('1'), N('2')) },
    ],
    [
      'fall back',
      [
        set(['z'], { kind: 'ifNotExists', path: ['gone'], otherwise: value(N('1')) }),
        set(['n'], { kind: 'ifNotExists', path: ['n'], otherwise: value(N('1')) }),
      ],
      { z: N('1') },
    ],
  ];
  it.each(good)('%s', (_, update, changes) => {
    const expected = item({ pk: S('k'), ...before, ...changes });
    const [table] = tableWith(before);
    expect(run(table, { kind: 'update', key: item({ pk: S('k') }), update, spelling: 0 })).toEqual({
      answer: {},
    });
    expect(canonicalItem(table.items[0]!)).toBe(canonicalItem(expected));
  });

  it('removes a set that becomes empty', () => {
    const [table] = tableWith(before);
    const update: Update = [{ kind: 'delete', path: ['ss'], value: { SS: ['a', 'b'] } }];
    run(table, { kind: 'update', key: item({ pk: S('k') }), update, spelling: 0 });
    expect(table.items[0]!.ss).toBeUndefined();
  });

  const big = N('9E125');
  const bad: [string, Update, string[]][] = [
    ['a missing attribute', [set(['z'], path('gone'))], [updateTexts.missing]],
    [
      'a missing number',
      [{ kind: 'set', path: ['z'], value: sum(path('gone'), '+', value(N('1'))) }],
      [updateTexts.missing],
    ],
    [
      'a string in a sum',
      [{ kind: 'set', path: ['z'], value: sum(path('s'), '+', value(N('1'))) }],
      [updateTexts.wrongType],
    ],
    [
      'a list appended to a number',
      [set(['z'], { kind: 'listAppend', first: path('n'), second: value(L()) })],
      [updateTexts.wrongType],
    ],
    ['a missing parent', [set(['gone', 'x'], value(N('1')))], [updateTexts.badPath]],
    ['a parent that is a list', [set(['l', 'x'], value(N('1')))], [updateTexts.badPath]],
    ['a parent that is a map', [set(['m', 0], value(N('1')))], [updateTexts.badPath]],
    ['a parent beyond the end', [set(['l', 9, 'x'], value(N('1')))], [updateTexts.badPath]],
    ['removal below nothing', [{ kind: 'remove', path: ['gone', 'x'] }], [updateTexts.badPath]],
    ['a number added to a string', [{ kind: 'add', path: ['s'], value: N('1') }], [updateTexts.wrongType]],
    [
      'a set added to another',
      [{ kind: 'add', path: ['ss'], value: { NS: ['1'] } }],
      [updateTexts.wrongType],
    ],
    [
      'a set taken from a number',
      [{ kind: 'delete', path: ['n'], value: { NS: ['1'] } }],
      [updateTexts.wrongType],
    ],
    [
      'an overflow',
      [{ kind: 'set', path: ['z'], value: sum(value(big), '+', value(big)) }],
      [numberTexts.overflow],
    ],
    [
      'a key as target',
      [set(['pk'], value(S('x')))],
      [parameter('Cannot update attribute pk. This attribute is part of the key')],
    ],
    [
      'two faults, of which either may be told',
      [set(['z'], path('gone')), set(['gone', 'x'], value(N('1')))],
      [updateTexts.missing, updateTexts.badPath],
    ],
  ];
  it.each(bad)('refuses %s', (_, update, messages) => {
    const [table] = tableWith(before);
    const unchanged = table.items;
    const outcome = run(table, { kind: 'update', key: item({ pk: S('k') }), update, spelling: 0 });
    expect(outcome).toEqual({ refusal: { error: 'ValidationException', messages } });
    expect(table.items).toBe(unchanged);
  });

  it('creates what is not there, unless it only removes', () => {
    const table = new NaiveTable(simple, 't');
    const on = (pk: string, update?: Update) =>
      run(table, { kind: 'update', key: item({ pk: S(pk) }), update, spelling: 0 });
    on('bare');
    on('removed', [{ kind: 'remove', path: ['a', 'b'] }]);
    on('added', [{ kind: 'add', path: ['a'], value: N('3') }]);
    expect(on('nested', [set(['a', 'b'], value(N('1')))])).toMatchObject({
      refusal: { messages: [updateTexts.badPath] },
    });
    expect(table.items.map(canonicalItem)).toEqual([
      '{"pk":{"S":"bare"}}',
      '{"a":{"N":"3"},"pk":{"S":"added"}}',
    ]);
  });

  const returned: [string, Update, Readonly<Record<string, Value>> | undefined][] = [
    ['ALL_OLD', [set(['n'], value(N('6')))], { pk: S('k'), ...before }],
    ['ALL_NEW', [set(['n'], value(N('6')))], { pk: S('k'), ...before, n: N('6') }],
    ['UPDATED_OLD', [set(['n'], value(N('6'))), set(['z'], value(N('6')))], { n: N('5') }],
    ['UPDATED_NEW', [set(['n'], value(N('6'))), set(['z'], value(N('7')))], { n: N('6'), z: N('7') }],
    ['UPDATED_OLD', [set(['z'], value(N('6')))], undefined],
    ['UPDATED_NEW', [{ kind: 'remove', path: ['n'] }], undefined],
    ['UPDATED_NEW', [set(['m', 'y'], value(N('2')))], { m: M({ y: N('2') }) }],
    ['UPDATED_OLD', [set(['l', 1], value(S('x')))], { l: L(N('1')) }],
    // The element that moved to the index.
    ['UPDATED_NEW', [{ kind: 'remove', path: ['l', 1] }], { l: L(N('2')) }],
    ['UPDATED_NEW', [set(['l', 9], value(S('x')))], undefined],
    ['NONE', [set(['n'], value(N('6')))], undefined],
  ];
  it.each(returned)('returns %s of %j', (returnValues, update, expected) => {
    const [table] = tableWith(before);
    const step = { kind: 'update', key: item({ pk: S('k') }), update, spelling: 0, returnValues } as Step;
    const outcome = run(table, step);
    const answered = 'answer' in outcome ? outcome.answer.Attributes : undefined;
    expect(answered && canonicalItem(answered)).toBe(expected && canonicalItem(item(expected)));
  });

  it('says where nothing is known', () => {
    const [table] = tableWith(before);
    const step = (update: Update, pk = 'k', returnValues?: 'UPDATED_NEW') =>
      ({ kind: 'update', key: item({ pk: S(pk) }), update, spelling: 0, returnValues }) as const;
    const steps: Step[] = [
      step([set(['l', 3], value(N('1')))], 'k', 'UPDATED_NEW'),
      step([{ kind: 'delete', path: ['ss'], value: { SS: ['a'] } }], 'not there'),
      step([{ kind: 'delete', path: ['gone', 'x'], value: { SS: ['a'] } }]),
    ];
    for (const unknown of steps) expect(() => table.run(unknown)).toThrow(NotKnown as never);
  });
});

describe('a naive table', () => {
  it('puts, gets and deletes by the value of the key', () => {
    const table = new NaiveTable({ ...simple, hash: { name: 'pk', type: 'N' } }, 't');
    const put = (text: string, more: Readonly<Record<string, Value>> = {}) =>
      run(table, { kind: 'put', item: item({ pk: N(text), ...more }), returnValues: 'ALL_OLD', spelling: 0 });
    expect(put('1')).toEqual({ answer: {} });
    expect(put('1.0', { a: S('x') })).toEqual({ answer: { Attributes: item({ pk: N('1') }) } });
    expect(run(table, { kind: 'get', key: item({ pk: N('1e0') }), spelling: 0 })).toEqual({
      answer: { Item: item({ pk: N('1.0'), a: S('x') }) },
    });
    const gone = { kind: 'delete', key: item({ pk: N('1') }), returnValues: 'ALL_OLD', spelling: 0 } as const;
    expect(run(table, gone)).toMatchObject({ answer: { Attributes: { a: S('x') } } });
    expect(run(table, gone)).toEqual({ answer: {} });
    expect(run(table, { kind: 'get', key: item({ pk: N('1') }), spelling: 0 })).toEqual({ answer: {} });
  });

  it('projects what it gets, to an empty item if need be', () => {
    const [table] = tableWith({ a: N('1') });
    const get = { kind: 'get', key: item({ pk: S('k') }), projection: [['gone']], spelling: 0 } as const;
    expect(run(table, get)).toEqual({ answer: { Item: item({}) } });
    expect(run(table, { ...get, key: item({ pk: S('not there') }) })).toEqual({ answer: {} });
  });

  it('shows the item to whom its condition fails, if asked', () => {
    const [table, stored] = tableWith({ a: N('1') });
    const condition: Condition = { kind: 'notExists', path: ['pk'] };
    const step = { kind: 'put', item: item({ pk: S('k') }), condition, spelling: 0 } as const;
    const refusal = {
      error: 'ConditionalCheckFailedException',
      messages: ['The conditional request failed'],
    };
    expect(run(table, step)).toEqual({ refusal });
    expect(run(table, { ...step, onFailure: 'ALL_OLD' })).toEqual({ refusal: { ...refusal, item: stored } });
    expect(run(table, { ...step, item: item({ pk: S('other') }) })).toEqual({ answer: {} });
    const absent = {
      ...step,
      item: item({ pk: S('third') }),
      condition: { kind: 'not', part: condition },
    } as const;
    expect(run(table, { ...absent, onFailure: 'ALL_OLD' })).toEqual({ refusal });
  });

  const indexed: TableDefinition = {
    hash: { name: 'pk', type: 'S' },
    range: { name: 'sk', type: 'N' },
    locals: [
      {
        name: 'lsi',
        hash: [{ name: 'pk', type: 'S' }],
        range: [{ name: 'a', type: 'S' }],
        projection: 'ALL',
      },
    ],
    globals: [
      { name: 'keys', hash: [{ name: 'a', type: 'S' }], range: [], projection: 'KEYS_ONLY' },
      {
        name: 'some',
        hash: [
          { name: 'a', type: 'S' },
          { name: 'b', type: 'B' },
        ],
        range: [{ name: 'sk', type: 'N' }],
        projection: ['c'],
      },
    ],
  };
  const key = { pk: S('k'), sk: N('1') };
  const indexKey = { a: S('x'), b: { B: base64('00') } };
  const long = S('x'.repeat(3_000));

  const capacities: [
    string,
    Readonly<Record<string, Value>> | undefined,
    Readonly<Record<string, Value>> | undefined,
    number[],
  ][] = [
    ['nothing over nothing', undefined, undefined, [1]],
    ['an item in no index', undefined, {}, [1]],
    ['an entry in three', undefined, { ...indexKey }, [1, 1, 1, 1]],
    ['an item as it was', { ...indexKey, c: N('1') }, { ...indexKey, c: N('1.0') }, [1]],
    ['a change that one index shows', { ...indexKey }, { ...indexKey, d: N('1') }, [1, 1]],
    ['a change that two indexes show', { ...indexKey }, { ...indexKey, c: N('1') }, [1, 1, 0, 1]],
    ['a moved entry', { ...indexKey }, { ...indexKey, a: S('y') }, [1, 2, 2, 2]],
    ['a removed key', { ...indexKey }, { a: S('x') }, [1, 1, 0, 1]],
    ['a deleted item', { ...indexKey }, undefined, [1, 1, 1, 1]],
    ['a long attribute', { ...indexKey }, { ...indexKey, c: long }, [3, 3, 0, 3]],
    ['a long attribute that goes', { ...indexKey, d: long }, { ...indexKey }, [3, 3]],
    ['a long entry that moves', { ...indexKey, c: long }, { ...indexKey, a: S('y') }, [3, 4, 2, 4]],
  ];
  it.each(capacities)('charges for %s', (_, before, after, units) => {
    const table = new NaiveTable(indexed, 't');
    if (before !== undefined) table.items = [item({ ...key, ...before })];
    const step: Step =
      after === undefined
        ? { kind: 'delete', key: item(key), capacity: 'INDEXES', spelling: 0 }
        : { kind: 'put', item: item({ ...key, ...after }), capacity: 'INDEXES', spelling: 0 };
    const [own, local = 0, keys = 0, some = 0] = units;
    const globals = { ...arm('keys', keys), ...arm('some', some) };
    expect(run(table, step)).toEqual({
      answer: {
        ConsumedCapacity: {
          TableName: 't',
          CapacityUnits: own! + local + keys + some,
          Table: { CapacityUnits: own },
          ...(local > 0 && { LocalSecondaryIndexes: arm('lsi', local) }),
          ...(keys + some > 0 && { GlobalSecondaryIndexes: globals }),
        },
      },
    });
  });

  it('charges for reading by four kilobytes', () => {
    const [table] = tableWith({ a: S('x'.repeat(5_000)) });
    const get = { kind: 'get', key: item({ pk: S('k') }), capacity: 'TOTAL', spelling: 0 } as const;
    const capacity = (units: number) => ({ ConsumedCapacity: { TableName: 't', CapacityUnits: units } });
    expect(run(table, get)).toMatchObject({ answer: capacity(1) });
    expect(run(table, { ...get, consistent: true })).toMatchObject({ answer: capacity(2) });
    expect(run(table, { ...get, key: item({ pk: S('not there') }) })).toEqual({ answer: capacity(0.5) });
  });

  const notValid = 'One or more parameter values are not valid.';
  const empty = 'The AttributeValue for a key attribute cannot contain an empty string value.';
  const refusedPuts: [string, Readonly<Record<string, Value>>, string[]][] = [
    ['no key', { pk: S('k') }, [parameter('Missing the key sk in the item')]],
    [
      'another type',
      { pk: S('k'), sk: S('1') },
      [parameter('Type mismatch for key sk expected: N actual: S')],
    ],
    ['an empty key', { ...key, pk: S('') }, [`${notValid} ${empty} Key: pk`]],
    ['a long key', { ...key, pk: S('x'.repeat(2_049)) }, [checkTexts.hashTooLong]],
    [
      'another type in an index',
      { ...key, b: N('1') },
      [parameter('Type mismatch for Index Key b Expected: B Actual: N IndexName: some')],
    ],
    [
      'an empty index key',
      { ...key, a: S('') },
      // The local index has the same key and is not told.
      ['keys', 'some'].map(
        (name) =>
          `${notValid} A value specified for a secondary index key is not supported. ${empty} IndexName: ${name}, IndexKey: a`,
      ),
    ],
    ['39 digits', { ...key, x: L(N('1'.repeat(39))) }, [enveloped(numberTexts.tooPrecise)]],
    ['400 KB and more', { ...key, x: S('x'.repeat(409_600)) }, [checkTexts.putTooLarge]],
  ];
  it.each(refusedPuts)('refuses to put %s', (_, given, messages) => {
    const outcome = run(new NaiveTable(indexed, 't'), { kind: 'put', item: item(given), spelling: 0 });
    expect(outcome).toEqual({ refusal: { error: 'ValidationException', messages } });
  });

  const keys: [string, Readonly<Record<string, Value>>][] = [
    ['too few', { pk: S('k') }],
    ['too many', { ...key, a: S('x') }],
    ['others', { pk: S('k'), a: N('1') }],
    ['of another type', { pk: S('k'), sk: S('1') }],
  ];
  it.each(keys)('refuses key attributes: %s', (_, given) => {
    const outcome = run(new NaiveTable(indexed, 't'), { kind: 'get', key: item(given), spelling: 0 });
    expect(outcome).toEqual({
      refusal: { error: 'ValidationException', messages: [checkTexts.keyMismatch] },
    });
  });

  it('refuses updates of index keys to what cannot be one, and items that become too large', () => {
    const table = new NaiveTable(indexed, 't');
    const to = (name: string, value: Value) =>
      run(table, {
        kind: 'update',
        key: item(key),
        update: [{ kind: 'set', path: [name], value: constant(value) }],
        spelling: 0,
      });
    expect(to('a', N('1'))).toMatchObject({
      // The attribute is a key of two indexes, and the service may name either.
      refusal: {
        messages: ['keys', 'some'].map((name) =>
          expect.stringContaining(`Type mismatch for Index Key a Expected: S Actual: N IndexName: ${name}`),
        ),
      },
    });
    expect(to('a', S(''))).toMatchObject({
      refusal: {
        messages: [
          `${notValid} The update expression attempted to update a secondary index key to a value that is not supported. ${empty}`,
        ],
      },
    });
    expect(to('x', S('x'.repeat(409_600)))).toMatchObject({
      refusal: { messages: [checkTexts.updateTooLarge] },
    });
    expect(table.items).toEqual([]);
  });
});

describe('a naive index that comes later', () => {
  const create: Step = {
    kind: 'createIndex',
    index: { name: 'later', hash: [{ name: 'a', type: 'S' }], range: [], projection: 'ALL' },
    spelling: 0,
  };
  const scan: Step = { kind: 'scan', index: 'later', spelling: 0 };
  const keysIn = (table: NaiveTable) => {
    const outcome = run(table, scan);
    if ('refusal' in outcome) return outcome.refusal.messages;
    return outcome.answer.found!.pages.flatMap(({ Items }) => Items!.map(({ pk }) => pk));
  };

  it('has the items that it can have, and those that come to fit', () => {
    const table = new NaiveTable(simple, 't');
    table.items = [S('x'), N('1'), S(''), S('x'.repeat(2_049)), undefined].map((a, i) =>
      item({ pk: S(`${i}`), ...(a && { a }) }),
    );
    expect(keysIn(table)).toEqual(['The table does not have the specified index: later']);
    expect(run(table, create)).toEqual({ answer: {} });
    expect(keysIn(table)).toEqual([S('0')]);
    const put = (a: Value) => run(table, { kind: 'put', item: item({ pk: S('1'), a }), spelling: 0 });
    expect(put(N('1'))).toMatchObject({
      refusal: {
        messages: [parameter('Type mismatch for Index Key a Expected: S Actual: N IndexName: later')],
      },
    });
    put(S('y'));
    expect(keysIn(table)).toEqual([S('0'), S('1')]);
    expect(run(table, create)).toMatchObject({
      refusal: { messages: ['Attempting to create an index which already exists'] },
    });
  });

  it('leaves nothing behind when it goes', () => {
    const table = new NaiveTable(simple, 't');
    run(table, create);
    expect(run(table, { kind: 'deleteIndex', name: 'later', spelling: 0 })).toEqual({ answer: {} });
    expect(table.definition).toEqual(simple);
    expect(() => run(table, { kind: 'deleteIndex', name: 'later', spelling: 0 })).toThrow(NotKnown);
  });

  it('does not say what becomes of an update that leaves an item as it cannot be', () => {
    const table = new NaiveTable(simple, 't');
    table.items = [item({ pk: S('k'), a: N('1') })];
    run(table, create);
    const set = (name: string): Step => ({
      kind: 'update',
      key: item({ pk: S('k') }),
      update: [{ kind: 'set', path: [name], value: constant(S('x')) }],
      spelling: 0,
    });
    expect(() => run(table, set('b'))).toThrow(NotKnown);
    expect(run(table, set('a'))).toEqual({ answer: {} });
    expect(run(table, set('b'))).toEqual({ answer: {} });
  });
});

function arm(name: string, units: number): Record<string, { CapacityUnits: number }> {
  return units === 0 ? {} : { [name]: { CapacityUnits: units } };
}

function tableWith(more: Readonly<Record<string, Value>>): [NaiveTable, Attributes] {
  const table = new NaiveTable(simple, 't');
  const stored = item({ pk: S('k'), ...more });
  table.items = [stored];
  return [table, stored];
}

function run(table: NaiveTable, step: Step): Outcome {
  return table.run(step);
}
