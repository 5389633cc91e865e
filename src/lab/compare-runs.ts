import { count, fineMoney, percent, shortNumber } from '../report/figures.ts';
import type { RunReport } from './lab-report.ts';

/** A figure of several runs, side by side. */
export interface ComparedRow {
  readonly what: string;
  readonly values: readonly string[];
}

/** The figures by which people choose between designs or fixes. */
export function compareRows(runs: readonly RunReport[]): ComparedRow[] {
  const row = (what: string, value: (run: RunReport) => string): ComparedRow => ({
    what,
    values: runs.map(value),
  });
  return [
    row('calls a second', ({ totals, seconds }) => count(totals.calls / seconds)),
    row('answered a second', ({ totals }) => count(totals.answeredPerSecond)),
    row('throttled requests', ({ totals }) => count(totals.throttles)),
    row(
      'lost calls',
      ({ totals }) => `${count(totals.gaveUp)} (${percent(totals.gaveUp / Math.max(1, totals.calls))})`,
    ),
    row('other failures', ({ totals }) => count(totals.failed)),
    row('conflicts', ({ totals }) => count(totals.conflicts)),
    row('requests for a call', ({ totals }) => shortNumber(totals.requests / Math.max(1, totals.calls))),
    row('slowest p99, ms', ({ patterns }) => shortNumber(Math.max(0, ...patterns.map(({ p99Ms }) => p99Ms)))),
    row('table in use at most', ({ totals }) => percent(totals.busiestShare)),
    row('busiest partition', ({ arms }) =>
      percent(Math.max(0, ...arms.flatMap(({ heat }) => heat.flatMap(({ load }) => load)))),
    ),
    row('consumer lag, s', ({ consumers }) =>
      consumers.length === 0
        ? ''
        : shortNumber(Math.max(...consumers.map(({ maxLagMs }) => maxLagMs)) / 1000),
    ),
    row('dollars a million answers', ({ totals }) => fineMoney(totals.costPerMillionAnswered)),
  ].filter(({ values }) => values.some((value) => value !== '' && value !== '0'));
}
