import {
  type AttributeValue,
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  BatchWriteItemCommand,
  DescribeTableCommand,
  type KeysAndAttributes,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

const E = '1 validation error detected: ';
const mismatch = 'The provided key element does not match the schema';
const duplicates = 'Provided list of item keys contains duplicates';

type Item = Record<string, AttributeValue>;

throughEveryDoor('BatchGetItem', (door) => {
  /** Keyed by the string pk and the number sk. */
  let ranged: string;
  /** Keyed by the string pk. */
  let simple: string;
  const key = (pk: string, sk: number | string): Item => ({ pk: { S: pk }, sk: { N: String(sk) } });
  const colours = ['red', 'green', 'blue'];

  beforeAll(async () => {
    simple = await door.createTable();
    ranged = await door.createTable({
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    for (const [i, colour] of colours.entries()) {
      const Item = { ...key('a', i), colour: { S: colour }, more: { M: { deep: { L: [{ N: '1' }] } } } };
      await door.client.send(new PutItemCommand({ TableName: ranged, Item }));
    }
    const Item = { pk: { S: 'large' }, filler: { S: 'x'.repeat(5_000) } };
    await door.client.send(new PutItemCommand({ TableName: simple, Item }));
  });

  const send = (input: object): Promise<BatchGetItemCommandOutput> =>
    door.client.send(new BatchGetItemCommand(input as BatchGetItemCommandInput));
  const get = (RequestItems: object, others: object = {}) => send({ RequestItems, ...others });
  /** Reads are strong, so that the real service shows what was just written. */
  const strong = (Keys: Item[], others: object = {}): KeysAndAttributes => ({
    Keys,
    ConsistentRead: true,
    ...others,
  });
  const texts = (items: readonly Record<string, AttributeValue>[] | undefined, name: string) =>
    (items ?? []).map((item) => item[name]?.S).sort();

  describe('answers', () => {
    it('the items that are there, by table', async () => {
      const answer = await get({
        [ranged]: strong([key('a', 0), key('a', 7), key('a', 2), key('b', 0)]),
        [simple]: strong([{ pk: { S: 'large' } }]),
      });
      expect(texts(answer.Responses?.[ranged], 'colour')).toEqual(['blue', 'red']);
      expect(answer.Responses?.[ranged]?.find(({ colour }) => colour?.S === 'red')).toEqual({
        ...key('a', 0),
        colour: { S: 'red' },
        more: { M: { deep: { L: [{ N: '1' }] } } },
      });
      expect(texts(answer.Responses?.[simple], 'pk')).toEqual(['large']);
      expect(answer.UnprocessedKeys).toEqual({});
      expect(answer.ConsumedCapacity).toBeUndefined();
    });

    it('an empty list for a table in which nothing was found', async () => {
      const answer = await get({ [simple]: strong([{ pk: { S: 'nobody' } }]) });
      expect(answer.Responses).toEqual({ [simple]: [] });
      expect(answer.UnprocessedKeys).toEqual({});
    });

    it('under the ARN when the table was named by it', async () => {
      const { Table } = await door.client.send(new DescribeTableCommand({ TableName: ranged }));
      const arn = Table!.TableArn!;
      const answer = await get({ [arn]: strong([key('a', 1)]) });
      expect(Object.keys(answer.Responses!)).toEqual([arn]);
      expect(texts(answer.Responses?.[arn], 'colour')).toEqual(['green']);
    });

    it('an item twice when its number is written in two ways', async () => {
      const answer = await get({ [ranged]: strong([key('a', '1'), key('a', '1.0')]) });
      expect(texts(answer.Responses?.[ranged], 'colour')).toEqual(['green', 'green']);
    });

    it('100 keys', async () => {
      const Keys = Array.from({ length: 50 }, (_, i) => key('a', i));
      const others = Array.from({ length: 50 }, (_, i) => ({ pk: { S: `none ${i}` } }));
      const answer = await get({ [ranged]: strong(Keys), [simple]: strong(others) });
      expect(answer.Responses?.[ranged]).toHaveLength(3);
      expect(answer.Responses?.[simple]).toEqual([]);
    });
  });

  describe('has options for each table', () => {
    it('a projection', async () => {
      const answer = await get({
        [ranged]: strong([key('a', 0)], {
          ProjectionExpression: '#c, more.deep[0], nothing',
          ExpressionAttributeNames: { '#c': 'colour' },
        }),
        [simple]: strong([{ pk: { S: 'large' } }], { ProjectionExpression: 'pk' }),
      });
      expect(answer.Responses).toEqual({
        [ranged]: [{ colour: { S: 'red' }, more: { M: { deep: { L: [{ N: '1' }] } } } }],
        [simple]: [{ pk: { S: 'large' } }],
      });
    });

    it('an item of which the projection finds nothing', async () => {
      const answer = await get({ [ranged]: strong([key('a', 0)], { ProjectionExpression: 'nothing' }) });
      expect(answer.Responses).toEqual({ [ranged]: [{}] });
    });

    it('AttributesToGet', async () => {
      const answer = await get({ [ranged]: strong([key('a', 0)], { AttributesToGet: ['colour', 'sk'] }) });
      expect(answer.Responses).toEqual({ [ranged]: [{ colour: { S: 'red' }, sk: { N: '0' } }] });
    });
  });

  describe('reports capacity', () => {
    it('each item rounded on its own, by table and consistency', async () => {
      const RequestItems = {
        // Two that are there and one that is not.
        [ranged]: { Keys: [key('a', 0), key('a', 1), key('nobody', 1)] },
        [simple]: strong([{ pk: { S: 'large' } }]),
      };
      const { ConsumedCapacity: total } = await get(RequestItems, { ReturnConsumedCapacity: 'TOTAL' });
      const byName = (capacities: typeof total) =>
        Object.fromEntries((capacities ?? []).map((each) => [each.TableName, each]));
      expect(byName(total)).toEqual({
        [ranged]: { TableName: ranged, CapacityUnits: 1.5 },
        [simple]: { TableName: simple, CapacityUnits: 2 },
      });
      const { ConsumedCapacity: arms } = await get(RequestItems, { ReturnConsumedCapacity: 'INDEXES' });
      expect(byName(arms)).toEqual({
        [ranged]: { TableName: ranged, CapacityUnits: 1.5, Table: { CapacityUnits: 1.5 } },
        [simple]: { TableName: simple, CapacityUnits: 2, Table: { CapacityUnits: 2 } },
      });
      const { ConsumedCapacity: none } = await get(RequestItems, { ReturnConsumedCapacity: 'NONE' });
      expect(none).toBeUndefined();
    });
  });

  describe('refuses', () => {
    const one = { pk: { S: 'a' } };

    it('requests without tables or keys', async () => {
      await expectInvalid(
        door,
        send({}),
        `${E}Value null at 'requestItems' failed to satisfy constraint: Member must not be null`,
      );
      await expectInvalid(
        door,
        get({}),
        `${E}Value at 'RequestItems' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
      await expectInvalid(
        door,
        get({ [simple]: { Keys: [] } }),
        `${E}Value at 'RequestItems.${simple}.member.Keys' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
      await expectInvalid(
        door,
        get({ [simple]: {} }),
        `${E}Value null at 'requestItems.${simple}.member.keys' failed to satisfy constraint: Member must not be null`,
      );
      await expectInvalid(
        door,
        get({ [simple]: { Keys: [one], AttributesToGet: [] } }),
        `${E}Value at 'RequestItems.${simple}.member.AttributesToGet' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
    });

    it('more than 100 keys', async () => {
      const keys = (count: number) => Array.from({ length: count }, (_, i) => ({ pk: { S: String(i) } }));
      await expectInvalid(
        door,
        get({ [simple]: { Keys: keys(101) } }),
        `${E}Value at 'RequestItems.${simple}.member.Keys' failed to satisfy constraint: Member must have length less than or equal to 100`,
      );
      await expectInvalid(
        door,
        get({ [simple]: { Keys: keys(51) }, [ranged]: { Keys: keys(50) } }),
        'Too many items requested for the BatchGetItem call',
      );
    });

    it('keys that are the same', async () => {
      await expectInvalid(door, get({ [simple]: { Keys: [one, { pk: { S: 'b' } }, one] } }), duplicates);
      // The order of attributes makes no difference, and no table is needed to see it.
      const { pk, sk } = key('a', 1) as { pk: AttributeValue; sk: AttributeValue };
      await expectInvalid(
        door,
        get({
          [door.newName()]: {
            Keys: [
              { pk, sk },
              { sk, pk },
            ],
          },
        }),
        duplicates,
      );
    });

    it('a request with any table that is not there', async () => {
      await expectRefused(
        door,
        get({ [simple]: { Keys: [{ wrong: { S: 'key' } }] }, [door.newName()]: { Keys: [one] } }),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
    });

    it('keys that are none of the table', async () => {
      const wrong: Item[] = [{}, { id: { S: 'a' } }, { pk: { N: '1' } }, { pk: { S: 'a' }, sk: { N: '1' } }];
      for (const Key of wrong) await expectInvalid(door, get({ [simple]: { Keys: [one, Key] } }), mismatch);
      await expectInvalid(
        door,
        get({ [simple]: { Keys: [{ pk: { S: '' } }] } }),
        'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
      );
    });

    it('values that are none', async () => {
      const raw = (value: string) =>
        sendRaw(door.client, 'BatchGetItem', `{"RequestItems":{"${simple}":{"Keys":[{"pk":${value}}]}}}`);
      await expectInvalid(
        door,
        raw('{}'),
        'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
      );
      await expectInvalid(door, raw('{"N":"x"}'), 'The parameter cannot be converted to a numeric value: x');
      await expectInvalid(
        door,
        raw('{"NULL":false}'),
        `${P}Null attribute value types must have the value of true`,
      );
    });

    it('expressions that are wrong, before it looks for the table', async () => {
      const none = door.newName();
      await expectInvalid(
        door,
        get({ [none]: { Keys: [one], ProjectionExpression: '' } }),
        'Invalid ProjectionExpression: The expression can not be empty;',
      );
      await expectInvalid(
        door,
        get({ [none]: { Keys: [one], ExpressionAttributeNames: { '#a': 'a' } } }),
        'ExpressionAttributeNames can only be specified when using expressions',
      );
      await expectInvalid(
        door,
        get({
          [none]: {
            Keys: [one],
            ProjectionExpression: '#a',
            ExpressionAttributeNames: { '#a': 'a', '#b': 'b' },
          },
        }),
        'Value provided in ExpressionAttributeNames unused in expressions: keys: {#b}',
      );
      await expectInvalid(
        door,
        get({ [none]: { Keys: [one], AttributesToGet: ['a', 'b', 'a'] } }),
        `${P}Duplicate value in attribute name: a`,
      );
    });

    it('old and new parameters together, even for different tables', async () => {
      const mixed =
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {ProjectionExpression}';
      const [old, current] = [{ AttributesToGet: ['a'] }, { ProjectionExpression: 'a' }];
      await expectInvalid(door, get({ [simple]: { Keys: [one], ...old, ...current } }), mixed);
      await expectInvalid(
        door,
        get({ [simple]: { Keys: [one], ...old }, [ranged]: { Keys: [key('a', 1)], ...current } }),
        mixed,
      );
    });
  });

  describe('leaves over', () => {
    /** 45 items of about 390 KB, each with a partition key of its own: more than 17 MB. */
    const count = 45;
    const sort = (i: number) => `item ${String(i).padStart(2, '0')}`;
    let large: string;

    async function fill(items: readonly Item[]): Promise<void> {
      for (const Item of items) {
        await door.client.send(
          new BatchWriteItemCommand({ RequestItems: { [large]: [{ PutRequest: { Item } }] } }),
        );
      }
    }

    beforeAll(async () => {
      large = await door.createTable({
        AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      });
      const filler = { S: 'x'.repeat(390 * 1024) };
      await fill(Array.from({ length: count }, (_, i) => ({ pk: { S: sort(i) }, sk: { S: 'a' }, filler })));
      await fill(['a', 'b', 'c', 'd'].map((sk) => ({ pk: { S: 'together' }, sk: { S: sk }, filler })));
    });

    it('what does not fit in 16 MB, with the options of its table', async () => {
      const options = {
        ConsistentRead: true,
        ProjectionExpression: '#p',
        ExpressionAttributeNames: { '#p': 'pk' },
      };
      const seen: (string | undefined)[] = [];
      let calls = 0;
      let RequestItems: Record<string, KeysAndAttributes> = {
        [large]: {
          Keys: Array.from({ length: count }, (_, i) => ({ pk: { S: sort(i) }, sk: { S: 'a' } })),
          ...options,
        },
      };
      while (Object.keys(RequestItems).length > 0) {
        const answer = await get(RequestItems, { ReturnConsumedCapacity: 'TOTAL' });
        calls++;
        const items = answer.Responses![large]!;
        seen.push(...items.map(({ pk }) => pk?.S));
        // 390 KB and a few bytes are 98 strong units. Keys that are left over cost nothing.
        expect(answer.ConsumedCapacity).toEqual([{ TableName: large, CapacityUnits: 98 * items.length }]);
        RequestItems = answer.UnprocessedKeys!;
        if (calls > 1) continue;
        expect(items.length).toBeLessThanOrEqual(42);
        const { Keys, ...others } = RequestItems[large]!;
        expect(Keys).toHaveLength(count - items.length);
        expect(others).toEqual(options);
      }
      expect(calls).toBeGreaterThan(1);
      expect(seen.sort()).toEqual(Array.from({ length: count }, (_, i) => sort(i)));
    });

    it('what is more than 1 MB of one partition', async () => {
      const Keys = ['a', 'b', 'c', 'd'].map((sk) => ({ pk: { S: 'together' }, sk: { S: sk } }));
      const answer = await get({ [large]: strong(Keys, { ProjectionExpression: 'sk' }) });
      const got = texts(answer.Responses?.[large], 'sk');
      const left = answer.UnprocessedKeys?.[large]?.Keys?.map(({ sk }) => sk?.S) ?? [];
      expect(left.length).toBeGreaterThan(0);
      expect([...got, ...left].sort()).toEqual(['a', 'b', 'c', 'd']);
    });
  });
});
