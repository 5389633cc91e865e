import { type CompiledDesign, createTableRequests } from '../design/index.ts';
import { defaultRetryMode, type RetryMode, sdkPolicies } from '../kit/sdk-policies.ts';
import { ModelFeed, peakTraffic } from '../workload/feed.ts';
import type { KeyDistribution } from '../workload/key-distribution.ts';
import { Population } from '../workload/population.ts';
import type { RateCurve } from '../workload/rate-curve.ts';
import { sampleOf } from '../workload/scale-model.ts';
import { storedInstances } from '../workload/stored-instances.ts';
import type { LabSource } from './lab-source.ts';
import { startUsual } from './lab-source.ts';
import { labTableOf } from './table-requests.ts';

/** The traffic of a model's patterns: the declared peaks, unless it says otherwise. */
export interface ModelTraffic {
  /** Multiplies the declared rates. */
  readonly load?: number | undefined;
  readonly curve?: RateCurve | undefined;
  /** Instances of all entities, as a sample of the declared populations. */
  readonly instances?: number | undefined;
  readonly patterns?:
    | Readonly<
        Record<
          string,
          {
            readonly rate?: number | undefined;
            readonly curve?: RateCurve | undefined;
            readonly keys?: Readonly<Record<string, KeyDistribution>> | undefined;
          }
        >
      >
    | undefined;
}

export interface ModelSourceOptions {
  readonly name: string;
  readonly change: string;
  readonly compiled: CompiledDesign;
  readonly traffic: ModelTraffic;
  readonly seconds: number;
  readonly seed: number;
  readonly startAt?: string | undefined;
  readonly clients?: number | undefined;
  readonly retry?: RetryMode | undefined;
  readonly attempts?: number | undefined;
}

/** A design of a model under its declared traffic. */
export function modelSource(options: ModelSourceOptions): LabSource {
  const { name, change, compiled, traffic, seconds, seed, startAt = startUsual } = options;
  const { model, design } = compiled;
  const retry = options.retry ?? defaultRetryMode;
  const startMs = Date.parse(startAt);
  const { load = 1, curve, instances = 20_000, patterns = {} } = traffic;
  const population = new Population(sampleOf(model, instances), { seed, era: { nowMs: startMs, days: 90 } });
  const all = [...model.reads, ...model.writes];
  return {
    ...{ name, change, startMs, seconds },
    clients: options.clients ?? 16,
    retry,
    attempts: options.attempts ?? sdkPolicies[retry].attemptsMax,
    tables: createTableRequests(model, design).map(labTableOf),
    does: new Map(all.map((pattern) => [pattern.name, pattern.description ?? ''])),
    times: new Map(),
    async load(database) {
      let count = 0;
      for (const [entity, values] of storedInstances(compiled, population)) {
        const { table, items } = compiled.itemsOf(entity, values);
        for (const Item of items) {
          await database.db.putItem({ TableName: table, Item: Item as never });
          count++;
        }
      }
      return count;
    },
    feed({ scale, seed: feedSeed }) {
      const rates = peakTraffic(model, load * scale, curve);
      for (const [pattern, own] of Object.entries(patterns))
        rates[pattern] = {
          rate: own.rate === undefined ? rates[pattern]!.rate : own.rate * scale,
          curve: own.curve ?? rates[pattern]!.curve,
        };
      const keys = Object.fromEntries(
        Object.entries(patterns).flatMap(([pattern, own]) =>
          own.keys === undefined ? [] : [[pattern, own.keys] as const],
        ),
      );
      return new ModelFeed(population, compiled, { seconds, seed: feedSeed, traffic: rates, keys });
    },
  };
}
