import { escapeXml, type Picture, textAt as plainTextAt } from '../../src/design/document/svg.ts';

export { type Picture, standaloneSvg } from '../../src/design/document/svg.ts';

/** A picture of the handbook: the name of its file, and how it comes to be from data. */
export interface Drawing {
  readonly file: string;
  readonly draw: () => Picture | Promise<Picture>;
}

export function textAt(
  x: number,
  y: number,
  classes: string,
  text: string,
  anchor?: 'end' | 'middle',
): string {
  return plainTextAt(Math.round(x * 10) / 10, Math.round(y * 10) / 10, classes, text, anchor);
}

/** Text in a colour of its own; the class still gives the size. */
export function paint(
  x: number,
  y: number,
  classes: string,
  colour: string,
  text: string,
  anchor?: 'end' | 'middle',
) {
  return textAt(x, y, classes, text, anchor).replace('<text ', `<text style="fill:var(--${colour})" `);
}

export function box(
  x: number,
  y: number,
  width: number,
  height: number,
  rest = 'class="box"',
  radius = 5,
): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" rx="${radius}" ${rest}/>`;
}

export function bar(
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
  opacity = 1,
): string {
  return `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(Math.max(0, height))}" fill="var(--${colour})"${opacity === 1 ? '' : ` fill-opacity="${opacity}"`}/>`;
}

export function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  colour = 'line',
  width = 1,
  dashes = '',
): string {
  const dash = dashes === '' ? '' : ` stroke-dasharray="${dashes}"`;
  return `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" stroke="var(--${colour})" stroke-width="${width}"${dash}/>`;
}

export function path(points: readonly (readonly [number, number])[], colour: string, width = 2): string {
  const d = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${n(x)} ${n(y)}`).join('');
  return `<path d="${d}" fill="none" stroke="var(--${colour})" stroke-width="${width}" stroke-linejoin="round"/>`;
}

/** A curve from left to right with an arrow head at its end. */
export function arrow(x1: number, y1: number, x2: number, y2: number, colour = 'dim', width = 1.4): string {
  const bend = Math.max(16, Math.abs(x2 - x1) / 2);
  const d = `M${n(x1)} ${n(y1)}C${n(x1 + bend)} ${n(y1)} ${n(x2 - bend)} ${n(y2)} ${n(x2 - 5)} ${n(y2)}`;
  return `<path d="${d}" fill="none" stroke="var(--${colour})" stroke-width="${width}"/>${head(x2, y2, colour, 'right')}`;
}

export function down(x: number, y1: number, y2: number, colour = 'dim', width = 1.4): string {
  return `${line(x, y1, x, y2 - 5, colour, width)}${head(x, y2, colour, 'down')}`;
}

function head(x: number, y: number, colour: string, to: 'right' | 'down'): string {
  const points =
    to === 'right'
      ? `${n(x)},${n(y)} ${n(x - 7)},${n(y - 4)} ${n(x - 7)},${n(y + 4)}`
      : `${n(x)},${n(y)} ${n(x - 4)},${n(y - 7)} ${n(x + 4)},${n(y - 7)}`;
  return `<polygon points="${points}" fill="var(--${colour})"/>`;
}

/** A number in a circle, as the text below or beside a picture refers to it. */
export function badge(x: number, y: number, number: number): string {
  const text = textAt(x, y + 4, 't t600 s', `${number}`, 'middle').replace(
    '<text ',
    '<text style="fill:#fff" ',
  );
  return `<circle cx="${n(x)}" cy="${n(y)}" r="9.5" fill="#c8540a"/>${text}`;
}

/** A group with a title for those who listen to the picture. */
export function named(title: string, body: string): string {
  return `<g><title>${escapeXml(title)}</title>${body}</g>`;
}

export const count = (value: number): string => value.toLocaleString('en');

/** Coordinates with one digit behind the point keep the files small and equal everywhere. */
function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
