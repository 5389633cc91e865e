import { count, percent } from '../report/figures.ts';
import { escaped } from '../report/page.ts';
import type { ArmReport, HeatRow } from './lab-report.ts';

const [width, left, right, top, bottom] = [1200, 62, 8, 6, 20];
const rowsMax = 400;

/**
 * Time across, hash range down, one cell for each partition and interval: brightness is load against what a partition
 * gives, on one scale for all pictures. A cut is a line that forks; throttles are marks with their sentence.
 */
export function heatPicture(arm: ArmReport, seconds: number, intervalSeconds: number): string {
  const rows = arm.heat.slice(0, rowsMax);
  const columns = Math.max(1, rows[0]?.load.length ?? 1);
  const height = Math.max(110, Math.min(360, rows.length * 16)) + top + bottom;
  const plotWidth = width - left - right;
  const plotHeight = height - top - bottom;
  const x = (column: number) => left + (column / columns) * plotWidth;
  const y = (place: number) => top + place * plotHeight;
  const cells: string[] = [];
  const marks: string[] = [];
  const cuts: string[] = [];
  for (const row of rows) {
    cells.push(...cellsOf(row, x, y));
    marks.push(...marksOf(row, x, y, intervalSeconds));
    if (row.since > 0)
      cuts.push(
        `<path class="cut" d="M${x(row.since).toFixed(1)} ${y(row.from - 0.02).toFixed(1)} L${x(row.since).toFixed(1)} ${y(row.from).toFixed(1)} L${(width - right).toFixed(1)} ${y(row.from).toFixed(1)}"><title>Partition ${row.id} is cut off ${count(row.since * intervalSeconds)} s after the start</title></path>`,
      );
    else if (row.from > 0)
      cuts.push(
        `<line class="edge" x1="${left}" x2="${width - right}" y1="${y(row.from).toFixed(1)}" y2="${y(row.from).toFixed(1)}"/>`,
      );
  }
  const names =
    rows.length <= 24
      ? rows.map(
          (row) =>
            `<text x="${left - 6}" y="${(y((row.from + row.to) / 2) + 4).toFixed(1)}" text-anchor="end">#${row.id}</text>`,
        )
      : [
          `<text x="${left - 6}" y="${top + 10}" text-anchor="end">hash 0</text>`,
          `<text x="${left - 6}" y="${height - bottom}" text-anchor="end">2^128</text>`,
        ];
  const end = columns * intervalSeconds;
  return `<figure class="heat"><figcaption>${escaped(arm.arm)}: load of ${arm.partitions} partition${arm.partitions === 1 ? '' : 's'}, by hash range over time${legend}</figcaption><svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Load of the partitions of ${escaped(arm.arm)}"><rect class="ground" x="${left}" y="${top}" width="${plotWidth}" height="${plotHeight}"/>${cells.join('')}${cuts.join('')}${marks.join('')}${names.join('')}<text x="${left}" y="${height - 5}">0 s</text><text x="${width - right}" y="${height - 5}" text-anchor="end">${count(Math.max(seconds, end))} s</text></svg></figure>`;
}

const legend = `<span class="scale"><i class="h1"></i><i class="h3"></i><i class="h5"></i><i class="h7"></i><i class="h9"></i><i class="h10"></i> 0 to 100 % of 1,000 writes or 3,000 reads a second</span><span class="mark-throttle">throttled</span>`;

/** Cells of equal brightness that follow each other are one. */
function cellsOf(row: HeatRow, x: (column: number) => number, y: (place: number) => number): string[] {
  const cells: string[] = [];
  const level = (load: number) => (load < 0.005 ? 0 : Math.min(10, Math.max(1, Math.ceil(load * 10 - 1e-9))));
  for (let at = 0; at < row.load.length; ) {
    const tone = level(row.load[at]!);
    let end = at + 1;
    let most = row.load[at]!;
    while (end < row.load.length && level(row.load[end]!) === tone) most = Math.max(most, row.load[end++]!);
    if (tone > 0)
      cells.push(
        `<rect class="h${tone}" x="${x(at).toFixed(1)}" y="${y(row.from).toFixed(1)}" width="${(x(end) - x(at) + 0.3).toFixed(1)}" height="${(y(row.to) - y(row.from)).toFixed(1)}"><title>Partition ${row.id}: up to ${percent(most)} of what a partition gives</title></rect>`,
      );
    at = end;
  }
  return cells;
}

function marksOf(
  row: HeatRow,
  x: (column: number) => number,
  y: (place: number) => number,
  intervalSeconds: number,
): string[] {
  const middle = y((row.from + row.to) / 2);
  return row.throttles.flatMap((refused, at) =>
    refused === 0
      ? []
      : [
          `<circle class="throttle" cx="${((x(at) + x(at + 1)) / 2).toFixed(1)}" cy="${middle.toFixed(1)}" r="2.6"><title>Partition ${row.id}, ${count(at * intervalSeconds)} s: ${count(refused)} requests throttled</title></circle>`,
        ],
  );
}

export const heatStyles = `
.heat{margin:12px 0 20px}.heat figcaption{flex-wrap:wrap}.heat .scale::before{display:none}.heat .scale i{display:inline-block;width:14px;height:10px;vertical-align:-1px}
.heat figcaption span.mark-throttle::before{width:7px;height:7px;border-radius:50%;background:var(--mark)}
:root{--h1:#f3ead9;--h2:#f1dfbd;--h3:#efd19c;--h4:#ecc07a;--h5:#e8ab58;--h6:#e2923d;--h7:#d7762b;--h8:#c65a20;--h9:#ad3f1a;--h10:#8c2716;--ground:#f6f5f2;--mark:#2450a8}
@media (prefers-color-scheme:dark){:root{--h1:#2a2622;--h2:#383026;--h3:#4b3b28;--h4:#62482a;--h5:#7d582c;--h6:#9b6a2e;--h7:#bb7f31;--h8:#d89838;--h9:#efb647;--h10:#ffdc6b;--ground:#1b1b1d;--mark:#8cc1ff}}
.heat rect.ground{fill:var(--ground)}.heat .edge{stroke:var(--line);stroke-width:.6}.heat path.cut{stroke:var(--ink);stroke-width:1.4;fill:none}.heat .throttle{fill:var(--mark);stroke:var(--paper);stroke-width:.6}
${Array.from({ length: 10 }, (_, at) => `rect.h${at + 1}{fill:var(--h${at + 1})}i.h${at + 1}{background:var(--h${at + 1})}`).join('')}
`;
