import type { ProjectionType } from '@aws-sdk/client-dynamodb';
import { Stator } from '../../src/index.ts';
import { bar, line, type Picture, textAt } from './paper.ts';

interface Cost {
  readonly label: string;
  readonly table: number;
  readonly index: number;
}

const item = (more: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries({
      PK: 'ORDER#1',
      customer: 'CUST#1',
      status: 'OPEN',
      note: 'x'.repeat(2_900),
      ...more,
    }).map(([name, S]) => [name, { S }]),
  );

async function cost(
  label: string,
  projection: ProjectionType | undefined,
  change: Record<string, string>,
): Promise<Cost> {
  const db = await Stator.open();
  await db.createTable({
    TableName: 'orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: (projection === undefined ? ['PK'] : ['PK', 'customer']).map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [{ AttributeName: 'PK', KeyType: 'HASH' }],
    ...(projection !== undefined && {
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-customer',
          KeySchema: [{ AttributeName: 'customer', KeyType: 'HASH' }],
          Projection: {
            ProjectionType: projection,
            ...(projection === 'INCLUDE' && { NonKeyAttributes: ['status'] }),
          },
        },
      ],
    }),
  });
  await db.putItem({ TableName: 'orders', Item: item() });
  const { ConsumedCapacity } = await db.putItem({
    TableName: 'orders',
    Item: item(change),
    ReturnConsumedCapacity: 'INDEXES',
  });
  await db.close();
  const index = ConsumedCapacity!.GlobalSecondaryIndexes?.['by-customer']?.CapacityUnits ?? 0;
  return { label, table: ConsumedCapacity!.Table!.CapacityUnits!, index };
}

/** What a write of an item of 3 KB costs, by what the index holds and by what the write changes. */
export async function writeAmplification(): Promise<Picture> {
  const status = { status: 'PAID' };
  const costs = [
    await cost('no index', undefined, status),
    await cost('KEYS_ONLY, the status changes', 'KEYS_ONLY', status),
    await cost('INCLUDE status, the status changes', 'INCLUDE', status),
    await cost('ALL, the status changes', 'ALL', status),
    await cost('INCLUDE status, the index key changes', 'INCLUDE', { customer: 'CUST#2' }),
    await cost('ALL, the index key changes', 'ALL', { customer: 'CUST#2' }),
  ];
  const [left, unit, rowHeight] = [290, 38, 30];
  const parts = [
    bar(left, 14, 10, 10, 'e0'),
    textAt(left + 16, 23, 't s', 'table'),
    bar(left + 70, 14, 10, 10, 'e1'),
    textAt(left + 86, 23, 't s', 'index'),
  ];
  for (const [i, { label, table, index }] of costs.entries()) {
    const y = 40 + i * rowHeight;
    parts.push(textAt(left - 12, y + 14, 't', label, 'end'), bar(left, y, table * unit, 19, 'e0'));
    if (index > 0) parts.push(bar(left + table * unit + 2, y, index * unit, 19, 'e1'));
    parts.push(textAt(left + (table + index) * unit + 12, y + 14, 't', `${table + index}`));
  }
  const bottom = 40 + costs.length * rowHeight;
  parts.push(
    line(left, 34, left, bottom, 'dim'),
    textAt(left, bottom + 16, 't s d', 'write units for one put of 3 KB'),
  );
  return {
    width: 700,
    height: bottom + 28,
    title: 'Write units of one put, by projection and by what changes',
    body: parts.join(''),
  };
}
