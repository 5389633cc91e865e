/** What is wrong with a JSON text, and in which line. */
export interface JsonFault {
  readonly line: number;
  readonly problem: string;
}

const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const scalar = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;
const space = /[ \t\r\n]*/y;
const word = /[^\s,:[\]{}]+|./y;

/**
 * Finds the first fault of a JSON text by its line, which V8 tells only of some faults and only in some versions. A name that
 * an object has twice is one too: of two values the first would be lost without a word.
 */
export function jsonFault(text: string): JsonFault | undefined {
  try {
    new Reader(text).readAll();
    return undefined;
  } catch (error) {
    if (error instanceof Fault)
      return { line: text.slice(0, error.at).split('\n').length, problem: error.message };
    throw error;
  }
}

class Fault extends Error {
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): void {
    this.#take(/\uFEFF?/y);
    this.#readValue();
    this.#skip();
    if (this.#at < this.#text.length) throw this.#unexpected('the end');
  }

  #readValue(): void {
    this.#skip();
    const first = this.#text[this.#at];
    if (first === '{') this.#readMembers('}', new Set());
    else if (first === '[') this.#readMembers(']', undefined);
    else if (this.#take(string) === undefined && this.#take(scalar) === undefined)
      throw this.#unexpected('a value');
  }

  /** Reads what stands between brackets: values, and in an object their names before them. */
  #readMembers(end: '}' | ']', names: Set<string> | undefined): void {
    this.#at++;
    this.#skip();
    if (this.#text[this.#at] === end) {
      this.#at++;
      return;
    }
    for (;;) {
      if (names !== undefined) this.#readName(names);
      this.#readValue();
      this.#skip();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== end) throw this.#unexpected(`"," or "${end}"`);
      this.#at++;
      if (next === end) return;
    }
  }

  #readName(names: Set<string>): void {
    this.#skip();
    const from = this.#at;
    const quoted = this.#take(string);
    if (quoted === undefined) throw this.#unexpected('a name in double quotes');
    const name = JSON.parse(quoted) as string;
    if (names.has(name)) throw new Fault(from, `${quoted} is there twice`);
    names.add(name);
    this.#skip();
    if (this.#take(/:/y) === undefined) throw this.#unexpected('":"');
  }

  #skip(): void {
    this.#take(space);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #unexpected(wanted: string): Fault {
    const { length } = this.#text;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0].slice(0, 30);
    return new Fault(
      Math.min(this.#at, length),
      `expected ${wanted}, found ${found === undefined ? 'the end of the file' : found}`,
    );
  }
}
