import { describe, expect, it } from 'vitest';
import { DynamoError } from '../model/errors.ts';
import { applyUpdate } from './apply-update.ts';
import { item, shown, update } from './cases.fixture.ts';
import { updatedAttributes } from './update-answer.ts';

type Json = Readonly<Record<string, unknown>>;
const key = item({ pk: { S: 'k' } });

/** The item after an update, or the error's text. */
function updated(text: string, before: Json | undefined, values: Json = {}): unknown {
  const old = before && item(before);
  const result = applyUpdate(update(text, values), old, key);
  return result instanceof DynamoError ? result.message : shown(result.item);
}

const S = (S: string) => ({ S });
const N = (N: string) => ({ N });
const L = (...numbers: number[]) => ({ L: numbers.map((number) => N(String(number))) });

const missing = 'The provided expression refers to an attribute that does not exist in the item';
const wrongType = 'An operand in the update expression has an incorrect data type';
const invalidPath = 'The document path provided in the update expression is invalid for update';
const tooLarge = 'Number overflow. Attempting to store a number with magnitude larger than supported range';
const tooDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';

describe('an update', () => {
  const cases: readonly (readonly [name: string, text: string, before: Json, after: Json | string])[] = [
    ['sets', 'SET a = :s', { b: N('1') }, { a: S('s'), b: N('1') }],
    ['replaces', 'SET a = :s', { a: N('1') }, { a: S('s') }],
    ['copies', 'SET a = b', { b: N('1') }, { a: N('1'), b: N('1') }],
    [
      'swaps, because it reads before it writes',
      'SET a = b, b = a',
      { a: N('1'), b: N('2') },
      { a: N('2'), b: N('1') },
    ],
    ['copies what it removes', 'REMOVE a SET b = a', { a: N('1') }, { b: N('1') }],
    ['does not read what it writes', 'SET a = :s, b = a', {}, missing],
    ['adds', 'SET a = a + :n', { a: N('1') }, { a: N('2') }],
    ['subtracts', 'SET a = :n - a', { a: N('3') }, { a: N('-2') }],
    ['adds two attributes', 'SET a = a + b', { a: N('1.5'), b: N('-0.5') }, { a: N('1'), b: N('-0.5') }],
    ['adds no strings', 'SET a = a + :n', { a: S('1') }, wrongType],
    ['adds nothing missing', 'SET a = a + :n', {}, missing],
    ['adds no more digits than there are', 'SET a = a + :n', { a: N('1e50') }, tooLarge],
    ['defaults', 'SET a = if_not_exists(a, :n)', {}, { a: N('1') }],
    ['keeps', 'SET a = if_not_exists(a, :n)', { a: S('x') }, { a: S('x') }],
    ['defaults and adds', 'SET a = if_not_exists(a, :n) + :n2', {}, { a: N('3') }],
    [
      'defaults twice',
      'SET a = if_not_exists(b, if_not_exists(c, :n))',
      { c: S('c') },
      { a: S('c'), c: S('c') },
    ],
    ['appends', 'SET a = list_append(a, :l)', { a: L(5) }, { a: L(5, 1) }],
    ['prepends', 'SET a = list_append(:l, a)', { a: L(5) }, { a: L(1, 5) }],
    ['appends to nothing', 'SET a = list_append(if_not_exists(a, :l), :l)', {}, { a: L(1, 1) }],
    ['appends to no missing list', 'SET a = list_append(a, :l)', {}, missing],
    ['appends to lists only', 'SET a = list_append(a, :l)', { a: S('x') }, wrongType],
    ['sets a member', 'SET a.c = :s', { a: { M: { b: N('1') } } }, { a: { M: { b: N('1'), c: S('s') } } }],
    [
      'sets a deep element',
      'SET a.b[1].c = :s',
      { a: { M: { b: { L: [N('1'), { M: {} }] } } } },
      { a: { M: { b: { L: [N('1'), { M: { c: S('s') } }] } } } },
    ],
    [
      'sets several members',
      'SET a.b = :n, a.c.d = :s REMOVE a.x',
      { a: { M: { x: N('3'), c: { M: {} } } } },
      { a: { M: { b: N('1'), c: { M: { d: S('s') } } } } },
    ],
    ['sets no member of nothing', 'SET a.b = :s', {}, invalidPath],
    ['sets no member of a string', 'SET a.b = :s', { a: S('x') }, invalidPath],
    ['sets no member of a list', 'SET a.b = :s', { a: L(1) }, invalidPath],
    ['sets no element of a map', 'SET a[0] = :s', { a: { M: {} } }, invalidPath],
    ['sets no deep member of nothing', 'SET a.b.c = :s', { a: { M: {} } }, invalidPath],
    ['replaces an element', 'SET a[1] = :n', { a: L(7, 8, 9) }, { a: L(7, 1, 9) }],
    ['appends beyond the end', 'SET a[9] = :n', { a: L(7) }, { a: L(7, 1) }],
    ['appends to an empty list', 'SET a[0] = :n', { a: L() }, { a: L(1) }],
    [
      'appends in the order of indexes',
      'SET a[84] = :n, a[37] = :n2, a[1] = :s',
      { a: L(7) },
      { a: { L: [N('7'), S('s'), N('2'), N('1')] } },
    ],
    [
      'counts indexes before it removes',
      'REMOVE a[1] SET a[3] = :n',
      { a: L(2, 3, 4, 5, 6, 7) },
      { a: L(2, 4, 1, 6, 7) },
    ],
    ['removes and appends', 'REMOVE a[0] SET a[5] = :n', { a: L(7, 8) }, { a: L(8, 1) }],
    ['removes an attribute', 'REMOVE a', { a: N('1'), b: N('2') }, { b: N('2') }],
    [
      'removes nothing that is not there',
      'REMOVE c, a.y, b[7]',
      { a: { M: {} }, b: L(1) },
      { a: { M: {} }, b: L(1) },
    ],
    ['removes elements', 'REMOVE a[0], a[2]', { a: L(1, 2, 3) }, { a: L(2) }],
    ['leaves an empty map', 'REMOVE a.b', { a: { M: { b: N('1') } } }, { a: { M: {} } }],
    ['leaves an empty list', 'REMOVE a[0]', { a: L(1) }, { a: L() }],
    ['removes no member of nothing', 'REMOVE a.b', { c: N('1') }, invalidPath],
    ['removes no element of a string', 'REMOVE a[0]', { a: S('x') }, invalidPath],
    ['adds to a number', 'ADD a :n', { a: N('41') }, { a: N('42') }],
    ['adds to nothing', 'ADD a :n', {}, { a: N('1') }],
    ['adds to a member', 'ADD a.b :n', { a: { M: { b: N('1') } } }, { a: { M: { b: N('2') } } }],
    ['adds to an element', 'ADD a[0] :n, a[5] :n', { a: L(1) }, { a: L(2, 1) }],
    ['unites sets', 'ADD a :ss', { a: { SS: ['z', 'x'] } }, { a: { SS: ['x', 'y', 'z'] } }],
    ['unites with nothing', 'ADD a :ns', {}, { a: { NS: ['1', '2'] } }],
    ['adds no number to a set', 'ADD a :n', { a: { NS: ['1'] } }, wrongType],
    ['adds no set to a set of another type', 'ADD a :ss', { a: { NS: ['1'] } }, wrongType],
    ['adds no set to a list', 'ADD a :ss', { a: L(1) }, wrongType],
    ['adds nothing below nothing', 'ADD a.b :n', {}, invalidPath],
    ['takes from a set', 'DELETE a :ss', { a: { SS: ['x', 'z'] } }, { a: { SS: ['z'] } }],
    ['takes numbers by value', 'DELETE a :ns', { a: { NS: ['1.0', '3'] } }, { a: { NS: ['3'] } }],
    ['leaves no empty set', 'DELETE a :ss', { a: { SS: ['x', 'y'] }, b: N('1') }, { b: N('1') }],
    ['leaves no empty set in a list', 'DELETE a[0] :ss', { a: { L: [{ SS: ['x'] }, N('1')] } }, { a: L(1) }],
    ['takes from nothing', 'DELETE a :ss', { b: N('1') }, { b: N('1') }],
    ['takes from no list', 'DELETE a :ss', { a: L(1) }, wrongType],
    ['takes from no set of another type', 'DELETE a :bs', { a: { SS: ['x'] } }, wrongType],
    [
      'knows the names of JavaScript',
      'SET #proto = :s, #constructor = :n',
      {},
      JSON.parse('{"__proto__":{"S":"s"},"constructor":{"N":"1"}}'),
    ],
  ];

  it.each(cases)('%s: %s', (_, text, before, expected) => {
    expect(updated(text, before)).toEqual(expected);
  });

  it('reports a wrong value before a wrong path', () => {
    expect(updated('SET a.b = :s, c = d', {})).toBe(missing);
  });
});

describe('an update of an item that is not there', () => {
  it.each([
    ['creates it', 'SET a = :s', { pk: S('k'), a: S('s') }],
    ['creates it by ADD', 'ADD a :n', { pk: S('k'), a: N('1') }],
    ['creates it although it also removes', 'SET a = :s REMOVE b.c', { pk: S('k'), a: S('s') }],
    ['does not create it only to remove', 'REMOVE a', undefined],
    ['ignores removals below nothing', 'REMOVE a.b, c[0]', undefined],
    ['does not create it only to take from a set', 'DELETE a :ss', undefined],
    ['finds no attribute', 'SET a = b', missing],
    ['finds no map', 'SET a.b = :s', invalidPath],
    ['finds its key', 'SET a = if_not_exists(b, pk)', { pk: S('k'), a: S('k') }],
  ])('%s: %s', (_, text, expected) => {
    expect(updated(text, undefined)).toEqual(expected);
  });

  it('creates the bare item when it does nothing', () => {
    const result = applyUpdate({ actions: [], form: 'legacy' }, undefined, key);
    expect(result instanceof DynamoError ? result : shown(result.item)).toEqual({ pk: S('k') });
  });
});

describe('depth', () => {
  const nested = (levels: number): unknown => (levels === 1 ? N('1') : { L: [nested(levels - 1)] });
  const deepMap = (levels: number): unknown => (levels === 1 ? { M: {} } : { M: { x: deepMap(levels - 1) } });
  const path = (levels: number) => Array.from({ length: levels }, () => 'x').join('.');

  it('of a document is limited wherever an update puts it', () => {
    const before = { x: deepMap(31) };
    expect(updated(`SET ${path(32)} = :n`, before)).not.toBe(tooDeep);
    expect(updated(`SET ${path(32)} = :l`, before)).toBe(tooDeep);
    expect(updated(`SET ${path(31)} = :l`, before)).not.toBe(tooDeep);
    expect(updated('SET x.y = :v', { x: { M: {} } }, { ':v': nested(31) })).not.toBe(tooDeep);
    expect(updated('SET x.y = :v', { x: { M: {} } }, { ':v': nested(32) })).toBe(tooDeep);
    expect(updated('SET y.z = x', { x: nested(32), y: { M: {} } })).toBe(tooDeep);
  });
});

describe('sharing', () => {
  it('leaves the old item alone and shares what does not change', () => {
    const before = item({
      a: { M: { b: { L: [N('1'), { M: { c: S('x') } }] }, other: L(1, 2) } },
      big: L(1, 2, 3),
    });
    const copy = shown(before);
    const result = applyUpdate(update('SET a.b[0] = :s'), before, key);
    if (result instanceof DynamoError || result.item === undefined) throw new Error('no item');
    expect(shown(before)).toEqual(copy);
    expect(result.item.get('big')).toBe(before.get('big'));
    const [was, is] = [before, result.item].map((each) => each.get('a') as { M: Map<string, unknown> });
    expect(is!.M.get('other')).toBe(was!.M.get('other'));
    expect(is!.M.get('b')).not.toBe(was!.M.get('b'));
  });
});

describe('UPDATED_OLD and UPDATED_NEW', () => {
  function answers(text: string, before: Json | undefined): readonly [unknown, unknown] {
    const old = before && item(before);
    const parsed = update(text);
    const result = applyUpdate(parsed, old, key);
    if (result instanceof DynamoError) throw new Error(result.message);
    return [shown(updatedAttributes(parsed, old)), shown(updatedAttributes(parsed, result.item))];
  }

  it.each([
    ['SET b = :s, c = :n', { b: S('x'), d: N('4') }, { b: S('x') }, { b: S('s'), c: N('1') }],
    ['SET b = :s', { b: S('s') }, { b: S('s') }, { b: S('s') }],
    ['SET b = :s', { a: N('1') }, undefined, { b: S('s') }],
    ['SET b = :s', undefined, undefined, { b: S('s') }],
    ['REMOVE b', { b: S('x'), a: N('1') }, { b: S('x') }, undefined],
    ['REMOVE b', undefined, undefined, undefined],
    ['ADD n :n', { n: N('1') }, { n: N('1') }, { n: N('2') }],
    [
      'SET a.b = :s',
      { a: { M: { b: S('x'), c: L(1) } } },
      { a: { M: { b: S('x') } } },
      { a: { M: { b: S('s') } } },
    ],
    [
      'SET a.c[1] = :n, a.b = :s',
      { a: { M: { b: S('x'), c: L(7, 8, 9) } } },
      { a: { M: { b: S('x'), c: L(8) } } },
      { a: { M: { b: S('s'), c: L(1) } } },
    ],
    [
      'REMOVE a.c[1], a.c[3]',
      { a: { M: { c: L(1, 4, 3) } } },
      { a: { M: { c: L(4) } } },
      { a: { M: { c: L(3) } } },
    ],
    ['SET a.x = :n', { a: { M: { b: S('x') } } }, undefined, { a: { M: { x: N('1') } } }],
    // The service's oddities.
    ['SET a[100] = :n', { a: L(1, 2) }, undefined, undefined],
    ['REMOVE a[1]', { a: L(1, 2, 70) }, { a: L(2) }, { a: L(70) }],
  ])('%s of %j', (text, before, old, latest) => {
    expect(answers(text, before)).toEqual([old, latest]);
  });
});

describe('lists that are appended again and again', () => {
  const before = item({ pk: { S: 'k' }, a: { L: Array.from({ length: 130_000 }, () => ({ S: '' })) } });
  const elementsOf = (text: string) => {
    const result = applyUpdate(update(text, {}), before, key);
    if (result instanceof DynamoError) throw new Error(result.message);
    let elements = 0;
    for (const value of result.item!.values()) if ('L' in value) elements += value.L.length;
    return elements;
  };

  it('are whole as long as an item can hold them', () => {
    expect(elementsOf('SET b = list_append(a, a)')).toBe(390_000);
  });

  it('stop growing once the item is too large', () => {
    const appends = Array.from({ length: 150 }, (_, i) => `b${i} = list_append(a, a)`);
    const elements = elementsOf(`SET ${appends.join(', ')}`);
    expect(elements).toBeGreaterThan(400 * 1024);
    expect(elements).toBeLessThan(600_000);
  });
});
