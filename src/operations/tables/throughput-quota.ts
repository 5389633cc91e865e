import { capacityLimits } from '../../model/limits.ts';
import type { TableQuotas } from '../../model/tables/table-quotas.ts';
import type { Caller } from '../operation.ts';
import type { ThroughputQuota } from './rules/throughput-rules.ts';

/** Every account has the quotas that a new one has, except for those that the database was opened with. */
export function throughputQuota(caller: Caller, quotas: TableQuotas): ThroughputQuota {
  return {
    ...quotas,
    region: caller.region,
    tableMaxReadCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
    tableMaxWriteCapacityUnits: capacityLimits.tableUnitsPerSecondMax,
  };
}
