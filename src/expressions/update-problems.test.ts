import { describe, expect, it } from 'vitest';
import { problemOf } from './cases.fixture.ts';

const list = (count: number, part: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => part(i)).join(', ');
const overlap = (one: string, two: string) =>
  `Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${one}, path two: ${two}`;
const conflict = (one: string, two: string) =>
  `Two document paths conflict with each other; must remove or rewrite one of these paths; path one: ${one}, path two: ${two}`;
const wrongType = (operator: string, type: string) =>
  `Incorrect operand type for operator or function; operator or function: ${operator}, operand type: ${type}`;

const cases: Readonly<Record<string, readonly (readonly [text: string, problem: string])[]>> = {
  'is fine': [
    ['SET a = :s', 'fine'],
    ['set a=:s,b=c', 'fine'],
    ['SET a = b + c', 'fine'],
    ['SET a = b - :n', 'fine'],
    ['SET a = (b - :n)', 'fine'],
    ['SET a = ((b) + (:n))', 'fine'],
    ['SET a = (b)', 'fine'],
    ['SET a = if_not_exists(a, :n) + :n', 'fine'],
    ['SET a = if_not_exists(b, if_not_exists(c, :n))', 'fine'],
    ['SET a = list_append(if_not_exists(a, :l), :l)', 'fine'],
    ['SET a = list_append((a), (:l))', 'fine'],
    ['SET a.b[1].#c = :s', 'fine'],
    ['SET a.b = :s, a.c = :s, a.d[0] = :s, a.d[1] = :s', 'fine'],
    ['SET a.b = a', 'fine'],
    ['SET #dotted = :s, a.b = :s', 'fine'],
    ['REMOVE a, b.c, d[0]', 'fine'],
    ['ADD a :n, b :ss', 'fine'],
    ['ADD a.b[0] :n', 'fine'],
    ['DELETE a :ss, b :ns, c :bs', 'fine'],
    ['REMOVE a SET b = :s ADD c :n DELETE d :ss', 'fine'],
    ['rEmOvE a sEt b = a', 'fine'],
    ['SET and = :s', 'Attribute name is a reserved keyword; reserved keyword: and'],
    [`SET ${list(500, (i) => `a${i}=b`)}`, 'fine'],
  ],
  'has a syntax error': [
    ['INVALID SYNTAX HERE', 'Syntax error; token: "INVALID", near: "INVALID SYNTAX"'],
    ['a-b', 'Syntax error; token: "a", near: "a-"'],
    ['SET', 'Syntax error; token: "<EOF>", near: "SET"'],
    ['SET a', 'Syntax error; token: "<EOF>", near: "a"'],
    ['SET a =', 'Syntax error; token: "<EOF>", near: "="'],
    ['SET a = :s,', 'Syntax error; token: "<EOF>", near: ","'],
    ['SET a = :s ,  ', 'Syntax error; token: "<EOF>", near: ","'],
    ['SET a = :s, REMOVE b', 'Syntax error; token: "REMOVE", near: ", REMOVE b"'],
    ['SET _123', 'Syntax error; token: "_", near: "SET _123"'],
    ['SET 123a = :s', 'Syntax error; token: "123", near: "SET 123a"'],
    ['SET hi-there = :s', 'Syntax error; token: "-", near: "hi-there"'],
    ['SET hi$there = :s', 'Syntax error; token: "$", near: "hi$there"'],
    ['SET :s = :s', 'Syntax error; token: ":s", near: "SET :s ="'],
    ['SET # = :s', 'Syntax error; token: "#", near: "SET # ="'],
    ['SET a = :', 'Syntax error; token: ":", near: "= :"'],
    ['ADD hits : incr', 'Syntax error; token: ":", near: "hits : incr"'],
    ['ADD a b', 'Syntax error; token: "b", near: "a b"'],
    ['ADD a', 'Syntax error; token: "<EOF>", near: "a"'],
    ['ADD a (:n)', 'Syntax error; token: "(", near: "a (:n"'],
    ['DELETE a = :ss', 'Syntax error; token: "=", near: "a = :ss"'],
    ['REMOVE a b', 'Syntax error; token: "b", near: "a b"'],
    ['REMOVE a = :s', 'Syntax error; token: "=", near: "a = :s"'],
    ['SET a = b + c + d', 'Syntax error; token: "+", near: "c + d"'],
    ['SET a = (b + c) + d', 'Syntax error; token: "+", near: ") + d"'],
    ['SET a = b + (c + d)', 'Syntax error; token: "+", near: "c + d"'],
    ['SET a = list_append(b + c, d)', 'Syntax error; token: "+", near: "b + c"'],
    ['SET a = b * c', 'Syntax error; token: "*", near: "b * c"'],
    ['set (a = b)', 'Syntax error; token: "(", near: "set (a"'],
    ['SET a = (b.c).d', 'Syntax error; token: ".", near: ").d"'],
    ['SET (a).b = :s', 'Syntax error; token: "(", near: "SET (a"'],
    ['SET a = _f(b)', 'Syntax error; token: "_", near: "= _f"'],
    ['SET a = b = c', 'Syntax error; token: "=", near: "b = c"'],
    ['SET a[:n] = :s', 'Syntax error; token: ":n", near: "[:n]"'],
    ['SET a[#a] = :s', 'Syntax error; token: "#a", near: "[#a]"'],
    ['SET a = set', 'Syntax error; token: "set", near: "= set"'],
  ],
  'is judged without names and values': [
    ['SET abOrT = :s', 'Attribute name is a reserved keyword; reserved keyword: abOrT'],
    ['SET a = b.name', 'Attribute name is a reserved keyword; reserved keyword: name'],
    ['REMOVE ttl', 'Attribute name is a reserved keyword; reserved keyword: ttl'],
    ['SET a = f(b, c, d)', 'Invalid function name; function: f'],
    ['SET a = LIST_APPEND(a, :l)', 'Invalid function name; function: LIST_APPEND'],
    ['SET a = size(b)', 'The function is not allowed in an update expression; function: size'],
    [
      'SET a = if_not_exists(a, contains(b, :s))',
      'The function is not allowed in an update expression; function: contains',
    ],
    [
      'SET a = list_append(list_append(a, :l), :l)',
      'The function is not allowed to be used this way in an expression; function: list_append',
    ],
    [
      'SET a = list_append(a, :l) + :n',
      'The function is not allowed to be used this way in an expression; function: list_append',
    ],
    [
      'SET a = if_not_exists(b, list_append(a, :l))',
      'The function is not allowed to be used this way in an expression; function: list_append',
    ],
    ['SET a = :s SET b = :s', 'The "SET" section can only be used once in an update expression;'],
    ['REMOVE a SET b = :s REMOVE c', 'The "REMOVE" section can only be used once in an update expression;'],
    ['ADD a :n add b :n', 'The "ADD" section can only be used once in an update expression;'],
    ['DELETE a :ss DELETE b :ss', 'The "DELETE" section can only be used once in an update expression;'],
    ['REMOVE a[99999999999999]', 'List index is not within the allowable range; index: [99999999999999]'],
    [
      `REMOVE ${Array.from({ length: 33 }, () => 'x').join('.')}`,
      'The document path has too many nesting levels; nesting levels: 33',
    ],
    [
      `SET ${list(301, (i) => `a${i}=b+c`)}`,
      'The expression contains too many operators; operator count: 301',
    ],
    [`SET ${list(300, (i) => `a${i}=b+c`)}`, 'fine'],
    ['', 'The expression can not be empty;'],
    [`SET a = ${'b'.repeat(4096)}`, 'Expression size has exceeded the maximum allowed size;'],
  ],
  'names what is not defined': [
    [
      'SET #nope = :s',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
    [
      'SET a = if_not_exists(#nope, :s)',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
    [
      'SET a = b + :nope',
      'An expression attribute value used in expression is not defined; attribute value: :nope',
    ],
    [
      'ADD a :nope',
      'An expression attribute value used in expression is not defined; attribute value: :nope',
    ],
    [
      'SET a = if_not_exists(:nope, :n)',
      'An expression attribute value used in expression is not defined; attribute value: :nope',
    ],
  ],
  'has paths that clash': [
    ['SET a.b = :s, a = :s', overlap('[a, b]', '[a]')],
    ['SET a = :s, a.b = :s', overlap('[a]', '[a, b]')],
    ['SET a = :s REMOVE a', overlap('[a]', '[a]')],
    ['SET #a = :s, a = :s', overlap('[a]', '[a]')],
    ['SET a[1][1][1] = :s, a[1] = :s', overlap('[a, [1], [1], [1]]', '[a, [1]]')],
    ['ADD a.b :n DELETE a.b.c :ss', overlap('[a, b]', '[a, b, c]')],
    ['SET a.b = :s, a[1] = :s', conflict('[a, b]', '[a, [1]]')],
    ['SET a.b[2] = :s, a.b.c = :s', conflict('[a, b, [2]]', '[a, b, c]')],
    ['SET a.b = :s, a[1] = :s, c = :s, c.d = :s', overlap('[c]', '[c, d]')],
    ['SET x.a = :s, x.b = :s, x = :s', overlap('[x, a]', '[x]')],
  ],
  'has the wrong operands': [
    ...Object.entries({
      ':s': 'STRING',
      ':b': 'BINARY',
      ':bool': 'BOOL',
      ':null': 'NULL',
      ':l': 'LIST',
      ':m': 'MAP',
    }).map(([value, type]): readonly [string, string] => [
      `ADD a ${value}`,
      `Incorrect operand type for operator or function; operator: ADD, operand type: ${type}, typeSet: ALLOWED_FOR_ADD_OPERAND`,
    ]),
    [
      'DELETE a :n',
      'Incorrect operand type for operator or function; operator: DELETE, operand type: NUMBER, typeSet: ALLOWED_FOR_ADD_OPERAND',
    ],
    ['SET a = b + :s', wrongType('+', 'S')],
    ['SET a = :l - b', wrongType('-', 'L')],
    ['SET a = list_append(a, :s)', wrongType('list_append', 'S')],
    ['SET a = list_append(:m, a)', wrongType('list_append', 'M')],
    [
      'SET a = list_append(a)',
      'Incorrect number of operands for operator or function; operator or function: list_append, number of operands: 1',
    ],
    [
      'SET a = if_not_exists(a, :s, :s)',
      'Incorrect number of operands for operator or function; operator or function: if_not_exists, number of operands: 3',
    ],
    [
      'SET a = if_not_exists(:s, :s)',
      'Operator or function requires a document path; operator or function: if_not_exists',
    ],
    [
      'SET a = if_not_exists(a, a)',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: [a]',
    ],
    [
      'SET a = if_not_exists(b.#c[0], b.c[0])',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: [b, c, [0]]',
    ],
    [
      'SET a = if_not_exists(if_not_exists(a, :s), :s)',
      'Operator or function requires a document path; operator or function: if_not_exists',
    ],
  ],
};

describe.each(Object.entries(cases))('an update that %s', (_, texts) => {
  it.each(texts)('%j', (text, problem) => {
    expect(problemOf('UpdateExpression', text)).toBe(problem);
  });
});

describe('of several faults of an update', () => {
  it.each([
    ['syntax before reserved words', 'SET name = :s,', 'Syntax error'],
    ['reserved words before functions', 'SET a = f(b), name = :s', 'Attribute name is a reserved'],
    ['functions before sections', 'SET a = :s SET b = f(c)', 'Invalid function name'],
    ['sections before undefined names', 'SET #nope = :s SET b = :s', 'The "SET" section'],
    ['names before values', 'SET a = :nope, b = #nope', 'An expression attribute name'],
    ['values before overlap', 'SET a = :s, a = :nope', 'An expression attribute value'],
    ['overlap before conflict', 'SET a.b = :s, a[1] = :s, a = :s', 'Two document paths overlap'],
    ['clashes before ADD and DELETE', 'ADD a :s SET a = :s', 'Two document paths overlap'],
    [
      'ADD and DELETE before functions',
      'SET a = :s + :s ADD b :s',
      'Incorrect operand type for operator or function; operator: ADD',
    ],
    [
      'inner before outer functions',
      'SET a = list_append(if_not_exists(:s, a), :s)',
      'Operator or function requires a document path; operator or function: if_not_exists',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemOf('UpdateExpression', text).slice(0, problem.length)).toBe(problem);
  });
});

describe('a projection', () => {
  it.each([
    ['a', 'fine'],
    ['a, b.c ,d[0] , #c', 'fine'],
    ['a.b, a.c, a.d[1], a.d[0].x', 'fine'],
    ['set, a', 'Attribute name is a reserved keyword; reserved keyword: set'],
    ['a.Value', 'Attribute name is a reserved keyword; reserved keyword: Value'],
    ['', 'The expression can not be empty;'],
    ['a,', 'Syntax error; token: "<EOF>", near: ","'],
    ['a , ', 'Syntax error; token: "<EOF>", near: ","'],
    ['a b', 'Syntax error; token: "b", near: "a b"'],
    [',a', 'Syntax error; token: ",", near: ",a"'],
    [':s', 'Syntax error; token: ":s", near: ":s"'],
    ['whatever(stuff)', 'Syntax error; token: "(", near: "whatever(stuff"'],
    ['(a)', 'Syntax error; token: "(", near: "(a"'],
    ['a[x]', 'Syntax error; token: "x", near: "[x]"'],
    ['a-b', 'Syntax error; token: "-", near: "a-b"'],
    [
      'a, #nope',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
    ['a, a', overlap('[a]', '[a]')],
    ['a.b, a', overlap('[a, b]', '[a]')],
    ['a[1], a[1].b', overlap('[a, [1]]', '[a, [1], b]')],
    ['a.b, a[1]', conflict('[a, b]', '[a, [1]]')],
    ['a.b, a[1], b, #b', overlap('[b]', '[b]')],
    ['a[2147483648]', 'List index is not within the allowable range; index: [2147483648]'],
    [
      Array.from({ length: 33 }, () => 'x').join('.'),
      'The document path has too many nesting levels; nesting levels: 33',
    ],
    ['a'.repeat(4097), 'Expression size has exceeded the maximum allowed size; expression size: 4097'],
    // The more important fault comes first.
    ['name, name b', 'Syntax error; token: "b", near: "name b"'],
    ['name, #nope', 'Attribute name is a reserved keyword; reserved keyword: name'],
    [
      'a, a, #nope',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
  ])('%j', (text, problem) => {
    expect(problemOf('ProjectionExpression', text)).toBe(problem);
  });
});
