import type { TableChange } from '../../../engine/control/requests.ts';
import { updateOf } from '../../../engine/control/updated-table.ts';
import type { OnDemandThroughput, TableDescription } from '../../../model/tables/table-description.ts';

/**
 * The table as UpdateTable itself tells of it, which differs from what DescribeTable says once the change is done:
 * changed throughput is answered with the units there were before, and a ceiling that was taken away with the -1
 * that took it (measured, October 2026, findings 58, 60, 178 of the AWS Controllers for Kubernetes).
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
    gsis: after.gsis.map((index) => {
      const asked = updateOf(change, index.indexName);
      const old = before.gsis.find(({ indexName }) => indexName === index.indexName);
      const indexCeilings = echoed(index.onDemandThroughput, asked?.onDemandThroughput);
      return {
        ...index,
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
