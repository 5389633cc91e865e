import { posix } from 'node:path';
import { type Block, readBlocks } from '../../report/markdown-blocks.ts';
import type { Styler } from '../output.ts';
import { tableText } from './table-text.ts';
import { visibleLength, wrapText } from './wrap-text.ts';

export interface MarkdownOptions {
  readonly style: Styler;
  /** The width of the terminal. */
  readonly columns: number;
  /** Where the page lies, from the root of the package: its links are relative to that. */
  readonly folder: string;
}

/** A Markdown page for a terminal; what it links to stands at its end. */
export function markdownText(page: string, { style, columns, folder }: MarkdownOptions): string {
  const targets = new Set<string>();
  const inline = (text: string) => inlineText(text, { style, folder, targets });
  const parts: string[] = [];
  let before: Block['kind'] | undefined;
  for (const block of readBlocks(page)) {
    const text = blockText(block, { style, columns, inline });
    if (text === '') continue;
    // Items of a list follow each other without a gap.
    const isCloseTo = before === undefined || (before === 'item' && block.kind === 'item');
    parts.push(isCloseTo ? text : `\n${text}`);
    before = block.kind;
  }
  if (targets.size > 0) {
    const list = [...targets].map((target) => wrapText(target, columns, '  '));
    parts.push('', style('bold', 'Leads on to'), list.join('\n'));
  }
  return parts.join('\n');
}

interface Tools {
  readonly style: Styler;
  readonly columns: number;
  readonly inline: (text: string) => string;
}

function blockText(block: Block, { style, columns, inline }: Tools): string {
  switch (block.kind) {
    case 'heading': {
      const text = inline(block.text);
      if (block.level > 2) return style('bold', text);
      const line = (block.level === 1 ? '═' : '─').repeat(Math.min(visibleLength(text), columns));
      return `${style('bold', text)}\n${style('dim', line)}`;
    }
    case 'paragraph':
      return wrapText(inline(block.text), columns);
    case 'quote':
      return wrapText(inline(block.text), columns, `${style('dim', '│')} `);
    case 'code':
      return block.lines.map((line) => (line === '' ? '' : `    ${style('cyan', line)}`)).join('\n');
    case 'item': {
      const margin = '  '.repeat(block.depth + 1);
      const first = `${margin}${block.mark} `;
      return wrapText(inline(block.text), columns, ' '.repeat(first.length), first);
    }
    case 'table':
      return tableText(
        block.rows.map((row) => row.map(inline)),
        { columns, style },
      );
  }
}

interface Inline {
  readonly style: Styler;
  readonly folder: string;
  readonly targets: Set<string>;
}

/** Links go first, since their text may be code. */
const link = /(!?)\[((?:[^[\]`]|`[^`]*`)*)\]\(([^)\s]+)[^)]*\)/g;

function inlineText(text: string, { style, folder, targets }: Inline): string {
  const withoutLinks = text.replace(link, (_, picture: string, shown: string, target: string) => {
    if (picture !== '') return `(picture: ${shown})`;
    const place = placeOf(target, folder);
    if (place !== undefined) targets.add(place);
    return shown;
  });
  return withoutLinks
    .split(/(`+[^`]+`+)/)
    .map((piece, at) => (at % 2 === 1 ? codeText(piece, style) : prose(piece, style)))
    .join('');
}

function codeText(piece: string, style: Styler): string {
  const bare = piece.replace(/^`+ ?| ?`+$/g, '');
  const coloured = style('cyan', bare);
  // Without colours the ticks stay, since they tell code from prose.
  return coloured === bare ? `\`${bare}\`` : coloured;
}

function prose(text: string, style: Styler): string {
  return text
    .replace(/<summary>(.*?)<\/summary>/g, (_, shown: string) => style('bold', shown))
    .replace(/<\/?(?:details|summary|br|p|div|picture|sub|sup|kbd)\b[^>]*>/g, '')
    .replace(/\*\*([^*]+)\*\*/g, (_, strong: string) => style('bold', strong))
    .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trimStart()
    .replace(/^/, /^\s/.test(text) ? ' ' : '');
}

/** Where a link leads, as somebody at a terminal follows it; undefined for one within the page. */
function placeOf(target: string, folder: string): string | undefined {
  if (/^\w+:/.test(target)) return target;
  const [path = ''] = target.split('#');
  if (path === '') return undefined;
  const full = posix.join(folder, path);
  const page = /^docs\/handbook\/([\w-]+)\.md$/.exec(full)?.[1];
  return page === undefined || page === 'README' ? full : `stator help ${page}`;
}
