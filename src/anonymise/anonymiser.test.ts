import { createHash } from 'node:crypto';
import { array, constantFrom, dictionary, letrec, nat, oneof, property, stringMatching } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import { Anonymiser, type WireItem, type WireValue } from './anonymiser.ts';
import { fake, fakeKinds } from './fakes.ts';
import { pathText } from './path.ts';
import { readRules } from './rules.ts';
import { shiftDate } from './shift-date.ts';

type Shape = string | Shape[] | { [name: string]: Shape };

const digest = (secret: string) => (text: string) =>
  createHash('sha256').update(`${secret} ${text}`).digest();

function anonymiser(rules: object, secret = 'one') {
  return new Anonymiser(readRules(rules), digest(secret));
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const rules = {
  values: {
    customer: 'hash',
    mail: { fake: 'email' },
    when: { shiftDays: 90 },
    note: 'drop',
    amount: { fake: 'digits' },
  },
  attributes: {
    PK: ['CUST#{customer}', 'MAIL#{mail}'],
    SK: ['ORDER#{when}#{}', '{}'],
    email: '{mail}',
    'contacts[].mail': '{mail}',
    tags: '{customer}',
    total: '{amount}',
    comment: '{note}',
  },
};

const item: WireItem = {
  PK: { S: 'CUST#c-17' },
  SK: { S: 'ORDER#2026-06-03T10:00:00.123Z#o1' },
  email: { S: 'someone@shop.test' },
  contacts: { L: [{ M: { mail: { S: 'someone@shop.test' }, role: { S: 'owner' } } }, { S: 'other' }] },
  tags: { SS: ['c-17', 'c-18'] },
  total: { N: '149.50' },
  comment: { S: 'private' },
  status: { S: 'OPEN' },
  open: { BOOL: true },
};

describe('an anonymised item', () => {
  it('keeps types, joins and order, and loses what must not be seen', () => {
    const run = anonymiser(rules);
    const once = run.item(item);
    const other = run.item({
      PK: { S: 'MAIL#someone@shop.test' },
      SK: { S: 'PROFILE' },
      tags: { SS: ['c-17'] },
    });
    expect(JSON.stringify(once)).not.toMatch(/c-17|someone|149|private|2026-06-03/);
    expect(once.comment).toBeUndefined();
    expect(once.status).toEqual({ S: 'OPEN' });
    expect(once.PK).toEqual({ S: expect.stringMatching(/^CUST#[a-z2-7]{22}$/) });
    expect(once.SK).toEqual({ S: expect.stringMatching(/^ORDER#\d{4}-\d\d-\d\dT10:00:00\.123Z#o1$/) });
    expect(once.email).toEqual({ S: expect.stringMatching(/^[a-z]+\.[a-z]{12}@example\.com$/) });
    expect(once.total).toEqual({ N: expect.stringMatching(/^[1-9]\d\d\.\d\d$/) });
    // The same value is the same everywhere: in keys, attributes, lists and sets.
    const mail = (once.email as { S: string }).S;
    expect(other.PK).toEqual({ S: `MAIL#${mail}` });
    expect(once.contacts).toEqual({
      L: [{ M: { mail: { S: mail }, role: { S: 'owner' } } }, { S: 'other' }],
    });
    const customer = (once.PK as { S: string }).S.slice('CUST#'.length);
    expect((once.tags as { SS: string[] }).SS).toContain(customer);
    expect(other.tags).toEqual({ SS: [customer] });
    expect(other.SK).toEqual({ S: 'PROFILE' });
  });

  it('is the same in every run with the same secret, and another with another', () => {
    expect(anonymiser(rules).item(item)).toEqual(anonymiser(rules).item(item));
    expect(anonymiser(rules, 'two').item(item)).not.toEqual(anonymiser(rules).item(item));
  });

  it('keeps dates in their order and as far apart as they were', () => {
    const run = anonymiser(rules);
    const dayOf = (date: string) => {
      const { SK } = run.item({ SK: { S: `ORDER#${date}#x` } }) as { SK: { S: string } };
      return Date.parse(SK.S.split('#')[1]!);
    };
    expect(dayOf('2026-03-01T00:00:00Z') - dayOf('2026-02-27T12:00:00Z')).toBe(1.5 * 86_400_000);
    expect(Math.abs(dayOf('2026-03-01') - Date.parse('2026-03-01'))).toBeGreaterThan(0);
    // What is no date fits no template of dates, and is left to the next one.
    const mixed = anonymiser({ ...rules, attributes: { SK: ['{when}', '{}'], at: '{when}' } });
    const found = mixed.item({ SK: { S: 'PROFILE' }, at: { S: 'soon' } });
    expect(found).toEqual({ SK: { S: 'PROFILE' }, at: { S: expect.stringMatching(/^[a-z2-7]{22}$/) } });
    expect(mixed.report().attributes.map(({ unmatched }) => unmatched)).toEqual([0, 1]);
  });

  it('is reported: what changed, what was dropped, what fits no template, and what stayed', () => {
    const run = anonymiser(rules);
    run.item(item);
    run.item({ PK: { S: 'ODD' }, status: { S: 'SHIPPED' } });
    const { attributes, untouched } = run.report();
    const of = (path: string) => attributes.find((each) => each.path === path);
    expect(of('PK')).toEqual({ path: 'PK', changed: 2, kept: 0, dropped: 0, unmatched: 1 });
    expect(of('comment')).toMatchObject({ dropped: 1 });
    expect(of('tags')).toMatchObject({ changed: 2 });
    expect([...untouched]).toEqual([
      ['contacts[].role', 1],
      ['contacts[]', 1],
      ['status', 2],
      ['open', 1],
    ]);
  });

  it.each([
    ['hash', { S: expect.stringMatching(/^[a-z2-7]{22}$/) }],
    ['keep', { S: 'ODD' }],
    ['drop', undefined],
  ])('with a value that fits no template: %s', (otherwise, expected) => {
    expect(anonymiser({ ...rules, otherwise }).item({ PK: { S: 'ODD' } }).PK).toEqual(expected);
  });

  it('fails where the rules say so, without telling the value', () => {
    const run = anonymiser({ ...rules, otherwise: 'fail' });
    expect(() => run.item({ PK: { S: 'SECRET' } })).toThrow(
      'A value of PK fits none of its templates: "CUST#{customer}", "MAIL#{mail}"',
    );
  });

  it('never mixes different values up', () => {
    const run = anonymiser({ values: { v: 'hash' }, attributes: { a: '{v}' } });
    const seen = new Set<string>();
    for (let i = 0; i < 20_000; i++) seen.add(JSON.stringify(run.item({ a: { S: String(i) } })));
    expect(seen.size).toBe(20_000);
  });

  it('bounds the report', () => {
    const run = anonymiser({ values: { v: 'hash' }, attributes: { a: '{v}' } });
    for (let i = 0; i < 1_500; i++) run.item({ [`name${i}`]: { S: 'x' } });
    expect([run.report().untouched.size, run.report().untouchedIsCut]).toEqual([1_000, true]);
  });

  it('has rules for nested places, sets, members of any name and the names themselves', () => {
    const run = anonymiser({
      values: { v: 'hash', gone: 'drop' },
      attributes: {
        'profile.phones[]': '{v}',
        'emails[]': '{v}',
        'byMail{}': '{v}',
        'byMail.*.phone': '{v}',
        'byMail.fixed.phone': '{gone}',
        'deep."a.b"': '{v}',
      },
    });
    const made = run.item({
      profile: { M: { phones: { L: [{ S: 'call-1' }] }, ssn: { S: 'p2' } } },
      emails: { SS: ['mail-1', 'mail-2'] },
      byMail: {
        M: {
          'm@x.test': { M: { phone: { S: 'call-3' }, role: { S: 'r' } } },
          fixed: { M: { phone: { S: 'call-4' } } },
        },
      },
      deep: { M: { 'a.b': { N: '12' }, 'c d': { BS: ['YQ=='] } } },
    });
    expect(JSON.stringify(made)).not.toMatch(/call-\d|mail-\d|m@x|fixed|"12"/);
    expect(made.profile).toMatchObject({ M: { ssn: { S: 'p2' } } });
    expect((made.emails as { SS: string[] }).SS).toHaveLength(2);
    const { attributes, untouched } = run.report();
    expect([...untouched]).toEqual([
      ['profile.ssn', 1],
      ['byMail.*.role', 1],
      ['deep.c d[]', 1],
    ]);
    expect(attributes.map(({ changed, dropped }) => changed + dropped)).toEqual([1, 2, 2, 1, 1, 1]);
  });

  it('counts a rule with the longer path and not the one around it', () => {
    const run = anonymiser({
      values: { v: 'hash', k: 'keep' },
      attributes: { profile: '{v}', 'profile.role': '{k}' },
    });
    const made = run.item({ profile: { M: { role: { S: 'owner' }, name: { S: 'n1' } } } });
    expect(made.profile).toEqual({
      M: { role: { S: 'owner' }, name: { S: expect.stringMatching(/^\w{22}$/) } },
    });
  });

  it.each([
    ['keep', { a: { S: expect.any(String) }, b: { M: { c: { S: 'left' } } } }],
    ['drop', { a: { S: expect.any(String) } }],
  ])('with values that no rule names: %s', (unlisted, expected) => {
    const run = anonymiser({ values: { v: 'hash' }, attributes: { a: '{v}' }, unlisted });
    expect(run.item({ a: { S: 'x' }, b: { M: { c: { S: 'left' } } } })).toEqual(expected);
    expect([...run.report().untouched.keys()]).toEqual(['b.c']);
  });

  it('fails at a value that no rule names where the rules say so', () => {
    const run = anonymiser({ values: { v: 'hash' }, attributes: { a: '{v}' }, unlisted: 'fail' });
    expect(() => run.item({ b: { L: [{ M: { c: { S: 'SECRET' } } }] } })).toThrow(
      'No rule names b[].c, and unlisted is fail',
    );
  });

  it('drops a whole attribute, with truth values, nulls and names of members', () => {
    const made = anonymiser({
      values: { note: 'drop' },
      attributes: { ill: '{note}', by: '{note}', list: '{note}', 'kept.*.mail': '{note}' },
    });
    const dropped = made.item({
      ill: { BOOL: true },
      by: {
        M: { 'c-17': { M: { mail: { S: 'a' }, vip: { BOOL: true }, tags: { L: [] } } }, 'c-18': { M: {} } },
      },
      list: { L: [{ NULL: true }, { M: { 'c-17': { S: 'a' } } }] },
      kept: {
        M: { 'c-17': { M: { mail: { S: 'a' } } }, 'c-18': { M: { mail: { S: 'b' }, vip: { BOOL: true } } } },
      },
    });
    expect({ ...dropped, kept: plain(dropped.kept) }).toEqual({
      kept: { M: { 'c-17': { M: {} }, 'c-18': { M: { vip: { BOOL: true } } } } },
    });
  });

  it('leaves no name of a member behind where values that no rule names are dropped', () => {
    const made = anonymiser({ values: { c: 'hash' }, attributes: { pk: '{c}' }, unlisted: 'drop' });
    const left = made.item({
      pk: { S: 'a' },
      by: { M: { 'c-17': { M: { mail: { S: 'a' } } }, 'c-18': { M: {} }, 'c-19': { L: [] } } },
      list: { L: [{ M: { 'c-17': { S: 'a' } } }] },
    });
    expect(Object.keys(left)).toEqual(['pk']);
    const failing = anonymiser({ values: { c: 'hash' }, attributes: { pk: '{c}' }, unlisted: 'fail' });
    expect(() => failing.item({ by: { M: { 'c-17': { M: {} } } } })).toThrow('No rule names by.c-17');
  });

  it('counts the members of a map together when their names are data', () => {
    const run = anonymiser({ values: { v: 'hash' }, attributes: { a: '{v}' } });
    for (let i = 0; i < 500; i++)
      run.item({ byId: { M: { [`u.${i}`]: { M: { mail: { S: 'x' }, n: { N: '1' } } } } } });
    expect([...run.report().untouched]).toEqual([
      ['byId.*.mail', 500],
      ['byId.*.n', 500],
    ]);
  });

  it('refuses an item whose member names would become equal', () => {
    const run = anonymiser({ values: { v: { fake: 'country' } }, attributes: { 'm{}': '{v}' } });
    const members = Array.from({ length: 40 }, (_, i) => [`k${i}`, { S: 'x' }]);
    expect(() => run.item({ m: { M: Object.fromEntries(members) } })).toThrow(/Two members of m become one/);
  });

  it('leaves no original value at a place with a rule, and lists every other place', () => {
    const name = constantFrom('a', 'b', 'c.d', 'e f');
    const { value } = letrec<{ value: Shape }>((tie) => ({
      value: oneof(
        { maxDepth: 4 },
        constantFrom<Shape>('S', 'N', 'SS'),
        array(tie('value'), { minLength: 1, maxLength: 3 }),
        dictionary(name, tie('value'), { minKeys: 1, maxKeys: 3 }),
      ),
    }));
    assertProperty(
      property(dictionary(name, value, { minKeys: 1, maxKeys: 3 }), nat(), (shape, pick) => {
        const found: { path: string; original: string; type: string }[] = [];
        const build = (at: string, of: Shape): WireValue => {
          const next = () => {
            const original = String(910_000_000 + found.length);
            found.push({ path: of === 'SS' ? `${at}[]` : at, original, type: of as string });
            return original;
          };
          if (of === 'SS') return { SS: [next(), next()] };
          if (typeof of === 'string') return { [of]: next() };
          if (Array.isArray(of)) return { L: of.map((each) => build(`${at}[]`, each)) };
          return {
            M: Object.fromEntries(
              Object.entries(of).map(([key, each]) => [
                key,
                build(pathText(at, { kind: 'member', name: key }), each),
              ]),
            ),
          };
        };
        const input = Object.fromEntries(
          Object.entries(shape).map(([key, each]) => [
            key,
            build(pathText('', { kind: 'member', name: key }), each),
          ]),
        );
        const paths = [...new Set(found.map(({ path }) => path))];
        const treated = paths.filter((_, i) => i === pick % paths.length || (pick >> (i + 3)) & 1);
        const run = anonymiser({
          values: { v: pick % 2 === 0 ? 'hash' : { fake: 'digits' } },
          attributes: Object.fromEntries(treated.map((path) => [path, '{v}'])),
        });
        const isTreated = (path: string) =>
          treated.some(
            (each) =>
              path === each ||
              (['.', '['].includes(path.slice(each.length)[0] ?? '') && path.startsWith(each)),
          );
        const text = JSON.stringify(run.item(input));
        expect(text).toBe(JSON.stringify(run.item(input)));
        for (const { path, original } of found) expect(text.includes(original), path).toBe(!isTreated(path));
        const { attributes, untouched } = run.report();
        expect([...untouched.keys()].sort()).toEqual(paths.filter((path) => !isTreated(path)).sort());
        for (const { changed } of attributes) expect(changed).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });

  it('keeps equal values equal and different ones different, wherever they stand', () => {
    const word = stringMatching(/^[ab]{1,3}$/);
    assertProperty(
      property(array(word, { minLength: 1, maxLength: 8 }), (words) => {
        const run = anonymiser({
          values: { v: 'hash' },
          attributes: { list: '{v}', 'set[]': '{v}', 'map{}': '{v}', key: 'K#{v}' },
        });
        const unique = [...new Set(words)];
        const made = run.item({
          list: { L: unique.map((S) => ({ S })) },
          set: { SS: unique },
          map: { M: Object.fromEntries(unique.map((each) => [each, { NULL: true }])) },
          key: { S: `K#${unique[0]}` },
        }) as unknown as {
          list: { L: { S: string }[] };
          set: { SS: string[] };
          map: { M: object };
          key: { S: string };
        };
        const listed = made.list.L.map(({ S }) => S);
        expect(new Set(listed).size).toBe(unique.length);
        expect(made.set.SS).toEqual(listed);
        expect(Object.keys(made.map.M)).toEqual(listed);
        expect(made.key.S).toBe(`K#${listed[0]}`);
      }),
      { numRuns: 200 },
    );
  });

  it('may have attributes of any name', () => {
    const odd = JSON.parse('{"__proto__":{"S":"x"},"constructor":{"S":"y"}}') as WireItem;
    const run = anonymiser({ values: { v: 'hash' }, attributes: { constructor: '{v}' } });
    const made = run.item(odd);
    expect(Object.entries(made)).toEqual([
      ['__proto__', { S: 'x' }],
      ['constructor', { S: expect.stringMatching(/^[a-z2-7]{22}$/) }],
    ]);
  });
});

describe('rules', () => {
  it.each<[string, unknown, string]>([
    ['a list', [], 'The rules must be an object'],
    ['a typo', { atributes: {} }, 'The rules has no member "atributes". Did you mean attributes?'],
    ['nothing to do', { attributes: {} }, 'attributes names no attribute: nothing would be changed'],
    [
      'an unknown value',
      { values: { mail: 'hash' }, attributes: { a: '{mial}' } },
      'values has no "mial". Did you mean mail?',
    ],
    [
      'an unknown fake',
      { values: { m: { fake: 'emial' } }, attributes: { a: '{m}' } },
      'values.m.fake knows no "emial". Did you mean email?',
    ],
    ['pieces that touch', { values: { m: 'hash' }, attributes: { a: '{m}{m}' } }, 'touch'],
    ['a lone brace', { values: { m: 'hash' }, attributes: { a: '{m' } }, 'a brace without its partner'],
    ['a wrong unlisted', { attributes: { a: 'x' }, unlisted: 'hash' }, 'unlisted is keep, drop or fail'],
    ['names of names', { values: { m: 'hash' }, attributes: { 'a{}.b': '{m}' } }, 'a path is names'],
    ['a star at the top', { values: { m: 'hash' }, attributes: { '*': '{m}' } }, 'a path is names'],
    ['a wrong path', { values: { m: 'hash' }, attributes: { 'a..b': '{m}' } }, 'a path is names'],
    [
      'a wrong shift',
      { values: { m: { shiftDays: 0 } }, attributes: { a: '{m}' } },
      'whole number from 1 to 36500',
    ],
  ])('with %s are refused with the place', (_, given, message) => {
    expect(() => readRules(given)).toThrow(message);
  });
});

describe('a fake value', () => {
  it.each(['phone', 'digits'] as const)('of a %s hides words too, and is never the value itself', (as) => {
    const run = anonymiser({ values: { v: { fake: as } }, attributes: { 'a[]': '{v}', n: '{v}' } });
    const words = ['call Anna at home', '0', 'x', '7', '---'];
    const made = run.item({ a: { L: words.map((S) => ({ S })) }, n: { N: '0' } }) as unknown as {
      a: { L: { S: string }[] };
      n: { N: string };
    };
    for (const [i, { S }] of made.a.L.entries()) expect(S).not.toBe(words[i]);
    expect(JSON.stringify(made)).not.toMatch(/Anna|home/);
    expect(made.n.N).not.toBe('0');
  });
});

describe('a shifted date', () => {
  it.each([
    ['2026-02-27', 3, '2026-03-02'],
    ['2026-02-27T23:59:59.999999+02:00', 1, '2026-02-28T23:59:59.999999+02:00'],
    ['1700000000', 1, '1700086400'],
    ['1700000000000', -1, '1699913600000'],
    ['0001-01-01', -1, undefined],
    ['not a date', 1, undefined],
    ['2026-13-45', 1, undefined],
  ])('%s by %d', (text, days, expected) => {
    expect(shiftDate(text, days)).toBe(expected);
  });
});

describe('a fake', () => {
  it.each(fakeKinds)('%s is not the original', (kind) => {
    const random = seededRandom(7);
    const original = kind === 'phone' || kind === 'digits' ? '+44 20 7946 0958' : 'An Original Value';
    const made = fake(kind, original, random);
    expect(made).not.toBe(original);
    expect(made.length).toBeGreaterThan(2);
  });
});
