import type { ReportedPattern } from '../../../src/observe/patterns/report-patterns.ts';
import { units } from '../../parts/format.ts';
import type { JudgedPattern } from './judge-model.ts';
import type { LivePattern } from './live-patterns.ts';

export interface PatternVerdict {
  readonly kind: '' | 'amber' | 'red';
  readonly short: string;
  readonly long: string;
  /** The page of the handbook that says more. */
  readonly topic?: string;
}

/** What the numbers of a pattern say about it; the worst thing only. */
export function verdictOn(pattern: ReportedPattern): PatternVerdict {
  const { operation, requests, filter, readUnits, results } = pattern;
  const throttled = Object.entries(pattern.errors)
    .filter(([name]) => /Throttling|ThroughputExceeded|RequestLimit/.test(name))
    .reduce((sum, [, times]) => sum + times, 0);
  if (throttled > 0)
    return {
      kind: 'red',
      short: 'throttled',
      long: `${throttled} requests were throttled. The page Partitions says which key asked for too much.`,
      topic: 'partitions',
    };
  if (operation === 'Scan')
    return {
      kind: 'amber',
      short: 'a Scan',
      long: 'A Scan reads the whole table, and its price grows with it. An access pattern that runs often needs a key or an index.',
      topic: 'anti-patterns',
    };
  const each = readUnits / Math.max(1, requests);
  const returned = results?.average ?? 0;
  // An item of four kilobytes costs half a unit; far more than that for what is returned means that a filter discards most.
  if (filter !== null && each > 2 && returned * 0.5 < each / 4)
    return {
      kind: 'amber',
      short: 'filters away most',
      long: `A request reads ${units(each)} units and returns ${units(returned)} items: the filter discards most of what is read and paid. Put what it filters by into a sort key, or into a sparse index.`,
      topic: 'sort-keys',
    };
  const failed = Object.values(pattern.conditionFailures).reduce((sum, times) => sum + times, 0);
  if (failed > requests / 2)
    return {
      kind: 'amber',
      short: 'conditions fail',
      long: 'More than half of the conditions do not hold. That is a business matter, not an outage: duplicates, lost races, or retries of what had succeeded.',
      topic: 'conditions-and-transactions',
    };
  return { kind: '', short: 'bounded', long: 'Nothing stands out in the last hour.' };
}

export interface Deviation {
  readonly what: 'rate' | 'units' | 'latency';
  readonly text: string;
}

/** Where live numbers leave the forecast by so much that somebody should look; the first such thing only. */
export function againstForecast(
  pattern: JudgedPattern,
  live: LivePattern | undefined,
): Deviation | undefined {
  if (live === undefined || live.requests === 0) return undefined;
  const perSecond = (live.perSecond ?? 0) / pattern.requests;
  if (perSecond > pattern.rate.peak)
    return {
      what: 'rate',
      text: `Now ${units(perSecond)} calls a second, above the declared peak of ${units(pattern.rate.peak)}. The forecast of heat and cost no longer holds.`,
    };
  const seen = live.units * pattern.requests;
  if (seen > pattern.units * 2 + 1)
    return {
      what: 'units',
      text: `A call uses ${units(seen)} units; the forecast says ${units(pattern.units)}. Items may be larger, or more of them read, than the model declares.`,
    };
  if (pattern.latencyMs !== undefined && (live.p99 ?? 0) > pattern.latencyMs)
    return {
      what: 'latency',
      text: `The p99 is ${units(live.p99!)} ms; the model asks for ${pattern.latencyMs} ms.`,
    };
  return undefined;
}
