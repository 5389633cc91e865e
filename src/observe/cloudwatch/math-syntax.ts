/** An expression of metric math, as it was written. */
export type MathNode =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly MathNode[] }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly MathNode[] }
  | { readonly kind: 'negative'; readonly of: MathNode }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: MathNode;
      readonly right: MathNode;
    };

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '^'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '&&'
  | '||';

/** What is wrong with an expression, in words for the caller. */
export class MathError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Expressions are at most 2,048 characters long, and nest no deeper than this. */
const depthMax = 100;

const token =
  /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|'([^']*)'|"([^"]*)"|([A-Za-z_][A-Za-z0-9_]*)|(==|!=|<=|>=|&&|\|\||[-+*/^<>(),[\]]))/y;

interface Token {
  readonly kind: 'number' | 'text' | 'name' | 'mark' | 'end';
  readonly text: string;
}

/** Reads an expression. Operators bind as on the service: `^`, then `* /`, `+ -`, comparisons, AND, OR. */
export function parseMath(text: string): MathNode | MathError {
  const tokens = tokensOf(text);
  if (tokens instanceof MathError) return tokens;
  try {
    const parser = new Parser(tokens);
    return parser.whole();
  } catch (error) {
    if (error instanceof Refused) return new MathError(error.message);
    throw error;
  }
}

function tokensOf(text: string): readonly Token[] | MathError {
  const tokens: Token[] = [];
  const rest = text.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < rest.length) {
    const at = token.lastIndex;
    const match = token.exec(rest);
    if (match === null) return new MathError(`Unexpected character '${rest.slice(at).trim().charAt(0)}'`);
    const [, number, single, double, name, mark] = match;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (single !== undefined) tokens.push({ kind: 'text', text: single });
    else if (double !== undefined) tokens.push({ kind: 'text', text: double });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'mark', text: mark! });
  }
  return [...tokens, { kind: 'end', text: '' }];
}

class Refused extends Error {}

const levels: readonly (readonly string[])[] = [
  ['||', 'OR'],
  ['&&', 'AND'],
  ['==', '!=', '<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/'],
];

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): MathNode {
    const node = this.#level(0);
    if (this.#now.kind !== 'end') throw this.#unexpected();
    return node;
  }

  get #now(): Token {
    return this.#tokens[this.#at]!;
  }

  #level(level: number): MathNode {
    const operators = levels[level];
    if (operators === undefined) return this.#unary();
    let left = this.#level(level + 1);
    for (;;) {
      const operator = this.#operatorOf(operators);
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.#level(level + 1) };
    }
  }

  #operatorOf(operators: readonly string[]): BinaryOperator | undefined {
    const { kind, text } = this.#now;
    const word = text.toUpperCase();
    if (kind === 'mark' ? !operators.includes(text) : kind !== 'name' || !operators.includes(word))
      return undefined;
    this.#at++;
    return word === 'OR' ? '||' : word === 'AND' ? '&&' : (text as BinaryOperator);
  }

  #unary(): MathNode {
    if (this.#isMark('-')) {
      this.#at++;
      return this.#deeper(() => ({ kind: 'negative', of: this.#unary() }));
    }
    const base = this.#primary();
    if (!this.#isMark('^')) return base;
    this.#at++;
    return this.#deeper(() => ({ kind: 'binary', operator: '^', left: base, right: this.#unary() }));
  }

  #primary(): MathNode {
    const { kind, text } = this.#now;
    if (kind === 'number') {
      this.#at++;
      return { kind: 'number', value: Number(text) };
    }
    if (kind === 'text') {
      this.#at++;
      return { kind: 'text', value: text };
    }
    if (kind === 'name') {
      this.#at++;
      if (!this.#isMark('(')) return { kind: 'name', name: text };
      return { kind: 'call', name: text.toUpperCase(), arguments: this.#items('(', ')') };
    }
    if (this.#isMark('[')) return { kind: 'list', items: this.#items('[', ']') };
    if (!this.#isMark('(')) throw this.#unexpected();
    this.#at++;
    const inner = this.#deeper(() => this.#level(0));
    this.#take(')');
    return inner;
  }

  #items(open: string, close: string): MathNode[] {
    this.#take(open);
    const items: MathNode[] = [];
    while (!this.#isMark(close)) {
      if (items.length > 0) this.#take(',');
      items.push(this.#deeper(() => this.#level(0)));
    }
    this.#at++;
    return items;
  }

  #deeper<T>(read: () => T): T {
    if (++this.#depth > depthMax) throw new Refused('The expression is nested too deeply');
    const value = read();
    this.#depth--;
    return value;
  }

  #isMark(mark: string): boolean {
    return this.#now.kind === 'mark' && this.#now.text === mark;
  }

  #take(mark: string): void {
    if (!this.#isMark(mark)) throw this.#unexpected();
    this.#at++;
  }

  #unexpected(): Refused {
    const { kind, text } = this.#now;
    return new Refused(kind === 'end' ? 'Unexpected end of expression' : `Unexpected '${text}'`);
  }
}

/** The names of metrics and expressions that an expression uses. METRICS() uses every metric. */
export function namesIn(node: MathNode): Set<string> {
  const names = new Set<string>();
  const visit = (part: MathNode): void => {
    if (part.kind === 'name') names.add(part.name);
    else if (part.kind === 'list') part.items.forEach(visit);
    else if (part.kind === 'call') part.arguments.forEach(visit);
    else if (part.kind === 'negative') visit(part.of);
    else if (part.kind === 'binary') {
      visit(part.left);
      visit(part.right);
    }
  };
  visit(node);
  return names;
}
