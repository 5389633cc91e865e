import { ownPattern, type ServiceName } from '../doctor/endpoint.ts';
import { observerHeader } from '../engine/observer-request.ts';
import type { Scope } from '../engine/store-keys.ts';
import { autoScaling, cloudWatch, dynamoDb, type JsonService } from '../kit/json-service.ts';
import { namedHeaders } from '../kit/signed-headers.ts';
import { HeaderFields } from '../wire/header-fields.ts';
import { bodyBytes } from '../wire/reply-body.ts';
import type { ControlledDatabase } from './control-api.ts';

const services: Readonly<Record<ServiceName, JsonService>> = {
  dynamodb: dynamoDb,
  cloudwatch: cloudWatch,
  autoscaling: autoScaling,
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
  const { targetPrefix, contentType, signingName } = services[service];
  const body = JSON.stringify(input);
  const reply = await database.requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({
      host: 'stator',
      'content-type': contentType,
      'x-amz-target': `${targetPrefix}.${operation}`,
      'x-stator-pattern': ownPattern,
      [observerHeader]: 'doctor',
      ...namedHeaders(account, { region, service: signingName, nowMs: database.clock.nowMicros() / 1_000 }),
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
