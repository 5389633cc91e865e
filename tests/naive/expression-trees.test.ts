import { describe, expect, it } from 'vitest';
import { seededRandom } from '../seeded-random.ts';
import { type Condition, type Path, type RenderedExpressions, render } from './expression-trees.ts';
import {
  inEachOthersWay,
  randomCondition,
  randomProjectionExpression,
  randomUpdate,
} from './generate-expressions.ts';
import { randomWorld } from './generate-tables.ts';
import type { Value } from './values.ts';

describe('expressions as text', () => {
  const is = (name: string): Condition => ({
    kind: 'compare',
    comparator: '=',
    left: at(name),
    right: constant({ N: '1' }),
  });
  const conditions: [string, Condition][] = [
    ['a = :v0', is('a')],
    ['a = :v0 OR b = :v0 AND c = :v0', or(is('a'), and(is('b'), is('c')))],
    ['(a = :v0 OR b = :v0) AND c = :v0', and(or(is('a'), is('b')), is('c'))],
    ['NOT (a = :v0 AND b = :v0)', { kind: 'not', part: and(is('a'), is('b')) }],
    ['NOT NOT a = :v0', { kind: 'not', part: { kind: 'not', part: is('a') } }],
    ['attribute_exists(a.b[1].#n0)', { kind: 'exists', path: ['a', 'b', 1, 'a.b'] }],
    ['attribute_not_exists(#n0)', { kind: 'notExists', path: ['Status'] }],
    ['attribute_type(a, :v0)', { kind: 'type', operand: at('a'), type: 'SS' }],
    ['a BETWEEN :v0 AND b', { kind: 'between', operand: at('a'), low: constant({ N: '1' }), high: at('b') }],
    ['a IN (b, :v0)', { kind: 'in', operand: at('a'), list: [at('b'), constant({ S: 'x' })] }],
    [
      'size(a) <> :v0',
      { kind: 'compare', comparator: '<>', left: { kind: 'size', of: at('a') }, right: constant({ N: '1' }) },
    ],
    ['begins_with(a, :v0)', { kind: 'beginsWith', whole: at('a'), start: constant({ S: 'x' }) }],
    ['contains(a, b)', { kind: 'contains', whole: at('a'), part: at('b') }],
  ];
  it.each(conditions)('writes %s', (text, condition) => {
    expect(render({ condition }, 0).ConditionExpression).toBe(text);
  });

  it('writes updates, sections in the order of their first action', () => {
    const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = render(
      {
        update: [
          { kind: 'remove', path: ['a', 0] },
          { kind: 'set', path: ['b'], value: { kind: 'value', value: { S: 'x' } } },
          {
            kind: 'set',
            path: ['name'],
            value: {
              kind: 'arithmetic',
              sign: '-',
              left: { kind: 'ifNotExists', path: ['c'], otherwise: { kind: 'value', value: { N: '0' } } },
              right: { kind: 'path', path: ['d'] },
            },
          },
          { kind: 'add', path: ['e'], value: { N: '1' } },
          { kind: 'delete', path: ['f'], value: { SS: ['x'] } },
        ],
      },
      0,
    );
    expect(UpdateExpression).toBe(
      'REMOVE a[0] SET b = :v0, #n0 = if_not_exists(c, :v1) - d ADD e :v2 DELETE f :v3',
    );
    expect(ExpressionAttributeNames).toEqual({ '#n0': 'name' });
    expect(Object.keys(ExpressionAttributeValues!)).toEqual([':v0', ':v1', ':v2', ':v3']);
  });

  it('writes projections', () => {
    expect(render({ projection: [['a'], ['b', 2, 'é']] }, 0)).toEqual({
      ProjectionExpression: 'a, b[2].#n0',
      ExpressionAttributeNames: { '#n0': 'é' },
    });
  });

  it('spells the same tree in many ways, each of them always the same', () => {
    const condition = and(or(is('a'), is('b')), is('c'));
    const texts = new Set(
      Array.from({ length: 50 }, (_, i) => render({ condition }, i + 1).ConditionExpression),
    );
    expect(texts.size).toBeGreaterThan(40);
    expect(render({ condition }, 7)).toEqual(render({ condition }, 7));
  });

  it('keeps to what the service accepts, whatever the spelling', () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const random = seededRandom(seed);
      const world = randomWorld(random);
      const update = randomUpdate(random, world);
      const projection = randomProjectionExpression(random, world);
      const rendered = render({ condition: randomCondition(random, world), update }, seed);
      const text = checkPlaceholders(rendered);
      expect(text.length).toBeLessThan(4_096);
      expect(hasRedundantParentheses(rendered.ConditionExpression!), text).toBe(false);
      checkPlaceholders(render({ projection }, seed));
      for (const paths of [projection, update.map(({ path }) => path)]) {
        for (const [i, path] of paths.entries()) {
          for (const other of paths.slice(i + 1)) expect(inEachOthersWay(path, other)).toBe(false);
        }
      }
    }
  });

  it('knows paths that cannot stand together', () => {
    const pairs: [Path, Path, boolean][] = [
      [['a'], ['a'], true],
      [['a', 'b'], ['a'], true],
      [['a', 'b'], ['a', 1], true],
      [['a', 'b'], ['a', 'c'], false],
      [['a', 1], ['a', 2], false],
      [['a', 0, 'x'], ['a', 0, 'y'], false],
      [['a'], ['b'], false],
    ];
    for (const [a, b, clash] of pairs) {
      expect(inEachOthersWay(a, b)).toBe(clash);
      expect(inEachOthersWay(b, a)).toBe(clash);
    }
  });
});

/** Every placeholder that is used is defined, and the other way round. */
function checkPlaceholders(rendered: RenderedExpressions): string {
  const text = [rendered.ConditionExpression, rendered.UpdateExpression, rendered.ProjectionExpression].join(
    ' ',
  );
  const used = new Set(text.match(/[#:]\w+/g) ?? []);
  const defined = [
    ...Object.keys(rendered.ExpressionAttributeNames ?? {}),
    ...Object.keys(rendered.ExpressionAttributeValues ?? {}),
  ];
  expect([...used].sort()).toEqual(defined.sort());
  return text;
}

/** A group, not the parentheses of a function or of IN, whose whole content is another group. */
function hasRedundantParentheses(text: string): boolean {
  const open: { group: boolean; parts: number; groups: number }[] = [];
  const tokens = text.match(/[#:]?\w+|[()]|[^\s\w()]/g)!;
  for (const [i, token] of tokens.entries()) {
    if (token === '(') {
      const before = tokens[i - 1];
      const called =
        before !== undefined && /^(\w*_\w*|contains|size|in)$/i.test(before) && !isName(tokens, i - 1);
      open.push({ group: !called, parts: 0, groups: 0 });
    } else if (token === ')') {
      const { group, parts, groups } = open.pop()!;
      if (group && parts === 1 && groups === 1) return true;
      const outer = open.at(-1);
      if (outer !== undefined) {
        outer.parts++;
        if (group) outer.groups++;
      }
    } else if (open.length > 0) {
      open.at(-1)!.parts++;
    }
  }
  return false;
}

/** An attribute with an underscore in its name is no function. */
function isName(tokens: readonly string[], i: number): boolean {
  return tokens[i] === 'Ab_1';
}

function at(name: string) {
  return { kind: 'path', path: [name] } as const;
}

function constant(value: Value) {
  return { kind: 'value', value } as const;
}

function and(...parts: Condition[]): Condition {
  return { kind: 'and', parts };
}

function or(...parts: Condition[]): Condition {
  return { kind: 'or', parts };
}
