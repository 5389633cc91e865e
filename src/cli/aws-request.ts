import { createHash, createHmac } from 'node:crypto';
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
  readonly method?: 'GET' | 'POST';
  /** At most one parameter in its query. */
  readonly url: URL;
  /** `DynamoDB_20120810.DescribeTable`. */
  readonly target: string;
  readonly body: string;
  readonly region: string;
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
  credentials,
  now,
}: AwsRequest): Record<string, string> {
  const dateTime = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const date = dateTime.slice(0, 8);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const headers: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.0',
    host: url.host,
    'x-amz-date': dateTime,
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
    'x-amz-target': target,
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, url.search.slice(1), lines.join(''), names, sha256(body)].join(
    '\n',
  );
  const scope = `${date}/${region}/dynamodb/aws4_request`;
  let key: string | Buffer = `AWS4${secretAccessKey}`;
  for (const part of [date, region, 'dynamodb', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  const toSign = ['AWS4-HMAC-SHA256', dateTime, scope, sha256(canonical)].join('\n');
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  const { host: _, ...sent } = headers;
  return { ...sent, authorization };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
