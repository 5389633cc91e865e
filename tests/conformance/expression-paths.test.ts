import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, invalidParameters as P } from './refusal.ts';

/** Which paths expressions may name, and what an update finds at them. */

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });
const enveloped = (text: string) => `1 validation error detected: ${text}`;

throughEveryDoor('The paths of expressions', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'colour', 'noon'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'by-noon',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'noon', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-colour',
          KeySchema: [{ AttributeName: 'colour', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
  });

  const key = (name: string) => ({ pk: S(name), sk: S('1') });
  const update = (name: string, UpdateExpression: string, more: Partial<UpdateItemCommandInput> = {}) =>
    door.client.send(new UpdateItemCommand({ TableName: table, Key: key(name), UpdateExpression, ...more }));
  const get = async (name: string) =>
    (await door.client.send(new GetItemCommand({ TableName: table, Key: key(name), ConsistentRead: true })))
      .Item;
  const scalars = (which: string) =>
    `Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: ${which}`;

  it('find the attributes of the key where there is no item yet', async () => {
    const values = { ':n': N(1) };
    await update('new', 'SET a = pk, b = if_not_exists(b, sk), c = if_not_exists(pk, :n)', {
      ExpressionAttributeValues: values,
    });
    expect(await get('new')).toEqual({ ...key('new'), a: S('new'), b: S('1'), c: S('new') });
    await expectInvalid(
      door,
      update('other', 'SET a = b'),
      'The provided expression refers to an attribute that does not exist in the item',
    );
    await expectInvalid(
      door,
      update('other', 'SET a = pk + :n', { ExpressionAttributeValues: values }),
      'An operand in the update expression has an incorrect data type',
    );
    expect(await get('other')).toBeUndefined();
  });

  it.each([
    ['pk.a', 'Key: pk'],
    ['sk[1]', 'Key: sk'],
    ['colour.a[0]', 'IndexKey: colour'],
    ['noon[0], sk.b', 'Key: sk'],
  ])('enter no key when they are read: %s', async (ProjectionExpression, which) => {
    const Key = key('read');
    await expectInvalid(
      door,
      door.client.send(new GetItemCommand({ TableName: table, Key, ProjectionExpression })),
      scalars(which),
    );
    await expectInvalid(
      door,
      door.client.send(
        new BatchGetItemCommand({ RequestItems: { [table]: { Keys: [Key], ProjectionExpression } } }),
      ),
      scalars(which),
    );
    const transact = door.client.send(
      new TransactGetItemsCommand({
        TransactItems: [{ Get: { TableName: table, Key, ProjectionExpression } }],
      }),
    );
    await expectReason(transact, scalars(which));
  });

  it('are looked at after the key of a read', async () => {
    await expectInvalid(
      door,
      door.client.send(
        new GetItemCommand({ TableName: table, Key: { pk: S('a') }, ProjectionExpression: 'pk.a' }),
      ),
      'The provided key element does not match the schema',
    );
  });

  it.each([
    ['attribute_exists(pk.a)', 'Key: pk'],
    ['attribute_not_exists(gone) OR sk[0] = :v', 'Key: sk'],
    ['size(colour.a) > :v', 'IndexKey: colour'],
    ['NOT contains(#noon[3], :v)', 'IndexKey: noon'],
  ])('enter no key in a condition: %s', async (ConditionExpression, which) => {
    const asked = {
      TableName: table,
      ConditionExpression,
      ...(ConditionExpression.includes(':v') && { ExpressionAttributeValues: { ':v': S('v') } }),
      ...(ConditionExpression.includes('#') && { ExpressionAttributeNames: { '#noon': 'noon' } }),
    };
    const Key = key('condition');
    const send = [
      () => door.client.send(new PutItemCommand({ ...asked, Item: Key })),
      () => door.client.send(new DeleteItemCommand({ ...asked, Key })),
      () => door.client.send(new UpdateItemCommand({ ...asked, Key, UpdateExpression: 'REMOVE a' })),
    ];
    for (const each of send) await expectInvalid(door, each(), scalars(which));
    const check = new TransactWriteItemsCommand({ TransactItems: [{ ConditionCheck: { ...asked, Key } }] });
    await expectReason(door.client.send(check), scalars(which));
  });

  it.each([
    ['SET a = pk.b', 'Key: pk'],
    ['SET a = if_not_exists(sk[0], c)', 'Key: sk'],
    ['SET a = list_append(b, if_not_exists(c, colour.d))', 'IndexKey: colour'],
    ['SET a = b - colour[1]', 'IndexKey: colour'],
    ['SET colour.a = b', 'IndexKey: colour'],
  ])('enter no key in an update: %s', async (UpdateExpression, which) => {
    await expectInvalid(door, update('operand', UpdateExpression), scalars(which));
    const transact = new TransactWriteItemsCommand({
      TransactItems: [{ Update: { TableName: table, Key: key('operand'), UpdateExpression } }],
    });
    await expectReason(door.client.send(transact), scalars(which));
  });

  it('are no targets when they are of the key, whatever is read beside', async () => {
    await expectInvalid(
      door,
      update('target', 'SET pk = pk.a + sk[1]'),
      `${P}Cannot update attribute pk. This attribute is part of the key`,
    );
  });

  it('differ in if_not_exists', async () => {
    const same = (operand: string) =>
      enveloped(
        `Invalid UpdateExpression: The first operand must be distinct from the remaining operands for this operator or function; operator: if_not_exists, first operand: ${operand}`,
      );
    await expectInvalid(door, update('same', 'SET a = if_not_exists(a, a)'), same('[a]'));
    await expectInvalid(
      door,
      update('same', 'SET a = if_not_exists(b.#c[0], b.c[0]) + :n', {
        ExpressionAttributeNames: { '#c': 'c' },
        ExpressionAttributeValues: { ':n': N(1) },
      }),
      same('[b, c, [0]]'),
    );
    await update('same', 'SET a = if_not_exists(a, if_not_exists(a, :n))', {
      ExpressionAttributeValues: { ':n': N(1) },
    });
    expect(await get('same')).toEqual({ ...key('same'), a: N(1) });
  });

  it.each([
    'list_append(a, :l) + :n',
    ':n - list_append(:l, a)',
    'list_append(list_append(a, :l), a)',
    'if_not_exists(a, list_append(b, :l))',
  ])('join lists only as a whole value: SET a = %s', async (value) => {
    const used = [':l', ':n'].filter((name) => value.includes(name));
    await expectInvalid(
      door,
      update('lists', `SET a = ${value}`, {
        ExpressionAttributeValues: Object.fromEntries(
          used.map((name) => [name, name === ':n' ? N(1) : { L: [] }]),
        ),
      }),
      enveloped(
        'Invalid UpdateExpression: The function is not allowed to be used this way in an expression; function: list_append',
      ),
    );
  });
});

/** Expects a transaction that is cancelled for a fault of its only action. */
async function expectReason(sent: Promise<unknown>, Message: string): Promise<void> {
  const error = await sent.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransactionCanceledException);
  expect((error as TransactionCanceledException).CancellationReasons).toEqual([
    { Code: 'ValidationError', Message },
  ]);
}
