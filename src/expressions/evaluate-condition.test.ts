import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { condition, item } from './cases.fixture.ts';
import { meetsCondition } from './evaluate-condition.ts';

const thing = item({
  s: { S: 'hello' },
  uni: { S: 'é𝄞' },
  high: { S: '\u{10000}' },
  low: { S: '\uffff' },
  blank: { S: '' },
  n: { N: '10' },
  n1: { N: '9' },
  bin: { B: 'aGkgdGhlcmU=' },
  here: { B: 'aGVyZQ==' },
  hi: { B: 'aGk=' },
  zero: { B: '' },
  t: { BOOL: true },
  nil: { NULL: true },
  ss: { SS: ['x', 'y'] },
  ss2: { SS: ['y', 'x'] },
  ns: { NS: ['1', '2', '2.5'] },
  bs: { BS: ['aGk=', 'AQ=='] },
  l: { L: [{ S: 'hi' }, { NS: ['1', '2'] }, { L: [{ N: '3' }] }, { N: '1' }] },
  m: { M: { a: { N: '1' }, l: { L: [{ M: { x: { S: 'deep' } } }] }, 'a.b[1]': { S: 'dotted' } } },
  m2: { M: { 'a.b[1]': { S: 'dotted' }, l: { L: [{ M: { x: { S: 'deep' } } }] }, a: { N: '1.0' } } },
  __proto__x: { S: 'no' },
});

const values = {
  ':hello': { S: 'hello' },
  ':hell': { S: 'hell' },
  ':ell': { S: 'ell' },
  ':ten': { N: '1e1' },
  ':nine': { N: '9' },
  ':five': { N: '5' },
  ':three': { N: '3' },
  ':eight': { N: '8' },
  ':four': { N: '4' },
  ':two': { N: '2' },
  ':one': { N: '1' },
  ':zeroN': { N: '0' },
  ':hib': { B: 'aGk=' },
  ':yx': { SS: ['y', 'x'] },
  ':sets': { NS: ['2', '1'] },
  ':l3': { L: [{ N: '3.00' }] },
  ':deep': { M: { x: { S: 'deep' } } },
  ':false': { BOOL: false },
  ':N': { S: 'N' },
  ':NULL': { S: 'NULL' },
  ':M': { S: 'M' },
};

const yes = [
  's = :hello',
  ':hello = s',
  'n = :ten',
  'n > n1',
  'n >= :ten',
  'n <= :ten',
  'n1 < :ten',
  's > :hell',
  's <> :n',
  'ss = ss2',
  'ss = :yx',
  'm = m2',
  'ss <> :ns',
  't = :bool',
  't <> :false',
  'nil = :null',
  'l[3] = :one',
  'l[2] = :l3',
  'm.l[0].x = :s3 OR m.l[0] = :deep',
  'm.#dotted = :dotted',
  // Strings are ordered by their UTF-8 bytes.
  'high > low',
  'blank < s',
  'zero < hi',
  'bin > hi',
  // What is missing differs from everything, itself not excluded.
  'nope <> :s',
  'nope <> nada',
  'm.nope <> :s',
  's.nope <> :s',
  'l[9] <> :s',
  'l.a <> :s',
  'm[0] <> :s',
  'n BETWEEN :nine AND :ten',
  'n BETWEEN n1 AND :ten',
  ':five BETWEEN :two AND n',
  's BETWEEN :hell AND :hello',
  's IN (:n, :hello)',
  'n IN (n1, :ten)',
  'm IN (:s, m2)',
  'attribute_exists(m.l[0].x)',
  'attribute_exists(nil)',
  'attribute_not_exists(nope)',
  'attribute_not_exists(m.nope.deeper)',
  'attribute_not_exists(s.x)',
  'attribute_not_exists(l[4])',
  'attribute_type(n, :N)',
  'attribute_type(nil, :NULL)',
  'attribute_type(m.l[0], :M)',
  'attribute_type(:n, :N)',
  'attribute_type(size(s), :N)',
  'begins_with(s, :hell)',
  'begins_with(s, :empty)',
  'begins_with(:hello, s)',
  'begins_with(bin, hi)',
  'begins_with(bin, :hib)',
  'begins_with(bin, zero)',
  'contains(s, :ell)',
  'contains(s, blank)',
  'contains(bin, here)',
  'contains(ss, :x)',
  'contains(ns, :two)',
  'contains(bs, :hib)',
  'contains(l, :one)',
  'contains(l, :sets)',
  'contains(l, :l3)',
  'contains(m.l, :deep)',
  'contains(:hello, :ell)',
  'size(s) = :five',
  'size(uni) = :three',
  'size(blank) = :zeroN',
  'size(bin) = :eight',
  'size(ss) = :two',
  'size(ns) = :three',
  'size(bs) = :two',
  'size(l) = :four',
  'size(m) = :three',
  'size(s) < n',
  'size(nope) <> :one',
  'size(n) <> :one',
  'size(s) BETWEEN :two AND :five',
  'size(s) IN (:five)',
  // NOT binds tighter than AND, AND tighter than OR.
  's = :hello OR s = :hell AND s = :ell',
  'NOT s = :hell AND s = :hello',
  'NOT (s = :hell AND s = :hello)',
  'NOT NOT s = :hello',
  '(s = :hello OR s = :hell) AND NOT s = :ell',
  'NOT nope = nada',
];

const no = [
  's = :hell',
  's = :n',
  'nope = :s',
  'nope = nada',
  'nope < :s',
  'nope > :s',
  's < :five',
  'n > :hello',
  't < n',
  'ss > s',
  'm >= n',
  'low > high',
  'n BETWEEN :ell AND :hello OR n BETWEEN s AND :ten',
  'n BETWEEN nope AND :ten',
  'nope BETWEEN :one AND :ten',
  'n BETWEEN :ten AND n1',
  'nope IN (nada)',
  's IN (:n, :five)',
  'attribute_exists(nope)',
  'attribute_exists(s.x)',
  'attribute_exists(l[4])',
  'attribute_not_exists(nil)',
  'attribute_type(s, :N)',
  'attribute_type(nope, :NULL)',
  'begins_with(s, :ell)',
  'begins_with(n, :hell)',
  'begins_with(s, :hib)',
  'begins_with(nope, :hell)',
  'begins_with(here, hi)',
  'contains(s, :hib)',
  'contains(n, :one)',
  'contains(ss, :hello)',
  'contains(ss, :two)',
  'contains(l, :five)',
  'contains(m, :one)',
  'contains(nope, :one)',
  'contains(hi, bin)',
  'size(n) = :two',
  'size(t) = :one',
  'size(nil) = :one',
  'size(nope) < :one',
  'size(s) = :hello',
  's = :hell OR s = :hello AND s = :ell',
  'NOT s = :hello AND s = :hello',
];

describe('an item', () => {
  const more = { ...values, ':s3': { S: 'x' }, ':dotted': { S: 'dotted' }, ':x': { S: 'x' } };

  it.each(yes)('meets %s', (text) => {
    expect(meetsCondition(condition(text, more), thing)).toBe(true);
  });

  it.each(no)('does not meet %s', (text) => {
    expect(meetsCondition(condition(text, more), thing)).toBe(false);
  });
});

describe('an item that is not there', () => {
  it.each([
    ['attribute_not_exists(a)', true],
    ['attribute_exists(a)', false],
    ['a = :s', false],
    ['a <> :s', true],
    ['NOT a = :s', true],
    ['size(a) > :n', false],
    [':s = :s', true],
    [':n < :n2', true],
  ])('%s is %s', (text, expected) => {
    expect(meetsCondition(condition(text), undefined)).toBe(expected);
  });
});

describe('names that JavaScript knows', () => {
  it.each(['#proto = :s', 'attribute_exists(#constructor)', 'attribute_exists(a.#proto)', 'a.toString = :s'])(
    'are no attributes: %s',
    (text) => {
      expect(meetsCondition(condition(text), item({ a: { M: {} } }))).toBe(false);
    },
  );

  it('are attributes when an item has them', () => {
    const json = JSON.parse('{"__proto__":{"S":"s"},"constructor":{"M":{"__proto__":{"S":"s"}}}}');
    expect(meetsCondition(condition('#proto = :s AND #constructor.#proto = :s'), item(json))).toBe(true);
  });
});

describe('evaluation', () => {
  const leaf = fc.oneof(
    fc.string().map((S) => ({ S })),
    fc.integer().map((N) => ({ N: String(N) })),
    fc.uint8Array({ maxLength: 4 }).map((bytes) => ({ B: btoa(String.fromCharCode(...bytes)) })),
    fc.boolean().map((BOOL) => ({ BOOL })),
    fc.constant({ NULL: true }),
    fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
    fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 3 }).map((NS) => ({ NS: NS.map(String) })),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')).map((M) => ({ M })),
    ),
  }));
  const anyItem = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
  const texts = [...yes, ...no].map((text) =>
    text.replace(/\b(s|n|m|l|ss|ns|bin|hi|here|n1|t)\b(?!\()/g, 'a'),
  );

  it('answers for any item', () => {
    const more = { ...values, ':s3': { S: 'x' }, ':dotted': { S: 'dotted' }, ':x': { S: 'x' } };
    const conditions = texts.flatMap((text) => {
      try {
        return [condition(text, more)];
      } catch {
        // Putting one name for all made the operands equal, which is refused.
        return [];
      }
    });
    expect(conditions.length).toBeGreaterThan(50);
    assertProperty(
      fc.property(anyItem, (json) => {
        const found = item(json);
        for (const each of conditions) {
          const met = meetsCondition(each, found);
          expect(meetsCondition({ kind: 'not', condition: each }, found)).toBe(!met);
        }
      }),
      { numRuns: 100 },
    );
  });
});
