import { usePolled } from '../../data/polled.ts';
import { readSeries, type Series, type SeriesAnswer } from '../../data/series.ts';
import type { TableDescription } from '../../data/tables.ts';
import { Chart, type ChartLine } from '../../parts/chart.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Empty, Notice, SkeletonRows } from '../../parts/states.tsx';
import type { TablePageProps } from '../../shell/pages.ts';
import { route, setParams } from '../../shell/router.ts';
import { AlarmList } from './alarm-list.tsx';

const spans = [
  ['1 hour', 60, 1],
  ['6 hours', 360, 5],
  ['1 day', 1_440, 15],
  ['7 days', 10_080, 60],
  ['15 days', 21_600, 240],
] as const;

/** Everything a team watches of a table, under CloudWatch's names, and its alarms. */
export default function MetricsPage({ table }: TablePageProps) {
  const { params } = route.value;
  const span = spans.find(([, minutes]) => String(minutes) === params.minutes) ?? spans[0];
  const [, minutes, step] = span;
  const polled = usePolled(`metrics ${table.TableName} ${minutes}`, minutes > 60 ? 20_000 : 5_000, (signal) =>
    readAll(table.TableName, minutes, step, signal),
  );
  return (
    <PageFrame
      padded
      toolbar={
        <div class="row" role="group" aria-label="Time shown">
          {spans.map(([text, each]) => (
            <button
              key={text}
              type="button"
              class={`button ${each === minutes ? '' : 'plain'}`}
              aria-pressed={each === minutes}
              onClick={() => setParams({ minutes: each === 60 ? undefined : String(each) }, true)}
            >
              {text}
            </button>
          ))}
        </div>
      }
    >
      <div class="column" style={{ gap: '24px', maxWidth: '1440px' }}>
        {polled.error ? <Notice onRetry={polled.refresh}>{polled.error}</Notice> : null}
        <AlarmList table={table} />
        {polled.value === undefined ? (
          polled.error ? null : (
            <SkeletonRows />
          )
        ) : (
          <Charts table={table} read={polled.value} step={step} />
        )}
      </div>
    </PageFrame>
  );
}

interface Read {
  readonly of: (metric: string) => readonly Series[];
  readonly shadow: (metric: string) => readonly Series[];
  readonly times: readonly number[];
}

const metrics = [
  ...['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits', 'ReadThrottleEvents', 'WriteThrottleEvents'],
  ...['SuccessfulRequestLatency', 'ConditionalCheckFailedRequests', 'TransactionConflict', 'SystemErrors'],
  ...['ReturnedItemCount', 'TimeToLiveDeletedItemCount'],
] as const;

async function readAll(table: string, minutes: number, step: number, signal: AbortSignal): Promise<Read> {
  const ask = (metric: string, namespace?: string) =>
    readSeries(
      {
        table,
        metric,
        minutes: String(minutes),
        step: String(step),
        ...(namespace && { metricNamespace: namespace }),
      },
      signal,
    );
  const answers = await Promise.all(metrics.map((metric) => ask(metric)));
  const shadows = await Promise.all(
    (['ReadThrottleEvents', 'WriteThrottleEvents'] as const).map((metric) => ask(metric, 'Stator/Shadow')),
  );
  const named = new Map<string, SeriesAnswer>(metrics.map((metric, i) => [metric, answers[i]!]));
  const { from, to } = answers[0]!;
  const stepMs = step * 60_000;
  return {
    of: (metric) => named.get(metric)?.series ?? [],
    shadow: (metric) => shadows.flatMap(({ series }) => series).filter((each) => each.metric === metric),
    times: Array.from({ length: Math.max(1, Math.round((to - from) / stepMs)) }, (_, i) => from + i * stepMs),
  };
}

const colours = ['--accent', '--entity-1', '--entity-2', '--entity-3', '--entity-4', '--entity-5'];

function Charts({
  table,
  read: { of, shadow, times },
  step,
}: {
  readonly table: TableDescription;
  readonly read: Read;
  readonly step: number;
}) {
  const seconds = step * 60;
  const line = (
    series: Series | undefined,
    label: string,
    colour: string,
    pick: (point: Series['points'][number]) => number | null,
    empty: number | null = 0,
  ): ChartLine => {
    const byTime = new Map(series?.points.map((point) => [point.at, pick(point)]));
    return { label, colour, values: times.map((at) => byTime.get(at) ?? empty) };
  };
  const rates = (metric: string) =>
    of(metric)
      .toSorted((a, b) => rankOf(a) - rankOf(b) || nameOf(a).localeCompare(nameOf(b)))
      .slice(0, colours.length)
      .map((series, i) => line(series, nameOf(series), colours[i]!, ({ sum }) => sum / seconds));
  const provisioned = (units: number | undefined): ChartLine[] =>
    units
      ? [{ label: 'provisioned', colour: '--text-faint', isDashed: true, values: times.map(() => units) }]
      : [];
  const summed = (all: readonly Series[], label: string, colour: string): ChartLine => {
    const byTime = new Map<number, number>();
    for (const { points } of all)
      for (const { at, sum } of points) byTime.set(at, (byTime.get(at) ?? 0) + sum);
    return { label, colour, values: times.map((at) => byTime.get(at) ?? 0) };
  };
  const { ReadCapacityUnits, WriteCapacityUnits } = table.ProvisionedThroughput ?? {};
  const latencies = of('SuccessfulRequestLatency')
    .toSorted((a, b) => total(b) - total(a))
    .slice(0, 4);
  const hasAny = metrics.some((metric) => of(metric).length > 0);
  if (!hasAny)
    return (
      <Empty title="No requests in this time">
        <p>Metrics appear with the first request, by the minute, and are kept for 15 days.</p>
      </Empty>
    );
  return (
    <div class="charts">
      <Panel title="Consumed read units" about="a second, on the table and each index">
        <Chart
          label="Consumed read units a second"
          times={times}
          unit="RCU/s"
          lines={[...rates('ConsumedReadCapacityUnits'), ...provisioned(ReadCapacityUnits)]}
        />
      </Panel>
      <Panel title="Consumed write units" about="a second, on the table and each index">
        <Chart
          label="Consumed write units a second"
          times={times}
          unit="WCU/s"
          lines={[...rates('ConsumedWriteCapacityUnits'), ...provisioned(WriteCapacityUnits)]}
        />
      </Panel>
      <Panel title="Latency" about="p50 and p99 of the busiest operations">
        <Chart
          label="Latency in milliseconds"
          times={times}
          unit="ms"
          lines={latencies.flatMap((series, i) => [
            line(series, `${nameOf(series)} p50`, colours[i]!, ({ p50 }) => p50, null),
            { ...line(series, `${nameOf(series)} p99`, colours[i]!, ({ p99 }) => p99, null), isDashed: true },
          ])}
        />
      </Panel>
      <Panel title="Throttles" about="refused here, and what AWS would have refused">
        <Chart
          label="Throttled requests"
          times={times}
          unit=""
          lines={[
            summed([...of('ReadThrottleEvents'), ...of('WriteThrottleEvents')], 'throttled', '--red'),
            summed([...shadow('ReadThrottleEvents'), ...shadow('WriteThrottleEvents')], 'on AWS', '--amber'),
          ]}
        />
      </Panel>
      <Panel title="Failures" about="conditions, conflicts, errors of the service">
        <Chart
          label="Failures"
          times={times}
          unit=""
          lines={[
            summed(of('ConditionalCheckFailedRequests'), 'conditions', '--entity-4'),
            summed(of('TransactionConflict'), 'conflicts', '--entity-3'),
            summed(of('SystemErrors'), 'errors', '--red'),
          ]}
        />
      </Panel>
      <Panel title="Items" about="returned by reads, removed by Time to Live">
        <Chart
          label="Items"
          times={times}
          unit=""
          lines={[
            summed(of('ReturnedItemCount'), 'returned', '--accent'),
            summed(of('TimeToLiveDeletedItemCount'), 'expired', '--entity-5'),
          ]}
        />
      </Panel>
    </div>
  );
}

function nameOf({ dimensions }: Series): string {
  return dimensions.GlobalSecondaryIndexName ?? dimensions.Operation ?? 'table';
}

/** The table stands before its indexes. */
function rankOf({ dimensions }: Series): number {
  return dimensions.GlobalSecondaryIndexName === undefined ? 0 : 1;
}

function total({ points }: Series): number {
  return points.reduce((sum, { count }) => sum + count, 0);
}

function Panel({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <section class="chart-panel">
      <h2>
        {title} <span class="small faint">{about}</span>
      </h2>
      {children}
    </section>
  );
}
