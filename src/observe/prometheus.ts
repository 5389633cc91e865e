import type { Slices } from '../model/slices.ts';
import { bucketValue, sortedBuckets } from './histogram.ts';
import type { MetricStore } from './metric-store.ts';
import { patternNamespace } from './patterns/patterns.ts';
import type { Series } from './series.ts';
import { dynamoDbNamespace, shadowNamespace, streamNamespace } from './table-metrics.ts';

/** The upper bounds of the buckets of latencies, in milliseconds. */
const bounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
/** Bounds of counts and sizes: powers of four. */
const sizeBounds = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 409_600];

const prefixes: Readonly<Record<string, string>> = {
  [dynamoDbNamespace]: 'stator_',
  [shadowNamespace]: 'stator_shadow_',
  [streamNamespace]: 'stator_stream_',
  [patternNamespace]: 'stator_pattern_',
};

const labels: Readonly<Record<string, string>> = {
  TableName: 'table',
  GlobalSecondaryIndexName: 'index',
  Operation: 'operation',
  StreamLabel: 'stream',
  Pattern: 'pattern',
  Error: 'error',
  Condition: 'condition',
  DelegatedOperation: 'delegated_operation',
};

export interface PrometheusFacts {
  /** Names the process, where several of them answer on one port. */
  readonly process: string | undefined;
  readonly seriesDropped: number;
  readonly patternsDropped: number;
}

/** Whoever answers for the other processes behind the same port. */
export type MetricsOfOthers = () => Promise<readonly ProcessMetrics[]>;

/** The metrics of one process by name, as they are told from process to process. */
export type ProcessMetrics = readonly (readonly [name: string, family: Family])[];

interface Family {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly lines: string[];
}

/** What it takes to write the lines of one series, 1 to 8 µs. */
const seriesSteps = 100;

/** The metrics of this process since it began, written in slices: there may be 20,000 series. */
export async function processMetrics(
  metrics: MetricStore,
  facts: PrometheusFacts,
  slices: Slices,
): Promise<ProcessMetrics> {
  const families = new Map<string, Family>();
  const processLabel = facts.process === undefined ? '' : `,process="${escaped(facts.process)}"`;
  for (const series of metrics.all()) {
    const prefix = prefixes[series.key.namespace];
    if (prefix === undefined) continue;
    addSeries(families, series, prefix, processLabel);
    const waiting = slices.spend(seriesSteps);
    if (waiting !== undefined) await waiting;
  }
  add(
    families,
    'stator_series_dropped_total',
    'counter',
    'Series that were dropped because there were too many.',
  ).push(`stator_series_dropped_total${braces(processLabel.slice(1))} ${facts.seriesDropped}`);
  add(
    families,
    'stator_patterns_dropped_total',
    'counter',
    'Access patterns that were dropped likewise.',
  ).push(`stator_patterns_dropped_total${braces(processLabel.slice(1))} ${facts.patternsDropped}`);
  return [...families];
}

/** The metrics of some processes in Prometheus' text format 0.0.4, which wants all lines of a name together. */
export async function prometheusText(processes: readonly ProcessMetrics[], slices: Slices): Promise<string> {
  const families = new Map<string, Family>();
  for (const [name, { type, help, lines }] of processes.flat()) {
    for (const line of lines) add(families, name, type, help).push(line);
    await slices.spend(lines.length);
  }
  const text: string[] = [];
  for (const [name, { type, help, lines }] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    text.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines);
  }
  return `${text.join('\n')}\n`;
}

function addSeries(
  families: Map<string, Family>,
  series: Series,
  prefix: string,
  processLabel: string,
): void {
  const { name, dimensions, accountId, region } = series.key;
  const own = dimensions
    .map((each) => `,${labels[each.name] ?? snake(each.name)}="${escaped(each.value)}"`)
    .join('');
  const labelled = `account="${accountId}",region="${escaped(region)}"${own}${processLabel}`;
  const base = `${prefix}${snake(name)}`;
  const help = `${name} (${series.unit}).`;
  if (series.isGauge || series.isMeasurement) {
    const value = latestOf(series);
    if (value !== undefined) add(families, base, 'gauge', help).push(`${base}{${labelled}} ${value}`);
    return;
  }
  if (!series.hasHistogram) {
    const total = `${base}_total`;
    add(families, total, 'counter', help).push(`${total}{${labelled}} ${series.totalSum}`);
    return;
  }
  const unit = series.unit === 'Milliseconds' ? '_milliseconds' : '';
  const family = `${base}${unit}`;
  const lines = add(families, family, 'histogram', help);
  const counts = cumulative(series, series.unit === 'Milliseconds' ? bounds : sizeBounds);
  for (const [bound, count] of counts) lines.push(`${family}_bucket{${labelled},le="${bound}"} ${count}`);
  lines.push(
    `${family}_bucket{${labelled},le="+Inf"} ${series.totalCount}`,
    `${family}_sum{${labelled}} ${series.totalSum}`,
    `${family}_count{${labelled}} ${series.totalCount}`,
  );
}

function cumulative(series: Series, limits: readonly number[]): readonly (readonly [number, number])[] {
  const buckets = sortedBuckets(series.totalHistogram());
  let at = 0;
  let count = 0;
  return limits.map((bound) => {
    for (; at < buckets.length && bucketValue(buckets[at]![0]) <= bound; at++) count += buckets[at]![1];
    return [bound, count] as const;
  });
}

/** The value of the latest minute; of a measurement that was taken several times in it, the largest. */
function latestOf(series: Series): number | undefined {
  let minute = -1;
  let value: number | undefined;
  series.visit(0, Number.MAX_SAFE_INTEGER, (at, _count, _sum, _min, max) => {
    if (at < minute) return;
    minute = at;
    value = max;
  });
  return value === undefined || value < 0 ? undefined : value;
}

function add(families: Map<string, Family>, name: string, type: Family['type'], help: string): string[] {
  let family = families.get(name);
  if (family === undefined) {
    family = { type, help, lines: [] };
    families.set(name, family);
  }
  return family.lines;
}

function braces(labelled: string): string {
  return labelled === '' ? '' : `{${labelled}}`;
}

function snake(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
