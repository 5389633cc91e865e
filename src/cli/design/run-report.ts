import { counted } from '../../model/counted.ts';
import { shortNumber } from '../../report/figures.ts';
import { type PatternOutcome, percentile } from '../../workload/runner.ts';
import type { Styler } from '../output.ts';
import { grid } from './text-grid.ts';

export interface Units {
  read: number;
  write: number;
}

/** What became of a workload at an endpoint. */
export interface RunReport {
  readonly format: 'stator-run/1';
  /** The model, or the traffic file. */
  readonly of: string;
  readonly endpoint: string;
  readonly seconds: number;
  /** Items that were put before the calls began. */
  readonly items: number;
  readonly interrupted: boolean;
  readonly patterns: readonly RunPattern[];
}

export interface RunPattern {
  readonly pattern: string;
  readonly calls: number;
  readonly answered: number;
  /** Calls for which nothing was in the state that the pattern changes. */
  readonly idle: number;
  readonly conditionFailed: number;
  readonly throttledCalls: number;
  readonly failed: number;
  /** Calls that came when too many were under way. */
  readonly notSent: number;
  readonly requests: number;
  readonly throttles: number;
  readonly items: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: Readonly<Record<string, number>>;
  /** Units of one answered call; missing if the endpoint does not tell them. */
  readonly units?: Units | undefined;
  /** What the declared distributions let expect of this sample. */
  readonly forecast?: Units | undefined;
}

export function patternReport(
  outcome: PatternOutcome,
  consumed: Units | undefined,
  forecast: Units | undefined,
): RunPattern {
  const { answered, latencies } = outcome;
  return {
    pattern: outcome.pattern,
    calls: outcome.calls,
    answered,
    idle: outcome.idle,
    conditionFailed: outcome.conditionFailed,
    throttledCalls: outcome.throttledCalls,
    failed: outcome.failed,
    notSent: outcome.dropped,
    requests: outcome.requests,
    throttles: outcome.throttles,
    items: outcome.items,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    errors: Object.fromEntries(outcome.errors),
    ...(consumed === undefined || answered === 0
      ? {}
      : { units: { read: consumed.read / answered, write: consumed.write / answered } }),
    ...(forecast === undefined ? {} : { forecast }),
  };
}

export function reportText(report: RunReport, style: Styler): string {
  const { patterns, seconds } = report;
  const whereSome = (amount: (one: RunPattern) => number) => (one: RunPattern) =>
    patterns.some((each) => amount(each) > 0) ? amount(one).toLocaleString('en-US') : '';
  const raced = whereSome(({ conditionFailed }) => conditionFailed);
  const throttles = whereSome(({ throttles: each }) => each);
  const lost = whereSome(({ throttledCalls }) => throttledCalls);
  const failed = whereSome(({ failed: each }) => each);
  const notSent = whereSome(({ notSent: each }) => each);
  const rows = patterns.map((one) => [
    one.pattern,
    (one.calls - one.idle).toLocaleString('en-US'),
    one.answered.toLocaleString('en-US'),
    ...[raced(one), throttles(one), lost(one), failed(one), notSent(one)],
    shortNumber(one.p50Ms),
    shortNumber(one.p99Ms),
    unitsText(one.units),
    unitsText(one.forecast),
  ]);
  const head = [
    ...['Pattern', 'Calls', 'Answered', 'Raced', 'Throttles', 'Lost', 'Failed', 'Not sent'],
    ...['p50 ms', 'p99 ms', 'Units', 'Forecast'],
  ];
  const sum = (amount: (one: RunPattern) => number) => patterns.reduce((all, one) => all + amount(one), 0);
  const requests = sum((one) => one.requests);
  const units = (kind: keyof Units) => sum((one) => (one.units?.[kind] ?? 0) * one.answered) / seconds;
  const lines = [
    `${style('bold', report.of)}  ${counted(requests, 'request')} to ${report.endpoint} in ${shortNumber(seconds)} s, ${shortNumber(requests / seconds)} a second${report.interrupted ? ', interrupted' : ''}`,
    '',
    ...grid(head, rows, style),
    '',
    `  Consumed a second: ${shortNumber(units('read'))} R and ${shortNumber(units('write'))} W.`,
  ];
  if (sum(({ conditionFailed }) => conditionFailed) > 0)
    lines.push(style('dim', '  Raced: a condition did not hold, because somebody else was faster.'));
  for (const { pattern, errors } of patterns)
    for (const [name, times] of Object.entries(errors))
      lines.push(style('red', `  • ${pattern}: ${name}, ${counted(times, 'time')}`));
  return lines.join('\n');
}

function unitsText(units: Units | undefined): string {
  if (units === undefined) return '';
  const parts = [
    ...(units.read > 0 ? [`${shortNumber(units.read)} R`] : []),
    ...(units.write > 0 ? [`${shortNumber(units.write)} W`] : []),
  ];
  return parts.join(' + ') || '0';
}
