import {
  algorithm,
  basicDateTimeOf,
  type Digest,
  deriveSigningKey,
  type SigningScope,
  scopeText,
  signatureOf,
} from './signature-v4.ts';

export interface SignerOptions {
  readonly digest: Digest;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  /** The signing name, such as `dynamodb`. */
  readonly service: string;
  /** The time of signing, in milliseconds since 1970. The service accepts the requests for a quarter of an hour. */
  readonly nowMs: number;
}

export interface RequestToSign {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** All headers to sign, by their names in lower case. `host` and `x-amz-date` must be among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, as lower-case hexadecimal digits. */
  readonly bodyHash: string;
}

/** Signs requests of one access key at one time. The signing key is derived once for all of them. */
export class Signer {
  /** The value for the header `x-amz-date`. */
  readonly dateTime: string;
  readonly #accessKeyId: string;
  readonly #scope: SigningScope;
  readonly #key: Uint8Array;
  readonly #digest: Digest;

  constructor({ digest, accessKeyId, secretAccessKey, region, service, nowMs }: SignerOptions) {
    this.dateTime = basicDateTimeOf(nowMs);
    this.#digest = digest;
    this.#accessKeyId = accessKeyId;
    this.#scope = { scopeDate: this.dateTime.slice(0, 8), region, service };
    this.#key = deriveSigningKey(digest, secretAccessKey, this.#scope);
  }

  /** The value for the header `authorization`. */
  authorization({ method, url, headers, bodyHash }: RequestToSign): string {
    const names = Object.keys(headers).sort();
    const valuesOf = (name: string) => [headers[name]!];
    const parts = { method, url, names, valuesOf, bodyHash };
    const signature = signatureOf(this.#digest, this.#key, this.#scope, this.dateTime, parts);
    return authorizationText(this.#accessKeyId, this.#scope, names, signature);
  }
}

/** The value of the header `authorization`. A server that verifies nothing reads the access key and the Region from it. */
export function authorizationText(
  accessKeyId: string,
  scope: SigningScope,
  names: readonly string[],
  signature: string,
): string {
  const credential = `${accessKeyId}/${scopeText(scope)}`;
  return `${algorithm} Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
}
