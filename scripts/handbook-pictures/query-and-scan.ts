import { Stator } from '../../src/index.ts';
import { count, line, type Picture, paint, path, textAt } from './paper.ts';

const sizes = [100, 1_000, 10_000] as const;
const title = 'What a Query of ten items and a Scan cost in tables of 100, 1,000 and 10,000 items';

/** Read units of a Query of ten items and of a Scan with a filter, as the engine charges them while the table grows. */
export async function queryAndScan(): Promise<Picture> {
  const db = await Stator.open();
  await db.createTable({
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['PK', 'SK'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
  });
  const units: { query: number; scan: number }[] = [];
  let items = 0;
  for (const size of sizes) {
    for (; items < size; items++) {
      const keys = { PK: { S: `C#${Math.floor(items / 10)}` }, SK: { S: `ORDER#${items % 10}` } };
      await db.putItem({ TableName: 'orders', Item: { ...keys, note: { S: 'x'.repeat(1000) } } });
    }
    const query = await db.query({
      TableName: 'orders',
      KeyConditionExpression: 'PK = :p',
      ExpressionAttributeValues: { ':p': { S: 'C#3' } },
      ReturnConsumedCapacity: 'TOTAL',
    });
    let scan = 0;
    for (let ExclusiveStartKey: typeof query.LastEvaluatedKey; ; ) {
      const page = await db.scan({
        TableName: 'orders',
        ReturnConsumedCapacity: 'TOTAL',
        ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
      });
      scan += page.ConsumedCapacity!.CapacityUnits!;
      ExclusiveStartKey = page.LastEvaluatedKey;
      if (ExclusiveStartKey === undefined) break;
    }
    units.push({ query: query.ConsumedCapacity!.CapacityUnits!, scan });
  }
  await db.close();

  const [left, right, top, bottom] = [90, 560, 30, 250];
  const x = (size: number) => left + ((Math.log10(size) - 2) / 2) * (right - left);
  const y = (value: number) => bottom - ((Math.log10(value) + 0.3) / 3.8) * (bottom - top);
  const parts = [textAt(20, 18, 't s d', 'read units')];
  for (const value of [1, 10, 100, 1_000])
    parts.push(
      line(left, y(value), right, y(value)),
      textAt(left - 10, y(value) + 4, 't s d', count(value), 'end'),
    );
  for (const size of sizes)
    parts.push(textAt(x(size), bottom + 20, 't s d', `${count(size)} items`, 'middle'));
  for (const [name, colour] of [
    ['scan', 'e1'],
    ['query', 'e0'],
  ] as const) {
    parts.push(
      path(
        units.map((unit, i) => [x(sizes[i]!), y(unit[name])]),
        colour,
        2.5,
      ),
    );
    for (const [i, unit] of units.entries()) {
      parts.push(
        `<circle cx="${x(sizes[i]!)}" cy="${Math.round(y(unit[name]))}" r="4" fill="var(--${colour})"/>`,
      );
      const anchor = i === 0 ? undefined : i === units.length - 1 ? 'end' : 'middle';
      parts.push(textAt(x(sizes[i]!), y(unit[name]) - 10, 't s', count(unit[name]), anchor));
    }
  }
  parts.push(paint(right + 14, y(units.at(-1)!.scan) + 4, 't t600', 'e1', 'Scan'));
  parts.push(paint(right + 14, y(units.at(-1)!.query) + 4, 't t600', 'e0', 'Query of ten'));
  return { width: 680, height: 290, title, body: parts.join('') };
}
