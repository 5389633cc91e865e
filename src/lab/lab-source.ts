import { defaultRetryMode, type RetryMode, sdkPolicies } from '../kit/sdk-policies.ts';
import type { Feed } from '../workload/feed.ts';
import type { LabDatabase } from './lab-database.ts';
import type { Scenario } from './scenario.ts';
import { patternsOf, ScenarioFeed } from './scenario-feed.ts';
import { type LabTable, labTable } from './table-requests.ts';

export interface FeedContext {
  readonly seed: number;
  readonly startMs: number;
  readonly scale: number;
  readonly onLag: (pattern: string, lagMs: number) => void;
}

/** Whatever a run takes its tables, items and calls from: a variant of a scenario, a model, or recorded traffic. */
export interface LabSource {
  readonly name: string;
  readonly change: string;
  readonly startMs: number;
  readonly seconds: number;
  readonly clients: number;
  readonly retry: RetryMode;
  readonly attempts: number;
  readonly tables: readonly LabTable[];
  /** What patterns do, by their names. */
  readonly does: ReadonlyMap<string, string>;
  /** Patterns that end after a number of calls. */
  readonly times: ReadonlyMap<string, number>;
  load(database: LabDatabase): Promise<number>;
  feed(context: FeedContext): Feed | Promise<Feed>;
}

export const startUsual = '2026-11-23T09:00:00.000Z';

export function scenarioSource(scenario: Scenario, name: string, change: string): LabSource {
  const { seconds, clients = 16, retry = defaultRetryMode, startAt = startUsual } = scenario;
  const attempts = scenario.attempts ?? sdkPolicies[retry].attemptsMax;
  const patterns = patternsOf(scenario);
  return {
    ...{ name, change, seconds, clients, retry, attempts },
    startMs: Date.parse(startAt),
    tables: scenario.tables.map(labTable),
    does: new Map(patterns.map(([pattern, { does }]) => [pattern, does ?? ''])),
    times: new Map(
      patterns.flatMap(([pattern, { times }]) => (times === undefined ? [] : [[pattern, times]])),
    ),
    load: (database) => database.load(scenario),
    feed: (context) => new ScenarioFeed({ scenario, ...context }),
  };
}
