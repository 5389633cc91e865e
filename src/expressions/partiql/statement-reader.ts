import { type DynamoError, validationError } from '../../model/errors.ts';
import { type Token, tokenize } from './statement-tokens.ts';

/**
 * Hands the tokens of one statement to its parsers, one after the other. The first problem is kept, and from then on
 * the reader stands at the end, so that every parser comes to its own end without looking for problems at every step.
 */
export class StatementReader {
  problem: DynamoError | undefined;

  readonly #text: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
    this.#stopAtUnknown();
  }

  get token(): Token {
    return this.#tokens[this.#at]!;
  }

  /** The token behind the one that stands here. */
  get next(): Token {
    return this.#tokens[Math.min(this.#at + 1, this.#tokens.length - 1)]!;
  }

  isSymbol(symbol: string): boolean {
    const { kind, text } = this.token;
    return kind === 'symbol' && text === symbol;
  }

  isKeyword(keyword: string): boolean {
    const { kind, text } = this.token;
    return kind === 'keyword' && text === keyword;
  }

  get isName(): boolean {
    return isName(this.token);
  }

  get isAtEnd(): boolean {
    return this.token.kind === 'end';
  }

  take(): Token {
    const { token } = this;
    if (token.kind !== 'end') this.#at++;
    this.#stopAtUnknown();
    return token;
  }

  takeIf(symbol: string): boolean {
    const found = this.isSymbol(symbol);
    if (found) this.take();
    return found;
  }

  takeKeywordIf(keyword: string): boolean {
    const found = this.isKeyword(keyword);
    if (found) this.take();
    return found;
  }

  /** The symbol must stand here; `name` is what the service calls it. */
  expect(symbol: string, name: string): void {
    if (!this.takeIf(symbol)) this.malformed(`Expected ${name}`);
  }

  /** The text cannot be read; the words are those of the open PartiQL parser, which the service has inside. */
  malformed(detail: string): void {
    this.fail(`Statement wasn't well formed, can't be processed: ${detail}`);
  }

  /** It can be read, but means nothing here; with a token, the text says where. */
  fail(text: string, token?: { readonly start: number; readonly end: number }): void {
    this.problem ??= token === undefined ? validationError(text) : this.errorAt(text, token);
    this.#at = this.#tokens.length - 1;
  }

  errorAt(text: string, token: { readonly start: number; readonly end: number }): DynamoError {
    return validationError(`${text} at ${this.place(token)}`);
  }

  /**
   * Line, column and length of a token, as the service tells them (observed: public captures, September and October
   * 2026).
   */
  place({ start, end }: { readonly start: number; readonly end: number }): string {
    const before = this.#text.slice(0, start);
    const line = before.split('\n').length;
    return `${line}:${start - before.lastIndexOf('\n')}:${end - start}`;
  }

  /** An unterminated string is answered without any detail (observed: public captures, 2026). */
  #stopAtUnknown(): void {
    if (this.token.kind === 'unknown') this.malformed('');
  }
}

export function isName({ kind }: Token): boolean {
  return kind === 'name' || kind === 'quoted name';
}
