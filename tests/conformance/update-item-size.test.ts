import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

/** How the service measures an UpdateItem, found by bisection in eu-west-2 in October 2026. */

const S = (text: string): AttributeValue => ({ S: text });
const itemBytesMax = 409_600;
const tooLarge = 'Item size to update has exceeded the maximum allowed size';

throughEveryDoor('The size of an UpdateItem', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    });
  });
  const put = (Item: Record<string, AttributeValue>) =>
    door.client.send(new PutItemCommand({ TableName: table, Item }));
  const update = (pk: string, input: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>) =>
    door.client.send(new UpdateItemCommand({ TableName: table, Key: { pk: S(pk) }, ...input }));
  const get = async (pk: string) =>
    (await door.client.send(new GetItemCommand({ TableName: table, Key: { pk: S(pk) } }))).Item!;

  it('is that of its expression, whatever the rest of the item is', async () => {
    await put({ pk: S('k'), r: S('z') });
    const grow = (UpdateExpression: string, bytes: number) =>
      update('k', { UpdateExpression, ExpressionAttributeValues: { ':v': S('x'.repeat(bytes)) } });
    // 3 for the update, 19 for the clause, 1 for the name; REMOVE costs 1 and the name.
    await grow('SET b = :v', itemBytesMax - 23);
    await expectInvalid(door, grow('SET b = :v', itemBytesMax - 22), tooLarge);
    await grow('SET b = :v REMOVE r', itemBytesMax - 25);
    await expectInvalid(door, grow('SET b = :v REMOVE r', itemBytesMax - 24), tooLarge);
  });

  it('is judged before the condition, and counts what does not land', async () => {
    await put({ pk: S('c'), c: S('here') });
    const values = { ':v': S('x'.repeat(250_000)) };
    const twice = 'SET c = if_not_exists(c, :v), d = if_not_exists(c, :v)';
    for (const ConditionExpression of [undefined, 'attribute_exists(c)', 'attribute_exists(nothing)']) {
      const sent = { UpdateExpression: twice, ExpressionAttributeValues: values };
      await expectInvalid(
        door,
        update('c', { ...sent, ...(ConditionExpression && { ConditionExpression }) }),
        tooLarge,
      );
    }
    expect(await get('c')).toEqual({ pk: S('c'), c: S('here') });
  });

  it('is that of the item for AttributeUpdates', async () => {
    const replace = (bytes: number) =>
      update('a', { AttributeUpdates: { b: { Action: 'PUT', Value: S('x'.repeat(bytes)) } } });
    await replace(itemBytesMax - 'pk'.length - 'a'.length - 'b'.length);
    await expectInvalid(door, replace(itemBytesMax - 3), tooLarge);
  });
});
