import type { Entity, Model } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { entityMarks } from './entity-marks.ts';
import { shortBytes, shortCount } from './figures.ts';
import { cut, markAt, type Picture, textAt } from './svg.ts';

const box = { width: 208, height: 62, gap: 16, between: 128 };
const margin = 16;

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** Entities from left to right, each behind those that it refers to. */
export function relationshipDiagram(model: Model): Picture {
  const facts = new ModelFacts(model);
  const marks = entityMarks(model);
  const edges = edgesOf(model);
  const layers = layersOf(model, edges);
  const columns = columnsOf(model, edges, layers);
  const height = Math.max(...columns.map((column) => column.length)) * (box.height + box.gap) - box.gap;
  const places = new Map<string, { readonly x: number; readonly y: number }>();
  columns.forEach((column, at) => {
    const own = column.length * (box.height + box.gap) - box.gap;
    column.forEach((name, row) => {
      places.set(name, {
        x: margin + at * (box.width + box.between),
        y: margin + (height - own) / 2 + row * (box.height + box.gap),
      });
    });
  });
  const lines = edges.map(({ from, to, label }) => {
    const [a, b] = [places.get(from)!, places.get(to)!];
    const [x1, y1] = [a.x + box.width, a.y + box.height / 2];
    const [x2, y2] = [b.x, b.y + box.height / 2];
    const bend = Math.max(36, (x2 - x1) / 2);
    const path = `<path class="edge" d="M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}"/>`;
    const words = label === '' ? '' : textAt(x2 - 8, y2 - 7, 't d s halo', label, 'end');
    return [path, words] as const;
  });
  const boxes = model.entities.map((entity) => {
    const { x, y } = places.get(entity.name)!;
    const total = `${shortCount(facts.total(entity))} items · ${shortBytes(facts.itemBytes(entity))}`;
    return [
      `<rect class="box" x="${x}.5" y="${y}.5" width="${box.width}" height="${box.height}" rx="5"/>`,
      markAt(x + 16, y + 19, marks.get(entity.name)!),
      textAt(x + 28, y + 23, 't t600', cut(entity.name, 22)),
      textAt(x + 12, y + 39, 'm s', cut(entity.identity.join(' + '), 27)),
      textAt(x + 12, y + 54, 't d s', total),
    ].join('');
  });
  return {
    width: 2 * margin + columns.length * (box.width + box.between) - box.between,
    height: height + 2 * margin,
    title: `Entities of ${model.name} and how they refer to each other`,
    body: [...lines.map(([path]) => path), ...lines.map(([, words]) => words).filter(Boolean), ...boxes].join(
      '\n',
    ),
  };
}

function edgesOf(model: Model): Edge[] {
  const edges = new Map<string, Edge>();
  for (const entity of model.entities) {
    const { population } = entity;
    const add = (parent: string) => {
      if (parent === entity.name) return;
      const isOwner = population.kind === 'per' && population.entity === parent;
      const label = isOwner ? `× ${shortCount(population.mean)}, up to ${shortCount(population.max)}` : '';
      edges.set(`${parent} ${entity.name}`, { from: parent, to: entity.name, label });
    };
    for (const { refersTo } of entity.attributes) if (refersTo !== undefined) add(refersTo.entity);
    if (population.kind === 'per') add(population.entity);
  }
  return [...edges.values()];
}

function layersOf(model: Model, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const layers = new Map<string, number>();
  const layer = (name: string, path: readonly string[]): number => {
    const known = layers.get(name);
    if (known !== undefined) return known;
    const parents = edges.filter(({ to, from }) => to === name && !path.includes(from));
    const own =
      parents.length === 0 ? 0 : 1 + Math.max(...parents.map(({ from }) => layer(from, [...path, name])));
    layers.set(name, own);
    return own;
  };
  for (const { name } of model.entities) layer(name, []);
  return layers;
}

/** Names by layer; within one, in the order of the middle of their parents, so that few lines cross. */
function columnsOf(model: Model, edges: readonly Edge[], layers: ReadonlyMap<string, number>): string[][] {
  const columns: string[][] = [];
  for (const { name } of model.entities as readonly Entity[]) {
    const at = layers.get(name)!;
    columns[at] = [...(columns[at] ?? []), name];
  }
  for (let at = 0; at < columns.length; at++) {
    const before = columns.slice(0, at).flat();
    const middle = (name: string) => {
      const rows = edges.filter(({ to }) => to === name).map(({ from }) => before.indexOf(from));
      return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
    };
    // Entities without any relationship stand at the end of the first column.
    const apart = (name: string) => Number(!edges.some(({ from, to }) => from === name || to === name));
    columns[at] = [...columns[at]!].sort((a, b) => apart(a) - apart(b) || middle(a) - middle(b));
  }
  return columns;
}
