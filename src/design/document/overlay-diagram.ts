import type { IndexDesign, TableDesign } from '../design.ts';
import type { SampleRow } from '../emit/sample-items.ts';
import type { EntityMark } from './entity-marks.ts';
import { cut, markAt, type Picture, textAt } from './svg.ts';

const side = 430;
const middle = 150;
const rowHeight = 24;
const headHeight = 30;
const groupGap = 10;
const keyCharacters = 46;

interface PlacedRow {
  readonly row: SampleRow;
  readonly y: number;
}

interface Column {
  readonly parts: readonly string[];
  readonly rows: readonly PlacedRow[];
  readonly height: number;
}

/**
 * The same items twice: by the table's keys on the left, by the keys of an index on the right, with a line for each. What
 * a sparse index does not hold is hollow.
 */
export function overlayDiagram(
  table: TableDesign,
  index: IndexDesign,
  rows: readonly SampleRow[],
  marks: ReadonlyMap<string, EntityMark>,
): Picture {
  const entities = new Set(
    table.placements.filter(({ slot }) => slot === index.name).map(({ entity }) => entity),
  );
  const shown = rows.filter(({ entity, copy }) => entities.has(entity) && copy === undefined);
  const isHeld = (row: SampleRow) =>
    row.item[index.sortKey] !== undefined && row.item[index.partitionKey] !== undefined;
  const held = shown.filter(isHeld);
  const left = column(shown, table.partitionKey, table.sortKey, 0, marks, isHeld);
  const right = column(held, index.partitionKey, index.sortKey, side + middle, marks, () => true);
  const lines = left.rows.flatMap(({ row, y }) => {
    const other = right.rows.find((one) => one.row === row);
    if (other === undefined) return [];
    const { colour } = marks.get(row.entity)!;
    const [x1, x2] = [side, side + middle];
    return [
      `<path d="M${x1} ${y}C${x1 + 70} ${y} ${x2 - 70} ${other.y} ${x2} ${other.y}" fill="none" stroke="var(--e${colour})" stroke-width="1.3" stroke-opacity=".65"/>`,
    ];
  });
  const body = [
    textAt(0, 16, 't t600', `${table.name}: ${table.partitionKey}, ${table.sortKey}`),
    textAt(side + middle, 16, 't t600', `${index.name}: ${index.partitionKey}, ${index.sortKey}`),
    ...lines,
    ...left.parts,
    ...right.parts,
  ];
  return {
    width: 2 * side + middle,
    height: Math.max(left.height, right.height),
    title: `Items of ${table.name} and where they lie in ${index.name}`,
    body: body.join('\n'),
  };
}

function column(
  rows: readonly SampleRow[],
  partitionKey: string,
  sortKey: string,
  x: number,
  marks: ReadonlyMap<string, EntityMark>,
  isHeld: (row: SampleRow) => boolean,
): Column {
  const text = (row: SampleRow, name: string) => String(row.item[name] ?? '');
  const sorted = [...rows].sort((a, b) => {
    const [one, other] = [a, b].map((row) => `${text(row, partitionKey)}\u0000${text(row, sortKey)}`);
    return one! < other! ? -1 : 1;
  });
  const parts: string[] = [];
  const placed: PlacedRow[] = [];
  let y = headHeight;
  let last: string | undefined;
  for (const row of sorted) {
    const partition = text(row, partitionKey);
    if (partition !== last) {
      if (last !== undefined) y += groupGap;
      parts.push(
        `<rect class="band" x="${x}" y="${y}" width="${side}" height="${rowHeight}" rx="4"/>`,
        textAt(x + 8, y + 16, 'm t600', cut(partition, keyCharacters)),
      );
      y += rowHeight;
      last = partition;
    }
    parts.push(
      markAt(x + 14, y + rowHeight / 2, marks.get(row.entity)!, !isHeld(row)),
      textAt(x + 26, y + 16, isHeld(row) ? 'm' : 'm d', cut(text(row, sortKey), keyCharacters - 2)),
      textAt(x + side - 6, y + 16, 't d s', row.entity, 'end'),
      `<path class="hair" d="M${x} ${y + rowHeight - 0.5}H${x + side}" stroke-opacity=".6"/>`,
    );
    placed.push({ row, y: y + rowHeight / 2 });
    y += rowHeight;
  }
  return { parts, rows: placed, height: y + 8 };
}
