import { ServiceError, serviceErrorOf } from '../../src/kit/service-error.ts';
import { type Sent, send } from './connection.ts';

export { ServiceError };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The target's prefix, for Streams and other services on the same port. */
  readonly service?: string;
  readonly as?: Sent['as'];
  /** The access pattern that this call is of. */
  readonly pattern?: string;
  /** A read counts as traffic: somebody wrote this request and wants to see what it does. Writes always count. */
  readonly isTraffic?: boolean;
}

/** Calls an operation of the DynamoDB API, exactly as an SDK would. */
export async function call<Output = Record<string, unknown>>(
  operation: string,
  input: object,
  { signal, service = 'DynamoDB_20120810', as, pattern, isTraffic }: CallOptions = {},
): Promise<Output> {
  const response = await send({
    method: 'POST',
    path: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${service}.${operation}`,
      ...(pattern !== undefined && { 'x-stator-pattern': pattern }),
      ...(isTraffic !== true && { 'x-stator-observer': 'studio' }),
    },
    body: JSON.stringify(input),
    signal,
    as,
  });
  const body = await bodyOf(response);
  if (response.ok) return body as Output;
  throw serviceErrorOf(response.status, body, '', (name) => response.headers.get(name) ?? undefined);
}

/** Calls the control API: `control('GET', 'physics/orders')`. */
export async function control<Output = Record<string, unknown>>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Output> {
  const [name, query = ''] = path.split('?');
  const response = await send({
    method,
    path: `/_stator/${name}`,
    query,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal,
  });
  const answer = await bodyOf(response);
  if (response.ok) return answer as Output;
  throw new ServiceError('ControlError', String(answer.error ?? ''), response.status, answer);
}

async function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const text = await response.text();
  if (text === '') return {};
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return { message: text };
  }
}

/** One line for a person: the service's text, and its name where it says more. */
export function errorText(error: unknown): string {
  if (error instanceof ServiceError && error.name !== 'ControlError')
    return error.message === '' ? error.name : `${error.name}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

export function isMissingTable(error: unknown): boolean {
  return error instanceof ServiceError && error.name === 'ResourceNotFoundException';
}
