import {
  type AttributeValue,
  DeleteTableCommand,
  DescribeTableCommand,
  GetItemCommand,
  type GlobalSecondaryIndexUpdate,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  UpdateTableCommand,
  type UpdateTableCommandInput,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { type Door, throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const byOwner: UpdateTableCommandInput['AttributeDefinitions'] = [
  { AttributeName: 'owner', AttributeType: 'S' },
  { AttributeName: 'at', AttributeType: 'N' },
];

function creation(name = 'by-owner', more: object = {}): GlobalSecondaryIndexUpdate {
  return {
    Create: {
      IndexName: name,
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'at', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
      ...more,
    },
  };
}

throughEveryDoor('Indexes of UpdateTable', (door) => {
  const update = (TableName: string, change: Omit<UpdateTableCommandInput, 'TableName'>) =>
    door.client.send(new UpdateTableCommand({ TableName, ...change }));
  const create = (name: string, index = creation()) =>
    update(name, { AttributeDefinitions: byOwner, GlobalSecondaryIndexUpdates: [index] });
  const drop = (name: string, IndexName = 'by-owner') =>
    update(name, { GlobalSecondaryIndexUpdates: [{ Delete: { IndexName } }] });
  const put = (TableName: string, Item: Record<string, AttributeValue>) =>
    door.client.send(new PutItemCommand({ TableName, Item }));
  const owned = async (TableName: string, owner: string) =>
    (
      await door.client.send(
        new QueryCommand({
          TableName,
          IndexName: 'by-owner',
          KeyConditionExpression: '#o = :o',
          ExpressionAttributeNames: { '#o': 'owner' },
          ExpressionAttributeValues: { ':o': { S: owner } },
        }),
      )
    ).Items!.map(({ pk }) => pk!.S);

  describe('that are created', () => {
    it('are answered as CREATING and hold the items of before when they are ACTIVE', async () => {
      const name = await door.createTable();
      for (let i = 0; i < 30; i++)
        await put(name, { pk: { S: `${i}` }, owner: { S: `${i % 3}` }, at: { N: `${-i}` } });
      const { TableDescription: answer } = await create(name);
      expect(answer).toMatchObject({
        TableStatus: 'UPDATING',
        GlobalSecondaryIndexes: [{ IndexName: 'by-owner', IndexStatus: 'CREATING', Backfilling: false }],
      });
      const table = await whenActive(door, name);
      expect(table.TableStatus).toBe('ACTIVE');
      expect(table.GlobalSecondaryIndexes![0]).not.toHaveProperty('Backfilling');
      expect(table.AttributeDefinitions).toEqual([{ AttributeName: 'pk', AttributeType: 'S' }, ...byOwner]);
      expect(await owned(name, '1')).toEqual(['28', '25', '22', '19', '16', '13', '10', '7', '4', '1']);
      if (!door.onAws) expect(table.GlobalSecondaryIndexes![0]!.ItemCount).toBe(30);
    });

    it('leave out items that lack a key or have one of another type, empty or too long', async () => {
      const name = await door.createTable();
      await put(name, { pk: { S: 'in' }, owner: { S: 'x' }, at: { N: '1' } });
      await put(name, { pk: { S: 'lacks' }, owner: { S: 'x' } });
      await put(name, { pk: { S: 'type' }, owner: { S: 'x' }, at: { S: '1' } });
      await put(name, { pk: { S: 'empty' }, owner: { S: '' }, at: { N: '1' } });
      await put(name, { pk: { S: 'long' }, owner: { S: 'x'.repeat(2_049) }, at: { N: '1' } });
      await create(name);
      await whenActive(door, name);
      const { Items } = await door.client.send(new ScanCommand({ TableName: name, IndexName: 'by-owner' }));
      expect(Items!.map(({ pk }) => pk!.S)).toEqual(['in']);
      // They are still in the table, can be mended, and are then in the index.
      const { Item } = await door.client.send(
        new GetItemCommand({ TableName: name, Key: { pk: { S: 'empty' } } }),
      );
      expect(Item!.owner).toEqual({ S: '' });
      for (const pk of ['type', 'empty', 'long', 'lacks'])
        await put(name, { pk: { S: pk }, owner: { S: 'mended' }, at: { N: '2' } });
      await expect
        .poll(async () => (await owned(name, 'mended')).toSorted())
        .toEqual(['empty', 'lacks', 'long', 'type']);
      await expectInvalid(
        door,
        put(name, { pk: { S: 'type' }, owner: { S: 'x' }, at: { S: '1' } }),
        `${P}Type mismatch for Index Key at Expected: N Actual: S IndexName: by-owner`,
      );
    });

    it('hold more items than are filled at once', async () => {
      const name = await door.createTable();
      const puts = Array.from(
        { length: 1_500 },
        (_, i) => () => put(name, { pk: { S: `${i}` }, owner: { S: 'all' }, at: { N: `${i}` } }),
      );
      while (puts.length > 0) await Promise.all(puts.splice(0, 50).map((each) => each()));
      await create(name, creation('by-owner', { Projection: { ProjectionType: 'KEYS_ONLY' } }));
      await whenActive(door, name);
      const pks = await owned(name, 'all');
      expect(pks).toEqual(Array.from({ length: 1_500 }, (_, i) => `${i}`));
    });

    it('need their keys defined, a name of their own and room', async () => {
      const name = await door.createTable();
      await create(name);
      await whenActive(door, name);
      await expectInvalid(door, create(name), 'Attempting to create an index which already exists');
      await expectInvalid(
        door,
        update(name, { GlobalSecondaryIndexUpdates: [creation('other')] }),
        `${P}AttributeDefinitions is not specified for index: other`,
      );
      await expectRefused(
        door,
        update(name, {
          AttributeDefinitions: byOwner,
          GlobalSecondaryIndexUpdates: [creation('first'), creation('second')],
        }),
        'LimitExceededException',
        'Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table',
      );
    });
  });

  describe('that are deleted', () => {
    it('are answered as DELETING, are gone with their definitions, and can be made again', async () => {
      const name = await door.createTable();
      await put(name, { pk: { S: 'a' }, owner: { S: 'x' }, at: { N: '1' } });
      await create(name);
      await whenActive(door, name);
      const { TableDescription: answer } = await drop(name);
      expect(answer).toMatchObject({
        TableStatus: 'UPDATING',
        GlobalSecondaryIndexes: [{ IndexName: 'by-owner', IndexStatus: 'DELETING' }],
      });
      const table = await whenActive(door, name);
      expect(table.GlobalSecondaryIndexes).toBeUndefined();
      expect(table.AttributeDefinitions).toEqual([{ AttributeName: 'pk', AttributeType: 'S' }]);
      await expectInvalid(door, owned(name, 'x'), 'The table does not have the specified index: by-owner');
      await put(name, { pk: { S: 'b' }, owner: { BOOL: true } });
      await create(name);
      await whenActive(door, name);
      expect(await owned(name, 'x')).toEqual(['a']);
    });

    it('must be there', async () => {
      const name = await door.createTable();
      await expectRefused(
        door,
        drop(name, 'none'),
        'ResourceNotFoundException',
        `Requested resource not found: Index: none of Table: ${name} not found`,
      );
    });
  });

  it('go with their table', async () => {
    const name = await door.createTable();
    await put(name, { pk: { S: 'a' }, owner: { S: 'x' }, at: { N: '1' } });
    await create(name);
    await whenActive(door, name);
    await door.client.send(new DeleteTableCommand({ TableName: name }));
  });
});

/** Waits until the table and all its indexes are ACTIVE; indexes of the service take a quarter of an hour. */
async function whenActive(door: Door, TableName: string) {
  const deadline = Date.now() + (door.onAws ? 1_200_000 : 20_000);
  for (;;) {
    const { Table } = await door.client.send(new DescribeTableCommand({ TableName }));
    const statuses = [Table!.TableStatus, ...(Table!.GlobalSecondaryIndexes ?? []).map((i) => i.IndexStatus)];
    if (statuses.every((status) => status === 'ACTIVE')) return Table!;
    if (Date.now() > deadline) throw new Error(`still ${statuses.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, door.onAws ? 5_000 : 5));
  }
}
