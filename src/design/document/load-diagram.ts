import type { Design } from '../design.ts';
import { forecastCapacity } from '../emit/capacity-forecast.ts';
import type { Model } from '../ir.ts';
import { figure } from './figures.ts';
import { type Picture, textAt } from './svg.ts';

const name = 150;
const bar = 330;
const value = 76;
const rowHeight = 34;

/** Read and write units at the peak, for each table and index, on one scale for each of both. */
export function loadDiagram(model: Model, design: Design): Picture {
  const forecast = forecastCapacity(model, design);
  const arms = design.tables.flatMap((table) => [
    { label: table.name, units: forecast.peak(table.name, 'table') },
    ...table.indexes
      .filter(({ kind }) => kind === 'global')
      .map((index) => ({
        label: `${table.name} / ${index.name}`,
        units: forecast.peak(table.name, index.name),
      })),
  ]);
  const most = {
    read: Math.max(1, ...arms.map(({ units }) => units.read)),
    write: Math.max(1, ...arms.map(({ units }) => units.write)),
  };
  const columns = [
    { kind: 'read' as const, x: name, title: 'read units a second', colour: 'var(--accent)' },
    { kind: 'write' as const, x: name + bar + value, title: 'write units a second', colour: 'var(--heat)' },
  ];
  const parts = columns.map(({ x, title }) => textAt(x, 14, 't d s', `${title}, at the peak`));
  arms.forEach(({ label, units }, at) => {
    const y = 26 + at * rowHeight;
    parts.push(textAt(0, y + 17, 'm', label));
    for (const { kind, x, colour } of columns) {
      const width = Math.max(units[kind] > 0 ? 2 : 0, (units[kind] / most[kind]) * bar);
      parts.push(
        `<rect x="${x}" y="${y + 4}" width="${bar}" height="18" rx="3" fill="var(--raised)"/>`,
        `<rect x="${x}" y="${y + 4}" width="${width.toFixed(1)}" height="18" rx="3" fill="${colour}" fill-opacity=".75"/>`,
        textAt(x + bar + 8, y + 17, 'm', figure(units[kind])),
      );
    }
  });
  return {
    width: name + 2 * (bar + value),
    height: 26 + arms.length * rowHeight,
    title: `Capacity units of ${design.model} at the peak`,
    body: parts.join('\n'),
  };
}
