import { autoScalingService } from './auto-scaling-service.ts';
import { cloudWatchService } from './cloudwatch-service.ts';
import type { Monitoring } from './monitoring.ts';
import type { ApiService } from './operations/api/api-operation.ts';
import type { Caller } from './operations/operation.ts';

/** The services beside DynamoDB that a database answers for. */
export function awsApis(monitoringOf: (caller: Caller) => Monitoring): readonly ApiService[] {
  return [cloudWatchService(monitoringOf), autoScalingService(monitoringOf)];
}
