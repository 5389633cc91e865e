import type { DoctorReport, Finding } from '../../doctor/index.ts';
import { counted } from '../../model/counted.ts';
import type { Styler } from '../output.ts';

const labelWidth = 10;
const tablesShown = 12;

interface Shown {
  readonly finding: Finding;
  /** Further tables with the same finding. */
  readonly others: readonly string[];
}

export interface TextChoices {
  readonly endpoint: string;
  readonly minutes: number;
  readonly columns: number;
  readonly quiet: boolean;
}

/** A report for people: worst first, each finding with what was seen and what helps. */
export function doctorText(report: DoctorReport, choices: TextChoices, style: Styler): string {
  const { findings, tables, at } = report;
  const { endpoint, minutes, columns, quiet } = choices;
  const wanted = quiet ? findings.filter(({ severity }) => severity !== 'note') : findings;
  const head = [
    style('bold', 'Stator doctor'),
    endpoint === 'aws' ? 'AWS' : endpoint,
    counted(tables.length, 'table'),
    `the last ${counted(minutes, 'minute')}`,
    `${at.slice(0, 16).replace('T', ' ')} UTC`,
  ].join('  ');
  return [
    head,
    '',
    ...together(wanted).flatMap((each) => [...findingLines(each, columns, style), '']),
    summary(findings, tables.length, style),
    ...unseenLines(report, columns, style),
    style('dim', costText(report)),
  ].join('\n');
}

/** What is new and what is gone since the look before. */
export function changesText(
  before: DoctorReport,
  report: DoctorReport,
  choices: TextChoices,
  style: Styler,
): string | undefined {
  const known = new Set(before.findings.map(identity));
  const now = new Set(report.findings.map(identity));
  const come = report.findings.filter((each) => !known.has(identity(each)));
  const gone = before.findings.filter((each) => !now.has(identity(each)));
  if (come.length === 0 && gone.length === 0) return undefined;
  const time = style('dim', `${report.at.slice(11, 19)} UTC`);
  return [
    ...gone.map((each) => `${time}  ${style('green', 'gone')}     ${title(each, style)}`),
    ...together(come).flatMap((each) => [
      `${time}  ${style('bold', 'new')}`,
      ...findingLines(each, choices.columns, style),
    ]),
  ].join('\n');
}

/** What makes two findings the same, whatever their numbers. */
export function identity({ id, table, index, pattern, key }: Finding): string {
  return JSON.stringify([id, table, index, pattern, key]);
}

/** Notes that many tables share are told once. */
function together(findings: readonly Finding[]): Shown[] {
  const shown = new Map<string, { finding: Finding; others: string[] }>();
  for (const finding of findings) {
    const isAlike = finding.severity !== 'error' && finding.index === undefined && finding.key === undefined;
    const id =
      isAlike && finding.pattern === undefined ? `${finding.id} ${finding.cause}` : identity(finding);
    const same = shown.get(id);
    if (same === undefined) shown.set(id, { finding, others: [] });
    else same.others.push(finding.table);
  }
  return [...shown.values()];
}

const labels = { error: 'red', warning: 'yellow', note: 'dim' } as const;

function title({ severity, id, table, index, key }: Finding, style: Styler): string {
  const place = index === undefined ? table : `${table}/${index}`;
  return [
    style(labels[severity], severity.toUpperCase().padEnd(7)),
    style('bold', id),
    place,
    ...(key === undefined ? [] : [`key ${key}`]),
  ].join('  ');
}

function findingLines({ finding, others }: Shown, columns: number, style: Styler): string[] {
  const { symptom, cause, evidence, confirm, fix, runbook } = finding;
  const part = (label: string, text: string) =>
    wrapped(text, columns - labelWidth - 2).map(
      (line, i) => `  ${style('dim', (i === 0 ? label : '').padEnd(labelWidth))}${line}`,
    );
  const command = (label: string, text: string) => [
    `  ${style('dim', label.padEnd(labelWidth))}${style('green', '$')} ${text}`,
  ];
  const named = others.slice(0, tablesShown).join(', ');
  const more = others.length > tablesShown ? ` and ${others.length - tablesShown} more` : '';
  return [
    title(finding, style),
    ...wrapped(symptom, columns - 2).map((line) => `  ${line}`),
    ...part('cause', cause),
    ...evidence.flatMap((line, i) => part(i === 0 ? 'seen' : '', line)),
    ...command('confirm', confirm),
    ...part('fix', fix.text),
    ...(fix.command === undefined ? [] : command('', fix.command)),
    ...(others.length === 0 ? [] : part('also', `${named}${more}`)),
    ...part('read', runbook),
  ];
}

function summary(findings: readonly Finding[], tables: number, style: Styler): string {
  if (findings.length === 0)
    return style('green', `Nothing is wrong with ${tables === 1 ? 'this table' : `these ${tables} tables`}.`);
  const of = (severity: Finding['severity']) => findings.filter((each) => each.severity === severity).length;
  return style(
    'bold',
    `${[counted(of('error'), 'error'), counted(of('warning'), 'warning'), counted(of('note'), 'note')].join(', ')} in ${counted(tables, 'table')}.`,
  );
}

function unseenLines({ notSeen }: DoctorReport, columns: number, style: Styler): string[] {
  return notSeen.flatMap(({ what, why, remedy, tables }) => {
    const of =
      tables === undefined
        ? ''
        : ` of ${tables.slice(0, 4).join(', ')}${tables.length > 4 ? ` and ${tables.length - 4} more` : ''}`;
    const text = `Not seen: ${what}${of}, because ${why}.${remedy === undefined ? '' : ` ${remedy}`}`;
    return wrapped(text, columns).map((line) => style('yellow', line));
  });
}

function costText({ consumed: { readUnits, requests, metrics } }: DoctorReport): string {
  return `Looking took ${counted(readUnits, 'read unit')}, ${counted(requests, 'request')} and ${counted(metrics, 'metric')}.`;
}

/** Lines of at most so many characters, broken at blanks. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
