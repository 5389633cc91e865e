import type { Result } from './compare.ts';
import type { ForkResult } from './storage/memory.ts';
import type { StorageReport } from './storage/storage-suite.ts';
import { type Finding, isMet, type Report } from './suite.ts';

/** The time that a fork may take, in microseconds. */
const forkMicrosMax = 100;

/** The report as Markdown, ready to be put on a page: what was promised first, then all that was measured. */
export function renderReport({ findings, tables, hash, notes }: Report): string {
  const parts = [
    ...(findings.length === 0
      ? []
      : [tableOf(['measured', 'figure', 'bar', ''], findings.map(findingRow)).join('\n')]),
    ...tables.map(({ title, head, rows }) => [title, '', ...tableOf(head, rows)].join('\n')),
    ...(hash === undefined ? [] : [`All sides answered alike: ${hash}`]),
    ...notes,
  ];
  return parts.join('\n\n');
}

function findingRow(finding: Finding): string[] {
  const { what, value, unit, bar } = finding;
  const met = isMet(finding);
  return [
    what,
    value === null ? 'not measured' : `${readable(value)} ${unit}`,
    bar === null ? '' : `${bar.kind} ${bar.value} ${unit}`,
    met === null ? '' : met ? 'met' : '**not met**',
  ];
}

/** Three digits, without an exponent. */
function readable(value: number): string {
  return value >= 1_000 ? grouped(value) : String(Number(value.toPrecision(3)));
}

/** The storage suite's report as Markdown. */
export function renderStorageReport({ results, forks, notes }: StorageReport): string {
  return [
    ...tableOf(
      ['store', 'operation', 'items', 'clients', 'raw/s', 'ours/s', 'ratio', 'rounds', 'bar', 'hash'],
      results.map(rowOf),
    ),
    ...(forks.length === 0 ? [] : ['', ...forkLines(forks)]),
    ...notes.map((note) => `\n${note}`),
  ].join('\n');
}

function rowOf(result: Result): string[] {
  const { ratio, ratioMin, spread } = result;
  const verdict = ratioMin === null ? '' : `${ratioMin} ${ratio >= ratioMin ? 'met' : '**missed**'}`;
  return [
    result.store,
    result.operation,
    grouped(result.items),
    String(result.clients),
    grouped(result.raw),
    grouped(result.ours),
    ratio.toFixed(2),
    `${spread[0].toFixed(2)}–${spread[1].toFixed(2)}`,
    verdict,
    result.hash,
  ];
}

function forkLines(forks: readonly ForkResult[]): string[] {
  return tableOf(
    ['memory, items', 'fork, µs', 'slowest fork, µs', 'fork and first put, µs', 'bar'],
    forks.map((result) => [
      grouped(result.items),
      result.fork.toFixed(1),
      result.forkMax.toFixed(1),
      result.forkAndFirstPut.toFixed(1),
      `${forkMicrosMax} µs ${result.fork < forkMicrosMax ? 'met' : '**missed**'}`,
    ]),
  );
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** Four digits say all that a measurement of this kind can. */
export function grouped(value: number): string {
  const rounded = Number(value.toPrecision(4));
  return Math.round(rounded)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}
