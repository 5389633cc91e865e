import type { AttributeValue } from '../model/values/attribute-value.ts';

/** The names and values of one request, and which of them its expressions have used so far. */
export class Substitutions {
  readonly #names: ReadonlyMap<string, string>;
  readonly #values: ReadonlyMap<string, AttributeValue>;
  readonly #used = new Set<string>();

  /** Keys have their `#` or `:`. */
  constructor(names: ReadonlyMap<string, string>, values: ReadonlyMap<string, AttributeValue>) {
    this.#names = names;
    this.#values = values;
  }

  name(reference: string): string | undefined {
    const name = this.#names.get(reference);
    if (name !== undefined) this.#used.add(reference);
    return name;
  }

  value(reference: string): AttributeValue | undefined {
    const value = this.#values.get(reference);
    if (value !== undefined) this.#used.add(reference);
    return value;
  }

  get areAllUsed(): boolean {
    return this.#used.size === this.#names.size + this.#values.size;
  }

  /** In the order of the request. */
  get unusedNames(): readonly string[] {
    return [...this.#names.keys()].filter((reference) => !this.#used.has(reference));
  }

  get unusedValues(): readonly string[] {
    return [...this.#values.keys()].filter((reference) => !this.#used.has(reference));
  }
}
