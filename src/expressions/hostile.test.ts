import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { assertProperty } from '../../tests/assert-property.ts';
import { DynamoError } from '../model/errors.ts';
import { applyUpdate } from './apply-update.ts';
import { condition, item, problemOf, projection, read, update } from './cases.fixture.ts';
import { meetsCondition } from './evaluate-condition.ts';
import { parseCondition } from './parse-condition.ts';
import { parseProjection } from './parse-projection.ts';
import { parseUpdate } from './parse-update.ts';
import { projectItem } from './project.ts';
import { type Token, tokenize } from './tokens.ts';

const counting = vi.hoisted(() => ({ looks: 0 }));

/** Counts every look at a token, wherever parsers keep the list of them. */
vi.mock('./tokens.ts', async (importActual) => {
  const actual = await importActual<typeof import('./tokens.ts')>();
  const get = (tokens: readonly Token[], name: string | symbol) => {
    if (typeof name === 'string' && /^\d+$/.test(name)) counting.looks++;
    return Reflect.get(tokens, name) as unknown;
  };
  return { ...actual, tokenize: (text: string) => new Proxy(actual.tokenize(text), { get }) };
});

const limit = 4096;
const fill = (begin: string, part: string, end = '') =>
  begin + part.repeat(Math.floor((limit - begin.length - end.length) / part.length)) + end;
const nest = (begin: string, open: string, middle: string, close: string) => {
  const levels = Math.floor((limit - begin.length - middle.length) / (open.length + close.length));
  return begin + open.repeat(levels) + middle + close.repeat(levels);
};

const conditions = {
  'opening parentheses': [fill('', '('), 'Syntax error; token: "<EOF>", near: "("'],
  'parentheses around a condition': [nest('', '(', 'a<b', ')'), 'The expression has redundant parentheses;'],
  'parentheses around an operand': [nest('a<', '(', 'b', ')'), 'The expression has redundant parentheses;'],
  'parentheses around both': [nest('', '(', 'a', ')'), 'Syntax error; token: "<EOF>", near: ")"'],
  'paths out of parentheses': [
    `${'('.repeat(1000)}a${').b'.repeat(1000)}=c`,
    'The document path has too many nesting levels; nesting levels: 1001',
  ],
  negations: [fill('', 'NOT ', 'a<b'), 'The expression contains too many operators; operator count: 1024'],
  'negations in parentheses': [
    nest('', 'NOT(', 'a<b', ')'),
    'The expression contains too many operators; operator count: 819',
  ],
  'unknown functions': [nest('a<', 'f(', 'b', ')'), 'Invalid function name; function: f'],
  'open functions': [fill('', 'f('), 'Syntax error; token: "<EOF>", near: "("'],
  sizes: [
    nest('a<', 'size(', 'b', ')'),
    'Incorrect operand type for operator or function; operator or function: size, operand type: N',
  ],
  disjunctions: [fill('a<b', ' OR a<b'), 'The expression contains too many operators; operator count: 1169'],
  'values of IN': [
    fill('a IN (:s', ',:s', ')'),
    'The IN operator is provided with too many operands; number of operands: 1363',
  ],
  'a long path': [
    fill('a', '.a', '=b'),
    'The document path has too many nesting levels; nesting levels: 2047',
  ],
  indexes: [fill('a', '[0]', '=b'), 'The document path has too many nesting levels; nesting levels: 1365'],
  digits: [
    `a[${'9'.repeat(4000)}]=b`,
    `List index is not within the allowable range; index: [${'9'.repeat(4000)}]`,
  ],
  'dots only': [fill('', '.'), 'Syntax error; token: ".", near: ".."'],
  blanks: [fill('', ' '), 'Syntax error; token: "<EOF>", near: ""'],
  'lone surrogates': [
    fill('', '\ud800').slice(0, 1300),
    'Syntax error; token: "\ufffd", near: "\ufffd\ufffd"',
  ],
  'a long name': [fill('', 'a', '=:s'), 'fine'],
} as const;

describe('4 KB of', () => {
  it.each(Object.entries(conditions))('%s are answered', (_, [text, problem]) => {
    expect(text.length).toBeLessThanOrEqual(limit);
    expect(problemOf('ConditionExpression', text)).toBe(problem);
  });

  it.each([
    ['parentheses', nest('SET a=', '(', 'b', ')'), 'fine'],
    ['open parentheses', fill('SET a=', '('), 'Syntax error; token: "<EOF>", near: "("'],
    ['functions', nest('SET a=', 'f(', 'b', ')'), 'Invalid function name; function: f'],
    ['defaults', nest('SET a=', 'if_not_exists(a,', 'b', ')'), 'fine'],
    ['sums', fill('SET a=b', '+b'), 'Syntax error; token: "+", near: "b+b"'],
    [
      'removals',
      fill('REMOVE a', ',a'),
      'Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], path two: [a]',
    ],
    [
      'sections',
      fill('', 'REMOVE a '),
      'The "REMOVE" section can only be used once in an update expression;',
    ],
  ])('%s in an update are answered', (_, text, problem) => {
    expect(problemOf('UpdateExpression', text)).toBe(problem);
  });
});

describe('the work of a parser', () => {
  const parsers = [parseCondition, parseUpdate, parseProjection];

  /** How often a parser looks at a token, which is what its time is made of. */
  function looks(parse: (text: string) => unknown, text: string): number {
    counting.looks = 0;
    parse(text);
    return counting.looks;
  }

  it.each(Object.entries(conditions))('grows with the text and no faster: %s', (_, [text]) => {
    for (const parse of parsers) {
      expect(looks(parse, text)).toBeGreaterThan(0);
      expect(looks(parse, text)).toBeLessThan(30 * (tokenize(text).length + 1));
    }
  });

  it('grows so for any text', () => {
    const part = fc.constantFrom(
      'a',
      '#a',
      ':s',
      '.',
      '[',
      ']',
      '0',
      '(',
      ')',
      ',',
      '=',
      '<',
      'AND',
      'OR',
      'NOT',
      'IN',
      'BETWEEN',
      'SET',
      'REMOVE',
      'ADD',
      '+',
      'size(',
      'f(',
      ' ',
      '!',
      '\ud800',
    );
    assertProperty(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join(' ');
        for (const parse of parsers)
          expect(looks(parse, text)).toBeLessThan(30 * (tokenize(text).length + 1));
      }),
      { numRuns: 300 },
    );
  });
});

describe('any text', () => {
  it('is answered by every kind of expression', () => {
    const parameters = [
      'ConditionExpression',
      'UpdateExpression',
      'ProjectionExpression',
      'KeyConditionExpression',
    ] as const;
    assertProperty(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string()),
        fc.constantFrom(...parameters),
        (text, parameter) => {
          const result = read({ [parameter]: text });
          if (result instanceof DynamoError) expect(result.name).toBe('ValidationException');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('32 levels', () => {
  const path = Array.from({ length: 32 }, (_, i) => (i % 2 === 0 ? 'x' : '[0]'))
    .join('.')
    .replaceAll('.[', '[');
  const document = (level: number): unknown =>
    level === 32
      ? { N: '1' }
      : level % 2 === 1
        ? { L: [document(level + 1)] }
        : { M: { x: document(level + 1) } };
  const deep = item({ x: document(1) });

  it('are followed to their end', () => {
    expect(meetsCondition(condition(`${path} = :n`), deep)).toBe(true);
    expect(projectItem(projection(path), deep)).toEqual(deep);
    const result = applyUpdate(update(`SET ${path} = :n2`), deep, deep);
    if (result instanceof DynamoError || result.item === undefined) throw new Error('no item');
    expect(meetsCondition(condition(`${path} = :n2`), result.item)).toBe(true);
  });
});

describe('long values', () => {
  it('are searched without looking at each place in full', () => {
    // A search that starts anew at each place would look at some ten thousand million characters.
    const long = { S: 'a'.repeat(200_000) };
    const needle = { S: `b${'a'.repeat(100_000)}` };
    const thing = item({ a: long, b: { B: btoa(long.S) } });
    expect(meetsCondition(condition('contains(a, :v)', { ':v': needle }), thing)).toBe(false);
    expect(meetsCondition(condition('contains(b, :v)', { ':v': { B: btoa(needle.S) } }), thing)).toBe(false);
  });
});
