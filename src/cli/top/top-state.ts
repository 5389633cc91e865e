import type { InsightsReport } from '../../observe/insights/report-insights.ts';
import type { LiveSecond } from '../../observe/live-rates.ts';
import type { PatternReport, ReportedPattern } from '../../observe/patterns/report-patterns.ts';
import type { ServerReport, TableReport } from '../../physics-costs.ts';
import { AnsweredFailure, askControl, type ControlServer } from '../ask-control.ts';

export interface TopTable {
  readonly table: string;
  readonly region: string;
  readonly account: string;
  /** Each a second. */
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly errors: number;
  readonly throttles: number;
  /** Throttles that AWS would have made. */
  readonly shadowThrottles: number;
  readonly meanMs: number | null;
}

export interface TopKey {
  readonly index: string | null;
  readonly key: string;
  /** Units of the last minute, as the physical model counts them; absent of keys that only Contributor Insights know. */
  readonly readUnits: number | null;
  readonly writeUnits: number | null;
  /** Read units plus three times write units, by Contributor Insights. */
  readonly weight: number | null;
}

export interface TopPartition {
  readonly index: string | null;
  readonly id: number;
  readonly share: number;
  readonly bytes: number;
  /** Units and refusals of the latest minute that has any. */
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly refused: number;
}

/** What one picture shows. */
export interface TopState {
  readonly at: string;
  readonly seconds: number;
  readonly minutes: number;
  readonly mode: string | null;
  readonly tables: readonly TopTable[];
  readonly patterns: readonly ReportedPattern[];
  /** The table that keys and partitions are of. */
  readonly table: string | null;
  readonly hasInsights: boolean;
  readonly keys: readonly TopKey[];
  readonly partitions: readonly TopPartition[];
  readonly throttles: readonly {
    readonly lastAt: string;
    readonly reason: string;
    readonly enforced: boolean;
    readonly count: number;
    readonly explanation: string;
  }[];
  /** Why a part is missing. */
  readonly note: string | null;
}

export interface TopWish {
  readonly table: string | undefined;
  readonly seconds: number;
  readonly minutes: number;
}

interface RatesAnswer {
  readonly now: number;
  readonly tables: readonly {
    readonly table: string;
    readonly region: string;
    readonly account: string;
    readonly seconds: readonly LiveSecond[];
  }[];
}

/** Asks a server for everything that a picture shows. */
export async function readState(
  server: ControlServer,
  { table: wanted, seconds, minutes }: TopWish,
): Promise<TopState> {
  const [rates, patterns, physics] = await Promise.all([
    askControl(server, `/_stator/series?seconds=${seconds}`) as Promise<RatesAnswer>,
    askControl(server, `/_stator/patterns?minutes=${minutes}`) as Promise<PatternReport>,
    orNothing(askControl(server, '/_stator/physics') as Promise<ServerReport>),
  ]);
  const tables = rates.tables
    .map((each) => ratesOf(each, seconds))
    .sort((a, b) => b.requests - a.requests || (a.table < b.table ? -1 : 1));
  const busiest = tables.find((each) => wanted === undefined || each.table === wanted);
  const name = wanted ?? busiest?.table;
  const place = busiest && `?region=${encodeURIComponent(busiest.region)}&accountId=${busiest.account}`;
  const path = name === undefined ? '' : `${encodeURIComponent(name)}${place ?? '?'}`;
  const [insights, report] =
    name === undefined
      ? []
      : await Promise.all([
          // A table that was named and is not there is told of; the busiest may have just been deleted.
          (wanted === undefined ? orNothing : (asked: Promise<unknown>) => asked)(
            askControl(server, `/_stator/insights/${path}&minutes=${minutes}`),
          ) as Promise<InsightsReport | undefined>,
          orNothing(askControl(server, `/_stator/physics/${path}`) as Promise<TableReport>),
        ]);
  const verdicts = (wanted === undefined ? physics?.verdicts : report?.verdicts) ?? [];
  return {
    ...{ at: new Date(rates.now).toISOString(), seconds, minutes, mode: physics?.mode ?? null },
    tables,
    patterns: patterns.patterns.filter((each) => wanted === undefined || each.table === wanted),
    table: name ?? null,
    hasInsights: insights?.resources.some(({ status }) => status === 'ENABLED') ?? false,
    keys: insights === undefined ? [] : keysOf(insights),
    partitions: report === undefined ? [] : partitionsOf(report),
    throttles: verdicts.map(({ lastAt, reason, enforced, count, explanation }) => ({
      ...{ lastAt, reason, enforced, count, explanation },
    })),
    note:
      physics === undefined
        ? 'Several workers answer: partitions and throttles belong to each of them.'
        : null,
  };
}

/** What a server cannot answer, such as physics of several workers, is left out. */
async function orNothing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AnsweredFailure && (error.status === 404 || error.status === 409)) return undefined;
    throw error;
  }
}

function ratesOf({ table, region, account, seconds: each }: RatesAnswer['tables'][number], seconds: number) {
  const sum = (name: Exclude<keyof LiveSecond, 'second'>) =>
    each.reduce((total, one) => total + one[name], 0);
  const requests = sum('requests');
  return {
    ...{ table, region, account },
    requests: requests / seconds,
    readUnits: sum('readUnits') / seconds,
    writeUnits: sum('writeUnits') / seconds,
    errors: sum('errors') / seconds,
    throttles: sum('throttles') / seconds,
    shadowThrottles: sum('shadowThrottles') / seconds,
    meanMs: requests === 0 ? null : sum('milliseconds') / requests,
  };
}

function keysOf({ resources, busyKeys }: InsightsReport): TopKey[] {
  const ranked = resources.flatMap(({ index, rules }) => {
    const rule = rules.find(({ kind }) => kind === 'SKC') ?? rules.find(({ kind }) => kind === 'PKC');
    return (rule?.contributors ?? []).map(
      ({ keys, value }): TopKey => ({
        ...{ index, key: keys.join(' / '), readUnits: null, writeUnits: null, weight: value },
      }),
    );
  });
  if (ranked.length > 0) return ranked.sort((a, b) => b.weight! - a.weight!);
  return busyKeys
    .flatMap(({ index, key, readUnits, writeUnits }) =>
      key === null ? [] : [{ index, key, readUnits, writeUnits, weight: null }],
    )
    .sort((a, b) => b.readUnits + 3 * b.writeUnits - (a.readUnits + 3 * a.writeUnits));
}

function partitionsOf({ resources }: TableReport): TopPartition[] {
  return resources
    .flatMap(({ indexName, partitions }) =>
      partitions.map(({ id, share, bytes, lastHour }) => {
        const latest = lastHour.at(-1);
        return {
          ...{ index: indexName ?? null, id, share, bytes },
          readUnits: latest?.readUnits ?? 0,
          writeUnits: latest?.writeUnits ?? 0,
          refused: (latest?.refusedReads ?? 0) + (latest?.refusedWrites ?? 0),
        };
      }),
    )
    .sort((a, b) => b.readUnits + 3 * b.writeUnits - (a.readUnits + 3 * a.writeUnits));
}
