import { type CostBasis, provisionedHourCost, requestCost } from '../physics/cost.ts';
import { explainVerdict } from '../physics/explain-verdict.ts';
import { partitionUse } from '../physics/partition-use.ts';
import { placesEnd } from '../physics/place.ts';
import { awsPrices } from '../physics/prices.ts';
import type { Verdict } from '../physics/verdict.ts';
import type { ArmRecord } from './arm-record.ts';
import type { LabDatabase } from './lab-database.ts';
import { findingsOf } from './lab-findings.ts';
import type {
  ArmReport,
  ConsumerReport,
  HeatRow,
  HotKey,
  PatternReport,
  RunReport,
  Totals,
  VerdictReport,
} from './lab-report.ts';
import type { LabSource } from './lab-source.ts';
import { rounded } from './latency-counts.ts';
import type { Moments } from './moments.ts';
import type { PatternRecord } from './pattern-record.ts';
import type { ArmSamples, Sampler } from './sampler.ts';

export const labCostBasis: CostBasis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' };

interface Parts {
  readonly source: LabSource;
  readonly database: LabDatabase;
  readonly sampler: Sampler;
  readonly moments: Moments;
  readonly loaded: number;
  readonly intervalSeconds: number;
}

/** Puts together what was counted in a run. */
export function reportRun(parts: Parts): RunReport {
  const { source, database, sampler, moments, loaded, intervalSeconds } = parts;
  const { meter } = database;
  const arms = [...sampler.arms].map(([arm, samples]) =>
    reportArm(arm, meter.arms.get(arm), samples, intervalSeconds),
  );
  const patterns = [...meter.patterns.values()]
    .filter(({ name }) => name !== '')
    .map((record) => reportPattern(record, source, arms, intervalSeconds));
  const report: Omit<RunReport, 'findings'> = {
    name: source.name,
    change: source.change,
    startAt: new Date(source.startMs).toISOString(),
    seconds: source.seconds,
    intervalSeconds,
    clients: source.clients,
    retry: source.retry,
    loaded,
    totals: totalsOf(patterns, arms, source.seconds),
    patterns,
    arms,
    consumers: consumersOf(parts),
    moments: moments.list,
    verdicts: verdictsOf(database.db.engine.capacity.model.verdicts()),
  };
  return { ...report, findings: findingsOf(report) };
}

function reportArm(
  arm: string,
  record: ArmRecord | undefined,
  samples: ArmSamples,
  seconds: number,
): ArmReport {
  const { mode, partitionsBefore, provisioned } = samples;
  const intervals = samples.maps.length;
  const filled = (values: readonly number[] | undefined) =>
    Array.from({ length: intervals }, (_, at) => values?.[at] ?? 0);
  const [reads, writes, throttles] = [filled(record?.read), filled(record?.write), filled(record?.throttles)];
  const cost = reads.map((read, at) => {
    const units = provisioned[at];
    if (units === undefined) return requestCost(labCostBasis, { read, write: writes[at]! });
    return (provisionedHourCost(labCostBasis, units) * seconds) / 3_600;
  });
  const perSecond = (values: readonly number[]) => values.map((one) => rounded(one / seconds));
  return {
    ...{ arm, mode },
    readUnits: rounded(sum(reads)),
    writeUnits: rounded(sum(writes)),
    throttles: sum(throttles),
    cost: tiny(sum(cost)),
    partitionsBefore,
    partitions: samples.maps.at(-1)?.length ?? partitionsBefore,
    series: {
      read: perSecond(reads),
      write: perSecond(writes),
      throttles,
      readCapacity: samples.readCapacity.map(rounded),
      writeCapacity: samples.writeCapacity.map(rounded),
      cost: cost.map(tiny),
    },
    heat: heatOf(record, samples, seconds),
    hotKeys: hotKeysOf(samples),
  };
}

/** The load of every partition that there is at the end, before it was cut off that of the one it was part of. */
function heatOf(record: ArmRecord | undefined, { maps }: ArmSamples, seconds: number): HeatRow[] {
  const last = maps.at(-1) ?? [];
  return last.map(({ id, place }, at) => {
    const end = last[at + 1]?.place ?? placesEnd;
    const since = Math.max(
      0,
      maps.findIndex((pieces) => pieces.some((piece) => piece.id === id)),
    );
    const load: number[] = [];
    const throttles: number[] = [];
    for (let interval = 0; interval < maps.length; interval++) {
      const pieces = maps[interval]!;
      let holder = pieces.find((piece) => piece.id === id);
      holder ??= pieces.findLast((piece) => piece.place <= place);
      const cell = record?.cells[interval]?.get(holder?.id ?? id);
      const { read = 0, write = 0, throttles: refused = 0 } = cell ?? {};
      load.push(rounded(partitionUse({ read, write }) / seconds));
      throttles.push(holder?.id === id ? refused : 0);
    }
    return { id, from: rounded(place / placesEnd), to: rounded(end / placesEnd), since, load, throttles };
  });
}

function hotKeysOf({ keys }: ArmSamples): HotKey[] {
  return [...keys]
    .toSorted(([placeA, a], [placeB, b]) => partitionUse(b) - partitionUse(a) || placeA - placeB)
    .filter(([, key]) => partitionUse(key) >= 0.05)
    .slice(0, 8)
    .map(([place, { name, read, write, refused }]) => ({
      key: name ?? `a key at ${place.toString(16).padStart(14, '0')}`,
      read: rounded(read),
      write: rounded(write),
      refused,
    }));
}

function reportPattern(
  record: PatternRecord,
  source: LabSource,
  arms: readonly ArmReport[],
  seconds: number,
): PatternReport {
  const { name, series, latencies, units, errors } = record;
  let [readUnits, writeUnits] = [0, 0];
  const cost = series.calls.map(() => 0);
  for (const [arm, own] of units) {
    readUnits += own.read;
    writeUnits += own.write;
    const whole = arms.find((one) => one.arm === arm);
    if (whole === undefined) continue;
    addCost(cost, own.series, whole, seconds);
  }
  const answered = record.total('answered');
  const total = sum(cost);
  return {
    pattern: name,
    does: source.does.get(name) ?? '',
    calls: record.total('calls'),
    answered,
    requests: record.requests,
    throttles: record.total('throttles'),
    retries: record.total('retries'),
    gaveUp: record.total('gaveUp'),
    conditionFailed: record.conditionFailed,
    conflicts: record.total('conflicts'),
    failed: record.total('failed'),
    stale: record.stale,
    readUnits: rounded(readUnits),
    writeUnits: rounded(writeUnits),
    cost: tiny(total),
    p50Ms: latencies.percentile(0.5),
    p99Ms: latencies.percentile(0.99),
    maxMs: rounded(latencies.max),
    costPerMillion: answered === 0 ? 0 : rounded((total / answered) * 1_000_000),
    errors: [...errors].map(([errorName, one]) => ({ name: errorName, ...one })),
    series: { ...series, cost: cost.map(tiny) },
  };
}

/** On demand a pattern pays for its units; what is provisioned is shared by what each pattern used of it. */
function addCost(
  cost: number[],
  own: readonly (readonly [number, number])[],
  arm: ArmReport,
  seconds: number,
): void {
  for (let at = 0; at < cost.length; at++) {
    const [read, write] = own[at] ?? [0, 0];
    if (arm.mode === 'on-demand') cost[at]! += requestCost(labCostBasis, { read, write });
    else {
      const used = arm.series.read[at]! + arm.series.write[at]!;
      if (used > 0) cost[at]! += (arm.series.cost[at]! * (read + write)) / (used * seconds);
    }
  }
}

function totalsOf(patterns: readonly PatternReport[], arms: readonly ArmReport[], seconds: number): Totals {
  const total = (figure: keyof PatternReport) =>
    sum(patterns.map((pattern) => pattern[figure] as unknown as number));
  const cost = sum(arms.map((arm) => arm.cost));
  const answered = total('answered');
  const busiest = arms.map(({ series }) =>
    Math.max(
      0,
      ...series.write.map((units, at) => units / Math.max(1, series.writeCapacity[at]!)),
      ...series.read.map((units, at) => units / Math.max(1, series.readCapacity[at]!)),
    ),
  );
  return {
    calls: total('calls'),
    answered,
    requests: total('requests'),
    throttles: total('throttles'),
    retries: total('retries'),
    gaveUp: total('gaveUp'),
    conditionFailed: total('conditionFailed'),
    conflicts: total('conflicts'),
    failed: total('failed'),
    stale: total('stale'),
    readUnits: rounded(total('readUnits')),
    writeUnits: rounded(total('writeUnits')),
    cost: tiny(cost),
    answeredPerSecond: rounded(answered / seconds),
    busiestShare: rounded(busiest[0] ?? 0),
    costPerMillionAnswered: answered === 0 ? 0 : rounded((cost / answered) * 1_000_000),
  };
}

function consumersOf({ database: { meter } }: Parts): ConsumerReport[] {
  return [...meter.lags].map(([pattern, { all, series }]) => ({
    pattern,
    calls: all.total,
    p50LagMs: all.percentile(0.5),
    p99LagMs: all.percentile(0.99),
    maxLagMs: rounded(all.max),
    lagMs: series.map(rounded),
  }));
}

/** The verdicts of one cause at one place, together: the worst of them is told. */
function verdictsOf(verdicts: readonly Verdict[]): VerdictReport[] {
  const groups = new Map<string, { worst: Verdict; refused: number }>();
  for (const verdict of verdicts) {
    const { tableName, indexName, kind, cause, key } = verdict;
    const name = [tableName, indexName, kind, cause, cause === 'KeyRangeThroughputExceeded' ? key : ''].join(
      '\n',
    );
    const known = groups.get(name);
    if (known === undefined) groups.set(name, { worst: verdict, refused: verdict.count });
    else {
      known.refused += verdict.count;
      if (verdict.count > known.worst.count) known.worst = verdict;
    }
  }
  return [...groups.values()]
    .toSorted((a, b) => b.refused - a.refused)
    .slice(0, 10)
    .map(({ worst, refused }) => ({
      arm: worst.indexName === undefined ? worst.tableName : `${worst.tableName}/${worst.indexName}`,
      kind: worst.kind,
      cause: worst.cause,
      key: worst.key,
      refused,
      text: explainVerdict(worst),
    }));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Dollars, to a thousandth of a cent. */
function tiny(value: number): number {
  return Math.round(value * 1e8) / 1e8;
}
