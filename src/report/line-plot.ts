import { compact, niceCeiling } from './figures.ts';
import { escaped } from './page.ts';

export interface PlotSeries {
  readonly label: string;
  /** The class of the line: `line-a`, `line-b`, … */
  readonly tone: string;
  readonly values: readonly number[];
}

export interface PlotOptions {
  /** Seconds that the values cover together. */
  readonly seconds: number;
  readonly unit?: string;
  /** A level worth a line of its own, such as what is provisioned. */
  readonly ceiling?: number;
}

/** Lines over time as one SVG, without a script. */
export function linePlot(title: string, series: readonly PlotSeries[], options: PlotOptions): string {
  const { seconds, ceiling } = options;
  const [width, height, left, bottom] = [420, 150, 44, 20];
  const shown = series.map((one) => ({
    ...one,
    values: one.values.length > 1 ? one.values : [...one.values, ...one.values],
  }));
  const highest = Math.max(1, ceiling ?? 0, ...shown.flatMap(({ values }) => values));
  const largest = niceCeiling(highest);
  const length = Math.max(1, ...shown.map(({ values }) => values.length - 1));
  const x = (at: number) => left + (at / length) * (width - left - 6);
  const y = (value: number) => 8 + (1 - value / largest) * (height - bottom - 8);
  const lines = shown.map(
    ({ label, tone, values }) =>
      `<path class="${tone}" d="${values.map((one, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(one).toFixed(1)}`).join('')}"><title>${escaped(label)}</title></path>`,
  );
  const grid = [0, 0.5, 1].map(
    (part) =>
      `<line x1="${left}" x2="${width - 6}" y1="${y(largest * part).toFixed(1)}" y2="${y(largest * part).toFixed(1)}"/><text x="${left - 6}" y="${(y(largest * part) + 4).toFixed(1)}" text-anchor="end">${compact(largest * part)}</text>`,
  );
  const level =
    ceiling === undefined
      ? ''
      : `<line class="level" x1="${left}" x2="${width - 6}" y1="${y(ceiling).toFixed(1)}" y2="${y(ceiling).toFixed(1)}"/>`;
  const legend =
    series.length > 1
      ? series.map(({ label, tone }) => `<span class="${tone}">${escaped(label)}</span>`).join('')
      : '';
  return `<figure><figcaption>${escaped(title)}${legend}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">${grid.join('')}${level}${lines.join('')}<text x="${left}" y="${height - 4}">0 s</text><text x="${width - 6}" y="${height - 4}" text-anchor="end">${seconds} s</text></svg></figure>`;
}
