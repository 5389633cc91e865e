import type { Styler } from '../output.ts';
import { wrapped } from '../physics-text.ts';
import type { TopState } from './top-state.ts';

/** A picture of a server, as lines of text. */
export function topText(state: TopState, endpoint: string, rows: number, style: Styler): string[] {
  const { at, seconds, minutes, mode, table } = state;
  const hasRegions = new Set(state.tables.map(({ region }) => region)).size > 1;
  return [
    `${style('bold', 'Stator')}  ${endpoint}  ${at.slice(0, 19).replace('T', ' ')} UTC${mode === null ? '' : `  physics ${mode}`}`,
    ...part(
      `Tables, a second over ${seconds} s`,
      ['Table', 'Requests', 'Read units', 'Write units', 'Errors', 'Throttled', 'On AWS', 'Mean ms'],
      state.tables.map((each) => [
        hasRegions ? `${each.table} (${each.region})` : each.table,
        ...[each.requests, each.readUnits, each.writeUnits, each.errors, each.throttles].map(number),
        number(each.shadowThrottles),
        each.meanMs === null ? '-' : each.meanMs.toFixed(2),
      ]),
      { rows, style, empty: 'No table has been used since the server started.' },
    ),
    ...part(
      `Access patterns, ${minutes} min`,
      ['Pattern', 'Requests', 'p50 ms', 'p99 ms', 'Read units', 'Write units', 'Errors', 'Retries'],
      state.patterns.map((each) => [
        short(each.name, 44),
        number(each.requests),
        ...[each.latencyMs?.p50, each.latencyMs?.p99].map((ms) => (ms == null ? '-' : ms.toFixed(2))),
        ...[each.readUnits, each.writeUnits].map(number),
        number(Object.values(each.errors).reduce((sum, count) => sum + count, 0)),
        number(each.retries),
      ]),
      { rows, style, empty: 'No requests.' },
    ),
    ...(table === null ? [] : keyPart(state, table, rows, style)),
    ...(table === null || state.partitions.length === 0 ? [] : partitionPart(state, table, rows, style)),
    ...throttlePart(state, rows, style),
    ...(state.note === null ? [] : ['', style('dim', state.note)]),
  ];
}

function keyPart({ keys, hasInsights, minutes }: TopState, table: string, rows: number, style: Styler) {
  const isRanked = keys[0]?.weight != null;
  const name = (key: string, index: string | null) => short(index === null ? key : `${key} (${index})`, 60);
  const advice = hasInsights
    ? 'No key was met yet.'
    : 'None is busy. Contributor Insights rank all keys: aws dynamodb update-contributor-insights.';
  return part(
    isRanked ? `Keys of ${table}, ${minutes} min` : `Busy keys of ${table}, last minute`,
    isRanked ? ['Key', 'Read + 3 × write units'] : ['Key', 'Read units', 'Write units'],
    keys.map(({ key, index, readUnits, writeUnits, weight }) => [
      name(key, index),
      ...(isRanked ? [number(weight!)] : [number(readUnits ?? 0), number(writeUnits ?? 0)]),
    ]),
    { rows, style, empty: advice },
  );
}

function partitionPart({ partitions }: TopState, table: string, rows: number, style: Styler): string[] {
  const load = ({ readUnits, writeUnits }: TopState['partitions'][number]) => readUnits + 3 * writeUnits;
  const most = Math.max(1, ...partitions.map(load));
  return part(
    `Partitions of ${table}, last minute`,
    ['Partition', 'Hash space', 'Read units', 'Write units', 'Throttled', 'Load'],
    partitions.map((each) => [
      `#${each.id}${each.index === null ? '' : ` of ${each.index}`}`,
      `${(each.share * 100).toFixed(1)} %`,
      ...[each.readUnits, each.writeUnits, each.refused].map(number),
      '█'.repeat(Math.round((load(each) / most) * 12)).padEnd(12, '·'),
    ]),
    { rows, style, empty: '' },
  );
}

function throttlePart({ throttles }: TopState, rows: number, style: Styler): string[] {
  if (throttles.length === 0) return ['', `${style('bold', 'Throttles')}  ${style('green', 'none')}`];
  return [
    '',
    style('bold', 'Throttles'),
    ...throttles
      .slice(0, rows)
      .flatMap(({ lastAt, reason, enforced, count, explanation }) => [
        `  ${style('dim', lastAt.slice(11, 19))} ${style(enforced ? 'red' : 'yellow', reason)} × ${number(count)}${enforced ? '' : ', on AWS'}`,
        ...wrapped(explanation, 96).map((line) => `    ${line}`),
      ]),
  ];
}

interface PartOptions {
  readonly rows: number;
  readonly style: Styler;
  readonly empty: string;
}

/** A title and a table whose first column is text, and whose others are numbers or bars. */
function part(
  title: string,
  head: readonly string[],
  all: readonly (readonly string[])[],
  { rows, style, empty }: PartOptions,
): string[] {
  if (all.length === 0) return ['', `${style('bold', title)}`, `  ${style('dim', empty)}`];
  const shown = all.slice(0, rows);
  const widths = head.map((word, i) => Math.max(word.length, ...shown.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')}`;
  const more = all.length - shown.length;
  return [
    '',
    style('bold', title),
    style('dim', line(head)),
    ...shown.map(line),
    ...(more > 0 ? [style('dim', `  and ${number(more)} more`)] : []),
  ];
}

function short(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function number(value: number): string {
  return (Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString('en-US');
}
