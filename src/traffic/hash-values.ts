import { createHash } from 'node:crypto';

/**
 * Puts digests in the place of values, under a secret that is thrown away: equal values stay equal and keep their size,
 * so that keys are as hot and items as large as they were, and nobody can read them. Parts of a key between `#` are
 * hashed alone, and its constant heads (`ORDER`, `CUST`) stay, so that prefixes still are prefixes.
 */
export class ValueHasher {
  readonly #secret: Uint8Array;
  readonly #known = new Map<string, string>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** A request's input with all attribute values hashed. Names of tables, indexes and attributes stay. */
  input(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { Statement, Statements, TransactStatements, ...rest } = input;
    const hashed = this.#members(rest) as Record<string, unknown>;
    if (typeof Statement === 'string') hashed.Statement = this.#statement(Statement);
    if (Array.isArray(Statements)) hashed.Statements = this.#statements(Statements);
    if (Array.isArray(TransactStatements)) hashed.TransactStatements = this.#statements(TransactStatements);
    return hashed;
  }

  #statements(list: readonly unknown[]): unknown[] {
    return list.map((one) =>
      typeof one === 'object' && one !== null ? this.input(one as Record<string, unknown>) : one,
    );
  }

  /** Literals of PartiQL. */
  #statement(text: string): string {
    return text.replace(/'((?:[^']|'')*)'/g, (_, literal: string) => `'${this.text(literal)}'`);
  }

  #members(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((one) => this.#members(one));
    if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
    const names = Object.keys(value);
    const members = value as Record<string, unknown>;
    const [first] = names;
    if (names.length === 1 && typeTags.has(first!)) return { [first!]: this.#value(first!, members[first!]) };
    return Object.fromEntries(
      names.map((name) => [
        name,
        name === 'ClientRequestToken' || name === 'NextToken' ? undefined : this.#members(members[name]),
      ]),
    );
  }

  #value(tag: string, value: unknown): unknown {
    switch (tag) {
      case 'S':
        return typeof value === 'string' ? this.text(value) : value;
      case 'N':
        return typeof value === 'string' ? this.#number(value) : value;
      case 'B':
        return this.#bytes(value);
      case 'SS':
      case 'NS':
      case 'BS':
        return Array.isArray(value) ? value.map((one) => this.#value(tag.charAt(0), one)) : value;
      case 'L':
        return Array.isArray(value) ? value.map((one) => this.#members(one)) : value;
      case 'M':
        return typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#members(one)]))
          : value;
      default:
        return value;
    }
  }

  text(value: string): string {
    return value
      .split('#')
      .map((part) =>
        part === '' || constant.test(part) ? part : this.#digest(part, Buffer.byteLength(part)),
      )
      .join('#');
  }

  /** As many digits as before, and the same sign and point. */
  #number(value: string): string {
    const match = /^(-?)(\d+)(\.\d+)?$/.exec(value);
    if (match === null || value === '0') return value;
    const digits = this.#digits(match[2]!, match[2]!.length);
    const decimals = match[3] === undefined ? '' : `.${this.#digits(match[3], match[3].length - 1)}`;
    return `${match[1]}${digits}${decimals}`;
  }

  #digits(value: string, length: number): string {
    const digits = Array.from(this.#digest(`number ${value}`, length), (one) =>
      String((one.charCodeAt(0) * 7) % 10),
    ).join('');
    return digits.startsWith('0') ? `1${digits.slice(1)}` : digits;
  }

  #bytes(value: unknown): unknown {
    if (typeof value === 'string') {
      const { length } = Buffer.from(value, 'base64');
      return Buffer.from(this.#digest(value, length)).toString('base64');
    }
    if (!(value instanceof Uint8Array)) return value;
    return new Uint8Array(Buffer.from(this.#digest(Buffer.from(value).toString('base64'), value.length)));
  }

  /** Letters and digits of the wanted length. */
  #digest(value: string, length: number): string {
    const known = this.#known.get(value);
    if (known !== undefined && known.length === length) return known;
    let text = createHash('sha256')
      .update(this.#secret)
      .update(value)
      .update(this.#secret)
      .digest('base64url')
      .replaceAll(/[-_]/g, 'x');
    // Long texts carry nothing but their size beyond the first 43 characters.
    if (text.length < length) text = text.padEnd(length, text);
    text = text.slice(0, Math.max(1, length));
    if (this.#known.size >= 50_000) this.#known.clear();
    this.#known.set(value, text);
    return text;
  }
}

const typeTags = new Set(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);

/** Heads of keys: capital letters, as in `ORDER#…`. */
const constant = /^[A-Z][A-Z_.]{1,30}$/;
