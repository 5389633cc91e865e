import { capacityLimits } from '../../model/limits.ts';
import type { Caller } from '../operation.ts';
import type { ThroughputQuota } from './rules/throughput-rules.ts';

/** Every account has the quotas that a new one has. */
export function throughputQuota(caller: Caller): ThroughputQuota {
  return {
    region: caller.region,
    tableMaxReadCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
    tableMaxWriteCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
  };
}
