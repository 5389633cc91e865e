import {
  backslash,
  closeBrace,
  closeBracket,
  colon,
  comma,
  openBrace,
  openBracket,
  quote,
} from './json-marks.ts';
import { setOwn } from './own-members.ts';

/**
 * `JSON.parse` for text whose member names come from clients. V8 from 12.8 on (Node 24 and 26) may confuse a name that
 * contains an escape with the name it saw in the same position before: after `{"a":1,"\\":2}` it reads
 * `{"a":1,"\n":2}` as the former (nodejs/node#63785, open in November 2026). `JSON.parse` therefore reads text without
 * such names, which is nearly all text. It also validates the rest, which is then read here.
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return hasEscapedName(text) ? new ValidJson(text).value() : parsed;
}

/**
 * Tells whether a member name contains an escape: jumps from escape to escape and looks for a colon behind each
 * string.
 */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at !== -1; at = text.indexOf('\\', at)) {
    at = behindString(text, at);
    if (text.charCodeAt(behindSpace(text, at)) === colon) return true;
  }
  return false;
}

/** Reads text that is valid JSON and not nested too deeply for the stack. Leaves scalars to `JSON.parse`. */
class ValidJson {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case openBrace:
        return this.#object();
      case openBracket:
        return this.#array();
      default:
        return JSON.parse(this.#scalar());
    }
  }

  #object(): object {
    const value: Record<string, unknown> = {};
    for (this.#at++; this.#next() !== closeBrace; this.#pass(comma)) {
      const name = JSON.parse(this.#scalar()) as string;
      this.#pass(colon);
      setOwn(value, name, this.value());
    }
    this.#at++;
    return value;
  }

  #array(): unknown[] {
    const elements: unknown[] = [];
    for (this.#at++; this.#next() !== closeBracket; this.#pass(comma)) elements.push(this.value());
    this.#at++;
    return elements;
  }

  /** The text of a string, a number or a word. */
  #scalar(): string {
    const start = this.#at;
    if (this.#text.charCodeAt(start) === quote) this.#at = behindString(this.#text, start + 1);
    else while (isOfWord(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #next(): number {
    this.#at = behindSpace(this.#text, this.#at);
    return this.#text.charCodeAt(this.#at);
  }

  #pass(unit: number): void {
    if (this.#next() === unit) this.#at++;
  }
}

/** The position behind the closing quote of the string around `at`, or behind the text if there is no such quote. */
export function behindString(text: string, at: number): number {
  let end = at;
  while (end < text.length && text.charCodeAt(end) !== quote)
    end += text.charCodeAt(end) === backslash ? 2 : 1;
  return end + 1;
}

function behindSpace(text: string, at: number): number {
  let end = at;
  while (isSpace(text.charCodeAt(end))) end++;
  return end;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** False at the end of the text, where the unit is NaN. */
function isOfWord(unit: number): boolean {
  return unit > 0x20 && unit !== comma && unit !== closeBracket && unit !== closeBrace;
}
