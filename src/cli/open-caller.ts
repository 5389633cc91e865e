import { setMaxListeners } from 'node:events';
import { EndpointCaller } from '../kit/endpoint-caller.ts';
import { ServiceError, Unreachable } from '../kit/service-error.ts';
import type { Credentials } from '../kit/signed-headers.ts';
import { machine } from '../runtime/machine/machine.ts';
import { nodeDigest } from '../wire/node-digest.ts';
import { endpointPlace } from './endpoint-place.ts';
import { Failure } from './failure.ts';
import { KeptConnections } from './kept-connections.ts';
import type { Environment, Setting } from './settings.ts';

/** A caller for the endpoint, Region and credentials that a command was given. */
export function openCaller(
  { endpoint, region }: { readonly endpoint: Setting<string>; readonly region: Setting<string | undefined> },
  environment: Environment,
  signal: AbortSignal,
): EndpointCaller {
  const credentials = environmentCredentials(environment);
  if (credentials === undefined && endpoint.value === 'aws')
    throw new Failure(
      'There are no credentials for AWS in the environment, and none in the AWS profile.',
      'Name a profile with keys or a credential_process (--profile), or set what aws configure export-credentials --format env prints: it knows roles and single sign-on.',
    );
  return callerOf(endpoint.value, regionOf(region, environment), credentials, signal);
}

/** A caller whose connections stay open between calls. */
export function callerOf(
  endpoint: string,
  region: string,
  credentials: Credentials | undefined,
  signal: AbortSignal,
): EndpointCaller {
  // Every call under way listens.
  setMaxListeners(0, signal);
  const { url, socketPath } = endpointPlace(endpoint);
  const connections = new KeptConnections(socketPath);
  return new EndpointCaller({
    ...{
      endpoint: url,
      shownAs: endpoint,
      region,
      credentials,
      signal,
      digest: nodeDigest,
      nowMs: machine.nowMs,
    },
    transport: (request, ending) => connections.send(request, ending),
  });
}

export function regionOf({ value }: Setting<string | undefined>, environment: Environment): string {
  return value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1');
}

/** The credentials of the environment; undefined when it has none. */
export function environmentCredentials(environment: Environment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined };
}

/** A failed call as the person who gave the command reads it. */
export function callFailure(error: unknown, endpoint: string): unknown {
  if (error instanceof Unreachable)
    return new Failure(
      `Nobody answers at ${endpoint}: ${error.message}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  return error instanceof ServiceError
    ? new Failure(`${error.name}: ${error.message}`, undefined, error)
    : error;
}
