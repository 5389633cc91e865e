import { isInt32 } from '../../model/values/numbers.ts';
import { isKeyword } from './keywords.ts';

/** A token of a statement. */
export interface Token {
  readonly kind: TokenKind;
  /** Of a keyword its capitals, of a quoted name or a string what stands between the quotes, else as written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export type TokenKind =
  | 'keyword'
  | 'name'
  /** In double quotes. */
  | 'quoted name'
  | 'string'
  | 'number'
  /** Between backticks: Ion, which is not supported. */
  | 'ion'
  | 'symbol'
  /** What no rule knows: an unterminated string or comment, or a character that has no meaning. */
  | 'unknown'
  | 'end';

/** One pass over the text, however long. After something unknown nothing is read any more. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    const start = skipBlanks(text, at);
    const token = start === unterminated ? unknownAt(text, at) : tokenAt(text, start);
    tokens.push(token);
    if (token.kind === 'end') return tokens;
    at = token.kind === 'unknown' ? text.length : token.end;
  }
}

const unterminated = -1;

/** Behind blanks and comments, of which `--` ends with its line. */
function skipBlanks(text: string, from: number): number {
  let at = from;
  for (;;) {
    while (isBlank(text.charCodeAt(at))) at++;
    if (text.startsWith('--', at)) {
      while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      if (end < 0) return unterminated;
      at = end + 2;
    } else return at;
  }
}

function tokenAt(text: string, start: number): Token {
  if (start >= text.length) return { kind: 'end', text: '', start, end: start };
  const unit = text.charCodeAt(start);
  if (unit === singleQuote) return quotedAt(text, start, 'string');
  if (unit === doubleQuote) return quotedAt(text, start, 'quoted name');
  if (unit === backtick) return quotedAt(text, start, 'ion');
  if (isNameStart(unit)) return wordAt(text, start);
  if (isDigit(unit) || (unit === point && isDigit(text.charCodeAt(start + 1)))) return numberAt(text, start);
  for (const length of [2, 1]) {
    const symbol = text.slice(start, start + length);
    if (symbols.has(symbol)) return { kind: 'symbol', text: symbol, start, end: start + length };
  }
  return unknownAt(text, start);
}

function unknownAt(text: string, start: number): Token {
  return { kind: 'unknown', text: '', start, end: text.length };
}

/** A quote within quotes is written twice. */
function quotedAt(text: string, start: number, kind: 'string' | 'quoted name' | 'ion'): Token {
  const quote = text[start]!;
  let content = '';
  let from = start + 1;
  for (;;) {
    const end = text.indexOf(quote, from);
    if (end < 0) return unknownAt(text, start);
    content += text.slice(from, end);
    if (text[end + 1] !== quote) return { kind, text: content, start, end: end + 1 };
    content += quote;
    from = end + 2;
  }
}

function wordAt(text: string, start: number): Token {
  let end = start + 1;
  while (isNamePart(text.charCodeAt(end))) end++;
  const word = text.slice(start, end);
  return isKeyword(word)
    ? { kind: 'keyword', text: word.toUpperCase(), start, end }
    : { kind: 'name', text: word, start, end };
}

/**
 * Whether the parser's decimals, which count with 32-bit integers, hold such an exponent and the scale that it leaves
 * (observed: public captures, October 2026).
 */
function isReadable(exponent: number, decimals: number): boolean {
  return isInt32(exponent) && isInt32(decimals - exponent);
}

/** `1`, `1.5`, `.5`, `1e-3`. What follows a number at once must not be a part of a name. */
function numberAt(text: string, start: number): Token {
  let end = digitsEnd(text, start);
  const integerEnd = end;
  if (text.charCodeAt(end) === point) end = digitsEnd(text, end + 1);
  const decimals = Math.max(0, end - integerEnd - 1);
  if ((text.charCodeAt(end) | 0x20) === letterE) {
    const sign = text.charCodeAt(end + 1);
    const exponent = sign === plus || sign === minus ? end + 2 : end + 1;
    const exponentEnd = digitsEnd(text, exponent);
    if (exponentEnd === exponent || !isReadable(Number(text.slice(end + 1, exponentEnd)), decimals))
      return unknownAt(text, start);
    end = exponentEnd;
  }
  if (isNamePart(text.charCodeAt(end))) return unknownAt(text, start);
  return { kind: 'number', text: text.slice(start, end), start, end };
}

function digitsEnd(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

const symbols: ReadonlySet<string> = new Set([
  ...['=', '<', '>', '<>', '!=', '<=', '>=', '<<', '>>'],
  ...['+', '-', '*', '/', '%', '||', '@', '^'],
  ...['(', ')', '[', ']', '{', '}', '.', ',', ':', ';', '?'],
]);

const singleQuote = 0x27;
const doubleQuote = 0x22;
const backtick = 0x60;
const point = 0x2e;
const plus = 0x2b;
const minus = 0x2d;
const letterE = 0x65;

function isBlank(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}

function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isNameStart(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f || unit === 0x24;
}

/** False behind the end of the text, where the unit is NaN. */
function isNamePart(unit: number): boolean {
  return isNameStart(unit) || isDigit(unit);
}
