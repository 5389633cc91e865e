/**
 * The header fields of one request, from alternating names and values.
 *
 * Every request needs the same dozen fields. Where they stand follows from the names, which most requests share with the
 * one before: it is found out once for them, and no map of all headers is built.
 * Where a field is repeated the first one counts: for Accept-Encoding the service has been seen to do that, and
 * for the rest it leaves no choice to whoever appended a second field on the way.
 */
export class HeaderFields {
  /** Names and values, alternating, in the order and spelling in which they arrived. */
  readonly raw: readonly string[];
  readonly #places: FieldPlaces;

  constructor(raw: readonly string[], places = new FieldPlaces(raw)) {
    this.raw = raw;
    this.#places = places;
  }

  /** For callers that hold their headers as an object, as the SDK's request handlers do. */
  static fromRecord(headers: Readonly<Record<string, string>>): HeaderFields {
    return new HeaderFields(rawOf(headers));
  }

  /** The fields of another request. */
  next(raw: readonly string[]): HeaderFields {
    return hasSameNames(raw, this.raw) ? new HeaderFields(raw, this.#places) : new HeaderFields(raw);
  }

  nextFromRecord(headers: Readonly<Record<string, string>>): HeaderFields {
    return this.next(rawOf(headers));
  }

  get accept(): string | undefined {
    return this.#at(this.#places.accept);
  }

  get acceptEncoding(): string | undefined {
    return this.#at(this.#places.acceptEncoding);
  }

  get amzDate(): string | undefined {
    return this.#at(this.#places.amzDate);
  }

  get amzSecurityToken(): string | undefined {
    return this.#at(this.#places.amzSecurityToken);
  }

  get amzTarget(): string | undefined {
    return this.#at(this.#places.amzTarget);
  }

  get authorization(): string | undefined {
    return this.#at(this.#places.authorization);
  }

  /** The only one of which all values count, joined as one list. */
  get connection(): string | undefined {
    const { connection, hasSeveralConnections } = this.#places;
    return hasSeveralConnections ? this.all('connection').join(',') : this.#at(connection);
  }

  get contentEncoding(): string | undefined {
    return this.#at(this.#places.contentEncoding);
  }

  get contentLength(): string | undefined {
    return this.#at(this.#places.contentLength);
  }

  get contentType(): string | undefined {
    return this.#at(this.#places.contentType);
  }

  get date(): string | undefined {
    return this.#at(this.#places.date);
  }

  get expect(): string | undefined {
    return this.#at(this.#places.expect);
  }

  get host(): string | undefined {
    return this.#at(this.#places.host);
  }

  get origin(): string | undefined {
    return this.#at(this.#places.origin);
  }

  get transferEncoding(): string | undefined {
    return this.#at(this.#places.transferEncoding);
  }

  /** A field is repeated that tells where a request ends or whom it is for, so that two readers could differ. */
  get isAmbiguous(): boolean {
    return this.#places.isAmbiguous;
  }

  /** The bytes of all fields as sent, counting `: ` and the line end of each. */
  get size(): number {
    let size = this.raw.length * 2;
    for (const part of this.raw) size += part.length;
    return size;
  }

  #at(place: number): string | undefined {
    return place === nowhere ? undefined : this.raw[place];
  }

  /** The first value of any field; `name` in lower case. */
  first(name: string): string | undefined {
    for (let index = 0; index + 1 < this.raw.length; index += 2) {
      if (this.raw[index]!.toLowerCase() === name) return this.raw[index + 1]!;
    }
    return undefined;
  }

  /** All values of a field in order of arrival; `name` in lower case. */
  all(name: string): string[] {
    const values: string[] = [];
    for (let index = 0; index + 1 < this.raw.length; index += 2) {
      if (this.raw[index]!.toLowerCase() === name) values.push(this.raw[index + 1]!);
    }
    return values;
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

/** No place in any list. */
const nowhere = -1;

/** Where the values of fields stand. */
class FieldPlaces {
  accept = nowhere;
  acceptEncoding = nowhere;
  amzDate = nowhere;
  amzSecurityToken = nowhere;
  amzTarget = nowhere;
  authorization = nowhere;
  connection = nowhere;
  contentEncoding = nowhere;
  contentLength = nowhere;
  contentType = nowhere;
  date = nowhere;
  expect = nowhere;
  host = nowhere;
  origin = nowhere;
  transferEncoding = nowhere;
  hasSeveralConnections = false;
  isAmbiguous = false;

  constructor(raw: readonly string[]) {
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const field = fieldOf.get(raw[at]!.toLowerCase());
      if (field === undefined) continue;
      if (this[field] === nowhere) this[field] = at + 1;
      else if (field === 'connection') this.hasSeveralConnections = true;
      else if (field === 'contentLength' || field === 'transferEncoding' || field === 'host')
        this.isAmbiguous = true;
    }
  }
}

type Field = Exclude<keyof FieldPlaces, 'hasSeveralConnections' | 'isAmbiguous'>;

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
