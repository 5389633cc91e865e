import {
  type Expression,
  heightAbove,
  heightMax,
  type Operator,
  type Step,
  type StructMember,
} from './expression.ts';
import { functionKeywords } from './keywords.ts';
import { isName, type StatementReader } from './statement-reader.ts';
import type { Token } from './statement-tokens.ts';

/** Reads the expressions of one statement, counting its parameters as they come. */
export class ExpressionParser {
  /** How many parameters have been read. */
  parameters = 0;

  readonly #reader: StatementReader;
  #depth = 0;

  constructor(reader: StatementReader) {
    this.#reader = reader;
  }

  /** An expression of operators that bind more closely than `precedence`. */
  parse(precedence = 0): Expression {
    const reader = this.#reader;
    if (++this.#depth > heightMax) this.#tooDeep();
    let expression = this.#prefixed();
    for (;;) {
      const infix = this.#infix();
      if (infix === undefined || infix.precedence <= precedence) break;
      expression = this.#applied(expression, infix);
      if (expression.height > heightMax) this.#tooDeep();
    }
    this.#depth--;
    return reader.problem === undefined ? expression : nothing;
  }

  /** A path that begins with a name, as it stands left of an assignment and behind REMOVE. */
  parseTarget(): Expression {
    if (this.#reader.isName) return this.#path(this.#reader.take());
    this.#reader.malformed('Expected identifier for simple path');
    return nothing;
  }

  /** The binary operator that stands here; `NOT` may stand before some of them. */
  #infix(): Infix | undefined {
    const { token, next } = this.#reader;
    if (token.kind === 'keyword' && token.text === 'NOT' && next.kind === 'keyword') {
      const found = negatable.has(next.text) ? infixes.get(next.text) : undefined;
      return found && { ...found, negated: true };
    }
    return token.kind === 'keyword' || token.kind === 'symbol' ? infixes.get(token.text) : undefined;
  }

  #applied(left: Expression, { operator, precedence, negated }: Infix): Expression {
    const reader = this.#reader;
    if (negated) reader.take();
    const { start, end } = reader.take();
    const token = { start, end };
    if (operator === 'is') return this.#is(left);
    if (operator === 'in' && reader.isSymbol('(')) {
      const opening = reader.take();
      const list = this.#list('list', opening, ')', 'RIGHT_PAREN');
      return maybeNot(operation('in', [left, list], left.token), negated);
    }
    if (reader.isAtEnd) reader.malformed('Missing right-hand side expression of infix operator');
    const right = this.parse(precedence);
    if (operator === 'between') {
      if (!reader.takeKeywordIf('AND')) reader.malformed('Expected AND');
      const high = this.parse(precedence);
      return maybeNot(operation('between', [left, right, high], left.token), negated);
    }
    if (operator === 'and' || operator === 'or') return joined(operator, left, right, token);
    return maybeNot(operation(operator, [left, right], token), negated);
  }

  #is(operand: Expression): Expression {
    const reader = this.#reader;
    const negated = reader.takeKeywordIf('NOT');
    const type = this.#typeName();
    return maybeNot({ kind: 'is', operand, type, token: operand.token, height: operand.height + 1 }, negated);
  }

  #typeName(): string {
    const reader = this.#reader;
    const { token, next } = reader;
    const word = token.kind === 'keyword' || token.kind === 'name' ? token.text.toUpperCase() : '';
    const second = secondWords.get(word);
    if (second !== undefined && next.kind === 'keyword' && next.text === second) {
      reader.take();
      reader.take();
      return `${word} ${second}`;
    }
    if (!types.has(word)) reader.malformed('Expected type name');
    reader.take();
    return word;
  }

  /** Signs are taken into numbers; before anything else they stay operators of one operand. */
  #prefixed(): Expression {
    const reader = this.#reader;
    if (reader.isKeyword('NOT')) {
      const token = reader.take();
      return operation('not', [this.parse(notPrecedence)], token);
    }
    const signs: Token[] = [];
    while (reader.isSymbol('-') || reader.isSymbol('+')) signs.push(reader.take());
    let expression = this.#term();
    for (const sign of signs.reverse()) {
      if (expression.kind !== 'number') expression = operation(sign.text as '+' | '-', [expression], sign);
      else if (sign.text === '-') expression = { ...expression, text: negatedNumber(expression.text) };
      if (expression.height > heightMax) this.#tooDeep();
    }
    return expression;
  }

  #term(): Expression {
    const reader = this.#reader;
    const { token, next } = reader;
    const leaf = { token, height: 1 };
    switch (token.kind) {
      case 'string':
      case 'number':
        reader.take();
        return { kind: token.kind, text: token.text, ...leaf };
      case 'ion':
        reader.take();
        return { kind: 'ion', text: token.text, ...leaf };
      case 'name':
      case 'quoted name':
        reader.take();
        return next.kind === 'symbol' && next.text === '(' ? this.#call(token) : this.#path(token);
      case 'keyword':
        return this.#keywordTerm(token);
      case 'symbol':
        return this.#symbolTerm(token);
      default:
        reader.malformed('Unexpected term');
        return nothing;
    }
  }

  #keywordTerm(token: Token): Expression {
    const reader = this.#reader;
    const { next } = reader;
    const leaf = { token, height: 1 };
    switch (token.text) {
      case 'TRUE':
      case 'FALSE':
        reader.take();
        return { kind: 'boolean', value: token.text === 'TRUE', ...leaf };
      case 'NULL':
      case 'MISSING':
        reader.take();
        return { kind: token.text === 'NULL' ? 'null' : 'missing', ...leaf };
    }
    if (functionKeywords.has(token.text) && next.kind === 'symbol' && next.text === '(') {
      return this.#call(reader.take());
    }
    // IS and LIKE (observed: public captures, October 2026); all infix operators are alike (inferred: PartiQL parser).
    reader.malformed(infixes.has(token.text) ? 'Unexpected operator' : 'Unexpected keyword');
    return nothing;
  }

  #symbolTerm(token: Token): Expression {
    const reader = this.#reader;
    reader.take();
    switch (token.text) {
      case '(':
        return this.#group(token);
      case '[':
        return this.#list('list', token, ']', 'RIGHT_BRACKET');
      case '<<':
        return this.#list('bag', token, '>>', 'RIGHT_DOUBLE_ANGLE_BRACKET');
      case '{':
        return this.#struct(token);
      case '?':
        return { kind: 'parameter', position: this.parameters++, token, height: 1 };
    }
    reader.malformed(operatorSymbols.has(token.text) ? 'Unexpected operator' : 'Unexpected term');
    return nothing;
  }

  /** One expression in parentheses is itself; several are a list. */
  #group(opening: Token): Expression {
    const list = this.#list('list', opening, ')', 'RIGHT_PAREN');
    if (list.kind !== 'list') return list;
    if (list.members.length === 0) this.#reader.malformed('Expression group cannot be empty');
    return list.members.length === 1 ? list.members[0]! : list;
  }

  #list(kind: 'list' | 'bag', opening: Token, closing: string, name: string): Expression {
    const members = this.#commaList(closing, name, () => this.parse());
    return { kind, members, token: opening, height: heightAbove(members) };
  }

  #struct(opening: Token): Expression {
    const members = this.#commaList('}', 'RIGHT_CURLY', (): StructMember => {
      const name = this.parse();
      this.#reader.expect(':', 'COLON');
      return { name, value: this.parse() };
    });
    const height = heightAbove(members.flatMap(({ name, value }) => [name, value]));
    return { kind: 'struct', members, token: opening, height };
  }

  #commaList<T>(closing: string, name: string, parseMember: () => T): T[] {
    const reader = this.#reader;
    const members: T[] = [];
    if (reader.takeIf(closing)) return members;
    do members.push(parseMember());
    while (reader.takeIf(','));
    reader.expect(closing, name);
    return members;
  }

  #call(name: Token): Expression {
    const reader = this.#reader;
    reader.expect('(', 'LEFT_PAREN');
    // COUNT(*) is the one call with a star; the functions that take it do not exist in DynamoDB.
    if (reader.isSymbol('*')) reader.take();
    const operands = this.#commaList(')', 'RIGHT_PAREN', () => this.parse());
    return {
      kind: 'call',
      name: name.text.toLowerCase(),
      operands,
      token: name,
      height: heightAbove(operands),
    };
  }

  #path(first: Token): Expression {
    const reader = this.#reader;
    const steps: Step[] = [{ kind: 'name', name: first.text }];
    for (;;) {
      if (reader.takeIf('.')) {
        if (reader.takeIf('*')) steps.push({ kind: 'unpivot' });
        else if (isName(reader.token)) steps.push({ kind: 'name', name: reader.take().text });
        else reader.malformed('Invalid path dot component');
      } else if (reader.takeIf('[')) {
        if (reader.takeIf('*')) steps.push({ kind: 'wildcard' });
        else steps.push({ kind: 'index', index: this.parse() });
        reader.expect(']', 'RIGHT_BRACKET');
      } else return { kind: 'path', steps, token: first, height: 1 };
    }
  }

  #tooDeep(): void {
    this.#reader.malformed('The expression is nested too deeply');
  }
}

/** Stands for an expression after a problem; no one gets to see it. */
const nothing: Expression = { kind: 'null', token: { start: 0, end: 0 }, height: 1 };

interface Infix {
  readonly operator: Operator | 'is';
  readonly precedence: number;
  readonly negated?: boolean;
}

const notPrecedence = 30;

/** Operators and how closely they bind, from OR, the loosest, to the products, which DynamoDB has none of. */
const infixes: ReadonlyMap<string, Infix> = new Map<string, Infix>([
  ['OR', { operator: 'or', precedence: 10 }],
  ['AND', { operator: 'and', precedence: 20 }],
  ['=', { operator: '=', precedence: 40 }],
  ['<>', { operator: '<>', precedence: 40 }],
  ['!=', { operator: '<>', precedence: 40 }],
  ['IS', { operator: 'is', precedence: 40 }],
  ['IN', { operator: 'in', precedence: 40 }],
  ['<', { operator: '<', precedence: 50 }],
  ['<=', { operator: '<=', precedence: 50 }],
  ['>', { operator: '>', precedence: 50 }],
  ['>=', { operator: '>=', precedence: 50 }],
  ['BETWEEN', { operator: 'between', precedence: 50 }],
  ['LIKE', { operator: 'like', precedence: 50 }],
  ['+', { operator: '+', precedence: 60 }],
  ['-', { operator: '-', precedence: 60 }],
  ['||', { operator: '||', precedence: 60 }],
  ['*', { operator: '*', precedence: 70 }],
  ['/', { operator: '/', precedence: 70 }],
  ['%', { operator: '%', precedence: 70 }],
]);

const negatable: ReadonlySet<string> = new Set(['IN', 'BETWEEN', 'LIKE']);

const operatorSymbols: ReadonlySet<string> = new Set([
  ...['=', '<', '>', '<>', '!=', '<=', '>='],
  ...['*', '/', '%', '||', '@', '^'],
]);

/**
 * What may stand behind IS; which of them DynamoDB knows shows later. The last line (observed: public captures, October
 * 2026).
 */
const types: ReadonlySet<string> = new Set(
  (
    'MISSING NULL BOOL BOOLEAN SMALLINT INT INTEGER FLOAT REAL DEC DECIMAL NUMERIC TIMESTAMP DATE TIME CHAR ' +
    'CHARACTER VARCHAR STRING SYMBOL CLOB BLOB STRUCT TUPLE LIST SEXP BAG ' +
    'INT4 INT8'
  ).split(' '),
);

/** The types of two words. */
const secondWords: ReadonlyMap<string, string> = new Map([
  ['DOUBLE', 'PRECISION'],
  ['CHARACTER', 'VARYING'],
]);

function operation(
  operator: Operator,
  operands: readonly Expression[],
  token: Expression['token'],
): Expression {
  return { kind: 'operation', operator, operands, token, height: heightAbove(operands) };
}

function maybeNot(expression: Expression, negated: boolean | undefined): Expression {
  return negated ? operation('not', [expression], expression.token) : expression;
}

/**
 * `a AND b AND c` is one condition of three parts, however long it gets. The parser is the only one who has the parts
 * yet, so that they are added to where they are.
 */
function joined(
  operator: 'and' | 'or',
  left: Expression,
  right: Expression,
  token: Expression['token'],
): Expression {
  if (left.kind !== 'operation' || left.operator !== operator)
    return operation(operator, [left, right], token);
  (left.operands as Expression[]).push(right);
  return { ...left, height: Math.max(left.height, right.height + 1) };
}

function negatedNumber(text: string): string {
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}
