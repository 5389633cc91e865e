import {
  type AttributeValue,
  BatchWriteItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, invalidParameters as P } from './refusal.ts';

throughEveryDoor('the key of a local and of a global index', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'colour', 'digest'].map((AttributeName) => ({
        AttributeName,
        AttributeType: AttributeName === 'digest' ? 'B' : 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'a-local',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'colour', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      GlobalSecondaryIndexes: ['b-global', 'c-bytes'].map((IndexName) => ({
        IndexName,
        KeySchema: [{ AttributeName: IndexName === 'c-bytes' ? 'digest' : 'colour', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    });
  });

  const Key = { pk: { S: 'a' }, sk: { S: '1' } };
  const mismatch = (actual: string) =>
    `${P}Type mismatch for Index Key colour Expected: S Actual: ${actual} IndexName: b-global`;
  const unsupported = 'The update expression attempted to update the secondary index key to unsupported type';

  const put = (colour: AttributeValue) =>
    door.client.send(new PutItemCommand({ TableName: table, Item: { ...Key, colour } }));
  const set = (colour: AttributeValue) => ({
    TableName: table,
    Key,
    UpdateExpression: 'SET colour = :v',
    ExpressionAttributeValues: { ':v': colour },
  });

  async function expectReasons(actions: TransactWriteItem[], reasons: object[]): Promise<void> {
    const sent = door.client.send(new TransactWriteItemsCommand({ TransactItems: actions }));
    const error = await sent.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect((error as TransactionCanceledException).CancellationReasons).toEqual(reasons);
  }
  const invalid = (Message: string) => ({ Code: 'ValidationError', Message });

  it('is told as that of the global one', async () => {
    await expectInvalid(door, put({ N: '5' }), mismatch('N'));
    await expectInvalid(
      door,
      put({ S: '' }),
      'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: b-global, IndexKey: colour',
    );
    await expectInvalid(
      door,
      door.client.send(
        new BatchWriteItemCommand({
          RequestItems: { [table]: [{ PutRequest: { Item: { ...Key, colour: { L: [] } } } }] },
        }),
      ),
      mismatch('L'),
    );
    await expectReasons(
      [{ Put: { TableName: table, Item: { ...Key, colour: { N: '5' } } } }],
      [invalid(mismatch('N'))],
    );
  });

  it('is a mismatch where the request alone shows its type, before the item is read', async () => {
    const never = { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(pk)' };
    for (const [UpdateExpression, value, type] of [
      ['SET colour = :v', { N: '5' }, 'N'],
      ['SET colour = :v', { NULL: true }, 'NULL'],
      ['SET colour = if_not_exists(colour, :v)', { L: [] }, 'L'],
      ['SET colour = list_append(a, :v)', { L: [] }, 'L'],
      ['SET colour = a - :v', { N: '5' }, 'N'],
      ['SET spare = colour[1], colour = a + :v', { N: '5' }, 'N'],
      ['ADD colour :v', { N: '5' }, 'N'],
      ['ADD colour :v', { SS: ['a'] }, 'SS'],
    ] as [string, AttributeValue, string][]) {
      const asked = {
        TableName: table,
        Key,
        UpdateExpression,
        ExpressionAttributeValues: { ':v': value },
      };
      await expectInvalid(door, door.client.send(new UpdateItemCommand(asked)), mismatch(type));
      await expectInvalid(
        door,
        door.client.send(new UpdateItemCommand({ ...asked, ...never })),
        mismatch(type),
      );
      await expectReasons([{ Update: asked }], [invalid(mismatch(type))]);
    }
    for (const [value, type] of [
      [{ N: '5' }, 'N'],
      [{ NULL: true }, 'NULL'],
      [{ L: [{ S: 'x' }] }, 'L'],
    ] as [AttributeValue, string][]) {
      const legacy = door.client.send(
        new UpdateItemCommand({
          TableName: table,
          Key,
          AttributeUpdates: { colour: { Action: 'PUT', Value: value } },
        }),
      );
      await expectInvalid(door, legacy, mismatch(type));
    }
  });

  it('is of an unsupported type where the item shows it', async () => {
    const number = { ...Key, sk: { S: 'number' } };
    await door.client.send(new PutItemCommand({ TableName: table, Item: { ...number, n: { N: '1' } } }));
    for (const UpdateExpression of ['SET colour = n', 'SET colour = if_not_exists(nothing, n)']) {
      const asked = { TableName: table, Key: number, UpdateExpression };
      await expectInvalid(door, door.client.send(new UpdateItemCommand(asked)), unsupported);
      await expectReasons([{ Update: asked }], [invalid(unsupported)]);
    }
  });

  it('is told of the first of several faulty actions, and of no other', async () => {
    const other = { ...Key, sk: { S: '2' } };
    const wrong = (sk: string): TransactWriteItem => ({
      Put: { TableName: table, Item: { ...Key, sk: { S: sk }, colour: { N: sk } } },
    });
    const fails: TransactWriteItem = {
      ConditionCheck: { TableName: table, Key: other, ConditionExpression: 'attribute_exists(pk)' },
    };
    const none = { Code: 'None' };
    await expectReasons([fails, wrong('3'), wrong('4')], [none, invalid(mismatch('N')), none]);
    const update = (sk: string): TransactWriteItem => ({
      Update: { ...set({ N: sk }), Key: { ...Key, sk: { S: sk } } },
    });
    await expectReasons([update('3'), fails, update('4')], [invalid(mismatch('N')), none, none]);
  });

  it('cancels a transaction when only the item shows that it would be empty', async () => {
    await door.client.send(
      new PutItemCommand({
        TableName: table,
        Item: { ...Key, lists: { L: [{ L: [{ B: new Uint8Array() }] }] } },
      }),
    );
    await expectReasons(
      [
        {
          Update: {
            TableName: table,
            Key,
            UpdateExpression: 'SET digest = if_not_exists(lists[0][0], :v)',
            ExpressionAttributeValues: { ':v': { B: new Uint8Array([1]) } },
          },
        },
      ],
      [
        invalid(
          'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty binary value.',
        ),
      ],
    );
  });
});
