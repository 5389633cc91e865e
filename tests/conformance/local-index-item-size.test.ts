import {
  type AttributeValue,
  BatchWriteItemCommand,
  type LocalSecondaryIndex,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

/** For each local index, an item and its entry have 400 KB together (developer guide, "Constraints"). */

const S = (text: string): AttributeValue => ({ S: text });
const itemBytesMax = 409_600;
const tooLarge = 'Item size has exceeded the maximum allowed size';
const updateTooLarge = 'Item size to update has exceeded the maximum allowed size';

throughEveryDoor('The size of an item with local indexes', (door) => {
  const indexed = (ProjectionType: 'ALL' | 'KEYS_ONLY'): LocalSecondaryIndex => ({
    IndexName: 'local',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'lk', KeyType: 'RANGE' },
    ],
    Projection: { ProjectionType },
  });
  const newTable = (index: LocalSecondaryIndex) =>
    door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'lk'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [index],
    });
  let all: string;
  let keysOnly: string;
  beforeAll(async () => {
    all = await newTable(indexed('ALL'));
    keysOnly = await newTable(indexed('KEYS_ONLY'));
  });
  const keys = (sk: string) => ({ pk: S('k'), sk: S(sk) });
  /** Of 10 bytes and the text. */
  const item = (sk: string, bytes: number) => ({ ...keys(sk), lk: S('l'), b: S('x'.repeat(bytes)) });
  const put = (TableName: string, Item: Record<string, AttributeValue>) =>
    door.client.send(new PutItemCommand({ TableName, Item }));

  it('is half of the limit where an index projects everything', async () => {
    const most = itemBytesMax / 2 - 10;
    await put(all, item('a', most));
    await expectInvalid(door, put(all, item('b', most + 1)), tooLarge);
    await expectInvalid(
      door,
      door.client.send(
        new UpdateItemCommand({
          TableName: all,
          Key: keys('a'),
          UpdateExpression: 'SET c = :c',
          ExpressionAttributeValues: { ':c': S('') },
        }),
      ),
      updateTooLarge,
    );
  });

  it('counts the keys of an entry that projects no more', async () => {
    const most = itemBytesMax - 10 - 9;
    await put(keysOnly, item('a', most));
    await expectInvalid(door, put(keysOnly, item('b', most + 1)), tooLarge);
  });

  it('is the whole limit of an item that the index does not hold, until it does', async () => {
    await put(all, { ...keys('c'), b: S('x'.repeat(itemBytesMax - 7)) });
    const enter = door.client.send(
      new UpdateItemCommand({
        TableName: all,
        Key: keys('c'),
        UpdateExpression: 'SET lk = :l, b = :b',
        ExpressionAttributeValues: { ':l': S('l'), ':b': S('x'.repeat(itemBytesMax - 10)) },
      }),
    );
    await expectInvalid(door, enter, updateTooLarge);
  });

  it('cancels transactions and refuses batches', async () => {
    const Item = item('d', itemBytesMax / 2);
    const cancelled = door.client.send(
      new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: all, Item } }] }),
    );
    await expect(cancelled).rejects.toSatisfy(
      (error) =>
        error instanceof TransactionCanceledException &&
        error.CancellationReasons?.[0]?.Code === 'ValidationError' &&
        error.CancellationReasons[0].Message === tooLarge,
    );
    const batch = new BatchWriteItemCommand({ RequestItems: { [all]: [{ PutRequest: { Item } }] } });
    await expectInvalid(door, door.client.send(batch), tooLarge);
  });
});
