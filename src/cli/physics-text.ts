import type { ServerReport, TableReport, ToldVerdict } from '../physics-costs.ts';
import type { Styler } from './output.ts';

type Described = TableReport['resources'][number];

/** The tables in use, and what happened to them. */
export function serverReportText(report: ServerReport, style: Styler): string {
  const off = Object.entries(report.effects).filter(([, on]) => !on);
  const without = off.length === 0 ? '' : `, without ${off.map(([name]) => name).join(', ')}`;
  const rows = report.tables.map((table) => [
    table.table,
    table.region,
    table.mode,
    number(table.partitions),
    number(table.indexes),
    number(table.refused),
  ]);
  return [
    `${style('bold', 'Physics')}  ${report.mode}${without}`,
    '',
    ...(rows.length === 0
      ? ['No table has been used since the server started.']
      : grid(['Table', 'Region', 'Mode', 'Partitions', 'Indexes', 'Throttled'], rows, style)),
    ...verdictLines(report.verdicts.slice(0, 5), style),
    ...(report.note === undefined ? [] : ['', style('dim', report.note)]),
  ].join('\n');
}

/** The partitions of a table, its load, its verdicts, and its costs. */
export function tableReportText(report: TableReport, minutes: number, style: Styler): string {
  const { resources, cost } = report;
  const lines: string[] = [
    `${style('bold', report.table)}  ${report.region}  physics ${report.mode}`,
    ...resources.flatMap((resource) => ['', ...resourceLines(resource, style)]),
    ...verdictLines(report.verdicts, style),
    '',
    style('bold', 'Minutes'),
  ];
  const latest = cost.minutes.slice(-minutes);
  if (latest.length === 0) lines.push('  Nothing was consumed in the last hour.');
  else {
    const rows = latest.map(({ minute, readUnits, writeUnits, refused, cost: each }) => [
      minute.replace('T', ' '),
      number(readUnits),
      number(writeUnits),
      number(refused),
      money(each, cost.currency),
    ]);
    lines.push(...grid(['Minute (UTC)', 'Read units', 'Write units', 'Throttled', 'Cost'], rows, style));
    lines.push(`  The last hour: ${money(cost.total, cost.currency)}. ${style('dim', cost.basis)}`);
  }
  if (report.note !== undefined) lines.push('', style('dim', report.note));
  return lines.join('\n');
}

function resourceLines(resource: Described, style: Styler): string[] {
  const { partitions, throughput, indexName, hotKeys, events } = resource;
  const what = indexName === undefined ? 'Table' : `Index ${indexName}`;
  const busiest = Math.max(1, ...partitions.map((each) => consumed(each)));
  const shown = [...partitions].sort((a, b) => consumed(b) - consumed(a)).slice(0, partitionsShown);
  const rows = shown.map((each) => {
    const sum = totals(each);
    return [
      `#${each.id}`,
      `${(each.share * 100).toFixed(1)} %`,
      size(each.bytes),
      number(sum.read),
      number(sum.write),
      number(sum.refused),
      bar(consumed(each) / busiest),
    ];
  });
  const head = ['Partition', 'Hash space', 'Stored', 'Reads/h', 'Writes/h', 'Throttled', 'Load'];
  const more = partitions.length - shown.length;
  return [
    `${style('bold', what)}  ${throughputText(throughput)}, ${number(partitions.length)} partition${partitions.length === 1 ? '' : 's'}`,
    ...grid(head, rows, style),
    ...(more > 0 ? [`  and ${number(more)} more partitions with less load`] : []),
    ...hotKeys
      .filter(({ name }) => name !== undefined)
      .slice(0, 3)
      .map(
        ({ name, readAsked, writeAsked }) =>
          `  ${style('yellow', 'hot key')} ${name}: ${number(readAsked)} reads/s, ${number(writeAsked)} writes/s`,
      ),
    ...events.slice(-3).map(({ atMs, what: told }) => `  ${style('dim', time(atMs))} ${told}`),
  ];
}

const partitionsShown = 16;

function throughputText(throughput: Described['throughput']): string {
  if (throughput.mode === 'PROVISIONED')
    return `provisioned, ${number(throughput.read)} reads/s and ${number(throughput.write)} writes/s`;
  const { maxRead, maxWrite } = throughput;
  const maxima = [
    maxRead === undefined ? undefined : `at most ${number(maxRead)} reads/s`,
    maxWrite === undefined ? undefined : `at most ${number(maxWrite)} writes/s`,
  ].filter((each) => each !== undefined);
  return ['on demand', ...maxima].join(', ');
}

function verdictLines(verdicts: readonly ToldVerdict[], style: Styler): string[] {
  if (verdicts.length === 0) return ['', `${style('bold', 'Verdicts')}  ${style('green', 'none')}`];
  return [
    '',
    style('bold', 'Verdicts'),
    ...verdicts
      .slice(0, 10)
      .flatMap(({ lastAt, explanation, reason, enforced }) => [
        `  ${style('dim', lastAt.slice(0, 19).replace('T', ' '))} ${style(enforced ? 'red' : 'yellow', reason)}`,
        ...wrapped(explanation, 96).map((line) => `    ${line}`),
      ]),
    ...(verdicts.length > 10 ? [`  and ${verdicts.length - 10} older ones: --json lists them`] : []),
  ];
}

function totals({ lastHour }: Described['partitions'][number]) {
  return lastHour.reduce(
    (sum, load) => ({
      read: sum.read + load.readUnits,
      write: sum.write + load.writeUnits,
      refused: sum.refused + load.refusedReads + load.refusedWrites,
    }),
    { read: 0, write: 0, refused: 0 },
  );
}

/** A partition gives three times as many reads as writes. */
function consumed(partition: Described['partitions'][number]): number {
  const { read, write } = totals(partition);
  return read / 3 + write;
}

function bar(share: number): string {
  return '█'.repeat(Math.round(share * 12)).padEnd(12, '·');
}

function grid(head: readonly string[], rows: readonly (readonly string[])[], style: Styler): string[] {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]) =>
    `  ${cells.map((cell, i) => (/^[\d.,$]/.test(cell) ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!))).join('  ')}`.trimEnd();
  const title = `  ${head.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd();
  return [style('dim', title), ...rows.map(line)];
}

export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function number(value: number | null): string {
  if (value === null) return 'unlimited';
  return (Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value)).toLocaleString('en-US');
}

function size(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = Math.max(0, bytes);
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Single requests cost millionths. */
function money(value: number, currency: string): string {
  const digits = value === 0 || value >= 1 ? 2 : Math.min(9, 2 + Math.ceil(-Math.log10(value)));
  return `${value.toFixed(digits)} ${currency}`;
}

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
