import { Stator } from '../../src/index.ts';

type Row = Readonly<Record<string, string | number>>;

const keys = (hash: string, range: string) =>
  [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ] as const;

/** The order model of the handbook, with an overloaded index and a sparse one, in an order that means nothing. */
export const orderRows: readonly Row[] = [
  { PK: 'USER#u1', SK: 'GROUP#g1', role: 'owner', GSI1PK: 'GROUP#g1', GSI1SK: 'USER#u1' },
  { PK: 'ORDER#o-9001', SK: 'META', status: 'OPEN', total: 149 },
  { PK: 'CUST#a1b2', SK: 'PROFILE', name: 'Acme Co', tier: 'GOLD' },
  {
    ...{ PK: 'CUST#a1b2', SK: 'ORDER#2026-06-03#o-9044', status: 'SHIPPED', total: 72.5 },
    ...{ GSI1PK: 'CUST#a1b2#SHIPPED', GSI1SK: '2026-06-03#o-9044' },
  },
  { PK: 'USER#u2', SK: 'GROUP#g1', role: 'reader', GSI1PK: 'GROUP#g1', GSI1SK: 'USER#u2' },
  { PK: 'ORDER#o-9001', SK: 'ITEM#002', sku: 'XYZ', qty: 1, price: 50 },
  {
    ...{ PK: 'CUST#a1b2', SK: 'ORDER#2026-06-01#o-9001', status: 'OPEN', total: 149 },
    ...{ GSI1PK: 'CUST#a1b2#OPEN', GSI1SK: '2026-06-01#o-9001' },
    ...{ GSI2PK: 'OPEN#0', GSI2SK: '2026-06-01#o-9001' },
  },
  { PK: 'ORDER#o-9001', SK: 'ITEM#001', sku: 'ABC', qty: 2, price: 49.5 },
  { PK: 'ORDER#o-9001', SK: 'PAYMENT#2026-06-01T10:00:05Z', amount: 149 },
];

/** Runs something on a database that holds the order model. */
export async function withOrders<T>(run: (ask: (input: object) => Promise<Row[]>) => Promise<T>): Promise<T> {
  const db = await Stator.open();
  try {
    await db.createTable({
      TableName: 'app-main',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: ['PK', 'SK', 'GSI1PK', 'GSI1SK', 'GSI2PK', 'GSI2SK'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: keys('PK', 'SK'),
      GlobalSecondaryIndexes: [
        { IndexName: 'GSI1', KeySchema: keys('GSI1PK', 'GSI1SK'), Projection: { ProjectionType: 'ALL' } },
        {
          IndexName: 'GSI2',
          KeySchema: keys('GSI2PK', 'GSI2SK'),
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
    const { PutCommand, QueryCommand, ScanCommand } = await import('@aws-sdk/lib-dynamodb');
    const client = db.documentClient();
    for (const Item of orderRows) await client.send(new PutCommand({ TableName: 'app-main', Item }));
    return await run(async (input) => {
      const Command = 'KeyConditionExpression' in input ? QueryCommand : ScanCommand;
      const { Items } = await client.send(new Command({ TableName: 'app-main', ...input } as never));
      return Items as Row[];
    });
  } finally {
    await db.close();
  }
}
