import type { Endpoint, ServiceName } from '../../doctor/index.ts';
import { autoScaling, cloudWatch, type DynamoDbCaller, Refusal, Unreachable } from '../dynamodb-caller.ts';
import { pauseBefore } from '../patient-call.ts';

const attemptsMax = 5;

/** AWS, or any endpoint, as the doctor examines it: through the public API. */
export function awsEndpoint(
  caller: DynamoDbCaller,
  { endpoint, region, signal }: { endpoint: string; region: string; signal: AbortSignal },
): Endpoint {
  const flags = `${endpoint === 'aws' ? '' : `--endpoint-url ${endpoint} `}--region ${region}`;
  const ownFlags = `--endpoint ${endpoint} --region ${region}`;
  return {
    ...{ flags, ownFlags, region },
    call: (service, operation, input) => patiently(() => callOnce(caller, service, operation, input), signal),
  };
}

function callOnce(
  caller: DynamoDbCaller,
  service: ServiceName,
  operation: string,
  input: object,
): Promise<unknown> {
  if (service === 'dynamodb') return caller.call(operation, input);
  return caller.callService(service === 'cloudwatch' ? cloudWatch : autoScaling, operation, input);
}

/** The control plane takes few requests a second; with many tables some have to wait. */
async function patiently(call: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isPassing = error instanceof Refusal && error.isPassing;
      if (signal.aborted || !isPassing || attempt === attemptsMax || error instanceof Unreachable)
        throw error;
      await pauseBefore(attempt, signal);
    }
  }
}
