/**
 * The header fields of one request, from alternating names and values.
 *
 * Every request needs the same dozen fields, so one pass picks them out and no map of all headers is built.
 * Where a field is repeated the first one counts: for Accept-Encoding the service has been seen to do that, and
 * for the rest it leaves no choice to whoever appended a second field on the way.
 */
export class HeaderFields {
  /** Names and values, alternating, in the order and spelling in which they arrived. */
  readonly raw: readonly string[];
  accept: string | undefined;
  acceptEncoding: string | undefined;
  amzDate: string | undefined;
  amzSecurityToken: string | undefined;
  amzTarget: string | undefined;
  authorization: string | undefined;
  /** The only one of which all values count, joined as one list. */
  connection: string | undefined;
  contentEncoding: string | undefined;
  contentLength: string | undefined;
  contentType: string | undefined;
  date: string | undefined;
  expect: string | undefined;
  host: string | undefined;
  origin: string | undefined;
  transferEncoding: string | undefined;
  /** A field is repeated that tells where a request ends or whom it is for, so that two readers could differ. */
  isAmbiguous = false;
  /** The bytes of all fields as sent, counting `: ` and the line end of each. */
  size = 0;

  constructor(raw: readonly string[]) {
    this.raw = raw;
    for (let index = 0; index + 1 < raw.length; index += 2) {
      const name = raw[index]!;
      const value = raw[index + 1]!;
      this.size += name.length + value.length + 4;
      // The length rules most fields out before their names are lower-cased and compared.
      switch (name.length) {
        case 4:
          this.#take4(name.toLowerCase(), value);
          break;
        case 6:
          this.#take6(name.toLowerCase(), value);
          break;
        case 10:
          this.#take10(name.toLowerCase(), value);
          break;
        case 12:
          this.#take12(name.toLowerCase(), value);
          break;
        case 13:
          if (this.authorization === undefined && name.toLowerCase() === 'authorization') {
            this.authorization = value;
          }
          break;
        case 14:
          if (name.toLowerCase() === 'content-length') {
            if (this.contentLength === undefined) this.contentLength = value;
            else this.isAmbiguous = true;
          }
          break;
        case 15:
          if (this.acceptEncoding === undefined && name.toLowerCase() === 'accept-encoding') {
            this.acceptEncoding = value;
          }
          break;
        case 16:
          if (this.contentEncoding === undefined && name.toLowerCase() === 'content-encoding') {
            this.contentEncoding = value;
          }
          break;
        case 17:
          if (name.toLowerCase() === 'transfer-encoding') {
            if (this.transferEncoding === undefined) this.transferEncoding = value;
            else this.isAmbiguous = true;
          }
          break;
        case 20:
          if (this.amzSecurityToken === undefined && name.toLowerCase() === 'x-amz-security-token') {
            this.amzSecurityToken = value;
          }
          break;
      }
    }
  }

  /** For callers that hold their headers as an object, as the SDK's request handlers do. */
  static fromRecord(headers: Readonly<Record<string, string>>): HeaderFields {
    const raw: string[] = [];
    for (const [name, value] of Object.entries(headers)) raw.push(name, value);
    return new HeaderFields(raw);
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

  #take4(name: string, value: string): void {
    if (name === 'date') this.date ??= value;
    else if (name === 'host') {
      if (this.host === undefined) this.host = value;
      else this.isAmbiguous = true;
    }
  }

  #take6(name: string, value: string): void {
    if (name === 'accept') this.accept ??= value;
    else if (name === 'origin') this.origin ??= value;
    else if (name === 'expect') this.expect ??= value;
  }

  #take10(name: string, value: string): void {
    if (name === 'x-amz-date') this.amzDate ??= value;
    else if (name === 'connection') {
      this.connection = this.connection === undefined ? value : `${this.connection},${value}`;
    }
  }

  #take12(name: string, value: string): void {
    if (name === 'x-amz-target') this.amzTarget ??= value;
    else if (name === 'content-type') this.contentType ??= value;
  }
}
