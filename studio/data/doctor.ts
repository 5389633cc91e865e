import type { CheckId } from '../../src/doctor/check-list.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { control, ServiceError } from './api.ts';
import { region } from './connection.ts';
import { type Polled, usePolled } from './polled.ts';

export type { Finding };

/** The page of a table on which a finding is best understood. */
const pages: Partial<Record<CheckId, string>> = {
  ...all('partitions', [
    ...['hot-partition', 'key-dominates', 'low-cardinality-key', 'index-throttles-writes', 'near-capacity'],
    ...['backfill-throttles', 'ramp-outruns-scaling', 'under-provisioned', 'throughput-limit'],
  ] as CheckId[]),
  ...all('patterns', [
    ...['condition-failures', 'transaction-conflicts', 'refused-requests', 'server-errors', 'retry-storm'],
    ...['unprocessed-items', 'filter-discards', 'scan-on-hot-path', 'reads-before-writes', 'empty-ranges'],
    'tables-read-together',
  ] as CheckId[]),
  ...all('indexes', [
    ...['stale-index-reads', 'index-backfilling', 'index-misses-old-items', 'queue-never-drains'],
    ...['unread-index', 'index-limit'],
  ] as CheckId[]),
  ...all('streams', ['stream-lag', 'stream-unread']),
  ...all('metrics', ['alarm-firing', 'alarms-missing', 'over-provisioned']),
  ...all('history', ['no-recovery']),
};

function all(page: string, ids: readonly CheckId[]): Partial<Record<CheckId, string>> {
  return Object.fromEntries(ids.map((id) => [id, page]));
}

/** Findings about stored items and everything else stand with the items. */
export function pageOfFinding({ id }: Finding): string {
  return pages[id] ?? 'items';
}

/**
 * What the doctor finds without reading an item: it may sample a table, which costs read units, only when it is asked to
 * with a budget. Undefined where the server has no doctor, or the caller may not ask.
 */
export function useFindings(table?: string, budget = 0): Polled<readonly Finding[] | undefined> {
  return usePolled(`doctor ${table ?? '*'} ${budget}`, 30_000, async (signal) => {
    const query = new URLSearchParams({ budget: String(budget), region: region.value });
    if (table !== undefined) query.set('table', table);
    try {
      const { findings } = await control<{ findings: readonly Finding[] }>(
        'GET',
        `doctor?${query}`,
        undefined,
        signal,
      );
      return findings;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  });
}
