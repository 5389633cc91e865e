import { type CheckReport, checkList, type Finding, type Severity } from '../../design/index.ts';
import { counted } from '../../model/counted.ts';
import type { Styler } from '../output.ts';
import { grid, paragraph } from './text-grid.ts';

/** The report of a check: findings from bad to mild, then the heat forecast, then what AWS's toolkit would say. */
export function checkText(report: CheckReport, style: Styler): string {
  const { findings } = report;
  const lines = [`${style('bold', report.model)}  ${verdict(report, style)}`];
  for (const found of findings) lines.push('', ...findingLines(found, style));
  lines.push(...heatLines(report, style), ...signalLines(report, style));
  return lines.join('\n');
}

const colours = { error: 'red', warning: 'yellow', note: 'dim' } as const;

function verdict({ findings, design }: CheckReport, style: Styler): string {
  const count = (severity: Severity) => findings.filter((found) => found.severity === severity).length;
  const parts = (['error', 'warning', 'note'] as const)
    .filter((severity) => count(severity) > 0)
    .map((severity) => style(colours[severity], counted(count(severity), severity)));
  const kept = Object.keys(checkList).length - new Set(findings.map(({ check }) => check)).size;
  if (parts.length === 0) return style('green', `all ${kept} checks hold`);
  if (design === undefined) return `${parts.join(', ')}; without a design no other check was made`;
  return `${parts.join(', ')}; ${kept} other checks hold`;
}

function findingLines({ severity, check, where, message, fix }: Finding, style: Styler): string[] {
  return [
    `${style(colours[severity], severity)} ${style('bold', check)}  ${where}`,
    ...paragraph(`${message}.`, 2),
    ...paragraph(`→ ${fix}`, 2),
  ];
}

const partitionsShown = 8;

function heatLines({ forecast }: CheckReport, style: Styler): string[] {
  if (forecast === undefined) return [];
  const shown = forecast.partitions.filter(({ use }) => use >= 0.005).slice(0, partitionsShown);
  if (shown.length === 0) return [];
  const rows = shown.map(({ slot, template, shards, writeUnits, readUnits, use, from }) => [
    slot,
    template,
    shards > 1 ? String(shards) : '',
    units(writeUnits),
    units(readUnits),
    `${Math.round(use * 100)} %`,
    bar(use),
    from
      .slice(0, 2)
      .map(({ pattern }) => pattern)
      .join(', '),
  ]);
  const head = ['On', 'Hottest value of', 'Shards', 'Write/s', 'Read/s', 'Use', '', 'From'];
  return ['', style('bold', 'Heat at the peak'), ...grid(head, rows, style)];
}

function units(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1);
}

function bar(use: number): string {
  return '█'.repeat(Math.min(10, Math.round(use * 10))).padEnd(10, '·');
}

function signalLines({ awsSignals }: CheckReport, style: Styler): string[] {
  if (awsSignals.length === 0) return [];
  const groups = new Map<string, string[]>();
  for (const { signal, severity, pattern_ids } of awsSignals) {
    const key = `${signal} (${severity})`;
    groups.set(key, [...new Set([...(groups.get(key) ?? []), ...pattern_ids])]);
  }
  return [
    '',
    `${style('bold', "Under the names of AWS's agent toolkit")}  ${style('dim', 'forecast, not measured')}`,
    ...[...groups].flatMap(([name, patterns]) => paragraph(`${name}: ${patterns.join(', ')}`, 2)),
  ];
}
