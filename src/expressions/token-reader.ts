import { type Token, tokenize } from './tokens.ts';
import { ExpressionProblem } from './tree.ts';

/**
 * Hands the tokens of one expression to its parser, one after the other and never back.
 *
 * The first syntax error is kept, and from then on the reader stands at the end: nothing a parser asks for is there
 * any more, so that it comes to its own end without looking for errors at every step.
 */
export class TokenReader {
  /** The first syntax error. */
  problem: ExpressionProblem | undefined;

  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #keywords: ReadonlySet<string>;
  #at = 0;

  /** The keywords, in capitals: words that cannot be names in this kind of expression. */
  constructor(text: string, keywords: ReadonlySet<string>) {
    this.#text = text;
    this.#tokens = tokenize(text);
    this.#keywords = keywords;
  }

  get token(): Token {
    return this.#tokens[this.#at]!;
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  isSymbol(symbol: string): boolean {
    const { kind, text } = this.token;
    return kind === 'symbol' && text === symbol;
  }

  /** The keyword that stands here, in capitals. */
  get keyword(): string | undefined {
    const { kind, text } = this.token;
    if (kind !== 'word') return undefined;
    const upper = text.toUpperCase();
    return this.#keywords.has(upper) ? upper : undefined;
  }

  isKeyword(keyword: string): boolean {
    return this.keyword === keyword;
  }

  /** Whether a word of the user's own stands here. */
  get isName(): boolean {
    return this.token.kind === 'word' && this.keyword === undefined;
  }

  /** Whether a function is called here: a name, then an opening parenthesis. */
  get isCall(): boolean {
    const next = this.#tokens[this.#at + 1];
    return this.isName && next?.kind === 'symbol' && next.text === '(';
  }

  /** The token that stands here, leaving it behind. */
  take(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.#at++;
    return token;
  }

  /** Takes the symbol if it stands here. */
  takeIf(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.#at++;
    return found;
  }

  /** The symbol must stand here. */
  expect(symbol: string): void {
    if (!this.takeIf(symbol)) this.fail();
  }

  expectKeyword(keyword: string): void {
    if (this.isKeyword(keyword)) this.#at++;
    else this.fail();
  }

  expectEnd(): void {
    if (!this.isAtEnd) this.fail();
  }

  /**
   * The token that stands here cannot. The text `near` it reaches from the token before to the token behind, as it is
   * written, blanks included: `ADD hits : incr` is near `hits : incr`, `a = = b` near `= = b` (observed: public
   * captures, 2026).
   */
  fail(): void {
    if (this.problem !== undefined) return;
    const { token } = this;
    const before = this.#tokens[this.#at - 1] ?? token;
    const behind = this.#tokens[this.#at + 1];
    const last = behind === undefined ? before : behind.kind === 'end' ? token : behind;
    const near = this.#text.slice(before.start, last.end);
    this.problem = new ExpressionProblem(`Syntax error; token: "${token.text}", near: "${near}"`);
    this.#at = this.#tokens.length - 1;
  }
}
