/** The parts of a Markdown page that our own pages use. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'code'; readonly lines: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'item'; readonly depth: number; readonly mark: string; readonly text: string };

const fence = /^(\s*)(`{3,}|~{3,})/;
const listItem = /^(\s*)([-*+]|\d+[.)])\s+(.*)$/;
const tableLine = /^\s*\|.*\|\s*$/;
const divider = /^\s*\|?\s*:?-+/;

export function readBlocks(page: string): Block[] {
  const lines = withoutComments(page).split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const opened = fence.exec(line);
    if (opened !== null) {
      const [, margin = '', mark = ''] = opened;
      const code: string[] = [];
      for (at++; at < lines.length && !lines[at]!.trim().startsWith(mark); at++)
        code.push(lines[at]!.startsWith(margin) ? lines[at]!.slice(margin.length) : lines[at]!);
      at++;
      blocks.push({ kind: 'code', lines: code });
      continue;
    }
    if (line.trim() === '') {
      at++;
      continue;
    }
    const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    if (heading !== null) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! });
      at++;
      continue;
    }
    if (tableLine.test(line)) {
      const rows: string[][] = [];
      for (; at < lines.length && tableLine.test(lines[at]!); at++)
        if (!divider.test(lines[at]!) || rows.length !== 1) rows.push(cellsOf(lines[at]!));
      blocks.push({ kind: 'table', rows });
      continue;
    }
    const item = listItem.exec(line);
    // What follows belongs to the paragraph until something else begins.
    const text = [item === null ? line.trim().replace(/^>\s?/, '') : item[3]!.trim()];
    for (at++; at < lines.length && continues(lines[at]!); at++)
      text.push(lines[at]!.trim().replace(/^>\s?/, ''));
    const joined = text.join(' ');
    if (item !== null) {
      const [, margin = '', mark = '-'] = item;
      const depth = Math.floor(margin.length / 2);
      blocks.push({ kind: 'item', depth, mark: /\d/.test(mark) ? mark : '•', text: joined });
    } else blocks.push({ kind: line.trim().startsWith('>') ? 'quote' : 'paragraph', text: joined });
  }
  return blocks;
}

function continues(line: string): boolean {
  return !(
    line.trim() === '' ||
    fence.test(line) ||
    listItem.test(line) ||
    tableLine.test(line) ||
    /^#{1,6}\s/.test(line)
  );
}

/** Cells of a line of a table; `\|` and a bar within code are text. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let inCode = false;
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  for (let at = 0; at < inner.length; at++) {
    const letter = inner[at]!;
    if (letter === '\\' && inner[at + 1] === '|') {
      cell += '|';
      at++;
    } else if (letter === '|' && !inCode) {
      cells.push(cell.trim());
      cell = '';
    } else {
      if (letter === '`') inCode = !inCode;
      cell += letter;
    }
  }
  return [...cells, cell.trim()];
}

function withoutComments(page: string): string {
  return page.replace(/<!--[\s\S]*?-->/g, '').replaceAll('\r\n', '\n');
}
