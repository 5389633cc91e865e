import { autoScalingService } from './auto-scaling-service.ts';
import { cloudWatchService } from './cloudwatch-service.ts';
import type { Monitoring } from './monitoring.ts';
import type { Service } from './operations/api/service.ts';
import type { Caller } from './operations/operation.ts';

/** The services beside DynamoDB that a database answers for. */
export function awsApis(monitoringOf: (caller: Caller) => Monitoring): readonly Service[] {
  return [cloudWatchService(monitoringOf), autoScalingService(monitoringOf)];
}
