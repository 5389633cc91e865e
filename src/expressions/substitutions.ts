import type { AttributeValue } from '../model/attribute-value.ts';

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
    this.#used.add(reference);
    return this.#names.get(reference);
  }

  value(reference: string): AttributeValue | undefined {
    this.#used.add(reference);
    return this.#values.get(reference);
  }

  /** In the order of the request. */
  get unusedNames(): readonly string[] {
    return [...this.#names.keys()].filter((reference) => !this.#used.has(reference));
  }

  get unusedValues(): readonly string[] {
    return [...this.#values.keys()].filter((reference) => !this.#used.has(reference));
  }
}
