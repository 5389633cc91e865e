import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type BatchWriteItemCommandInput,
  type BatchWriteItemCommandOutput,
  DescribeTableCommand,
  GetItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const E = '1 validation error detected: ';
const mismatch = 'The provided key element does not match the schema';
const duplicates = 'Provided list of item keys contains duplicates';

type Item = Record<string, AttributeValue>;

throughEveryDoor('BatchWriteItem', (door) => {
  /** Keyed by the string pk. */
  let simple: string;
  /** Keyed by the string pk and the number sk, with an index of either kind. */
  let indexed: string;

  beforeAll(async () => {
    simple = await door.createTable();
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
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  const put = (Item: Item): WriteRequest => ({ PutRequest: { Item } });
  const remove = (Key: Item): WriteRequest => ({ DeleteRequest: { Key } });
  const pk = (S: string): Item => ({ pk: { S } });
  const key = (S: string, sk: number | string): Item => ({ pk: { S }, sk: { N: String(sk) } });
  const send = (input: object): Promise<BatchWriteItemCommandOutput> =>
    door.client.send(new BatchWriteItemCommand(input as BatchWriteItemCommandInput));
  const write = (RequestItems: object, others: object = {}) => send({ RequestItems, ...others });

  async function read(TableName: string, Key: Item): Promise<Item | undefined> {
    const { Item } = await door.client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
    return Item;
  }

  describe('writes', () => {
    it('puts and deletes in several tables', async () => {
      await write({ [simple]: [put({ ...pk('old'), n: { N: '1' } }), put(pk('gone'))] });
      const answer = await write({
        [simple]: [put({ ...pk('old'), n: { N: '2' } }), remove(pk('gone')), remove(pk('never there'))],
        [indexed]: [put(key('several', 1)), put(key('several', 2))],
      });
      expect(answer.UnprocessedItems).toEqual({});
      expect(answer.ConsumedCapacity).toBeUndefined();
      expect(answer.ItemCollectionMetrics).toBeUndefined();
      expect(await read(simple, pk('old'))).toEqual({ ...pk('old'), n: { N: '2' } });
      expect(await read(simple, pk('gone'))).toBeUndefined();
      expect(await read(indexed, key('several', 2))).toEqual(key('several', 2));
    });

    it('25 items', async () => {
      const keys = Array.from({ length: 25 }, (_, i) => pk(`one of 25: ${i}`));
      await write({ [simple]: keys.map((each) => put({ ...each, bytes: { B: new Uint8Array([0, 255]) } })) });
      const { Responses } = await door.client.send(
        new BatchGetItemCommand({ RequestItems: { [simple]: { Keys: keys, ConsistentRead: true } } }),
      );
      expect(Responses?.[simple]).toHaveLength(25);
      expect(Responses?.[simple]?.[7]?.bytes).toEqual({ B: new Uint8Array([0, 255]) });
    });

    it('to a table that is named by its ARN', async () => {
      const { Table } = await door.client.send(new DescribeTableCommand({ TableName: simple }));
      const arn = Table!.TableArn!;
      const answer = await write({ [arn]: [put(pk('by ARN'))] }, { ReturnConsumedCapacity: 'TOTAL' });
      expect(answer.ConsumedCapacity).toHaveLength(1);
      expect(answer.ConsumedCapacity?.[0]?.CapacityUnits).toBe(1);
      expect(await read(simple, pk('by ARN'))).toEqual(pk('by ARN'));
    });
  });

  describe('reports', () => {
    const units = (CapacityUnits: number) => ({ CapacityUnits });

    it('capacity, summed by table and index', async () => {
      const first = { ...key('capacity', 1), rank: { N: '1' }, colour: { S: 'red' } };
      const second = { ...key('capacity', 2), rank: { N: '1' }, filler: { S: 'x'.repeat(1_500) } };
      const RequestItems = { [indexed]: [put(first), put(second)], [simple]: [remove(pk('nobody'))] };
      const { ConsumedCapacity } = await write(RequestItems, { ReturnConsumedCapacity: 'INDEXES' });
      const byName = Object.fromEntries((ConsumedCapacity ?? []).map((each) => [each.TableName, each]));
      expect(byName).toEqual({
        [indexed]: {
          TableName: indexed,
          CapacityUnits: 6,
          Table: units(3),
          LocalSecondaryIndexes: { 'by-rank': units(2) },
          GlobalSecondaryIndexes: { 'by-colour': units(1) },
        },
        [simple]: { TableName: simple, CapacityUnits: 1, Table: units(1) },
      });
      // The same again changes no index entry; deleting is charged for what was there.
      const again = await write(
        { [indexed]: [put(first), remove(key('capacity', 2))] },
        { ReturnConsumedCapacity: 'TOTAL' },
      );
      expect(again.ConsumedCapacity).toEqual([{ TableName: indexed, CapacityUnits: 4 }]);
    });

    it('item collections, each once, for tables with local indexes', async () => {
      const { ItemCollectionMetrics } = await write(
        {
          [indexed]: [put(key('first', 1)), put(key('first', 2)), remove(key('second', 1))],
          [simple]: [put(pk('no collection'))],
        },
        { ReturnItemCollectionMetrics: 'SIZE' },
      );
      expect(Object.keys(ItemCollectionMetrics ?? {})).toEqual([indexed]);
      const metrics = ItemCollectionMetrics?.[indexed] ?? [];
      expect(metrics.map(({ ItemCollectionKey }) => ItemCollectionKey?.pk?.S).sort()).toEqual([
        'first',
        'second',
      ]);
      for (const { SizeEstimateRangeGB } of metrics) expect(SizeEstimateRangeGB).toEqual([0, 1]);
    });
  });

  describe('refuses', () => {
    it('requests without tables or writes', async () => {
      await expectInvalid(
        door,
        send({}),
        `${E}Value null at 'requestItems' failed to satisfy constraint: Member must not be null`,
      );
      await expectInvalid(door, write({}), 'The requestItems parameter is required for BatchWriteItem');
      await expectInvalid(
        door,
        write({ [simple]: [] }),
        `${E}Value '{${simple}=[]}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: [Member must have length less than or equal to 25, Member must have length greater than or equal to 1]`,
      );
      await expectInvalid(
        door,
        sendRaw(door.client, 'BatchWriteItem', `{"RequestItems":{"${simple}":[{"PutRequest":{}}]}}`),
        `${E}Value null at 'requestItems.${simple}.member.1.member.putRequest.item' failed to satisfy constraint: Member must not be null`,
      );
    });

    it('writes that are not exactly one of put and delete', async () => {
      const text =
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes';
      await expectInvalid(door, write({ [simple]: [put(pk('a')), {}] }), text);
      await expectInvalid(door, write({ [simple]: [{ ...put(pk('a')), ...remove(pk('b')) }] }), text);
    });

    it('more than 25 writes', async () => {
      const puts = (count: number) => Array.from({ length: count }, (_, i) => put(pk(String(i))));
      await expect(write({ [simple]: puts(26) })).rejects.toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(
          /^1 validation error detected: Value '\{.*\}' at 'requestItems' failed to satisfy constraint: Map value must satisfy constraint: \[Member must have length less than or equal to 25, Member must have length greater than or equal to 1\]$/,
        ),
      });
      await expectInvalid(
        door,
        write({ [simple]: puts(13), [indexed]: puts(13) }),
        'Too many items requested for the BatchWriteItem call',
      );
    });

    it('keys that are the same', async () => {
      await expectInvalid(door, write({ [simple]: [put(pk('a')), put(pk('a'))] }), duplicates);
      await expectInvalid(door, write({ [simple]: [put(pk('a')), remove(pk('a'))] }), duplicates);
      // Numbers are compared by value here.
      await expectInvalid(
        door,
        write({ [indexed]: [remove(key('a', '1.0')), put({ ...key('a', 1), colour: { S: 'red' } })] }),
        duplicates,
      );
    });

    it('a batch with any table that is not there, and writes nothing', async () => {
      await expectRefused(
        door,
        write({
          [simple]: [put(pk('half')), put({ wrong: { S: 'key' } })],
          [door.newName()]: [put(pk('a'))],
        }),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
      expect(await read(simple, pk('half'))).toBeUndefined();
    });

    it('keys that are none of the table, for puts in the words for keys', async () => {
      const wrong: WriteRequest[] = [
        put({ id: { S: 'a' } }),
        put({ pk: { N: '1' } }),
        remove({ id: { S: 'a' } }),
        remove({ pk: { N: '1' } }),
        remove(key('a', 1)),
      ];
      for (const each of wrong)
        await expectInvalid(door, write({ [simple]: [put(pk('half')), each] }), mismatch);
      await expectInvalid(
        door,
        write({ [simple]: [put(pk(''))] }),
        'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
      );
      await expectInvalid(
        door,
        write({ [simple]: [remove(pk('x'.repeat(2049)))] }),
        `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
      );
      expect(await read(simple, pk('half'))).toBeUndefined();
    });

    it('attributes that cannot be keys of an index', async () => {
      await expectInvalid(
        door,
        write({ [indexed]: [put({ ...key('a', 1), colour: { N: '1' } })] }),
        `${P}Type mismatch for Index Key colour Expected: S Actual: N IndexName: by-colour`,
      );
    });

    it('values and items, before it looks for the table', async () => {
      const none = door.newName();
      const writeRaw = (value: string) =>
        sendRaw(
          door.client,
          'BatchWriteItem',
          `{"RequestItems":{"${none}":[{"PutRequest":{"Item":{"pk":${value}}}}]}}`,
        );
      await expectInvalid(
        door,
        writeRaw('{}'),
        'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
      );
      await expectInvalid(
        door,
        writeRaw('{"SS":["a","a"]}'),
        `${P}Input collection [a, a] contains duplicates.`,
      );
      await expectInvalid(
        door,
        write({ [none]: [remove({ pk: { N: 'x' } })] }),
        'The parameter cannot be converted to a numeric value: x',
      );
      await expectInvalid(
        door,
        write({ [none]: [put({ ...pk('a'), filler: { S: 'x'.repeat(400 * 1024) } })] }),
        'Item size has exceeded the maximum allowed size',
      );
    });

    it('wrong wishes, and no word of a wrong table name beside them', async () => {
      const Key = pk('a');
      await expect(
        write({ 'a;': [remove(Key)] }, { ReturnConsumedCapacity: 'ALL', ReturnItemCollectionMetrics: 'ALL' }),
      ).rejects.toMatchObject({
        name: 'ValidationException',
        message: expect.stringMatching(
          /^2 validation errors detected: Value 'ALL' at 'returnConsumedCapacity' .*\[INDEXES, TOTAL, NONE\]; Value 'ALL' at 'returnItemCollectionMetrics' .*\[SIZE, NONE\]$/,
        ),
      });
    });
  });
});
