import { describe, expect, it } from 'vitest';
import { problemOf } from './cases.fixture.ts';

const long = 'x'.repeat(300);
const deep = (levels: number) => Array.from({ length: levels }, () => 'x').join('.');
const many = (count: number, part: string, joint: string) =>
  Array.from({ length: count }, () => part).join(joint);

/** What a condition is answered with, text by text. Filters and key conditions share all of it. */
const cases: Readonly<Record<string, readonly (readonly [text: string, problem: string])[]>> = {
  'is fine': [
    ['a = :s', 'fine'],
    ['a=:s', 'fine'],
    ['\t(a\n=\r:s) ', 'fine'],
    ['a . b [ 1 ] = :s', 'fine'],
    [':s = a', 'fine'],
    [':s = :s', 'fine'],
    ['a <> b AND a < b AND a <= b AND a > b AND a >= b', 'fine'],
    ['a = :s and b = :s OR NOT c = :s', 'fine'],
    ['not not a = :s', 'fine'],
    ['NOT(a = :s)', 'fine'],
    ['a BETWEEN :n AND :n2', 'fine'],
    ['a BETWEEN :n AND :n', 'fine'],
    ['a BETWEEN :n AND :n2 AND b BETWEEN :s AND :s2', 'fine'],
    ['a bEtWeEn b aNd c', 'fine'],
    ['a IN (:s)', 'fine'],
    ['a in(:s,:n , b)', 'fine'],
    ['a IN ((:s))', 'fine'],
    ['size(a) IN (:n)', 'fine'],
    ['size(a) BETWEEN :n AND :n2', 'fine'],
    [':n < size(a)', 'fine'],
    ['(size(a)) > :n', 'fine'],
    ['size ( a ) > :n', 'fine'],
    ['attribute_exists(a)', 'fine'],
    ['(attribute_exists(a))', 'fine'],
    ['attribute_exists (a.b[0].c)', 'fine'],
    ['attribute_not_exists(#a)', 'fine'],
    ['attribute_type(a, :typeS)', 'fine'],
    ['attribute_type(:n, :typeS)', 'fine'],
    ['begins_with(a, :s)', 'fine'],
    ['begins_with(a, :b)', 'fine'],
    ['begins_with(:s, a)', 'fine'],
    ['begins_with(a, b)', 'fine'],
    ['contains(a, :m)', 'fine'],
    ['contains(:ss, a)', 'fine'],
    ['contains(a, size(b))', 'fine'],
    ['(a = :s)', 'fine'],
    ['((a = :s) AND b = :s)', 'fine'],
    ['((a = :s) AND (b = :s))', 'fine'],
    ['(a) = (:s)', 'fine'],
    ['((a) = :s)', 'fine'],
    ['(a).b = :s', 'fine'],
    ['((a).b).c = :s', 'fine'],
    ['(#a[1]).b = :s', 'fine'],
    ['(a.b)[0] = :s', 'fine'],
    ['f.a = :s', 'fine'],
    ['contains = :s', 'fine'],
    ['#status.#dotted = :s', 'fine'],
    ['#proto.#constructor = :s', 'fine'],
    ['a[2147483647] = :s', 'fine'],
    [`${deep(32)} = :s`, 'fine'],
  ],
  'has a syntax error': [
    ['a', 'Syntax error; token: "<EOF>", near: "a"'],
    [':s', 'Syntax error; token: "<EOF>", near: ":s"'],
    ['   ', 'Syntax error; token: "<EOF>", near: ""'],
    ['(a)', 'Syntax error; token: "<EOF>", near: ")"'],
    ['a AND b = :s', 'Syntax error; token: "AND", near: "a AND b"'],
    ['a = = b', 'Syntax error; token: "=", near: "= = b"'],
    ['a == b', 'Syntax error; token: "=", near: "== b"'],
    ['a != b', 'Syntax error; token: "!", near: "a !="'],
    ['!!! X', 'Syntax error; token: "!", near: "!!"'],
    ['a-b', 'Syntax error; token: "-", near: "a-b"'],
    ['a = :s + :s', 'Syntax error; token: "+", near: ":s + :s"'],
    ['a = 1', 'Syntax error; token: "1", near: "= 1"'],
    ['a = "x"', 'Syntax error; token: """, near: "= "x"'],
    ['a = true AND', 'Syntax error; token: "<EOF>", near: "AND"'],
    ['_a = :s', 'Syntax error; token: "_", near: "_a"'],
    ['9a = :s', 'Syntax error; token: "9", near: "9a"'],
    ['é = :s', 'Syntax error; token: "é", near: "é ="'],
    ['a = 😀', 'Syntax error; token: "😀", near: "= 😀"'],
    ['a = \ud800', 'Syntax error; token: "\ufffd", near: "= \ufffd"'],
    ['# = :s', 'Syntax error; token: "#", near: "# ="'],
    ['a = :', 'Syntax error; token: ":", near: "= :"'],
    ['attribute_not_exists(', 'Syntax error; token: "<EOF>", near: "("'],
    ['attribute_exists()', 'Syntax error; token: ")", near: "()"'],
    ['begins_with(a,)', 'Syntax error; token: ")", near: ",)"'],
    ['begins_with(a b)', 'Syntax error; token: "b", near: "a b)"'],
    ['a IN ()', 'Syntax error; token: ")", near: "()"'],
    ['a in b', 'Syntax error; token: "b", near: "in b"'],
    ['a IN (:s', 'Syntax error; token: "<EOF>", near: ":s"'],
    ['a BETWEEN :n', 'Syntax error; token: "<EOF>", near: ":n"'],
    ['a BETWEEN :n OR :n2', 'Syntax error; token: "OR", near: ":n OR :n2"'],
    ['a[:n] = :s', 'Syntax error; token: ":n", near: "[:n]"'],
    ['a[#a] = :s', 'Syntax error; token: "#a", near: "[#a]"'],
    ['a[-1] = :s', 'Syntax error; token: "-", near: "[-1"'],
    ['a[] = :s', 'Syntax error; token: "]", near: "[] ="'],
    ['a[1 = :s', 'Syntax error; token: "=", near: "1 = :s"'],
    ['a. = :s', 'Syntax error; token: "=", near: ". = :s"'],
    ['a.:s = :s', 'Syntax error; token: ":s", near: ".:s ="'],
    ['b.(c.d) = :s', 'Syntax error; token: "(", near: ".(c"'],
    ['size(a).b = :s', 'Syntax error; token: ".", near: ").b"'],
    ['(:s).b = :s', 'Syntax error; token: ".", near: ").b"'],
    ['(a = :s', 'Syntax error; token: "<EOF>", near: ":s"'],
    ['a = :s)', 'Syntax error; token: ")", near: ":s)"'],
    ['a = :s b', 'Syntax error; token: "b", near: ":s b"'],
    ['(a = :s).b', 'Syntax error; token: ".", near: ").b"'],
    ['NOT', 'Syntax error; token: "<EOF>", near: "NOT"'],
    ['(NOT (a))', 'Syntax error; token: ")", near: "))"'],
    ['(a = :s AND b)', 'Syntax error; token: ")", near: "b)"'],
    ['attribute_exists(a) AND NOT #b', 'Syntax error; token: "<EOF>", near: "#b"'],
    ['AND = :s', 'Syntax error; token: "AND", near: "AND ="'],
    ['a = between', 'Syntax error; token: "between", near: "= between"'],
    ['a = :s,', 'Syntax error; token: ",", near: ":s,"'],
    ['a  =  \t:s  ) x', 'Syntax error; token: ")", near: ":s  ) x"'],
  ],
  'has redundant parentheses': [
    ['((a = :s))', 'The expression has redundant parentheses;'],
    ['(((a = :s)))', 'The expression has redundant parentheses;'],
    ['a > ((b))', 'The expression has redundant parentheses;'],
    ['((a)) > b', 'The expression has redundant parentheses;'],
    ['((a)).b = :s', 'The expression has redundant parentheses;'],
    ['a BETWEEN ((:n)) AND :n2', 'The expression has redundant parentheses;'],
    ['a IN (((:s)))', 'The expression has redundant parentheses;'],
    ['contains(((a)), :s)', 'The expression has redundant parentheses;'],
    ['((attribute_exists(a)))', 'The expression has redundant parentheses;'],
    ['NOT ((a = :s))', 'The expression has redundant parentheses;'],
    ['b = :s AND ((a = :s OR c = :s))', 'The expression has redundant parentheses;'],
    ['((a = :s AND b = :s))', 'The expression has redundant parentheses;'],
  ],
  'uses a function that is none': [
    ['f(a)', 'Invalid function name; function: f'],
    ['f(a) = :s', 'Invalid function name; function: f'],
    ['a = f(f(:s))', 'Invalid function name; function: f'],
    ['Begins_With(a, :s)', 'Invalid function name; function: Begins_With'],
    ['SIZE(a) > :n', 'Invalid function name; function: SIZE'],
    ['status(a)', 'Invalid function name; function: status'],
  ],
  'misuses a function': [
    ['size(a)', 'The function is not allowed to be used this way in an expression; function: size'],
    [
      'a = :s AND size(a)',
      'The function is not allowed to be used this way in an expression; function: size',
    ],
    [
      'attribute_exists(a) = :bool',
      'The function is not allowed to be used this way in an expression; function: attribute_exists',
    ],
    [
      'a = contains(a, :s)',
      'The function is not allowed to be used this way in an expression; function: contains',
    ],
    [
      'contains(a, begins_with(a, :s))',
      'The function is not allowed to be used this way in an expression; function: begins_with',
    ],
    [
      'if_not_exists(a, :s) = :s',
      'The function is not allowed in a condition expression; function: if_not_exists',
    ],
    ['list_append(a, :l)', 'The function is not allowed in a condition expression; function: list_append'],
  ],
  'uses a reserved word': [
    ['abOrT = :s', 'Attribute name is a reserved keyword; reserved keyword: abOrT'],
    ['a.b[1].name = :s', 'Attribute name is a reserved keyword; reserved keyword: name'],
    ['set = :s', 'Attribute name is a reserved keyword; reserved keyword: set'],
    ['size = :n', 'Attribute name is a reserved keyword; reserved keyword: size'],
    ['contains(status, :s)', 'Attribute name is a reserved keyword; reserved keyword: status'],
  ],
  'goes beyond what documents have': [
    ['a[99999999999999] = :s', 'List index is not within the allowable range; index: [99999999999999]'],
    ['a[2147483648] = :s', 'List index is not within the allowable range; index: [2147483648]'],
    [`${deep(33)} = :s`, 'The document path has too many nesting levels; nesting levels: 33'],
    [`${many(151, 'a = :s', ' AND ')}`, 'The expression contains too many operators; operator count: 301'],
    [`${'NOT '.repeat(300)}a = :s`, 'The expression contains too many operators; operator count: 301'],
    [`${many(150, 'a=:s', ' AND ')}`, 'fine'],
    [`a IN (${many(100, ':s', ',')})`, 'fine'],
    [
      `a IN (${many(101, ':s', ',')})`,
      'The IN operator is provided with too many operands; number of operands: 101',
    ],
    ['', 'The expression can not be empty;'],
    [`a=:s${' '.repeat(4092)}`, 'fine'],
    [
      `a=:s${' '.repeat(4093)}`,
      'Expression size has exceeded the maximum allowed size; expression size: 4097',
    ],
    [
      `a = ${'é'.repeat(2050)}`,
      'Expression size has exceeded the maximum allowed size; expression size: 4104',
    ],
    [
      `(((${' '.repeat(4106)}`,
      'Expression size has exceeded the maximum allowed size; expression size: 4109',
    ],
  ],
  'names what is not defined': [
    [
      '#nope = :s',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
    [
      'a.#nope.b = :s',
      'An expression attribute name used in the document path is not defined; attribute name: #nope',
    ],
    ['a = :nope', 'An expression attribute value used in expression is not defined; attribute value: :nope'],
    [
      'a IN (:s, size(:nope))',
      'An expression attribute value used in expression is not defined; attribute value: :nope',
    ],
    [
      `a = :${long}`,
      `An expression attribute value used in expression is not defined; attribute value: :${long}`,
    ],
  ],
  'has the wrong number of operands': [
    [
      'begins_with(a, :s, :s)',
      'Incorrect number of operands for operator or function; operator or function: begins_with, number of operands: 3',
    ],
    [
      'attribute_exists(a, b)',
      'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2',
    ],
    [
      'contains(a)',
      'Incorrect number of operands for operator or function; operator or function: contains, number of operands: 1',
    ],
    [
      'size(a, b) = :n',
      'Incorrect number of operands for operator or function; operator or function: size, number of operands: 2',
    ],
  ],
  'has equal operands': [
    [
      'a.b[1] = a.b[1]',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: =, first operand: [a, b, [1]]',
    ],
    [
      '#a <= a',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: <=, first operand: [a]',
    ],
    [
      'contains(a, a)',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: contains, first operand: [a]',
    ],
    [
      'a BETWEEN b AND a',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: BETWEEN, first operand: [a]',
    ],
    [
      'a IN (b, a)',
      'The first operand must be distinct from the remaining operands for this operator or function; operator: IN, first operand: [a]',
    ],
    ['a.b = a', 'fine'],
    ['a[1] = #dotted', 'fine'],
    ['size(a) = a', 'fine'],
  ],
  'has operands of the wrong type': [
    ...['BOOL', 'NULL', 'L', 'M', 'SS', 'NS', 'BS'].map((type): readonly [string, string] => [
      `a < :${type.toLowerCase()}`,
      `Incorrect operand type for operator or function; operator or function: <, operand type: ${type}`,
    ]),
    [
      ':bool >= a',
      'Incorrect operand type for operator or function; operator or function: >=, operand type: BOOL',
    ],
    [
      'a BETWEEN :m AND :m',
      'Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: M',
    ],
    [
      ':l BETWEEN a AND b',
      'Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: L',
    ],
    [
      'begins_with(a, :n)',
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
    ],
    [
      'begins_with(:ss, a)',
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: SS',
    ],
    [
      'begins_with(a, size(b))',
      'Incorrect operand type for operator or function; operator or function: begins_with, operand type: N',
    ],
    ...['N', 'BOOL', 'NULL'].map((type): readonly [string, string] => [
      `size(:${type.toLowerCase()}) = :n`,
      `Incorrect operand type for operator or function; operator or function: size, operand type: ${type}`,
    ]),
    [
      'size(size(a)) = :n',
      'Incorrect operand type for operator or function; operator or function: size, operand type: N',
    ],
    ['size(:s) = :n OR size(:b) = :n OR size(:l) = :n OR size(:m) = :n OR size(:ns) = :n', 'fine'],
    [
      'attribute_type(a, :n)',
      'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N',
    ],
    [
      'attribute_type(a, b)',
      'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: {NS,SS,L,BS,N,M,B,BOOL,NULL,S}',
    ],
    [
      'attribute_type(a, :s)',
      'Invalid attribute type name found; type: s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}',
    ],
    [
      'attribute_exists(:s)',
      'Operator or function requires a document path; operator or function: attribute_exists',
    ],
    [
      'attribute_not_exists(size(a))',
      'Operator or function requires a document path; operator or function: attribute_not_exists',
    ],
    [
      'a BETWEEN :n AND :s',
      'The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:s}',
    ],
    [
      'a BETWEEN :s2 AND :s',
      'The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {S:t}, upper bound operand: AttributeValue: {S:s}',
    ],
    ['a BETWEEN size(b) AND :s', 'fine'],
    ['a BETWEEN b AND :s', 'fine'],
    [':n < :s', 'fine'],
    ['a = :m AND b <> :l AND c IN (:bool, :s)', 'fine'],
  ],
};

describe.each(Object.entries(cases))('a condition that %s', (_, texts) => {
  it.each(texts)('%j', (text, problem) => {
    expect(problemOf('ConditionExpression', text)).toBe(problem);
  });
});

describe('of several faults of a condition', () => {
  /** From the most to the least important; each text has a fault that the ones below it have to give way to. */
  it.each([
    ['size above all', `((status(a)) =${' '.repeat(4096)}`, 'Expression size has exceeded'],
    ['syntax before operators', `${many(151, 'a = :s', ' AND ')} =`, 'Syntax error'],
    ['syntax before parentheses', '((a = :s)) b', 'Syntax error'],
    [
      'operators before parentheses',
      `((${many(151, 'a = :s', ' AND ')}))`,
      'The expression contains too many',
    ],
    ['parentheses before functions', 'f(a) AND ((a = :s))', 'The expression has redundant parentheses'],
    ['unknown before misused functions', 'size(a) AND f(a)', 'Invalid function name'],
    ['misused functions before reserved words', 'status = :s AND size(a)', 'The function is not allowed'],
    ['reserved words before depth', `${deep(33)} = name`, 'Attribute name is a reserved keyword'],
    ['reserved words before undefined names', '#nope = name', 'Attribute name is a reserved keyword'],
    ['undefined before number', 'begins_with(a, b, :nope)', 'An expression attribute value'],
    ['the first undefined of one condition', ':nope = #nope', 'An expression attribute value'],
    ['number before equality', 'contains(a, a, b)', 'Incorrect number of operands'],
    ['equality before type', 'a BETWEEN a AND :m', 'The first operand must be distinct'],
    [
      'inner before outer functions',
      'begins_with(:n, size(:bool))',
      'Incorrect operand type for operator or function; operator or function: size',
    ],
    ['one condition after the other', 'a < :m AND b = :nope', 'Incorrect operand type'],
    ['a later condition has to wait', 'contains(a, a) AND b = :nope', 'The first operand must be distinct'],
  ])('%s', (_, text, problem) => {
    expect(problemOf('FilterExpression', text).slice(0, problem.length)).toBe(problem);
  });
});

it('names the parameter that the expression is in', () => {
  for (const parameter of ['ConditionExpression', 'FilterExpression', 'KeyConditionExpression'] as const) {
    expect(problemOf(parameter, '((a = :s))')).toBe('The expression has redundant parentheses;');
  }
});
