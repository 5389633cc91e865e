import { forecast } from '../design/check/forecast.ts';
import { type DayRates, dayOf } from '../design/cost/day-curve.ts';
import { storedModel } from '../design/embed/stored-model.ts';
import { type CompiledDesign, compile, type Design, derive, isDone, type Model } from '../design/index.ts';
import { ModelFacts } from '../design/model-facts.ts';
import { type CostBasis, describeBasis, provisionedHourCost, requestCost } from '../physics/cost.ts';
import { awsPrices } from '../physics/prices.ts';
import { machine } from '../runtime/machine/machine.ts';
import { CallSource } from '../workload/calls.ts';
import { ModelFeed, peakTraffic } from '../workload/feed.ts';
import { Population } from '../workload/population.ts';
import { percentile } from '../workload/runner.ts';
import { sampleOf } from '../workload/scale-model.ts';
import { Simulation, type WarmThroughput } from '../workload/simulate.ts';
import { findingsOf } from './findings.ts';
import { forecastPatterns } from './forecast-patterns.ts';
import { OfferedKeys } from './offered-keys.ts';
import type { PatternProof, PeakProof, Proof, ProveOptions } from './proof.ts';
import { type Prover, proveRead, proveWrite, type Tally } from './prove-patterns.ts';
import { sdkSender } from './sdk-sender.ts';

const basis: CostBasis = { prices: awsPrices, region: 'us-east-1', tableClass: 'STANDARD' };

/**
 * Proves a design: creates its tables on the engine, loads a sample of the declared populations, calls every pattern
 * through the real SDK client and compares each answer with a filter over all instances and each charge with the
 * arithmetic of the items, then runs the declared peak under enforced physics in simulated time.
 */
export async function proveDesign(
  asked: Model,
  given: Design | undefined,
  options: ProveOptions = {},
): Promise<Proof> {
  const { seed = 1, calls = 1_000, instances = 20_000, seconds = 30, onProgress, signal } = options;
  const startMs = options.startMs ?? Date.UTC(2026, 0, 5, 9);
  const design = given ?? derive(asked);
  // What lies inside its parent is proved as the attribute that it is stored in.
  const model = storedModel(asked, design);
  const compiled = compile(model, design, { returnConsumedCapacity: 'INDEXES' });
  const sample = sampleOf(model, instances);
  const era = { nowMs: startMs, days: 90 };
  onProgress?.('Drawing instances');
  const population = new Population(sample, { seed, era });
  population.fill();

  const tallies = new Map<string, Tally>();
  const simulation = await Simulation.open(compiled, { seed, startMs, physics: 'off' });
  try {
    onProgress?.('Loading items');
    await simulation.loadAll(population);
    const prover: Prover = {
      compiled,
      population,
      source: new CallSource(population, seed),
      counted: new Map(),
      send: await sdkSender(simulation.db),
    };
    const patterns = [...model.reads, ...model.writes];
    for (const [at, pattern] of patterns.entries()) {
      signal?.throwIfAborted();
      onProgress?.(`Calling ${pattern.name} (${at + 1} of ${patterns.length})`);
      const isRead = compiled.reads.has(pattern.name);
      tallies.set(
        pattern.name,
        isRead
          ? await proveRead(prover, pattern as never, calls)
          : await proveWrite(prover, pattern as never, calls),
      );
    }
    // What the writes have done to the indexes shows in the reads behind them.
    onProgress?.('Reading behind the writes');
    for (const pattern of model.reads) {
      signal?.throwIfAborted();
      const again = await proveRead(prover, pattern, Math.max(20, Math.ceil(calls / 10)));
      const tally = tallies.get(pattern.name)!;
      tally.compared += again.compared;
      tally.agreed += again.agreed;
      tally.differing += again.differing;
      tally.wrongs.push(...again.wrongs.map((one) => `behind the writes, ${one}`));
      tally.costs.push(...again.costs);
    }
  } finally {
    await simulation.close();
  }
  onProgress?.('Forecasting from the distributions');
  const forecasts = forecastPatterns(compiled, sample, seed + 1, era, calls);
  const peak =
    seconds > 0
      ? await provePeak(compiled, model, { ...options, seed, startMs, seconds, instances })
      : undefined;
  const proofs = [...model.reads, ...model.writes].map((pattern): PatternProof => {
    const tally = tallies.get(pattern.name)!;
    // A refused call has no charge to compare.
    const each = Math.max(1, tally.calls - tally.conditionFailed);
    const units = {
      read: tally.read / each,
      write: tally.write / each,
      ...(tally.unexpected > 0
        ? {}
        : { expected: { read: tally.expectedRead / each, write: tally.expectedWrite / each } }),
      differing: tally.differing,
      forecast: forecasts.get(pattern.name) ?? { read: 0, write: 0 },
      arms: [...tally.arms].map(([arm, one]) => ({ arm, read: one.read / each, write: one.write / each })),
    };
    return {
      pattern: pattern.name,
      kind: compiled.reads.has(pattern.name) ? 'read' : 'write',
      description: pattern.description ?? '',
      plan: planText(compiled, pattern.name),
      calls: tally.calls,
      compared: tally.compared,
      agreed: tally.agreed,
      requestsPerCall: tally.requests / each,
      roundTripsPerCall: tally.roundTrips / each,
      itemsPerCall: tally.items / each,
      pages: tally.pages,
      units,
      rate: pattern.rate,
      monthly: monthlyOf(units, pattern.rate),
    };
  });
  const findings = findingsOf({ model, design, compiled, proofs, tallies, peak, sample });
  return {
    format: 'stator-proof/1',
    model: model.name,
    seed,
    startedAt: new Date(startMs).toISOString(),
    passed: !findings.some(({ severity }) => severity === 'error'),
    findings,
    sample: model.entities.map(({ name }) => ({
      entity: name,
      declared: Math.round(sample.declared.get(name)!),
      present: population.kind(name).present,
    })),
    patterns: proofs,
    peak,
    monthly: {
      onDemand: proofs.reduce((sum, { monthly }) => sum + monthly.onDemand, 0),
      provisioned: proofs.reduce((sum, { monthly }) => sum + monthly.provisioned, 0),
    },
    basis: describeBasis(basis),
  };
}

function monthlyOf(units: { readonly read: number; readonly write: number }, rate: DayRates) {
  const { hoursPerMonth } = basis.prices;
  const seconds = hoursPerMonth * 3_600;
  const onDemand = requestCost(basis, {
    read: units.read * rate.mean * seconds,
    write: units.write * rate.mean * seconds,
  });
  // Capacity that follows the day with auto scaling, seven tenths used.
  const { averageCapacity } = dayOf(rate);
  const hour = provisionedHourCost(basis, {
    read: units.read * averageCapacity,
    write: units.write * averageCapacity,
  });
  return { onDemand, provisioned: hour * hoursPerMonth };
}

/** The plan in one line. */
function planText(compiled: CompiledDesign, name: string): string {
  const read = compiled.reads.get(name);
  if (read !== undefined) {
    const { operation, slot, calls, partition, limit, fetch } = read.plan;
    const many = calls > 1 ? `${calls} parallel ` : '';
    const page =
      operation === 'Query' && read.pattern.result === 'list'
        ? limit === 'all'
          ? ', all'
          : `, ${limit} a page`
        : '';
    return `${many}${operation} ${slot} ${partition}${page}${fetch ? ', then BatchGetItem' : ''}`;
  }
  const { pattern } = compiled.writes.get(name)!;
  const words = {
    create: 'put',
    change: 'update',
    remove: 'delete',
    count: 'add',
    require: 'check',
  } as const;
  const steps = pattern.steps.map(
    ({ kind, entity, count }) => `${words[kind]} ${count > 1 ? `${count} × ` : ''}${entity}`,
  );
  return `${pattern.atomic || pattern.idempotency !== undefined ? 'transaction: ' : ''}${steps.join(', ')}`;
}

/** What each table and index takes at the peak, from means. */
function warmThroughput(model: Model, design: Design, load: number): WarmThroughput {
  const facts = new ModelFacts(model);
  const warm = new Map<string, { read: number; write: number }>();
  const add = (arm: string, kind: 'read' | 'write', units: number) => {
    const known = warm.get(arm) ?? { read: 0, write: 0 };
    known[kind] += units * load;
    warm.set(arm, known);
  };
  for (const table of design.tables) {
    const { name, indexes } = table;
    // A write may touch several tables, each of which takes its own part.
    const { reads, writes } = forecast(facts, { ...design, tables: [table] });
    for (const { pattern, plan, units, fetchUnits } of reads) {
      const isGlobal = indexes.some((index) => index.name === plan.slot && index.kind === 'global');
      add(isGlobal ? `${name}/${plan.slot}` : name, 'read', units * pattern.rate.peak);
      add(name, 'read', fetchUnits * pattern.rate.peak);
    }
    for (const { pattern, items, tableUnits, indexUnits } of writes) {
      if (items === 0) continue;
      add(name, 'write', tableUnits * pattern.rate.peak);
      // Enough for a read before each write.
      add(name, 'read', pattern.rate.peak);
      for (const index of indexes)
        add(`${name}/${index.name}`, 'write', (indexUnits.get(index.name) ?? 0) * pattern.rate.peak);
    }
  }
  // Keys never spread evenly over partitions; beyond 40,000 an account has to ask for more.
  for (const units of warm.values()) {
    units.read = Math.min(40_000, units.read * 2.5);
    units.write = Math.min(40_000, units.write * 2.5);
  }
  return warm;
}

async function provePeak(
  compiled: CompiledDesign,
  model: Model,
  options: ProveOptions & {
    readonly seed: number;
    readonly startMs: number;
    readonly seconds: number;
    readonly instances: number;
  },
): Promise<PeakProof> {
  const {
    seed,
    startMs,
    seconds,
    instances,
    load = 1,
    retry = 'standard',
    clients = 16,
    onProgress,
    signal,
  } = options;
  const { design } = compiled;
  const fast = compile(model, design);
  const population = new Population(sampleOf(model, instances), { seed, era: { nowMs: startMs, days: 90 } });
  population.fill();
  const warm = warmThroughput(model, design, load);
  const simulation = await Simulation.open(fast, { seed, startMs, physics: 'enforce', warm });
  try {
    onProgress?.('Loading items for the peak');
    await simulation.loadAll(population);
    const feed = new ModelFeed(population, fast, { seconds, seed, traffic: peakTraffic(model, load) });
    let shown = -1;
    const offered = new OfferedKeys(fast, population);
    const startedMs = machine.stopwatchMs();
    const { outcomes, seconds: timeline } = await simulation.run({
      feed,
      clients,
      retry,
      signal,
      onCall: ({ atMs }, { round, call }) => {
        if (!isDone(round)) offered.count(round.requests);
        if (call?.kind === 'write') offered.countEntries(call.effects);
        const second = Math.floor(atMs / 1000);
        if (second === shown) return;
        shown = second;
        onProgress?.(`Peak: second ${second + 1} of ${seconds}`);
      },
    });
    const tookMs = machine.stopwatchMs() - startedMs;
    signal?.throwIfAborted();
    const requests = timeline.reduce((sum, second) => sum + second.requests, 0);
    const reports = await Promise.all(design.tables.map(({ name }) => simulation.db.physics(name)));
    const arms = reports.flatMap((report) =>
      report.resources.map((resource) => {
        const { indexName } = resource as { readonly indexName?: string };
        const arm = indexName === undefined ? report.table : `${report.table}/${indexName}`;
        const total = (kind: 'read' | 'write') =>
          timeline.reduce((sum, second) => sum + (second.arms.get(arm)?.[kind] ?? 0), 0) / seconds;
        return {
          arm,
          partitions: resource.partitions.length,
          read: total('read'),
          write: total('write'),
          hotKeys: offered.top(arm, 5, seconds),
        };
      }),
    );
    return {
      seconds,
      requests,
      requestsPerSecond: requests / (tookMs / 1000),
      throttles: timeline.reduce((sum, second) => sum + second.throttles, 0),
      patterns: [...outcomes.values()].map((one) => ({
        pattern: one.pattern,
        calls: one.calls - one.idle,
        idle: one.idle,
        answered: one.answered,
        throttledCalls: one.throttledCalls,
        throttles: one.throttles,
        conditionFailed: one.conditionFailed,
        failed: one.failed,
        p50Ms: percentile(one.latencies, 0.5),
        p99Ms: percentile(one.latencies, 0.99),
      })),
      timeline: timeline.map((second) => ({
        second: second.second,
        requests: second.requests,
        throttles: second.throttles,
        read: [...second.arms.values()].reduce((sum, { read }) => sum + read, 0),
        write: [...second.arms.values()].reduce((sum, { write }) => sum + write, 0),
      })),
      arms,
      verdicts: reports.flatMap(({ verdicts }) =>
        verdicts.map(({ explanation, count, key }) => ({ text: explanation, refused: count, key })),
      ),
    };
  } finally {
    await simulation.close();
  }
}
