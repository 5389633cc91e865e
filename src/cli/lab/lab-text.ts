import { compareRows } from '../../lab/compare-runs.ts';
import type { ArmReport, LabReport, RunReport } from '../../lab/lab-report.ts';
import { counted } from '../../model/counted.ts';
import { count, fineMoney, percent, shortNumber } from '../../report/figures.ts';
import { grid, paragraph } from '../design/text-grid.ts';
import type { Styler } from '../output.ts';
import { heatLine, sparkline } from './charts.ts';

const chartWidth = 60;
const heatRowsMax = 12;

/** The report for a terminal. */
export function labText(report: LabReport, style: Styler): string {
  const { runs, story } = report;
  const lines = [
    `${style('bold', report.scenario)}  seed ${report.seed}${report.scale === 1 ? '' : `, ${shortNumber(report.scale)} times the rates`}`,
    ...paragraph(report.description, 2).map((line) => style('dim', line)),
  ];
  for (const run of runs) lines.push('', ...runText(run, runs.length > 1, style));
  if (runs.length > 1) lines.push('', style('bold', 'Side by side'), '', ...comparison(runs, style));
  if (story.length > 0) {
    lines.push('', style('bold', 'The story'), '');
    const width = Math.max(...story.map(({ when }) => when.length));
    for (const { when, what } of story) {
      const [first, ...rest] = paragraph(what, width + 4);
      lines.push(`  ${style('dim', when.padEnd(width))}  ${first!.trimStart()}`, ...rest);
    }
  }
  lines.push('', ...paragraph(report.basis, 2).map((line) => style('dim', line)));
  return lines.join('\n');
}

function comparison(runs: readonly RunReport[], style: Styler): string[] {
  const rows = compareRows(runs);
  return grid(
    ['', ...runs.map(({ name }) => name)],
    rows.map(({ what, values }) => [what, ...values]),
    style,
  );
}

function runText(run: RunReport, isOneOfSeveral: boolean, style: Styler): string[] {
  const { totals, patterns, seconds, moments, findings } = run;
  const lines: string[] = [];
  if (isOneOfSeveral) lines.push(style('bold', `── ${run.name} `.padEnd(100, '─')));
  if (run.change !== '') lines.push(...paragraph(run.change, 2));
  const refused = `${count(totals.throttles)} throttled`;
  lines.push(
    '',
    `  ${count(totals.calls)} calls in ${shortNumber(seconds)} simulated seconds from ${run.startAt.slice(0, 19).replace('T', ' ')}, ${style(totals.throttles > 0 ? 'red' : 'green', refused)}, ${count(totals.gaveUp)} lost, ${fineMoney(totals.cost)}`,
    '',
    ...grid(
      [
        'Pattern',
        'Calls/s',
        'Throttled',
        'Retries',
        'Lost',
        'Failed',
        'Conflicts',
        'p50 ms',
        'p99 ms',
        'Read u.',
        'Write u.',
        '$/million',
      ],
      patterns.map((one) => [
        one.pattern,
        shortNumber(one.calls / seconds),
        count(one.throttles),
        count(one.retries),
        count(one.gaveUp),
        count(one.failed),
        count(one.conflicts),
        shortNumber(one.p50Ms),
        shortNumber(one.p99Ms),
        count(one.readUnits),
        count(one.writeUnits),
        one.costPerMillion.toFixed(2),
      ]),
      style,
    ),
    '',
    ...charts(run, style),
  );
  for (const arm of run.arms) lines.push(...armText(arm, style));
  for (const { pattern, maxLagMs, p99LagMs, lagMs } of run.consumers)
    lines.push(
      '',
      `  ${pattern}: up to ${shortNumber(maxLagMs / 1000)} s behind its table, 99 in 100 within ${shortNumber(p99LagMs / 1000)} s`,
      `  ${'lag'.padEnd(11)}${sparkline(lagMs, chartWidth)}`,
    );
  if (moments.length > 0) {
    lines.push('', style('bold', '  Timeline'));
    for (const { at, kind, text } of moments.slice(0, momentsMax)) {
      const [first, ...rest] = paragraph(text, 14);
      const colour =
        kind === 'throttling' || kind === 'error'
          ? 'red'
          : kind === 'quiet' || kind === 'done'
            ? 'green'
            : 'yellow';
      lines.push(`  ${style('dim', at.slice(11, 19))}  ${style(colour, '•')} ${first!.trimStart()}`, ...rest);
    }
    if (moments.length > momentsMax) lines.push(style('dim', `  … and ${moments.length - momentsMax} more`));
  }
  if (findings.length > 0) {
    lines.push('', style('bold', '  Findings'));
    for (const { severity, rule, message, fix } of findings) {
      const [first, ...rest] = paragraph(`${rule}: ${message}${fix === undefined ? '' : ` ${fix}`}`, 4);
      const colour = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'dim';
      lines.push(style(colour, `  • ${first!.trimStart()}`), ...rest);
    }
  }
  return lines;
}

const momentsMax = 20;

function charts({ patterns, arms, intervalSeconds }: RunReport, style: Styler): string[] {
  const length = patterns[0]?.series.calls.length ?? 0;
  const total = (figure: 'calls' | 'throttles') =>
    Array.from(
      { length },
      (_, at) => patterns.reduce((sum, { series }) => sum + (series[figure][at] ?? 0), 0) / intervalSeconds,
    );
  const [calls, throttles] = [total('calls'), total('throttles')];
  const p99 = Array.from({ length }, (_, at) =>
    Math.max(0, ...patterns.map(({ series }) => series.p99Ms[at] ?? 0)),
  );
  const cost = Array.from(
    { length },
    (_, at) => arms.reduce((sum, { series }) => sum + (series.cost[at] ?? 0), 0) / intervalSeconds,
  );
  const row = (what: string, values: readonly number[], most: string) =>
    `  ${what.padEnd(11)}${sparkline(values, chartWidth)}  ${style('dim', `most ${most}`)}`;
  const most = (values: readonly number[]) => Math.max(0, ...values);
  return [
    row('calls/s', calls, shortNumber(most(calls))),
    ...(most(throttles) > 0 ? [row('throttled/s', throttles, shortNumber(most(throttles)))] : []),
    row('p99 ms', p99, shortNumber(most(p99))),
    row('cost', cost, `${fineMoney(most(cost) * 3_600)} an hour`),
  ];
}

function armText(arm: ArmReport, style: Styler): string[] {
  const { heat, hotKeys, series } = arm;
  if (arm.readUnits + arm.writeUnits + arm.throttles === 0) return [];
  const grown = arm.partitions === arm.partitionsBefore ? '' : `, ${arm.partitionsBefore} at first`;
  const lines = [
    '',
    `  ${style('bold', arm.arm)}  ${arm.mode}, ${counted(arm.partitions, 'partition')}${grown}, ${counted(arm.throttles, 'throttle')}, ${fineMoney(arm.cost)}`,
  ];
  if (arm.mode === 'provisioned')
    lines.push(
      `  ${'writes/s'.padEnd(11)}${sparkline(series.write, chartWidth, Math.max(...series.write, ...series.writeCapacity))}  ${style('dim', `of ${count(series.writeCapacity[0] ?? 0)} to ${count(series.writeCapacity.at(-1) ?? 0)} provisioned`)}`,
    );
  const busiest = heat.toSorted(
    (a, b) =>
      sum(b.throttles) - sum(a.throttles) || Math.max(...b.load) - Math.max(...a.load) || a.from - b.from,
  );
  const shown = new Set(busiest.slice(0, heatRowsMax));
  for (const row of heat) {
    if (!shown.has(row)) continue;
    const most = Math.max(...row.load);
    lines.push(
      `  ${`#${row.id}`.padStart(5)}      ${heatLine(row.load, row.throttles, chartWidth)}  ${style('dim', `${percent(most)} of a partition${sum(row.throttles) > 0 ? `, ${count(sum(row.throttles))} throttles` : ''}`)}`,
    );
  }
  if (heat.length > heatRowsMax)
    lines.push(style('dim', `             and ${counted(heat.length - heatRowsMax, 'quieter partition')}`));
  for (const { key, read, write, refused } of hotKeys.slice(0, 5))
    lines.push(
      `  hot key    ${key}: ${read >= 1 ? `${shortNumber(read)} reads/s, ` : ''}${shortNumber(write)} writes/s${refused > 0 ? `, ${count(refused)} refused` : ''}`,
    );
  return lines;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0);
}
