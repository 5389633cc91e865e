import type { Styler } from '../output.ts';

const columns = 100;

/** Rows under a dim head, each column as wide as its longest cell. Columns without any text are left out. */
export function grid(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Styler,
  indent = 2,
): string[] {
  const kept = head.flatMap((_, at) => (rows.some((row) => row[at] !== '') ? [at] : []));
  const widths = kept.map((at) => Math.max(head[at]!.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `${' '.repeat(indent)}${kept.map((at, i) => (isAmount(cells[at]!) ? cells[at]!.padStart(widths[i]!) : cells[at]!.padEnd(widths[i]!))).join('  ')}`.trimEnd();
  const title = `${' '.repeat(indent)}${kept.map((at, i) => head[at]!.padEnd(widths[i]!)).join('  ')}`;
  return [style('dim', title.trimEnd()), ...rows.map(line)];
}

function isAmount(cell: string): boolean {
  return /^\$?[\d.,]+( %)?$/.test(cell);
}

/** A paragraph, wrapped, whose lines all start in the same column. */
export function paragraph(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + word.length + 1 > columns) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${' '.repeat(indent)}${each}`);
}

export function dollars(value: number): string {
  return `$${value.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
