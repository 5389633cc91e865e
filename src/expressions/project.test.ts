import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import type { AttributeValue, Item } from '../model/values/attribute-value.ts';
import { item, projection, shown } from './cases.fixture.ts';
import { valueAt } from './path.ts';
import { pathClash } from './path-clash.ts';
import { projectItem, projectionOf } from './project.ts';
import type { DocumentPath } from './tree.ts';

const N = (N: string) => ({ N });
const thing = item({
  pk: { S: 'k' },
  a: { M: { b: N('1'), c: { L: [N('0'), { M: { x: N('1'), y: N('2') } }, N('2')] }, e: { M: {} } } },
  l: { L: [N('0'), N('1'), N('2')] },
  s: { S: 'x' },
  'a.b[1]': { S: 'dotted' },
});

describe('a projection', () => {
  it.each([
    ['s', { s: { S: 'x' } }],
    ['s, nope', { s: { S: 'x' } }],
    ['nope', {}],
    ['a.b', { a: { M: { b: N('1') } } }],
    ['a.nope', {}],
    ['a.b.c', {}],
    ['s.x, s2[0]', {}],
    ['a.e', { a: { M: { e: { M: {} } } } }],
    ['l[2], l[0]', { l: { L: [N('0'), N('2')] } }],
    ['l[2], l[9]', { l: { L: [N('2')] } }],
    ['l[9]', {}],
    ['l.a', {}],
    ['a[0]', {}],
    ['a.c[1].y, a.c[1].x, a.b', { a: { M: { b: N('1'), c: { L: [{ M: { x: N('1'), y: N('2') } }] } } } }],
    ['a.c[2], a.c[1].x', { a: { M: { c: { L: [{ M: { x: N('1') } }, N('2')] } } } }],
    ['#dotted', { 'a.b[1]': { S: 'dotted' } }],
    ['#proto, #constructor', {}],
  ])('%s', (text, expected) => {
    expect(shown(projectItem(projection(text), thing))).toEqual(expected);
  });

  it('shares what it names whole', () => {
    expect(projectItem(projection('a'), thing).get('a')).toBe(thing.get('a'));
  });
});

describe('a projection of random paths', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const indexes = fc.integer({ min: 0, max: 3 });
  const path = fc
    .tuple(names, fc.array(fc.oneof(names, indexes), { maxLength: 3 }))
    .map(([head, rest]): DocumentPath => [head, ...rest]);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.integer().map((n) => ({ N: String(n) })),
      fc.array(tie('value'), { maxLength: 4 }).map((L) => ({ L })),
      fc.dictionary(names, tie('value')).map((M) => ({ M })),
    ),
  }));

  it('holds exactly what the paths lead to', () => {
    assertProperty(
      fc.property(
        fc.array(path, { minLength: 1, maxLength: 5 }),
        fc.dictionary(names, value),
        (paths, json) => {
          fc.pre(pathClash(paths) === undefined);
          const found = item(json);
          expect(shown(projectItem(projectionOf(paths), found))).toEqual(shown(naive(paths, found)));
        },
      ),
      { numRuns: 500 },
    );
  });

  /** Every pair of paths is looked at, as the rule says it. */
  it('clash when the naive rule says so', () => {
    assertProperty(
      fc.property(fc.array(path, { maxLength: 6 }), (paths) => {
        const clashes = paths.flatMap((two, i) => paths.slice(0, i).map((one) => clashOf(one, two)));
        const expected = clashes.includes('overlap')
          ? 'overlap'
          : clashes.includes('conflict')
            ? 'conflict'
            : undefined;
        expect(/paths (\w+) with/.exec(pathClash(paths) ?? '')?.[1]).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

function clashOf(one: DocumentPath, two: DocumentPath): 'overlap' | 'conflict' | undefined {
  for (let i = 0; i < Math.min(one.length, two.length); i++) {
    if (typeof one[i] !== typeof two[i]) return 'conflict';
    if (one[i] !== two[i]) return undefined;
  }
  return 'overlap';
}

/** Walks the whole item and keeps each value that some path leads to, and what is around it. */
function naive(paths: readonly DocumentPath[], found: Item): Item {
  const isNamed = (at: readonly (string | number)[]) =>
    paths.some((path) => path.length === at.length && path.every((element, i) => element === at[i]));
  const keep = (value: AttributeValue, at: readonly (string | number)[]): AttributeValue | undefined => {
    if (isNamed(at)) return value;
    if ('L' in value) {
      const kept = value.L.map((element, i) => keep(element, [...at, i])).filter(
        (each) => each !== undefined,
      );
      return kept.length === 0 ? undefined : { L: kept };
    }
    if (!('M' in value)) return undefined;
    const members = keepMembers(value.M, at);
    return members.size === 0 ? undefined : { M: members };
  };
  const keepMembers = (members: Item, at: readonly (string | number)[]): Map<string, AttributeValue> => {
    const kept = new Map<string, AttributeValue>();
    for (const [name, value] of members) {
      const part = keep(value, [...at, name]);
      if (part !== undefined) kept.set(name, part);
    }
    return kept;
  };
  return keepMembers(found, []);
}

it('finds the value at a path', () => {
  expect(valueAt(thing, ['a', 'c', 1, 'y'])).toEqual(N('2'));
  expect(valueAt(thing, ['a', 'c', 'y'])).toBeUndefined();
  expect(valueAt(thing, ['toString'])).toBeUndefined();
});
