import { type EntityMark, themeVariables } from './entity-marks.ts';

/** A picture without its frame: what is in it, and how large it is. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly body: string;
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The rules that all pictures share. Pages have them once. */
export const pictureRules = [
  '.t{font:13px system-ui,-apple-system,"Segoe UI",sans-serif;fill:var(--text)}',
  '.t600{font-weight:600}',
  '.m{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text)}',
  '.d{fill:var(--dim)}',
  '.s{font-size:11px}',
  '.box{fill:var(--raised);stroke:var(--line)}',
  '.halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px;stroke-linejoin:round}',
  '.hair{stroke:var(--line);fill:none}',
  '.band{fill:var(--raised)}',
  '.edge{fill:none;stroke:var(--dim);stroke-opacity:.55;stroke-width:1.2}',
].join('');

/** A picture inside of a page that has the rules and the variables. */
export function inlineSvg({ width, height, title, body }: Picture): string {
  const label = escapeXml(title);
  return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}">${body}</svg>`;
}

/** A picture in a file of its own, which follows the theme of whoever looks at it. */
export function standaloneSvg({ width, height, title, body }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<style>svg{${themeVariables('light')}}@media (prefers-color-scheme:dark){svg{${themeVariables('dark')}}}${pictureRules}</style>`,
    `<rect width="${width}" height="${height}" fill="var(--ground)"/>`,
    body,
    '</svg>',
    '',
  ].join('\n');
}

export function textAt(
  x: number,
  y: number,
  classes: string,
  text: string,
  anchor?: 'end' | 'middle',
): string {
  const place = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}" class="${classes}"${place}>${escapeXml(text)}</text>`;
}

/** The mark of an entity; hollow where the item is not in an index. */
export function markAt(x: number, y: number, { colour, isSquare }: EntityMark, hollow = false): string {
  const paint = hollow
    ? `fill="none" stroke="var(--e${colour})" stroke-width="1.4"`
    : `fill="var(--e${colour})"`;
  if (isSquare) return `<rect x="${x - 4}" y="${y - 4}" width="8" height="8" rx="1.5" ${paint}/>`;
  return `<circle cx="${x}" cy="${y}" r="4" ${paint}/>`;
}

/** Cuts a text that is too wide for its place; the beginning of a key matters most. */
export function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`;
}
