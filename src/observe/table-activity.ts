import type { MetricStore } from './metric-store.ts';
import type { HandleScope } from './series-handle.ts';

/**
 * How much has ever been counted about each table of a scope, as texts to compare: no request, throttle or background work
 * leaves the text of its table as it was. Gauges are left out, which are set every minute, and so is one access pattern.
 */
export function tableActivity(
  store: MetricStore,
  { account, region }: HandleScope,
  apartFrom: string,
): (table: string) => string {
  const counts = new Map<string, number>();
  for (const { key, isGauge, totalCount } of store.all()) {
    if (isGauge || key.region !== region || key.accountId !== account) continue;
    let table: string | undefined;
    let isApart = false;
    for (const { name, value } of key.dimensions) {
      if (name === 'TableName') table = value;
      else if (name === 'Pattern') isApart = value === apartFrom;
    }
    if (table !== undefined && !isApart) counts.set(table, (counts.get(table) ?? 0) + totalCount);
  }
  const { dropped } = store;
  return (table) => `${counts.get(table) ?? 0}/${dropped}`;
}
