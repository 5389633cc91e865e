import { withOrders } from './app-table.ts';
import { box, type Picture, paint, textAt } from './paper.ts';

const rowHeight = 24;
const width = 800;

/** The collections of the order model, read with one Query for each. */
export async function itemCollections(): Promise<Picture> {
  const partitions = ['CUST#a1b2', 'ORDER#o-9001', 'USER#u1'];
  const collections = await withOrders((ask) =>
    Promise.all(
      partitions.map((PK) =>
        ask({ KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': PK } }),
      ),
    ),
  );
  let y = 20;
  const parts = [
    textAt(20, y, 't s d', 'PK'),
    textAt(170, y, 't s d', 'SK, in order'),
    textAt(420, y, 't s d', 'other attributes'),
  ];
  y += 12;
  for (const [at, items] of collections.entries()) {
    const height = items.length * rowHeight + 10;
    parts.push(box(12, y, width - 24, height));
    parts.push(`<rect x="12" y="${y}" width="4" height="${height}" rx="2" fill="var(--e${at})"/>`);
    parts.push(paint(26, y + 22, 'm t600', `e${at}`, partitions[at]!));
    for (const [i, item] of items.entries()) {
      const line = y + 22 + i * rowHeight;
      const { PK, SK, GSI1PK, GSI1SK, GSI2PK, GSI2SK, ...rest } = item;
      const others = Object.entries(rest).map(([name, value]) => `${name} ${value}`);
      parts.push(textAt(170, line, 'm', `${SK}`), textAt(420, line, 'm d', others.join(' · ')));
    }
    parts.push(
      textAt(
        width - 26,
        y + 22,
        't s d',
        `one Query: ${items.length} item${items.length === 1 ? '' : 's'}`,
        'end',
      ),
    );
    y += height + 12;
  }
  return {
    width,
    height: y,
    title: 'Item collections: all items with one partition key, in the order of the sort key',
    body: parts.join(''),
  };
}
