import { basicDateTimeOf, type Digest } from './signature-v4.ts';
import { authorizationText, Signer } from './signer.ts';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

export interface ToSign {
  readonly method: string;
  /** Path and query, encoded. */
  readonly url: string;
  /** The HTTP client sends this header by itself. */
  readonly host: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly region: string;
  /** The name of the service in signatures. */
  readonly service?: string | undefined;
  readonly nowMs: number;
}

/** The headers of a request with its signature (signature version 4); all of them are signed. */
export function signedHeaders(
  digest: Digest,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
  { method, url, host, body, headers: given = {}, region, service = 'dynamodb', nowMs }: ToSign,
): Record<string, string> {
  const signer = new Signer({ digest, accessKeyId, secretAccessKey, region, service, nowMs });
  const headers = {
    ...given,
    'x-amz-date': signer.dateTime,
    ...(sessionToken && { 'x-amz-security-token': sessionToken }),
  };
  const authorization = signer.authorization({
    ...{ method, url, bodyHash: digest.sha256(body) },
    headers: { ...headers, host },
  });
  return { ...headers, authorization };
}

/**
 * The headers for a server that takes any signature. It reads the account and the Region from them, so they must be
 * there; digits that no one checks would only take time.
 */
export function namedHeaders(
  accessKeyId: string,
  { region, service = 'dynamodb', nowMs }: Pick<ToSign, 'region' | 'service' | 'nowMs'>,
): { readonly 'x-amz-date': string; readonly authorization: string } {
  const dateTime = basicDateTimeOf(nowMs);
  const scope = { scopeDate: dateTime.slice(0, 8), region, service };
  return {
    'x-amz-date': dateTime,
    authorization: authorizationText(accessKeyId, scope, ['host', 'x-amz-date'], '0'.repeat(64)),
  };
}
