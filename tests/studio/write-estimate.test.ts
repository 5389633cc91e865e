import { expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { itemOf, type WireItem } from '../../studio/data/items.ts';
import type { TableDescription } from '../../studio/data/table-description.ts';
import { estimateWrite } from '../../studio/pages/items/write-estimate.ts';

it('what the item editor estimates for a write is what the engine charges the table and its indexes', async () => {
  const db = await Stator.open();
  const key = (hash: string) => [{ AttributeName: hash, KeyType: 'HASH' as const }];
  const { TableDescription: made } = await db.createTable({
    TableName: 'spaces',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: key('pk'),
    AttributeDefinitions: ['pk', 'a', 'b'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: [
      { IndexName: 'whole', KeySchema: key('a'), Projection: { ProjectionType: 'ALL' } },
      { IndexName: 'keys', KeySchema: key('b'), Projection: { ProjectionType: 'KEYS_ONLY' } },
    ],
  });
  const large = { S: 'x'.repeat(1_500) };
  const versions: WireItem[] = [
    { pk: { S: '1' } },
    { pk: { S: '1' }, a: { S: 'one' }, b: { S: 'one' }, large },
    { pk: { S: '1' }, a: { S: 'two' }, b: { S: 'one' }, large },
    { pk: { S: '1' }, a: { S: 'two' }, b: { S: 'one' }, large, more: { N: '1' } },
    { pk: { S: '1' }, b: { S: 'two' } },
  ];
  const estimates: string[] = [];
  for (const [at, Item] of versions.entries()) {
    const before = at === 0 ? undefined : itemOf(versions[at - 1]!);
    const { table, indexes } = estimateWrite(made as unknown as TableDescription, before, itemOf(Item));
    const { ConsumedCapacity } = await db.putItem({
      TableName: 'spaces',
      Item: Item as never,
      ReturnConsumedCapacity: 'INDEXES',
    });
    expect(table).toBe(ConsumedCapacity!.Table!.CapacityUnits);
    expect(table + indexes).toBe(ConsumedCapacity!.CapacityUnits);
    estimates.push(`${table} + ${indexes}`);
  }
  expect(estimates).toEqual(['1 + 0', '2 + 3', '2 + 4', '2 + 2', '2 + 4']);
  await db.close();
});
