import type { ComponentChildren } from 'preact';
import { Snippet } from '../../parts/buttons.tsx';
import { href } from '../../shell/router.ts';

/**
 * Draws the Markdown that the handbook is written in: headings, paragraphs, lists, tables, code, links, pictures. It makes elements
 * and never markup, so that no text can become anything else.
 */
export function Markdown({ text }: { readonly text: string }) {
  return <>{blocksOf(text.split('\n'))}</>;
}

function blocksOf(lines: readonly string[]): ComponentChildren[] {
  const blocks: ComponentChildren[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    if (line.trim() === '' || line.startsWith('<!--')) {
      at++;
      continue;
    }
    const end = endOf(lines, at);
    blocks.push(block(lines.slice(at, end), at));
    at = end;
  }
  return blocks;
}

const item = /^\s*(?:[-*]|\d+\.)\s+/;

function endOf(lines: readonly string[], start: number): number {
  const first = lines[start]!;
  let at = start + 1;
  if (first.startsWith('```')) {
    while (at < lines.length && !lines[at]!.startsWith('```')) at++;
    return at + 1;
  }
  if (first.startsWith('#')) return at;
  const isList = item.test(first);
  const isTable = first.startsWith('|');
  while (at < lines.length) {
    const line = lines[at]!;
    if (line.trim() === '' || line.startsWith('```') || line.startsWith('#')) break;
    if (isTable !== line.startsWith('|') || (!isList && item.test(line))) break;
    at++;
  }
  return at;
}

function block(lines: readonly string[], key: number): ComponentChildren {
  const first = lines[0]!;
  if (first.startsWith('```'))
    return <Snippet key={key} text={lines.slice(1, -1).join('\n')} label="this code" />;
  const heading = /^(#+)\s+(.*)$/.exec(first);
  if (heading !== null) {
    const Tag = (['h1', 'h2', 'h3', 'h4'] as const)[Math.min(3, heading[1]!.length - 1)]!;
    return (
      <Tag key={key} id={anchorOf(heading[2]!)}>
        {inline(heading[2]!)}
      </Tag>
    );
  }
  if (first.startsWith('|')) return <Table key={key} lines={lines} />;
  if (item.test(first)) {
    const Tag = /^\s*\d/.test(first) ? 'ol' : 'ul';
    const items: string[] = [];
    for (const line of lines)
      if (item.test(line)) items.push(line.replace(item, ''));
      else items.push(`${items.pop() ?? ''} ${line.trim()}`);
    return (
      <Tag key={key}>
        {items.map((text) => (
          <li key={text}>{inline(text)}</li>
        ))}
      </Tag>
    );
  }
  const text = lines
    .map((line) => line.replace(/^>\s?/, ''))
    .join(' ')
    .replace(/\s*<\/details>$/, '');
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
  if (text === '') return null;
  return first.startsWith('>') ? (
    <blockquote key={key}>{inline(text)}</blockquote>
  ) : (
    <p key={key}>{inline(text)}</p>
  );
}

function Table({ lines }: { readonly lines: readonly string[] }) {
  const rows = lines
    .filter((line) => !/^\|[\s:|-]+\|?$/.test(line))
    .map((line) => line.replace(/^\||\|\s*$/g, '').split(/(?<!\\)\|/));
  const [head = [], ...body] = rows;
  return (
    <div class="handbook-table" tabIndex={0} role="group" aria-label="Table">
      <table class="list">
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col">
                {inline(cell.trim())}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{inline(cell.trim().replaceAll('\\|', '|'))}</td>
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

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
