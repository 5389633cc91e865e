/**
 * What readers of JSON that we wrote ourselves have in common: a text without white space, a place in it, and strings
 * that are cut straight out of it unless they hold an escape.
 */
export abstract class CompactJsonReader {
  protected text = '';
  protected at = 0;
  /** Where the next backslash stands, so that strings before it are known to be plain. */
  private escape = 0;

  protected begin(text: string): void {
    this.text = text;
    this.at = 0;
    this.escape = this.nextEscape(0);
  }

  protected end(): void {
    if (this.at !== this.text.length) throw this.unexpected();
  }

  protected string(): string {
    this.expect(units.quote);
    const start = this.at;
    const end = this.text.indexOf('"', start);
    if (end < 0) throw this.unexpected();
    if (end > this.escape) return this.escapedString(start);
    this.at = end + 1;
    return this.text.slice(start, end);
  }

  /** Goes behind a string. */
  protected passString(): void {
    const end = this.text.indexOf('"', this.at + 1);
    if (end < 0) throw this.unexpected();
    if (end < this.escape) this.at = end + 1;
    else this.string();
  }

  protected word<Value>(word: string, value: Value): Value {
    if (!this.text.startsWith(word, this.at)) throw this.unexpected();
    this.at += word.length;
    return value;
  }

  protected expect(unit: number): void {
    if (this.text.charCodeAt(this.at) !== unit) throw this.unexpected();
    this.at++;
  }

  protected skip(unit: number): boolean {
    if (this.text.charCodeAt(this.at) !== unit) return false;
    this.at++;
    return true;
  }

  /** The text is not what we write: a bug, or damage. */
  protected abstract unexpected(): Error;

  private escapedString(start: number): string {
    const { text } = this;
    let end = start;
    while (text.charCodeAt(end) !== units.quote) {
      end += text.charCodeAt(end) === units.backslash ? 2 : 1;
      if (end >= text.length) throw this.unexpected();
    }
    this.at = end + 1;
    this.escape = this.nextEscape(end);
    return JSON.parse(text.slice(start - 1, end + 1)) as string;
  }

  private nextEscape(from: number): number {
    const found = this.text.indexOf('\\', from);
    return found < 0 ? this.text.length : found;
  }
}

export const units = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;
