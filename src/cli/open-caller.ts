import { environmentCredentials } from './aws-request.ts';
import { DynamoDbCaller, Refusal, Unreachable } from './dynamodb-caller.ts';
import { Failure } from './failure.ts';
import type { Environment, Setting } from './settings.ts';

/** A caller for the endpoint, Region and credentials that a command was given. */
export function openCaller(
  { endpoint, region }: { readonly endpoint: Setting<string>; readonly region: Setting<string | undefined> },
  environment: Environment,
  signal: AbortSignal,
): DynamoDbCaller {
  const credentials = environmentCredentials(environment);
  if (credentials === undefined && endpoint.value === 'aws')
    throw new Failure(
      'There are no credentials for AWS in the environment, and none in the AWS profile.',
      'Name a profile with keys or a credential_process (--profile), or set what aws configure export-credentials --format env prints: it knows roles and single sign-on.',
    );
  return new DynamoDbCaller({
    endpoint: endpoint.value,
    region: region.value ?? (environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1'),
    credentials: credentials ?? { accessKeyId: 'stator', secretAccessKey: 'stator', sessionToken: undefined },
    signal,
  });
}

/** What a failed call means to whoever gave the command. */
export function callFailure(error: unknown, endpoint: string): unknown {
  if (error instanceof Unreachable)
    return new Failure(
      `Nobody answers at ${endpoint}: ${error.message}.`,
      'Start a server with stator start, or name another with --endpoint.',
      error,
    );
  return error instanceof Refusal ? new Failure(`${error.name}: ${error.message}`, undefined, error) : error;
}
