import { type orderRows, withOrders } from './app-table.ts';
import { arrow, box, type Picture, paint, textAt } from './paper.ts';

const width = 860;
const rowHeight = 24;

/** The table on the left, and what each index holds of it on the right, read from the indexes. */
export async function indexOverlay(): Promise<Picture> {
  const [items, ...indexes] = await withOrders((ask) =>
    Promise.all([ask({}), ask({ IndexName: 'GSI1' }), ask({ IndexName: 'GSI2' })]),
  );
  const byKey = (a: (typeof orderRows)[number], b: (typeof orderRows)[number]) =>
    `${a.PK} ${a.SK}` < `${b.PK} ${b.SK}` ? -1 : 1;
  const rows = [...items!].sort(byKey);
  const placeOf = new Map(rows.map((row, i) => [`${row.PK} ${row.SK}`, 59 + i * rowHeight]));
  const height = 58 + rows.length * rowHeight + 6;
  const parts = [
    textAt(22, 24, 't t600', 'the table'),
    textAt(22, 41, 't s d', 'PK'),
    textAt(132, 41, 't s d', 'SK'),
    box(12, 46, 350, rows.length * rowHeight + 8),
    ...rows.map((row, i) => {
      const y = 63 + i * rowHeight;
      const isIndexed = row.GSI1PK !== undefined;
      return (
        textAt(22, y, isIndexed ? 'm' : 'm d', `${row.PK}`) +
        textAt(132, y, isIndexed ? 'm' : 'm d', `${row.SK}`)
      );
    }),
  ];
  let y = 24;
  const captions = [
    ['GSI1, overloaded', 'GSI1PK', 'GSI1SK', 'orders by status; members of a group'],
    ['GSI2, sparse', 'GSI2PK', 'GSI2SK', 'open orders only: the others lack its keys'],
  ];
  for (const [at, entries] of indexes.entries()) {
    const [title, hash, range, serves] = captions[at]!;
    const sorted = [...entries].sort((a, b) =>
      `${a[hash!]} ${a[range!]}`.localeCompare(`${b[hash!]} ${b[range!]}`, 'en'),
    );
    parts.push(paint(480, y, 't t600', `e${at * 2}`, title!), textAt(850, y, 't s d', serves!, 'end'));
    parts.push(textAt(480, y + 17, 't s d', hash!), textAt(640, y + 17, 't s d', range!));
    parts.push(box(470, y + 22, 380, sorted.length * rowHeight + 8));
    for (const [i, entry] of sorted.entries()) {
      const line = y + 39 + i * rowHeight;
      parts.push(textAt(480, line, 'm', `${entry[hash!]}`), textAt(640, line, 'm', `${entry[range!]}`));
      parts.push(arrow(364, placeOf.get(`${entry.PK} ${entry.SK}`)!, 468, line - 4, `e${at * 2}`));
    }
    y += 22 + sorted.length * rowHeight + 46;
  }
  return {
    width,
    height,
    title: 'Index overlay: which items of the table are in which index, under which keys',
    body: parts.join(''),
  };
}
