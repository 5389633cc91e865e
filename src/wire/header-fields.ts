/**
 * The header fields of one request, from alternating names and values.
 *
 * Every request needs the same dozen fields. Their indexes depend only on the names, which most requests share with
 * the request before. So the indexes are computed once for all of them, and no request builds a map of its headers.
 *
 * If a field is repeated, the first value counts. The service does this for Accept-Encoding. For the other fields the
 * rule gives an intermediary that appends a second field no influence.
 */
export class HeaderFields {
  /** Names and values, alternating, in the order and spelling of the request. */
  readonly raw: readonly string[];
  readonly #indexes: FieldIndexes;

  constructor(raw: readonly string[], indexes = new FieldIndexes(raw)) {
    this.raw = raw;
    this.#indexes = indexes;
  }

  /** Takes headers as an object, as the SDK's request handlers hold them. */
  static fromRecord(headers: Readonly<Record<string, string>>): HeaderFields {
    return new HeaderFields(rawOf(headers));
  }

  /** The fields of another request. They share the indexes if the names are the same. */
  next(raw: readonly string[]): HeaderFields {
    return hasSameNames(raw, this.raw) ? new HeaderFields(raw, this.#indexes) : new HeaderFields(raw);
  }

  nextFromRecord(headers: Readonly<Record<string, string>>): HeaderFields {
    return this.next(rawOf(headers));
  }

  get accept(): string | undefined {
    return this.#at(this.#indexes.accept);
  }

  get acceptEncoding(): string | undefined {
    return this.#at(this.#indexes.acceptEncoding);
  }

  get amzDate(): string | undefined {
    return this.#at(this.#indexes.amzDate);
  }

  get amzSecurityToken(): string | undefined {
    return this.#at(this.#indexes.amzSecurityToken);
  }

  get amzTarget(): string | undefined {
    return this.#at(this.#indexes.amzTarget);
  }

  get authorization(): string | undefined {
    return this.#at(this.#indexes.authorization);
  }

  /** The only field whose values all count. They are joined into one list. */
  get connection(): string | undefined {
    const { connection, hasSeveralConnections } = this.#indexes;
    return hasSeveralConnections ? this.all('connection').join(',') : this.#at(connection);
  }

  get contentEncoding(): string | undefined {
    return this.#at(this.#indexes.contentEncoding);
  }

  get contentLength(): string | undefined {
    return this.#at(this.#indexes.contentLength);
  }

  get contentType(): string | undefined {
    return this.#at(this.#indexes.contentType);
  }

  get date(): string | undefined {
    return this.#at(this.#indexes.date);
  }

  get expect(): string | undefined {
    return this.#at(this.#indexes.expect);
  }

  get host(): string | undefined {
    return this.#at(this.#indexes.host);
  }

  get origin(): string | undefined {
    return this.#at(this.#indexes.origin);
  }

  get transferEncoding(): string | undefined {
    return this.#at(this.#indexes.transferEncoding);
  }

  /** Whether a field that frames the request or names its host is repeated, so that two readers could disagree. */
  get isAmbiguous(): boolean {
    return this.#indexes.isAmbiguous;
  }

  /** The name of a field that a signature depends on and that is repeated, so that two readers could disagree. */
  get repeatedSigningField(): string | undefined {
    return this.#indexes.repeatedSigningField;
  }

  /** The names of all fields that begin with `x-amz-`, in lower case. */
  get amzNames(): readonly string[] {
    return this.#indexes.amzNames;
  }

  /** The length of all fields as sent, with `: ` and the line end of each. */
  get size(): number {
    let size = this.raw.length * 2;
    for (const part of this.raw) size += part.length;
    return size;
  }

  #at(index: number): string | undefined {
    return index === absent ? undefined : this.raw[index];
  }

  /** The first value of a field. `name` is in lower case. */
  first(name: string): string | undefined {
    return this.#at(this.#indexes.of(name, this.raw));
  }

  /** All values of a field in order of arrival. `name` is in lower case. */
  all(name: string): string[] {
    return this.#indexes.allOf(name, this.raw).map((index) => this.raw[index]!);
  }
}

function rawOf(headers: Readonly<Record<string, string>>): string[] {
  const raw: string[] = [];
  for (const name in headers) raw.push(name, headers[name]!);
  return raw;
}

function hasSameNames(raw: readonly string[], other: readonly string[]): boolean {
  if (raw.length !== other.length) return false;
  for (let i = 0; i < raw.length; i += 2) if (raw[i] !== other[i]) return false;
  return true;
}

/** The index of a field that is absent. */
const absent = -1;

/** The index of each field's value in the list of names and values. */
class FieldIndexes {
  accept = absent;
  acceptEncoding = absent;
  amzDate = absent;
  amzSecurityToken = absent;
  amzTarget = absent;
  authorization = absent;
  connection = absent;
  contentEncoding = absent;
  contentLength = absent;
  contentType = absent;
  date = absent;
  expect = absent;
  host = absent;
  origin = absent;
  transferEncoding = absent;
  hasSeveralConnections = false;
  isAmbiguous = false;
  repeatedSigningField: string | undefined;
  readonly amzNames: string[] = [];
  /** The indexes of all fields by their names in lower case; made when a signature is verified. */
  #all: Map<string, number[]> | undefined;
  /** The indexes of fields that were asked for by name. The callers' names are few. */
  readonly #others = new Map<string, number>();

  constructor(raw: readonly string[]) {
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const name = raw[at]!.toLowerCase();
      if (name.startsWith('x-amz-')) this.amzNames.push(name);
      const field = fieldOf.get(name);
      if (field === undefined) continue;
      if (this[field] === absent) this[field] = at + 1;
      else if (signingFields.has(field)) this.repeatedSigningField ??= name;
      else if (field === 'connection') this.hasSeveralConnections = true;
      else if (field === 'contentLength' || field === 'transferEncoding' || field === 'host')
        this.isAmbiguous = true;
    }
  }

  /** The indexes of the fields of a name in their order. All names are looked up in one pass over the fields. */
  allOf(name: string, raw: readonly string[]): readonly number[] {
    this.#all ??= indexesByName(raw);
    return this.#all.get(name) ?? none;
  }

  /** The index of the first field of a name. */
  of(name: string, raw: readonly string[]): number {
    const known = this.#others.get(name);
    if (known !== undefined) return known;
    const found = raw.findIndex((part, i) => i % 2 === 0 && part.toLowerCase() === name);
    const index = found === -1 || found + 1 >= raw.length ? absent : found + 1;
    this.#others.set(name, index);
    return index;
  }
}

const none: readonly number[] = [];

function indexesByName(raw: readonly string[]): Map<string, number[]> {
  const all = new Map<string, number[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]!.toLowerCase();
    const indexes = all.get(name);
    if (indexes === undefined) all.set(name, [at + 1]);
    else indexes.push(at + 1);
  }
  return all;
}

type Field = Exclude<
  keyof FieldIndexes,
  'allOf' | 'amzNames' | 'hasSeveralConnections' | 'isAmbiguous' | 'of' | 'repeatedSigningField'
>;

const signingFields: ReadonlySet<Field> = new Set<Field>([
  'amzDate',
  'amzSecurityToken',
  'amzTarget',
  'authorization',
]);

const fieldOf: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['accept', 'accept'],
  ['accept-encoding', 'acceptEncoding'],
  ['x-amz-date', 'amzDate'],
  ['x-amz-security-token', 'amzSecurityToken'],
  ['x-amz-target', 'amzTarget'],
  ['authorization', 'authorization'],
  ['connection', 'connection'],
  ['content-encoding', 'contentEncoding'],
  ['content-length', 'contentLength'],
  ['content-type', 'contentType'],
  ['date', 'date'],
  ['expect', 'expect'],
  ['host', 'host'],
  ['origin', 'origin'],
  ['transfer-encoding', 'transferEncoding'],
]);
