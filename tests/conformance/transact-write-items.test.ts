import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  type TransactWriteItemsCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const E = '1 validation error detected: ';
const mismatch = 'The provided key element does not match the schema';
const conditionFailed = 'The conditional request failed';

type Item = Record<string, AttributeValue>;
type Reason = { Code: string; Message?: string; Item?: Item };

const none: Reason = { Code: 'None' };
const failed: Reason = { Code: 'ConditionalCheckFailed', Message: conditionFailed };
const invalid = (Message: string): Reason => ({ Code: 'ValidationError', Message });

throughEveryDoor('TransactWriteItems', (door) => {
  /** Keyed by the string pk. */
  let simple: string;
  let other: string;
  /** Keyed by the string pk and the number sk, with an index of either kind. */
  let indexed: string;
  /** Keyed by the bytes pk. */
  let binary: string;

  beforeAll(async () => {
    simple = await door.createTable();
    other = await door.createTable();
    binary = await door.createTable({ AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'B' }] });
    indexed = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'rank', 'colour'].map((AttributeName) => ({
        AttributeName,
        AttributeType: AttributeName === 'sk' || AttributeName === 'rank' ? 'N' : 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'by-rank',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'rank', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
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

  const send = (
    TransactItems: TransactWriteItem[],
    rest: Partial<TransactWriteItemsCommandInput> = {},
  ): Promise<TransactWriteItemsCommandOutput> =>
    door.client.send(new TransactWriteItemsCommand({ TransactItems, ...rest }));
  const put = (Item: Item, rest: object = {}, TableName = simple): TransactWriteItem => ({
    Put: { TableName, Item, ...rest },
  });
  const remove = (Key: Item, rest: object = {}, TableName = simple): TransactWriteItem => ({
    Delete: { TableName, Key, ...rest },
  });
  const check = (Key: Item, ConditionExpression: string, rest: object = {}): TransactWriteItem => ({
    ConditionCheck: { TableName: simple, Key, ConditionExpression, ...rest },
  });
  const set = (
    Key: Item,
    value: AttributeValue,
    rest: object = {},
    TableName = simple,
  ): TransactWriteItem => ({
    Update: {
      TableName,
      Key,
      UpdateExpression: 'SET v = :v',
      ExpressionAttributeValues: { ':v': value },
      ...rest,
    },
  });
  const key = (): { pk: { S: string } } => ({ pk: { S: randomUUID() } });
  const store = (Item: Item, TableName = simple) => door.client.send(new PutItemCommand({ TableName, Item }));
  const get = async (Key: Item, TableName = simple): Promise<Item | undefined> => {
    const found = await door.client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
    return found.Item;
  };

  /** Expects that the transaction is cancelled for exactly these reasons. */
  async function expectCancelled(request: Promise<unknown>, reasons: readonly Reason[]): Promise<void> {
    const codes = reasons.map(({ Code }) => Code).join(', ');
    const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
    await expectRefused(door, request, 'TransactionCanceledException', message);
    const error = (await request.catch((thrown: unknown) => thrown)) as TransactionCanceledException;
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error.CancellationReasons).toEqual(reasons);
  }

  describe('what it does', () => {
    it('puts, updates, deletes and checks items of several tables together', async () => {
      const [made, changed, gone, seen] = [key(), key(), key(), key()];
      await store({ ...changed, v: { N: '1' }, w: { S: 'stays' } });
      await store(gone, other);
      await store({ ...seen, v: { S: 'yes' } });
      const answer = await send([
        put({ ...made, v: { S: 'new' } }, { ConditionExpression: 'attribute_not_exists(pk)' }),
        set(changed, { N: '2' }, { ConditionExpression: 'attribute_exists(w)' }),
        remove(gone, { ConditionExpression: 'attribute_exists(pk)' }, other),
        check(seen, 'v = :yes', { ExpressionAttributeValues: { ':yes': { S: 'yes' } } }),
      ]);
      const { $metadata, ...members } = answer;
      expect(members).toEqual({});
      expect($metadata.httpStatusCode).toBe(200);
      expect(await get(made)).toEqual({ ...made, v: { S: 'new' } });
      expect(await get(changed)).toEqual({ ...changed, v: { N: '2' }, w: { S: 'stays' } });
      expect(await get(gone, other)).toBeUndefined();
      expect(await get(seen)).toEqual({ ...seen, v: { S: 'yes' } });
    });

    it('makes what an update or a check of nothing would make', async () => {
      const [made, never] = [key(), key()];
      await send([
        set(made, { S: 'x' }),
        check(never, 'attribute_not_exists(pk)'),
        remove(key()),
        {
          Update: { TableName: simple, Key: key(), UpdateExpression: 'REMOVE v' },
        },
      ]);
      expect(await get(made)).toEqual({ ...made, v: { S: 'x' } });
      expect(await get(never)).toBeUndefined();
    });

    it('takes a hundred items', async () => {
      const keys = Array.from({ length: 100 }, key);
      await send(keys.map((each) => put(each)));
      expect(await get(keys[0]!)).toEqual(keys[0]);
      expect(await get(keys[99]!)).toEqual(keys[99]);
    });

    it('keeps the indexes of what it wrote', async () => {
      const pk = { S: randomUUID() };
      const colour = { S: randomUUID() };
      const item = (sk: number): Item => ({ pk, sk: { N: String(sk) }, rank: { N: String(-sk) }, colour });
      await send([1, 2, 3].map((sk) => put(item(sk), {}, indexed)));
      await send([
        remove({ pk, sk: { N: '1' } }, {}, indexed),
        {
          Update: {
            TableName: indexed,
            Key: { pk, sk: { N: '2' } },
            UpdateExpression: 'SET #rank = :r REMOVE colour',
            ExpressionAttributeNames: { '#rank': 'rank' },
            ExpressionAttributeValues: { ':r': { N: '-9' } },
          },
        },
      ]);
      const local = await door.client.send(
        new QueryCommand({
          TableName: indexed,
          IndexName: 'by-rank',
          ConsistentRead: true,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': pk },
        }),
      );
      expect(local.Items?.map(({ sk }) => sk)).toEqual([{ N: '2' }, { N: '3' }]);
      if (door.onAws) return;
      const global = await door.client.send(
        new QueryCommand({
          TableName: indexed,
          IndexName: 'by-colour',
          KeyConditionExpression: 'colour = :c',
          ExpressionAttributeValues: { ':c': colour },
        }),
      );
      expect(global.Items).toEqual([item(3)]);
    });

    it('is there for the document client', async () => {
      const client = DynamoDBDocumentClient.from(door.client);
      const pk = randomUUID();
      await client.send(
        new TransactWriteCommand({
          TransactItems: [{ Put: { TableName: simple, Item: { pk, tags: new Set(['a']), n: 1.5 } } }],
        }),
      );
      expect(await get({ pk: { S: pk } })).toEqual({ pk: { S: pk }, tags: { SS: ['a'] }, n: { N: '1.5' } });
    });

    it('accepts names and values that no expression could use', async () => {
      const one = key();
      await send([
        put(one, {
          ExpressionAttributeNames: { '#a': 'a' },
          ExpressionAttributeValues: { ':a': { S: 'x' } },
        }),
      ]);
      expect(await get(one)).toEqual(one);
    });
  });

  describe('cancelled', () => {
    it('tells every condition that failed, and changes nothing', async () => {
      const [a, b, c, d] = [key(), key(), key(), key()];
      await store({ ...a, v: { N: '1' } });
      await store({ ...c, v: { N: '3' } });
      await expectCancelled(
        send([
          put({ ...a, v: { N: '9' } }, { ConditionExpression: 'attribute_not_exists(pk)' }),
          put(b),
          remove(c, {
            ConditionExpression: 'v = :v',
            ExpressionAttributeValues: { ':v': { N: '4' } },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
          check(d, 'attribute_exists(pk)', { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
        ]),
        [failed, none, { ...failed, Item: { ...c, v: { N: '3' } } }, failed],
      );
      expect(await get(a)).toEqual({ ...a, v: { N: '1' } });
      expect(await get(b)).toBeUndefined();
      expect(await get(c)).toEqual({ ...c, v: { N: '3' } });
    });

    it.each<[string, string, Item, string]>([
      [
        'an attribute that is not there',
        'SET a = b',
        {},
        'The provided expression refers to an attribute that does not exist in the item',
      ],
      [
        'a path into nothing',
        'SET a.b = pk',
        {},
        'The document path provided in the update expression is invalid for update',
      ],
      [
        'a sum with text',
        'SET v = v + :one',
        { ':one': { N: '1' } },
        'An operand in the update expression has an incorrect data type',
      ],
      [
        'ADD to text',
        'ADD v :one',
        { ':one': { N: '1' } },
        'An operand in the update expression has an incorrect data type',
      ],
      [
        'the key',
        'SET pk = :one',
        { ':one': { S: 'x' } },
        `${P}Cannot update attribute pk. This attribute is part of the key`,
      ],
      [
        'more than an item holds',
        'SET w = :one',
        { ':one': { S: 'x'.repeat(409_600) } },
        'Item size to update has exceeded the maximum allowed size',
      ],
    ])('for an update of %s, and tells no condition beside it', async (_, UpdateExpression, values, text) => {
      const one = key();
      await store({ ...one, v: { S: 'text' } });
      await expectCancelled(
        send([
          {
            Update: {
              TableName: simple,
              Key: one,
              UpdateExpression,
              ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
            },
          },
          check(key(), 'attribute_exists(pk)'),
          put(key()),
        ]),
        [invalid(text), none, none],
      );
      expect(await get(one)).toEqual({ ...one, v: { S: 'text' } });
    });

    it('measures an update by its item alone, where UpdateItem takes less', async () => {
      const one = key();
      const bytes = 409_600 - (2 + one.pk.S.length) - 1;
      await send([set(one, { S: 'x'.repeat(bytes) })]);
      await expectCancelled(send([set(one, { S: 'x'.repeat(bytes + 1) })]), [
        invalid('Item size to update has exceeded the maximum allowed size'),
      ]);
    });

    it.each<[string, Item, string]>([
      ['another type', { pk: { N: '1' } }, `${P}Type mismatch for key pk expected: S actual: N`],
      ['a list', { pk: { L: [] } }, `${P}Type mismatch for key pk expected: S actual: L`],
      ['none', { other: { S: 'x' } }, `${P}Missing the key pk in the item`],
      [
        'one that is too long',
        { pk: { S: 'x'.repeat(2049) } },
        `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
      ],
    ])('for a Put whose key is %s', async (_, item, text) => {
      await expectCancelled(send([put(key()), put(item)]), [none, invalid(text)]);
    });

    it.each<[string, (Key: Item) => TransactWriteItem]>([
      ['Update', (Key) => set(Key, { S: 'x' })],
      ['Delete', (Key) => remove(Key)],
      ['ConditionCheck', (Key) => check(Key, 'attribute_not_exists(pk)')],
    ])('for %s with a key of another shape', async (_, action) => {
      await expectCancelled(send([action({ pk: { N: '1' } })]), [invalid(mismatch)]);
      await expectCancelled(send([action({ pk: { L: [{ S: 'x' }] } })]), [invalid(mismatch)]);
      await expectCancelled(send([action({ pk: { S: 'x' }, more: { S: 'y' } }), put(key())]), [
        invalid(mismatch),
        none,
      ]);
    });

    it('for index keys of another type', async () => {
      const pk = { S: randomUUID() };
      await expectCancelled(
        send([
          put({ pk, sk: { N: '1' }, rank: { S: 'high' } }, {}, indexed),
          {
            Update: {
              TableName: indexed,
              Key: { pk, sk: { N: '2' } },
              UpdateExpression: 'SET colour = :c',
              ExpressionAttributeValues: { ':c': { N: '1' } },
            },
          },
        ]),
        [invalid(`${P}Type mismatch for Index Key rank Expected: N Actual: S IndexName: by-rank`), none],
      );
      await expectCancelled(
        send([
          {
            Update: {
              TableName: indexed,
              Key: { pk, sk: { N: '2' } },
              UpdateExpression: 'SET colour = :c',
              ExpressionAttributeValues: { ':c': { N: '1' } },
            },
          },
        ]),
        [invalid(`${P}Type mismatch for Index Key colour Expected: S Actual: N IndexName: by-colour`)],
      );
    });
  });

  describe('refuses', () => {
    it('lists of no actions and of too many', async () => {
      await expectInvalid(
        door,
        send([]),
        `${E}Value '[]' at 'transactItems' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
      const request = send(Array.from({ length: 101 }, () => put(key())));
      await expect(request).rejects.toThrow(
        /^1 validation error detected: Value '\[.+\]' at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to 100$/s,
      );
    });

    it('actions that are none or several', async () => {
      await expectInvalid(
        door,
        send([{}]),
        'Invalid Request: TransactWriteRequest should contain Delete or Put or Update request',
      );
      await expectInvalid(
        door,
        send([{ ...put(key()), ...remove(key()) }]),
        'TransactItems can only contain one of Check, Put, Update or Delete',
      );
    });

    it('one item twice, however it is named', async () => {
      const text = 'Transaction request cannot include multiple operations on one item';
      const one = key();
      await expectInvalid(door, send([put(one), put({ ...one, v: { S: 'x' } })]), text);
      await expectInvalid(door, send([check(one, 'attribute_not_exists(pk)'), remove(one)]), text);
      const pk = one.pk;
      await expectInvalid(
        door,
        send([put({ pk, sk: { N: '1' } }, {}, indexed), remove({ pk, sk: { N: '1.0' } }, {}, indexed)]),
        text,
      );
      await send([put(one), put(one, {}, other)]);
    });

    it('missing members, all of them at once', async () => {
      await expectInvalid(
        door,
        sendRaw(
          door.client,
          'TransactWriteItems',
          JSON.stringify({
            TransactItems: [
              { Put: { TableName: 'bad!name', Item: {} } },
              { Update: { TableName: 'abc', Key: {} } },
            ],
          }),
        ),
        `2 validation errors detected: Value 'bad!name' at 'transactItems.1.member.put.tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+; Value null at 'transactItems.2.member.update.updateExpression' failed to satisfy constraint: Member must not be null`,
      );
    });

    it('a token that is empty or too long', async () => {
      await expectInvalid(
        door,
        send([put(key())], { ClientRequestToken: 'x'.repeat(37) }),
        `${E}Value '${'x'.repeat(37)}' at 'clientRequestToken' failed to satisfy constraint: Member must have length less than or equal to 36`,
      );
    });

    it('what is wrong with an action, the first in order, before a table is looked for', async () => {
      const missing = put(key(), {}, door.newName());
      const unused = { ExpressionAttributeValues: { ':v': { S: 'x' } } };
      await expectInvalid(
        door,
        send([missing, check(key(), 'attribute_not_exists(pk)', unused)]),
        'Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}',
      );
      await expectInvalid(
        door,
        send([missing, put(key(), { ConditionExpression: '' })]),
        'Invalid ConditionExpression: The expression can not be empty;',
      );
      await expectInvalid(
        door,
        send([
          missing,
          { Update: { TableName: simple, Key: key(), UpdateExpression: 'SET' } },
          check(key(), 'attribute_not_exists('),
        ]),
        'Invalid UpdateExpression: Syntax error; token: "<EOF>", near: "SET"',
      );
      await expectInvalid(
        door,
        send([missing, put({ ...key(), v: { S: 'x'.repeat(409_600) } })]),
        'Item size has exceeded the maximum allowed size',
      );
      await expectInvalid(
        door,
        send([missing, put({ ...key(), v: { SS: ['a', 'a'] } })]),
        `${P}Input collection [a, a] contains duplicates.`,
      );
      await expectInvalid(
        door,
        send([missing, put(key(), { ReturnValuesOnConditionCheckFailure: 'ALL_NEW' })]),
        `${E}Value 'ALL_NEW' at 'transactItems.2.member.put.returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
      );
    });

    it('tables that are not there', async () => {
      const one = key();
      await expectRefused(
        door,
        send([put(one), put(key(), {}, door.newName())]),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
      expect(await get(one)).toBeUndefined();
    });

    it('empty keys, without cancelling anything', async () => {
      const empty = (kind: string) =>
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${kind} value. Key: pk`;
      const none = { pk: { S: '' } };
      for (const action of [
        put(none),
        remove(none),
        set(none, { S: 'x' }),
        check(none, 'attribute_exists(pk)'),
      ])
        await expectInvalid(door, send([put(key()), action]), empty('string'));
      await expectInvalid(door, send([put({ pk: { B: new Uint8Array() } }, {}, binary)]), empty('binary'));
      const pk = { S: randomUUID() };
      const Key = { pk, sk: { N: '1' } };
      await expectInvalid(
        door,
        send([put({ ...Key, colour: { S: '' } }, {}, indexed)]),
        'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: by-colour, IndexKey: colour',
      );
      await expectInvalid(
        door,
        send([
          {
            Update: {
              TableName: indexed,
              Key,
              UpdateExpression: 'SET colour = :c',
              ExpressionAttributeValues: { ':c': { S: '' } },
            },
          },
        ]),
        'One or more parameter values are not valid. The update expression attempted to update a secondary index key to a value that is not supported. The AttributeValue for a key attribute cannot contain an empty string value.',
      );
    });

    it('more than 4 MB', async () => {
      const items = (count: number) =>
        Array.from({ length: count }, () => put({ ...key(), v: { S: 'x'.repeat(350_000) } }));
      await send(items(10));
      const text = 'Transaction payload size cannot exceed 4MB. Payload Size: ';
      await expectInvalid(door, send(items(12)), `${text}: ${text}${12 * (350_000 + 1 + 36 + 2)}`);
    });

    it('more than 4 MB of values, but not for what is stored', async () => {
      const keys = Array.from({ length: 12 }, key);
      const sets = keys.map((Key) => set(Key, { S: 'x'.repeat(350_000) }));
      await expect(send(sets)).rejects.toThrow(/^Transaction payload size cannot exceed 4MB/);
      await send(sets.slice(0, 6));
      await send(sets.slice(6));
      await send(keys.map((Key) => remove(Key)));
      expect(await get(keys[0]!)).toBeUndefined();
    });
  });

  describe('ClientRequestToken', () => {
    const count = (Key: Item): TransactWriteItem => ({
      Update: {
        TableName: simple,
        Key,
        UpdateExpression: 'ADD n :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
    });

    it('does a transaction once, and charges the second time for reading', async () => {
      const action = count(key());
      const rest = { ClientRequestToken: randomUUID(), ReturnConsumedCapacity: 'TOTAL' as const };
      const done = await send([action], rest);
      const repeated = await send([action], rest);
      expect(done.ConsumedCapacity).toEqual([{ TableName: simple, CapacityUnits: 2, WriteCapacityUnits: 2 }]);
      expect(repeated.ConsumedCapacity).toEqual([
        { TableName: simple, CapacityUnits: 2, ReadCapacityUnits: 2 },
      ]);
      expect(await get(action.Update!.Key!)).toMatchObject({ n: { N: '1' } });
    });

    it('charges the reading of the larger of two states', async () => {
      const rest = { ClientRequestToken: randomUUID(), ReturnConsumedCapacity: 'TOTAL' as const };
      const actions = [put({ ...key(), v: { S: 'x'.repeat(9_000) } })];
      expect((await send(actions, rest)).ConsumedCapacity?.[0]?.CapacityUnits).toBe(18);
      expect((await send(actions, rest)).ConsumedCapacity?.[0]?.CapacityUnits).toBe(6);
    });

    it('succeeds again although its condition would now fail', async () => {
      const ClientRequestToken = randomUUID();
      const actions = [put(key(), { ConditionExpression: 'attribute_not_exists(pk)' })];
      await send(actions, { ClientRequestToken });
      await send(actions, { ClientRequestToken });
      await expectCancelled(send(actions, { ClientRequestToken: randomUUID() }), [failed]);
    });

    it('refuses another request', async () => {
      const ClientRequestToken = randomUUID();
      await send([count(key())], { ClientRequestToken });
      await expectRefused(
        door,
        send([count(key())], { ClientRequestToken }),
        'IdempotentParameterMismatchException',
        'Specified idempotent token was used with different request parameters within the idempotency window',
      );
    });

    it('remembers nothing of a transaction that was cancelled', async () => {
      if (door.onAws) return;
      const one = key();
      const ClientRequestToken = randomUUID();
      const actions = [put({ ...one, v: { N: '1' } }, { ConditionExpression: 'attribute_exists(pk)' })];
      await expectCancelled(send(actions, { ClientRequestToken }), [failed]);
      await store(one);
      await send(actions, { ClientRequestToken });
      expect(await get(one)).toEqual({ ...one, v: { N: '1' } });
    });

    it('is one account’s and one Region’s own', async () => {
      if (door.onAws) return;
      const ClientRequestToken = randomUUID();
      await send([count(key())], { ClientRequestToken });
      const elsewhere = door.clientOf({ accessKeyId: '123456789012' });
      const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${simple}`;
      await elsewhere.send(
        new TransactWriteItemsCommand({ ClientRequestToken, TransactItems: [put(key(), {}, arn)] }),
      );
    });
  });

  describe('ReturnConsumedCapacity', () => {
    it('charges twice for the table and once for its indexes', async () => {
      const pk = { S: randomUUID() };
      const answer = await send(
        [
          put({ pk, sk: { N: '1' }, rank: { N: '1' }, colour: { S: 'red' } }, {}, indexed),
          put({ pk, sk: { N: '2' }, v: { S: 'x'.repeat(1_500) } }, {}, indexed),
          check(key(), 'attribute_not_exists(pk)'),
        ],
        { ReturnConsumedCapacity: 'INDEXES' },
      );
      const units = (count: number) => ({ CapacityUnits: count, WriteCapacityUnits: count });
      expect(answer.ConsumedCapacity).toHaveLength(2);
      expect(answer.ConsumedCapacity).toContainEqual({
        TableName: indexed,
        ...units(8),
        Table: units(6),
        LocalSecondaryIndexes: { 'by-rank': units(1) },
        GlobalSecondaryIndexes: { 'by-colour': units(1) },
      });
      expect(answer.ConsumedCapacity).toContainEqual({ TableName: simple, ...units(2), Table: units(2) });
    });

    it('charges a check for the item it saw', async () => {
      const one = key();
      await store({ ...one, v: { S: 'x'.repeat(2_000) } });
      const answer = await send([check(one, 'attribute_exists(pk)')], { ReturnConsumedCapacity: 'TOTAL' });
      expect(answer.ConsumedCapacity).toEqual([
        { TableName: simple, CapacityUnits: 4, WriteCapacityUnits: 4 },
      ]);
    });
  });

  it('returns ItemCollectionMetrics of tables with local indexes, each collection once', async () => {
    const [a, b] = [{ S: randomUUID() }, { S: randomUUID() }];
    const answer = await send(
      [
        put({ pk: a, sk: { N: '1' } }, {}, indexed),
        put({ pk: a, sk: { N: '2' } }, {}, indexed),
        put({ pk: b, sk: { N: '1' } }, {}, indexed),
        put(key()),
      ],
      { ReturnItemCollectionMetrics: 'SIZE' },
    );
    expect(Object.keys(answer.ItemCollectionMetrics ?? {})).toEqual([indexed]);
    const metrics = answer.ItemCollectionMetrics![indexed]!;
    expect(metrics).toHaveLength(2);
    for (const pk of [a, b])
      expect(metrics).toContainEqual({ ItemCollectionKey: { pk }, SizeEstimateRangeGB: [0, 1] });
  });
});
