import { hashOfBody } from '../wire/signature-v4.ts';
import { Signer } from '../wire/signer.ts';
import type { Environment } from './settings.ts';

export interface RequestCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Those of the environment; undefined when it has none. */
export function environmentCredentials(environment: Environment): RequestCredentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined };
}

export interface AwsRequest {
  /** POST unless said. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** At most one parameter in its query. */
  readonly url: URL;
  /** `DynamoDB_20120810.DescribeTable`. */
  readonly target: string;
  readonly body: string;
  readonly region: string;
  /** The name of the service in signatures; dynamodb unless said. */
  readonly service?: string;
  readonly contentType?: string;
  readonly credentials: RequestCredentials;
  readonly now: Date;
}

/** The headers of a signed request (signature version 4), for what needs no SDK. */
export function signedHeaders({
  method = 'POST',
  url,
  target,
  body,
  region,
  service = 'dynamodb',
  contentType = 'application/x-amz-json-1.0',
  credentials,
  now,
}: AwsRequest): Record<string, string> {
  const { sessionToken, ...keys } = credentials;
  const signer = new Signer({ ...keys, region, service, nowMs: now.getTime() });
  const headers = {
    'content-type': contentType,
    'x-amz-date': signer.dateTime,
    'x-amz-target': target,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const authorization = signer.authorization({
    method,
    url: `${url.pathname}${url.search}`,
    // The HTTP client sends this header by itself.
    headers: { ...headers, host: url.host },
    bodyHash: hashOfBody(body),
  });
  return { ...headers, authorization };
}
