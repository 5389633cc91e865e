/** A foreign file is not what it claims to be; the message begins with the place, such as `tables[0].table_name`. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
  readonly place: string;

  constructor(place: string, message: string) {
    super(`${place === '' ? 'the file' : place}: ${message}`);
    this.place = place;
  }
}

/** A value of a foreign file together with its place, so that every refusal can name it. */
export class Place {
  readonly value: unknown;
  readonly path: string;

  constructor(value: unknown, path = '') {
    this.value = value;
    this.path = path;
  }

  fail(message: string): never {
    throw new ImportError(this.path, message);
  }

  get exists(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  at(name: string): Place {
    const { value } = this;
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.fail(`must be an object, not ${shown(value)}`);
    const own = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
    return new Place(own, this.path === '' ? name : `${this.path}.${name}`);
  }

  /** The first of several spellings that is there. */
  anyOf(...names: readonly string[]): Place {
    return names.map((name) => this.at(name)).find(({ exists }) => exists) ?? this.at(names[0]!);
  }

  list(): Place[] {
    const { value } = this;
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return this.fail(`must be a list, not ${shown(value)}`);
    return value.map((one, at) => new Place(one, `${this.path}[${at}]`));
  }

  entries(): [string, Place][] {
    const { value } = this;
    if (value === undefined || value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value))
      return this.fail(`must be an object, not ${shown(value)}`);
    return Object.keys(value).map((name) => [name, this.at(name)]);
  }

  text(): string {
    if (typeof this.value === 'string' && this.value !== '') return this.value;
    return this.fail(this.exists ? `must be a text, not ${shown(this.value)}` : 'is missing');
  }

  number(): number {
    if (typeof this.value === 'number' && Number.isFinite(this.value)) return this.value;
    return this.fail(this.exists ? `must be a number, not ${shown(this.value)}` : 'is missing');
  }

  /** A number, or undefined where there is none. */
  numberOf(): number | undefined {
    return typeof this.value === 'number' && Number.isFinite(this.value) ? this.value : undefined;
  }

  textOr<T>(fallback: T): string | T {
    return this.exists ? this.text() : fallback;
  }

  numberOr<T>(fallback: T): number | T {
    return this.exists ? this.number() : fallback;
  }

  oneOf<const T extends string>(words: readonly T[], fallback?: T): T {
    if (!this.exists && fallback !== undefined) return fallback;
    const word = words.find((one) => one === this.value);
    return word ?? this.fail(`must be one of ${words.join(', ')}, not ${shown(this.value)}`);
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
