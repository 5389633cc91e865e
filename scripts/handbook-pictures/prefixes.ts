import { Stator } from '../../src/index.ts';
import { bar, box, line, type Picture, textAt } from './paper.ts';

const sortKeys = [
  'ORG',
  'DEPT#engineering',
  'DEPT#engineering#EMP#001',
  'DEPT#engineering#EMP#002',
  'DEPT#sales',
  'DEPT#sales#EMP#003',
];
const prefixesAsked = [undefined, 'DEPT#', 'DEPT#engineering', 'DEPT#engineering#EMP#'];

/** An organisation in one collection, and which slice of it each prefix reads, asked of the engine. */
export async function prefixes(): Promise<Picture> {
  const db = await Stator.open();
  await db.createTable({
    TableName: 'app',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
  });
  for (const SK of sortKeys)
    await db.putItem({ TableName: 'app', Item: { PK: { S: 'ORG#acme' }, SK: { S: SK } } });
  const query = async (prefix: string | undefined) => {
    const { Items } = await db.query({
      TableName: 'app',
      KeyConditionExpression: prefix === undefined ? 'PK = :p' : 'PK = :p AND begins_with(SK, :s)',
      ExpressionAttributeValues: {
        ':p': { S: 'ORG#acme' },
        ...(prefix !== undefined && { ':s': { S: prefix } }),
      },
    });
    return Items!.map(({ SK }) => SK!.S!);
  };
  const [all, ...slices] = await Promise.all(prefixesAsked.map(query));
  await db.close();

  const [top, rowHeight, left, columnWidth] = [60, 26, 274, 140];
  const bottom = top + all!.length * rowHeight;
  const width = left + prefixesAsked.length * columnWidth + 18;
  const parts = [
    textAt(22, 24, 't t600', 'PK = ORG#acme'),
    textAt(22, 44, 't s d', 'SK, in order'),
    box(12, top - 6, 250, bottom - top + 12),
    ...all!.map((key, i) => {
      const depth = Math.max(0, key.split('#').length / 2 - 1);
      return textAt(24 + depth * 16, top + 17 + i * rowHeight, 'm', key);
    }),
  ];
  for (let row = 0; row <= all!.length; row++) {
    const y = top + row * rowHeight;
    parts.push(line(left, y, width - 12, y, 'line', 1, '2 3'));
  }
  for (const [at, slice] of [all!, ...slices].entries()) {
    const x = left + at * columnWidth;
    const first = all!.indexOf(slice[0]!);
    const prefix = prefixesAsked[at];
    parts.push(
      textAt(x, 24, 't s', prefix === undefined ? 'no condition on SK' : 'begins_with'),
      ...(prefix === undefined ? [] : [textAt(x, 44, 'm s d', prefix)]),
      ...slice.map((_, i) =>
        bar(x, top + (first + i) * rowHeight + 2, columnWidth - 16, rowHeight - 4, `e${at}`, 0.85),
      ),
      textAt(x, bottom + 26, 't s d', `${slice.length} items`),
    );
  }
  return {
    width,
    height: bottom + 40,
    title: 'Sort keys as paths: each prefix reads one slice that lies together',
    body: parts.join(''),
  };
}
