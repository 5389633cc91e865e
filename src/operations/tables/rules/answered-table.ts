import type { TableChange } from '../../../engine/control/requests.ts';
import { updateOf } from '../../../engine/control/requests.ts';
import { describedIndex, withCapacities } from '../../../engine/tables/parts/indexes.ts';
import type { TableDescription } from '../../../engine/tables/table-parts.ts';
import type { OnDemandThroughput } from '../../../model/tables/table-description.ts';

/**
 * The table as UpdateTable itself tells of it, which differs from what DescribeTable says once the change is done:
 * changed throughput is answered with the units there were before, and a ceiling that was taken away with the -1
 * that took it (observed: ACK DDB-TABLE-058, -060, -178).
 */
export function answeredTable(
  change: TableChange,
  before: TableDescription,
  after: TableDescription,
): TableDescription {
  const staysProvisioned = before.billing.mode === 'PROVISIONED' && after.billing.mode === 'PROVISIONED';
  const ceilings = echoed(after.onDemandThroughput, change.onDemandThroughput);
  return {
    ...after,
    ...(staysProvisioned && { billing: { ...after.billing, throughput: before.billing.throughput } }),
    ...(ceilings && { onDemandThroughput: ceilings }),
    ...withCapacities(after, (indexName, capacity) => {
      const asked = updateOf(change, indexName);
      const old = describedIndex(before, indexName)?.capacity;
      const indexCeilings = echoed(capacity.onDemandThroughput, asked?.onDemandThroughput);
      return {
        ...capacity,
        ...(staysProvisioned && old && { throughput: old.throughput }),
        ...(indexCeilings && { onDemandThroughput: indexCeilings }),
      };
    }),
  };
}

function echoed(
  current: OnDemandThroughput | undefined,
  asked: OnDemandThroughput | undefined,
): OnDemandThroughput | undefined {
  const removed = Object.entries(asked ?? {}).filter(([, value]) => value === -1);
  return removed.length === 0 ? current : { ...current, ...Object.fromEntries(removed) };
}
