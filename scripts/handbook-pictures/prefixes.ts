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
const questions = [
  { label: 'all of it', prefix: undefined },
  { label: 'begins_with DEPT#', prefix: 'DEPT#' },
  { label: 'begins_with DEPT#engineering', prefix: 'DEPT#engineering' },
  { label: 'begins_with DEPT#engineering#EMP#', prefix: 'DEPT#engineering#EMP#' },
];

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
  const [all, ...slices] = await Promise.all(questions.map(({ prefix }) => query(prefix)));
  await db.close();

  const [top, rowHeight, width] = [70, 28, 780];
  const parts = [
    textAt(22, 30, 't t600', 'PK = ORG#acme'),
    textAt(22, 54, 't s d', 'SK, in order'),
    box(12, 60, 300, all!.length * rowHeight + 10),
    ...all!.map((key, i) => {
      const depth = Math.max(0, key.split('#').length / 2 - 1);
      return textAt(24 + depth * 16, top + 12 + i * rowHeight, 'm', key);
    }),
  ];
  for (const [at, slice] of [all!, ...slices].entries()) {
    const x = 340 + at * 112;
    const first = all!.indexOf(slice[0]!);
    const y = top - 4 + first * rowHeight;
    const height = slice.length * rowHeight - 6;
    parts.push(bar(x, y, 12, height, `e${at}`, 0.85), line(312, y + 2, x, y + 2, 'line', 1, '2 3'));
    const words = questions[at]!.label.split(' ');
    parts.push(textAt(x + 20, y + 12, 't s', words[0] === 'all' ? 'all of it' : 'begins_with'));
    if (words[0] !== 'all') {
      const [head, ...tail] = words[1]!.split(/(?<=#)/);
      parts.push(
        textAt(x + 20, y + 27, 'm s d', head!),
        ...tail.map((part, i) => textAt(x + 20, y + 41 + i * 14, 'm s d', part)),
      );
    }
    parts.push(textAt(x + 6, top + all!.length * rowHeight + 24, 't s d', `${slice.length} items`, 'middle'));
  }
  return {
    width,
    height: top + all!.length * rowHeight + 38,
    title: 'Sort keys as paths: each prefix reads one slice that lies together',
    body: parts.join(''),
  };
}
