import type { ComponentChildren } from 'preact';
import { type Block, readBlocks } from '../../../src/report/markdown-blocks.ts';
import { Snippet } from '../../parts/buttons.tsx';
import { href } from '../../shell/router.ts';

/**
 * Draws the Markdown that the handbook is written in: headings, paragraphs, lists, tables, code, links, pictures. It makes elements
 * and never markup, so that no text can become anything else.
 */
export function Markdown({ text }: { readonly text: string }) {
  return <>{grouped(readBlocks(text)).map((group, key) => draw(group, key))}</>;
}

type Item = Extract<Block, { readonly kind: 'item' }>;

/** Blocks in their order; the items of a list are together. */
function grouped(blocks: readonly Block[]): (Exclude<Block, Item> | readonly Item[])[] {
  const groups: (Exclude<Block, Item> | Item[])[] = [];
  for (const block of blocks) {
    const before = groups.at(-1);
    if (block.kind !== 'item') groups.push(block);
    else if (Array.isArray(before)) before.push(block);
    else groups.push([block]);
  }
  return groups;
}

function draw(block: Exclude<Block, Item> | readonly Item[], key: number): ComponentChildren {
  if (!('kind' in block)) {
    const Tag = block[0]!.mark === '•' ? 'ul' : 'ol';
    return (
      <Tag key={key}>
        {block.map(({ text }, at) => (
          <li key={at}>{inline(text)}</li>
        ))}
      </Tag>
    );
  }
  switch (block.kind) {
    case 'code':
      return <Snippet key={key} text={block.lines.join('\n')} label="this code" />;
    case 'heading': {
      const Tag = (['h1', 'h2', 'h3', 'h4'] as const)[Math.min(3, block.level - 1)]!;
      return (
        <Tag key={key} id={anchorOf(block.text)}>
          {inline(block.text)}
        </Tag>
      );
    }
    case 'table':
      return <Table key={key} rows={block.rows} />;
    case 'quote':
      return <blockquote key={key}>{inline(block.text)}</blockquote>;
    case 'paragraph':
      return paragraph(block.text.replace(/\s*<\/details>$/, ''), key);
  }
}

function paragraph(text: string, key: number): ComponentChildren {
  const [, alt, picture] = /^!\[([^\]]*)\]\(pictures\/([\w-]+\.svg)\)$/.exec(text) ?? [];
  if (picture !== undefined)
    return <img key={key} src={`/_studio/handbook/pictures/${picture}`} alt={alt ?? ''} />;
  const summary = /^<details><summary>(.*)<\/summary>$/.exec(text);
  if (summary !== null)
    return (
      <p key={key}>
        <strong>{inline(summary[1]!)}</strong>
      </p>
    );
  return text === '' ? null : <p key={key}>{inline(text)}</p>;
}

function Table({ rows: [head = [], ...body] }: { readonly rows: readonly (readonly string[])[] }) {
  return (
    <div class="handbook-table" tabIndex={0} role="group" aria-label="Table">
      <table class="list">
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const marks = /(`[^`]+`)|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)]+)\)/;

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  for (let found = marks.exec(rest); found !== null; found = marks.exec(rest)) {
    const [whole, code, bold, italic, label, target] = found;
    if (found.index > 0) parts.push(rest.slice(0, found.index));
    if (code !== undefined) parts.push(<code>{code.slice(1, -1)}</code>);
    else if (bold !== undefined) parts.push(<strong>{inline(bold)}</strong>);
    else if (italic !== undefined) parts.push(<em>{inline(italic)}</em>);
    else parts.push(<Link target={target!}>{inline(label!)}</Link>);
    rest = rest.slice(found.index + whole.length);
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

/** Pages of the handbook lead to each other; what lies elsewhere in the package is named and not linked. */
function Link({ target, children }: { readonly target: string; readonly children: ComponentChildren }) {
  const [, topic, at] = /^(?:\.\/)?([\w-]+)\.md(?:#(.*))?$/.exec(target) ?? [];
  if (topic !== undefined) return <a href={href(undefined, 'handbook', { topic, at })}>{children}</a>;
  if (target.startsWith('https://'))
    return (
      <a href={target} rel="noreferrer" target="_blank">
        {children}
      </a>
    );
  return <span title={target}>{children}</span>;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
