import type { Styler } from '../output.ts';
import { visibleLength, withinLines } from './wrap-text.ts';

const gap = 2;
const narrowest = 8;

/** A table whose cells wrap, so that it fits the terminal. The first row is its heading. */
export function tableText(
  rows: readonly (readonly string[])[],
  { columns, style }: { readonly columns: number; readonly style: Styler },
): string {
  const count = Math.max(...rows.map((row) => row.length));
  const natural = Array.from({ length: count }, (_, column) =>
    Math.max(1, ...rows.map((row) => visibleLength(row[column] ?? ''))),
  );
  const widths = fitted(natural, columns - gap * (count - 1));
  const lines = rows.map((row) => rowText(row, widths));
  const [heading = '', ...others] = lines;
  // A table without a heading has empty cells there.
  const isHeaded = rows[0]!.some((cell) => cell !== '');
  const rule = style('dim', widths.map((width) => '─'.repeat(width)).join(' '.repeat(gap)));
  return (isHeaded ? [boldLines(heading, style), rule, ...others] : [rule, ...others]).join('\n');
}

function boldLines(text: string, style: Styler): string {
  return text
    .split('\n')
    .map((line) => style('bold', line))
    .join('\n');
}

/** Takes room from the widest columns until all fit. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  while (widths.reduce((sum, width) => sum + width, 0) > room) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= narrowest) break;
    widths[widest]!--;
  }
  return widths;
}

function rowText(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => cellLines(row[column] ?? '', width));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, column) => padded(lines[line] ?? '', widths[column]!))
      .join(' '.repeat(gap))
      .trimEnd(),
  ).join('\n');
}

/** The lines of a cell. A word that is wider than its column is cut. */
function cellLines(text: string, width: number): string[] {
  const words = text.split(' ').flatMap((word) => pieces(word, width));
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && visibleLength(line) + 1 + visibleLength(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return withinLines([...lines, line]);
}

function pieces(word: string, width: number): string[] {
  if (visibleLength(word) <= width || visibleLength(word) !== word.length) return [word];
  const cut: string[] = [];
  for (let at = 0; at < word.length; at += width) cut.push(word.slice(at, at + width));
  return cut;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleLength(text)));
}
