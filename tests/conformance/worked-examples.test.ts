import {
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';

/** The worked examples of AWS's documentation and of those who measured the service. */
throughEveryDoor('worked examples of consumed capacity', (door) => {
  let TableName: string;
  beforeAll(async () => {
    const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' as const });
    TableName = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'rank', 'gpk'].map(attribute),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'local',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'rank', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['shown'] },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'global',
          KeySchema: [{ AttributeName: 'gpk', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
  });

  type Fields = Record<string, { S: string }>;
  const Total = { ReturnConsumedCapacity: 'TOTAL' as const };
  const keyOf = (pk: string, sk = '1'): Fields => ({ pk: { S: pk }, sk: { S: sk } });
  /** An item of exactly so many bytes. */
  const item = (bytes: number, pk: string, sk = '1', more: Fields = {}): Fields => {
    const fields = { ...keyOf(pk, sk), ...more };
    const used = Object.entries(fields).reduce((sum, [name, { S }]) => sum + name.length + S.length, 0);
    return { ...fields, d: { S: 'x'.repeat(bytes - used - 1) } };
  };
  const put = async (Item: Fields) =>
    (await door.client.send(new PutItemCommand({ TableName, Item, ...Total }))).ConsumedCapacity!
      .CapacityUnits;
  const kb = 1024;

  for (const [bytes, eventual, strong, write] of [
    [100, 0.5, 1, 1],
    [kb, 0.5, 1, 1],
    [kb + 1, 0.5, 1, 2],
    [4 * kb, 0.5, 1, 4],
    [4 * kb + 1, 1, 2, 5],
    [9 * kb, 1.5, 3, 9],
  ] as const)
    it(`an item of ${bytes} bytes: ${eventual} and ${strong} to read, ${write} to write, twice that in transactions`, async () => {
      const pk = `size-${bytes}`;
      const Key = keyOf(pk);
      expect(await put(item(bytes, pk))).toBe(write);
      const read = async (ConsistentRead: boolean) =>
        (await door.client.send(new GetItemCommand({ TableName, Key, ConsistentRead, ...Total })))
          .ConsumedCapacity!.CapacityUnits;
      expect([await read(false), await read(true)]).toEqual([eventual, strong]);
      const inTransaction = await door.client.send(
        new TransactGetItemsCommand({ TransactItems: [{ Get: { TableName, Key } }], ...Total }),
      );
      expect(inTransaction.ConsumedCapacity![0]!.CapacityUnits).toBe(2 * strong);
      // The same token again is charged as a read: 9 KB cost 6.
      const request = {
        TransactItems: [{ Put: { TableName, Item: item(bytes, pk) } }],
        ClientRequestToken: `${bytes}-${TableName}`.slice(0, 36),
        ...Total,
      };
      const first = await door.client.send(new TransactWriteItemsCommand(request));
      expect(first.ConsumedCapacity![0]!.CapacityUnits).toBe(2 * write);
      const again = await door.client.send(new TransactWriteItemsCommand(request));
      expect(again.ConsumedCapacity![0]!.CapacityUnits).toBe(2 * strong);
      const removed = await door.client.send(new DeleteItemCommand({ TableName, Key, ...Total }));
      expect(removed.ConsumedCapacity!.CapacityUnits).toBe(write);
    });

  it('what is not there costs the least', async () => {
    const Key = keyOf('nothing');
    const got = await door.client.send(new GetItemCommand({ TableName, Key, ...Total }));
    expect(got.ConsumedCapacity!.CapacityUnits).toBe(0.5);
    const gone = await door.client.send(new DeleteItemCommand({ TableName, Key, ...Total }));
    expect(gone.ConsumedCapacity!.CapacityUnits).toBe(1);
    const Keys = ['n1', 'n2', 'n3'].map((pk) => keyOf(pk));
    const batch = await door.client.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } }, ...Total }),
    );
    expect(batch.ConsumedCapacity![0]!.CapacityUnits).toBe(1.5);
  });

  it('a put and an update cost the larger of before and after', async () => {
    await put(item(3 * kb, 'larger'));
    expect(await put(item(100, 'larger'))).toBe(3);
    await put(item(5 * kb, 'larger'));
    const updated = await door.client.send(
      new UpdateItemCommand({
        ...{ TableName, Key: keyOf('larger'), ...Total },
        UpdateExpression: 'REMOVE d',
      }),
    );
    expect(updated.ConsumedCapacity!.CapacityUnits).toBe(5);
  });

  it('a batch rounds each item, a Query the sum of its page', async () => {
    for (const sk of ['1', '2', '3', '4']) await put(item(1_000, 'page', sk));
    const Keys = ['1', '2', '3', '4'].map((sk) => keyOf('page', sk));
    const batch = await door.client.send(
      new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } }, ...Total }),
    );
    expect(batch.ConsumedCapacity![0]!.CapacityUnits).toBe(2);
    const page = {
      ...{ TableName, ...Total, KeyConditionExpression: 'pk = :p' },
      ExpressionAttributeValues: { ':p': { S: 'page' } },
    };
    const queried = await door.client.send(new QueryCommand(page));
    expect(queried.ConsumedCapacity!.CapacityUnits).toBe(0.5);
    // Before filters and projections.
    const counted = await door.client.send(
      new QueryCommand({
        ...page,
        Select: 'COUNT',
        FilterExpression: 'attribute_not_exists(d)',
        ConsistentRead: true,
      }),
    );
    expect([counted.Count, counted.ConsumedCapacity!.CapacityUnits]).toEqual([0, 1]);
  });

  it('eight entries of 2,000 bytes in a global index cost 2', async () => {
    for (let i = 0; i < 8; i++) await put(item(2_000, `gsi-${i}`, '1', { gpk: { S: 'eight' } }));
    const query = () =>
      door.client.send(
        new QueryCommand({
          ...{ TableName, IndexName: 'global', ...Total, KeyConditionExpression: 'gpk = :g' },
          ExpressionAttributeValues: { ':g': { S: 'eight' } },
        }),
      );
    await expect.poll(async () => (await query()).Count, { timeout: 10_000 }).toBe(8);
    expect((await query()).ConsumedCapacity!.CapacityUnits).toBe(2);
  });

  it('four entries of a local index with their items of 300 bytes cost 2.5, or 5', async () => {
    for (const sk of ['1', '2', '3', '4']) {
      const shown = { S: 'x'.repeat(160) };
      await put(item(300, 'local', sk, { rank: { S: sk }, shown }));
    }
    const query = async (ConsistentRead: boolean) =>
      (
        await door.client.send(
          new QueryCommand({
            ...{ TableName, IndexName: 'local', ConsistentRead, Select: 'ALL_ATTRIBUTES' as const, ...Total },
            KeyConditionExpression: 'pk = :p',
            ExpressionAttributeValues: { ':p': { S: 'local' } },
          }),
        )
      ).ConsumedCapacity!.CapacityUnits;
    expect([await query(false), await query(true)]).toEqual([2.5, 5]);
  });

  it('a Scan of a new table on demand costs a read for each of its four partitions', async () => {
    const fresh = await door.createTable();
    await door.client.send(new PutItemCommand({ TableName: fresh, Item: { pk: { S: 'a' } } }));
    const scan = async (ConsistentRead: boolean) =>
      (await door.client.send(new ScanCommand({ TableName: fresh, ConsistentRead, ...Total })))
        .ConsumedCapacity!.CapacityUnits;
    expect([await scan(false), await scan(true)]).toEqual([2, 4]);
  });
});
