import { ownPattern, type ServiceName } from '../doctor/endpoint.ts';
import { observerHeader } from '../engine/observer-request.ts';
import type { Scope } from '../engine/store-keys.ts';
import { HeaderFields } from '../wire/header-fields.ts';
import { bodyBytes } from '../wire/reply-body.ts';
import type { ControlledDatabase } from './control-api.ts';

const targets: Readonly<
  Record<ServiceName, { readonly prefix: string; readonly type: string; readonly signed: string }>
> = {
  dynamodb: { prefix: 'DynamoDB_20120810', type: 'application/x-amz-json-1.0', signed: 'dynamodb' },
  cloudwatch: {
    prefix: 'GraniteServiceVersion20100801',
    type: 'application/x-amz-json-1.0',
    signed: 'monitoring',
  },
  autoscaling: {
    prefix: 'AnyScaleFrontendService',
    type: 'application/x-amz-json-1.1',
    signed: 'application-autoscaling',
  },
};

/**
 * Calls an operation of this process as a client would, so that the caller sees what clients see. Reads are marked as an
 * observer's: they count as nobody's traffic.
 */
export async function callHere(
  database: Pick<ControlledDatabase, 'clock' | 'requests'>,
  { account, region }: Scope,
  service: ServiceName,
  operation: string,
  input: object,
): Promise<unknown> {
  const { prefix, type, signed } = targets[service];
  const date = new Date(database.clock.nowMicros() / 1_000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const credential = `${account}/${date.slice(0, 8)}/${region}/${signed}/aws4_request`;
  const body = JSON.stringify(input);
  const reply = await database.requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({
      host: 'stator',
      'content-type': type,
      'x-amz-date': date,
      'x-amz-target': `${prefix}.${operation}`,
      'x-stator-pattern': ownPattern,
      [observerHeader]: 'doctor',
      authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
    }),
    sent: body,
    body,
  });
  const answer = JSON.parse(Buffer.from(bodyBytes(reply.body)).toString()) as Record<string, unknown>;
  if (reply.status === 200) return answer;
  const error = new Error(String(answer.message ?? answer.Message ?? `status ${reply.status}`));
  error.name = String(answer.__type ?? 'Error').replace(/^.*#/, '');
  throw error;
}
