import { describe, expect, it } from 'vitest';
import { Slices } from '../model/slices.ts';
import { MetricStore } from './metric-store.ts';
import { processMetrics, prometheusText } from './prometheus.ts';
import { TableMetrics } from './table-metrics.ts';

const scope = { account: '000000000000', region: 'us-east-1' };
const slices = new Slices(() => Promise.resolve());
const facts = { process: undefined, seriesDropped: 0, patternsDropped: 0 };

function metricsOfTable() {
  const store = new MetricStore({ nowMs: () => 20 * 60_000 });
  return { store, table: new TableMetrics(store, scope, 'Orders') };
}

describe('the text for Prometheus', () => {
  it('has the latest of what is measured, and the sum of what is counted', async () => {
    const { store, table } = metricsOfTable();
    for (const [minute, percent] of [10, 40, 70].entries())
      table.index('byDate').fillProgress.add(percent, minute);
    for (const age of [5_000, 900]) table.capture.age.add(age, 3);
    for (const units of [2, 3]) table.consumedRead.add(units, 3);
    const text = await prometheusText([await processMetrics(store, facts, slices)], slices);
    const lines = text.split('\n');
    const place = 'account="000000000000",region="us-east-1"';
    expect(lines).toEqual(
      expect.arrayContaining([
        '# TYPE stator_online_index_percentage_progress gauge',
        `stator_online_index_percentage_progress{${place},index="byDate",table="Orders"} 70`,
        '# TYPE stator_age_of_oldest_unreplicated_record gauge',
        `stator_age_of_oldest_unreplicated_record{${place},delegated_operation="PutRecord",table="Orders"} 5000`,
        '# TYPE stator_consumed_read_capacity_units_total counter',
        `stator_consumed_read_capacity_units_total{${place},table="Orders"} 5`,
      ]),
    );
  });
});
