import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  type Get,
  PutItemCommand,
  TransactGetItemsCommand,
  type TransactGetItemsCommandInput,
  type TransactGetItemsCommandOutput,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const E = '1 validation error detected: ';
const mismatch = 'The provided key element does not match the schema';

type Item = Record<string, AttributeValue>;

throughEveryDoor('TransactGetItems', (door) => {
  let simple: string;
  /** Keyed by the string pk and the number sk. */
  let sorted: string;

  beforeAll(async () => {
    simple = await door.createTable();
    sorted = await door.createTable({
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  });

  const send = (
    gets: Partial<Get>[],
    rest: Partial<TransactGetItemsCommandInput> = {},
  ): Promise<TransactGetItemsCommandOutput> =>
    door.client.send(
      new TransactGetItemsCommand({
        TransactItems: gets.map((get) => ({ Get: { TableName: simple, Key: undefined, ...get } })),
        ...rest,
      }),
    );
  const stored = async (attributes: Item = {}, TableName = simple): Promise<Item> => {
    const item = { pk: { S: randomUUID() }, ...attributes };
    await door.client.send(new PutItemCommand({ TableName, Item: item }));
    return item;
  };
  const keyOf = ({ pk, sk }: Item): Item => (sk === undefined ? { pk: pk! } : { pk: pk!, sk });

  it('reads items of several tables, in the order asked for', async () => {
    const a = await stored({ v: { L: [{ N: '1' }, { NULL: true }] } });
    const b = await stored({ sk: { N: '1' }, v: { B: Uint8Array.of(0, 255) } }, sorted);
    const { Responses } = await send([
      { TableName: sorted, Key: keyOf(b) },
      { Key: { pk: { S: randomUUID() } } },
      { Key: keyOf(a) },
    ]);
    expect(Responses).toEqual([{ Item: b }, {}, { Item: a }]);
  });

  it('shows what a projection asks for, and no item when it finds nothing', async () => {
    const a = await stored({ m: { M: { x: { N: '1' }, y: { N: '2' } } }, 'odd name': { S: 'z' } });
    const b = await stored();
    const { Responses } = await send([
      {
        Key: keyOf(a),
        ProjectionExpression: 'm.x, #o',
        ExpressionAttributeNames: { '#o': 'odd name' },
      },
      { Key: keyOf(b), ProjectionExpression: 'absent' },
    ]);
    expect(Responses).toEqual([{ Item: { m: { M: { x: { N: '1' } } }, 'odd name': { S: 'z' } } }, {}]);
  });

  it('takes a hundred items', async () => {
    const one = await stored();
    const keys = Array.from({ length: 99 }, () => ({ Key: { pk: { S: randomUUID() } } }));
    const { Responses } = await send([...keys, { Key: keyOf(one) }]);
    expect(Responses).toHaveLength(100);
    expect(Responses?.[99]).toEqual({ Item: one });
  });

  it('is there for the document client', async () => {
    const one = await stored({ n: { N: '7' } });
    const client = DynamoDBDocumentClient.from(door.client);
    const { Responses } = await client.send(
      new TransactGetCommand({ TransactItems: [{ Get: { TableName: simple, Key: { pk: one.pk!.S } } }] }),
    );
    expect(Responses).toEqual([{ Item: { pk: one.pk!.S, n: 7 } }]);
  });

  it('charges two units for each 4 KB of each item, found or not', async () => {
    const large = await stored({ v: { S: 'x'.repeat(5_000) } });
    const small = await stored({ sk: { N: '1' } }, sorted);
    const gets = [
      { Key: keyOf(large) },
      { Key: { pk: { S: randomUUID() } } },
      { TableName: sorted, Key: keyOf(small) },
    ];
    const units = (count: number) => ({ CapacityUnits: count, ReadCapacityUnits: count });
    const total = await send(gets, { ReturnConsumedCapacity: 'TOTAL' });
    expect(total.ConsumedCapacity).toHaveLength(2);
    expect(total.ConsumedCapacity).toContainEqual({ TableName: simple, ...units(6) });
    expect(total.ConsumedCapacity).toContainEqual({ TableName: sorted, ...units(2) });
    const indexes = await send(gets, { ReturnConsumedCapacity: 'INDEXES' });
    expect(indexes.ConsumedCapacity).toContainEqual({ TableName: simple, ...units(6), Table: units(6) });
  });

  it('refuses lists of no items and of too many', async () => {
    await expectInvalid(
      door,
      send([]),
      `${E}Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1`,
    );
    await expect(send(Array.from({ length: 101 }, () => ({ Key: { pk: { S: 'x' } } })))).rejects.toThrow(
      /^1 validation error detected: Value '\[.+\]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100$/s,
    );
    await expectInvalid(
      door,
      sendRaw(door.client, 'TransactGetItems', '{"TransactItems":[{}]}'),
      `${E}Value null at 'transactItems.1.member.get' failed to satisfy constraint: Member must not be null`,
    );
  });

  it('refuses one item twice', async () => {
    const text = 'Transaction request cannot include multiple operations on one item';
    const Key = { pk: { S: 'x' } };
    await expectInvalid(door, send([{ Key }, { Key }]), text);
    await expectInvalid(
      door,
      send([
        { TableName: sorted, Key: { ...Key, sk: { N: '1' } } },
        { TableName: sorted, Key: { ...Key, sk: { N: '1.0' } } },
      ]),
      text,
    );
  });

  it('refuses expressions before it looks for tables, and missing tables before wrong keys', async () => {
    const missing = { TableName: door.newName(), Key: { pk: { S: 'x' } } };
    await expectInvalid(
      door,
      send([missing, { Key: { pk: { S: 'x' } }, ProjectionExpression: '!!!' }]),
      'Invalid ProjectionExpression: Syntax error; token: "!", near: "!!"',
    );
    await expectInvalid(
      door,
      send([
        missing,
        { Key: { pk: { S: 'x' } }, ProjectionExpression: 'a', ExpressionAttributeNames: { '#b': 'b' } },
      ]),
      'Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}',
    );
    await expectRefused(
      door,
      send([{ Key: { pk: { N: '1' } } }, missing]),
      'ResourceNotFoundException',
      'Requested resource not found',
    );
  });

  it('accepts names that no expression could use', async () => {
    const one = await stored();
    const { Responses } = await send([{ Key: keyOf(one), ExpressionAttributeNames: { '#a': 'a' } }]);
    expect(Responses).toEqual([{ Item: one }]);
  });

  it('is cancelled for keys that do not fit their table', async () => {
    const good = { Key: { pk: { S: 'x' } } };
    for (const [Key, Message] of [
      [{}, mismatch],
      [{ pk: { N: '1' } }, mismatch],
      [{ pk: { S: 'x' }, sk: { N: '1' } }, mismatch],
      [
        { pk: { S: 'x'.repeat(2_049) } },
        `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
      ],
    ] as const) {
      const request = send([good, { Key }]);
      await expectRefused(
        door,
        request,
        'TransactionCanceledException',
        'Transaction cancelled, please refer cancellation reasons for specific reasons [None, ValidationError]',
      );
      const error = (await request.catch((thrown: unknown) => thrown)) as TransactionCanceledException;
      expect(error).toBeInstanceOf(TransactionCanceledException);
      expect(error.CancellationReasons).toEqual([{ Code: 'None' }, { Code: 'ValidationError', Message }]);
    }
    await expectInvalid(
      door,
      send([{ Key: { pk: { S: '' } } }]),
      'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
    );
  });

  it('refuses more than 4 MB of items', async () => {
    const items = await Promise.all(
      Array.from({ length: 12 }, () => stored({ v: { S: 'x'.repeat(350_000) } })),
    );
    const { Responses } = await send(items.slice(0, 11).map((item) => ({ Key: keyOf(item) })));
    expect(Responses).toHaveLength(11);
    await expect(send(items.map((item) => ({ Key: keyOf(item) })))).rejects.toMatchObject({
      name: 'ValidationException',
    });
  });
});
