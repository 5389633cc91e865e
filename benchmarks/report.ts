import type { Result } from './compare.ts';
import type { ForkResult } from './storage/memory.ts';
import type { StorageReport } from './storage/storage-suite.ts';

/** The time that a fork may take, in microseconds. */
const forkMicrosMax = 100;

/** The report as Markdown, ready to be put on a page. */
export function renderReport({ results, forks, notes }: StorageReport): string {
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
