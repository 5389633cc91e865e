/**
 * The tokens of all expressions. Every character belongs to one, so that a syntax error can always name its token: a
 * character that no rule knows is a token of its own (`SET _123` is SET, `_` and `123`).
 *
 * Keywords are words here. Which words are keywords depends on the kind of expression, and they count in any case.
 */
export type TokenKind =
  /** A letter, then letters, digits and `_`. */
  | 'word'
  /** `#` or `:` and at least one letter, digit or `_`. */
  | 'name reference'
  | 'value reference'
  | 'digits'
  | 'symbol'
  | 'unknown'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** One pass over the text, however long. The last token is the end, which an error shows as `<EOF>`. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (isBlank(unit)) {
      at++;
      continue;
    }
    const kind = kindAt(text, at, unit);
    const end = endOf(text, at, kind);
    tokens.push({ kind, text: text.slice(at, end), start: at, end });
    at = end;
  }
  tokens.push({ kind: 'end', text: '<EOF>', start: at, end: at });
  return tokens;
}

function kindAt(text: string, at: number, unit: number): TokenKind {
  if (isLetter(unit)) return 'word';
  if (isDigit(unit)) return 'digits';
  if (unit === hash || unit === colon) {
    if (!isWordPart(text.charCodeAt(at + 1))) return 'unknown';
    return unit === hash ? 'name reference' : 'value reference';
  }
  return symbols.has(text[at]!) ? 'symbol' : 'unknown';
}

function endOf(text: string, start: number, kind: TokenKind): number {
  let end = start + 1;
  switch (kind) {
    case 'word':
    case 'name reference':
    case 'value reference':
      while (isWordPart(text.charCodeAt(end))) end++;
      return end;
    case 'digits':
      while (isDigit(text.charCodeAt(end))) end++;
      return end;
    case 'symbol':
      return symbols.has(text.slice(start, end + 1)) ? Math.min(end + 1, text.length) : end;
    default:
      // A character beyond U+FFFF is two units, and half of it would be no text.
      return text.codePointAt(start)! > 0xffff ? end + 1 : end;
  }
}

const symbols: ReadonlySet<string> = new Set([
  ...['=', '<', '>', '<>', '<=', '>='],
  ...['+', '-', '(', ')', '[', ']', '.', ','],
]);

const hash = 0x23;
const colon = 0x3a;

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLetter(unit: number): boolean {
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** False behind the end of the text, where the unit is NaN. */
function isWordPart(unit: number): boolean {
  return isLetter(unit) || isDigit(unit) || unit === 0x5f;
}
