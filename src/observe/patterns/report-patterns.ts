import { ownCopy } from '../../model/json/json-reader.ts';
import type { ListedMetric, Metrics } from '../metrics.ts';
import { minuteOf } from '../metrics.ts';
import { type MinutePoint, PointSum, percentileOf } from '../minute-point.ts';
import { type Pattern, type Patterns, patternNamespace } from './patterns.ts';

/** What a distribution of values looks like. */
export interface Distribution {
  readonly count: number;
  readonly average: number;
  readonly min: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number;
}

/** One access pattern over some minutes. */
export interface ReportedPattern {
  readonly name: string;
  /** Who gave the name: the caller's header, the application id of its SDK, or the shape of its requests. */
  readonly source: 'header' | 'app' | 'shape' | 'unknown';
  readonly operation: string;
  readonly table: string | null;
  readonly account: string;
  readonly region: string;
  readonly index: string | null;
  readonly keyCondition: string | null;
  readonly filter: string | null;
  readonly requests: number;
  readonly latencyMs: Distribution | null;
  readonly errors: Readonly<Record<string, number>>;
  /** Attempts after the first, as the SDK counts them. */
  readonly retries: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** How often each condition did not hold. */
  readonly conditionFailures: Readonly<Record<string, number>>;
  readonly itemBytes: Distribution | null;
  readonly results: Distribution | null;
  /** Requests that repeated a transaction under its token, and their share. */
  readonly replays: number;
  readonly replayRate: number;
  readonly staleReads: number;
}

export interface PatternReport {
  readonly minutes: number;
  /** Patterns that were dropped because there were too many. */
  readonly dropped: number;
  /** Most requests first. */
  readonly patterns: readonly ReportedPattern[];
}

export interface PatternSource extends Metrics {
  readonly patterns: Patterns;
  /** All scopes that have made requests. */
  scopes(): readonly { readonly account: string; readonly region: string }[];
}

interface Collected {
  readonly metric: ListedMetric;
  readonly sums: Map<string, MinutePoint>;
  readonly errors: Record<string, number>;
  readonly conditions: Record<string, number>;
}

/** Some tables of one account in one Region, whose distributions have no percentiles: those take the longest. */
export interface PatternTables {
  readonly scope: { readonly account: string; readonly region: string };
  readonly tables: ReadonlySet<string>;
}

/** The access patterns of the last minutes, of all processes that share the store; all, or those of some tables. */
export async function reportPatterns(
  source: PatternSource,
  nowMs: number,
  minutes: number,
  some?: PatternTables,
): Promise<PatternReport> {
  const to = minuteOf(nowMs) + 1;
  const collected = new Map<string, Collected>();
  const scopes = some === undefined ? source.scopes() : some.tables.size === 0 ? [] : [some.scope];
  for (const { account: accountId, region } of scopes) {
    for (const metric of await source.list({ accountId, region }, { namespace: patternNamespace })) {
      if (some !== undefined && !some.tables.has(dimensionOf(metric, 'TableName'))) continue;
      const points = await source.read(metric, to - minutes, to, minutes);
      if (points.length > 0) collect(collected, metric, points[0]!);
    }
  }
  const known = new Map(source.patterns.all().map((pattern) => [idOfPattern(pattern), pattern]));
  const patterns = [...collected].map(([id, each]) => reported(each, known.get(id), some === undefined));
  return {
    minutes,
    dropped: source.patterns.dropped,
    patterns: patterns.sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1)),
  };
}

function collect(collected: Map<string, Collected>, metric: ListedMetric, point: MinutePoint): void {
  const id = idOf(
    metric.accountId,
    metric.region,
    dimensionOf(metric, 'Pattern'),
    dimensionOf(metric, 'Operation'),
    dimensionOf(metric, 'TableName'),
  );
  let one = collected.get(id);
  if (one === undefined) {
    one = { metric, sums: new Map(), errors: {}, conditions: {} };
    collected.set(id, one);
  }
  if (metric.name === 'Errors') one.errors[dimensionOf(metric, 'Error')] = point.sum;
  else if (metric.name === 'ConditionFailures') one.conditions[dimensionOf(metric, 'Condition')] = point.sum;
  else {
    const sum = new PointSum(point.minute);
    sum.addPoint(point);
    one.sums.set(metric.name, sum);
  }
}

function reported(
  { metric, sums, errors, conditions }: Collected,
  known: Pattern | undefined,
  hasPercentiles: boolean,
): ReportedPattern {
  const distribution = (name: string) => distributionOf(sums.get(name), hasPercentiles);
  const sum = (name: string) => sums.get(name)?.sum ?? 0;
  const requests = sums.get('Latency')?.count ?? 0;
  return {
    name: dimensionOf(metric, 'Pattern'),
    source: known?.source ?? 'unknown',
    operation: dimensionOf(metric, 'Operation'),
    table: dimensionOf(metric, 'TableName') || null,
    account: metric.accountId,
    region: metric.region,
    index: known?.index ?? null,
    keyCondition: known?.keyCondition ?? null,
    filter: known?.filter ?? null,
    requests,
    latencyMs: distribution('Latency'),
    errors,
    retries: sum('Retries'),
    readUnits: sum('ReadUnits'),
    writeUnits: sum('WriteUnits'),
    conditionFailures: conditions,
    itemBytes: distribution('ItemBytes'),
    results: distribution('Results'),
    replays: sum('Replays'),
    replayRate: requests === 0 ? 0 : sum('Replays') / requests,
    staleReads: sum('StaleReads'),
  };
}

export function distributionOf(point: MinutePoint | undefined, hasPercentiles = true): Distribution | null {
  if (point === undefined || point.count === 0) return null;
  const { count, sum, min, max } = point;
  const share = (at: number) => (hasPercentiles ? (percentileOf(point, at) ?? null) : null);
  return {
    ...{ count, average: sum / count, min, max },
    ...{ p50: share(0.5), p90: share(0.9), p99: share(0.99), p999: share(0.999) },
  };
}

function idOfPattern({ scope, name, operation, table }: Pattern): string {
  return idOf(scope.account, scope.region, name, operation, table);
}

function idOf(...parts: readonly string[]): string {
  return ownCopy(JSON.stringify(parts));
}

function dimensionOf({ dimensions }: ListedMetric, name: string): string {
  return dimensions.find((dimension) => dimension.name === name)?.value ?? '';
}
