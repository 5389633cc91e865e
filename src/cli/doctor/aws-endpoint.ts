import type { Endpoint, ServiceName } from '../../doctor/index.ts';
import type { EndpointCaller } from '../../kit/endpoint-caller.ts';
import { autoScaling, cloudWatch } from '../../kit/json-service.ts';
import { repeat } from '../../kit/repeat.ts';
import { toolPolicies } from '../../kit/tool-policies.ts';
import { repeatDeps } from '../repeat-deps.ts';

/** AWS, or any endpoint, as the doctor examines it: through the public API. */
export function awsEndpoint(
  caller: EndpointCaller,
  { endpoint, region, signal }: { endpoint: string; region: string; signal: AbortSignal },
): Endpoint {
  const flags = `${endpoint === 'aws' ? '' : `--endpoint-url ${endpoint} `}--region ${region}`;
  const ownFlags = `--endpoint ${endpoint} --region ${region}`;
  // The control plane takes few requests a second; with many tables some have to wait.
  const repeating = { ...repeatDeps(signal), signal, policy: toolPolicies.examination };
  return {
    ...{ flags, ownFlags, region },
    call: (service, operation, input) => repeat(() => callOnce(caller, service, operation, input), repeating),
  };
}

function callOnce(
  caller: EndpointCaller,
  service: ServiceName,
  operation: string,
  input: object,
): Promise<unknown> {
  if (service === 'dynamodb') return caller.call(operation, input);
  return caller.callService(service === 'cloudwatch' ? cloudWatch : autoScaling, operation, input);
}
