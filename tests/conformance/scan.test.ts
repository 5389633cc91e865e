import {
  type AttributeValue,
  PutItemCommand,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

type Item = Record<string, AttributeValue>;
type Asked = Partial<ScanCommandInput>;

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });
const itemCount = 60;

throughEveryDoor('Scan', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'colour'].map((AttributeName) => ({
        AttributeName,
        AttributeType: AttributeName === 'sk' ? 'N' : 'S',
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'lsi',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'colour', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi',
          KeySchema: [{ AttributeName: 'colour', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
        },
      ],
    });
    // Two items in each partition; every third has a colour.
    await Promise.all(
      Array.from({ length: itemCount }, (_, i) =>
        door.client.send(
          new PutItemCommand({
            TableName: table,
            Item: {
              pk: S(`p${i >> 1}`),
              sk: N(i),
              note: S(`n${i}`),
              ...(i % 3 === 0 && { colour: S(`c${i % 2}`) }),
            },
          }),
        ),
      ),
    );
  });

  const scan = (input: Asked = {}) =>
    door.client.send(new ScanCommand({ TableName: table, ConsistentRead: true, ...input }));

  async function pages(input: Asked) {
    const found = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await scan({ ...input, ExclusiveStartKey });
      found.push(page);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return found;
  }

  const numbers = (items: readonly Item[] | undefined) => (items ?? []).map(({ sk }) => Number(sk!.N));
  const sorted = (found: readonly number[]) => [...found].sort((a, b) => a - b);
  const all = Array.from({ length: itemCount }, (_, i) => i);
  const coloured = all.filter((i) => i % 3 === 0);

  const refused = (input: Asked, message: string) => expectInvalid(door, scan(input), message);

  it('returns every item once, those of a partition together and in order', async () => {
    const found = await scan();
    expect([found.Count, found.ScannedCount]).toEqual([itemCount, itemCount]);
    expect(found.LastEvaluatedKey).toBeUndefined();
    const order = numbers(found.Items);
    expect(sorted(order)).toEqual(all);
    for (let i = 0; i < itemCount; i += 2) expect(order[order.indexOf(i) + 1]).toBe(i + 1);
    expect(numbers((await scan()).Items)).toEqual(order);
  });

  it('pages give the same in the same order', async () => {
    const order = numbers((await scan()).Items);
    for (const Limit of [1, 7, itemCount]) {
      const found = await pages({ Limit });
      expect(found.flatMap(({ Items }) => numbers(Items))).toEqual(order);
      expect(found.length).toBe(Math.floor(itemCount / Limit) + 1);
    }
  });

  it.each([1, 2, 3, 10, 1_000])('%i segments are disjoint and complete', async (TotalSegments) => {
    // Of a thousand segments most are empty, and a few are enough to see that.
    const looked =
      TotalSegments === 1_000 ? [0, 500, 999] : Array.from({ length: TotalSegments }, (_, i) => i);
    const found: number[] = [];
    for (const Segment of looked) {
      for (const { Items } of await pages({ Segment, TotalSegments, Limit: 5 }))
        found.push(...numbers(Items));
    }
    expect(new Set(found).size).toBe(found.length);
    if (TotalSegments < 1_000) expect(sorted(found)).toEqual(all);
  });

  it('the most segments there may be', async () => {
    const found = await scan({ Segment: 999_999, TotalSegments: 1_000_000 });
    expect(found.ScannedCount).toBeLessThanOrEqual(2);
  });

  it('filters may name keys, projections leave out the rest', async () => {
    const found = await scan({
      FilterExpression: 'sk < :ten AND attribute_exists(colour)',
      ExpressionAttributeValues: { ':ten': N(10) },
      ProjectionExpression: 'sk',
    });
    expect(sorted(numbers(found.Items))).toEqual([0, 3, 6, 9]);
    expect(Object.keys(found.Items![0]!)).toEqual(['sk']);
    expect([found.Count, found.ScannedCount]).toEqual([4, itemCount]);
  });

  it('legacy parameters do the same', async () => {
    const found = await scan({
      ScanFilter: {
        sk: { ComparisonOperator: 'LT', AttributeValueList: [N(10)] },
        colour: { ComparisonOperator: 'NOT_NULL' },
      },
      ConditionalOperator: 'AND',
      AttributesToGet: ['sk'],
    });
    expect(sorted(numbers(found.Items))).toEqual([0, 3, 6, 9]);
  });

  it('counts', async () => {
    const found = await scan({ Select: 'COUNT', FilterExpression: 'attribute_exists(colour)' });
    expect([found.Items, found.Count, found.ScannedCount]).toEqual([undefined, coloured.length, itemCount]);
  });

  describe('of indexes', () => {
    it('a local one holds what has its key', async () => {
      const found = await pages({ IndexName: 'lsi', Limit: 3 });
      const items = found.flatMap(({ Items }) => Items ?? []);
      expect(sorted(numbers(items))).toEqual(coloured);
      expect(Object.keys(items[0]!).sort()).toEqual(['colour', 'pk', 'sk']);
      expect(Object.keys(found[0]!.LastEvaluatedKey!).sort()).toEqual(['colour', 'pk', 'sk']);
    });

    it('a local one fetches what it lacks', async () => {
      const found = await scan({ IndexName: 'lsi', Select: 'ALL_ATTRIBUTES' });
      expect(found.Items!.every(({ note, sk }) => note!.S === `n${sk!.N}`)).toBe(true);
      expect(found.Count).toBe(coloured.length);
    });

    it.skipIf(process.env.STATOR_TEST_ENDPOINT === 'aws')(
      'a global one, many keys of which are equal',
      async () => {
        const found = await pages({ IndexName: 'gsi', Limit: 3, ConsistentRead: false });
        const items = found.flatMap(({ Items }) => Items ?? []);
        expect(sorted(numbers(items))).toEqual(coloured);
        expect(Object.keys(items[0]!).sort()).toEqual(['colour', 'note', 'pk', 'sk']);
      },
    );

    it('refusals', async () => {
      const gsi = { IndexName: 'gsi', ConsistentRead: false };
      await refused({ IndexName: 'nowhere' }, 'The table does not have the specified index: nowhere');
      await refused({ IndexName: 'gsi' }, 'Consistent reads are not supported on global secondary indexes');
      await refused(
        { ...gsi, Select: 'ALL_ATTRIBUTES' },
        `${P}Select type ALL_ATTRIBUTES is not supported for global secondary index gsi because its projection type is not ALL`,
      );
      await refused(
        { ...gsi, ProjectionExpression: 'x, pk' },
        `${P}Global secondary index gsi does not project [x]`,
      );
      await refused(
        { ...gsi, FilterExpression: 'attribute_exists(z) OR attribute_exists(x)' },
        `${P}Secondary index gsi does not project one or more filter attributes: [x, z]`,
      );
    });
  });

  describe('capacity', () => {
    it('of a small table is that of its four partitions', async () => {
      const asked = { ReturnConsumedCapacity: 'INDEXES' as const };
      const strong = await scan(asked);
      expect(strong.ConsumedCapacity).toEqual({
        TableName: table,
        CapacityUnits: 4,
        Table: { CapacityUnits: 4 },
      });
      const eventual = await scan({ ...asked, ConsistentRead: false });
      expect(eventual.ConsumedCapacity?.CapacityUnits).toBe(2);
    });

    it('of an index is its own', async () => {
      const found = await scan({
        IndexName: 'gsi',
        ConsistentRead: false,
        ReturnConsumedCapacity: 'INDEXES',
      });
      expect(found.ConsumedCapacity).toEqual({
        TableName: table,
        CapacityUnits: 2,
        Table: { CapacityUnits: 0 },
        GlobalSecondaryIndexes: { gsi: { CapacityUnits: 2 } },
      });
    });
  });

  describe('start keys', () => {
    const noMatch =
      'The provided starting key is invalid: The provided key element does not match the schema';
    it.each<[Asked, Item, string]>([
      [{}, { pk: S('p0') }, noMatch],
      [{}, { pk: S('p0'), sk: S('0') }, noMatch],
      [{}, { pk: S('p0'), x: N(0) }, noMatch],
      [{ IndexName: 'lsi' }, { pk: S('p0'), sk: N(0) }, 'The provided starting key is invalid'],
      [{ IndexName: 'lsi' }, { pk: S('p0'), sk: S('0'), colour: S('c') }, noMatch],
      [{ IndexName: 'nowhere' }, { pk: S('p0'), sk: N(0) }, 'The provided starting key is invalid'],
    ])('%j %j', async (asked, ExclusiveStartKey, message) => {
      await refused({ ...asked, ExclusiveStartKey }, message);
    });

    it('of another segment', async () => {
      const first = await scan({ Segment: 0, TotalSegments: 2, Limit: 1 });
      await refused(
        { Segment: 1, TotalSegments: 2, ExclusiveStartKey: first.LastEvaluatedKey },
        'The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 2 Segment: 1',
      );
    });

    it('of an item that was never there is a place like any other', async () => {
      const order = numbers((await scan()).Items);
      const found = await scan({ ExclusiveStartKey: { pk: S('p3'), sk: N(6.5) } });
      expect(numbers(found.Items)).toEqual(order.slice(order.indexOf(6) + 1));
    });
  });

  describe('bad requests', () => {
    it.each<[Asked, string]>([
      [
        { Segment: 0 },
        'The TotalSegments parameter is required but was not present in the request when Segment parameter is present',
      ],
      [
        { TotalSegments: 2 },
        'The Segment parameter is required but was not present in the request when parameter TotalSegments is present',
      ],
      [
        { Segment: 5, TotalSegments: 5 },
        'The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: 5 is not less than TotalSegments: 5',
      ],
      [
        { Limit: 0 },
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      ],
      [
        { Select: 'COUNT', ProjectionExpression: 'pk' },
        'Cannot specify the ProjectionExpression when choosing to get only the Count',
      ],
      [
        { Select: 'ALL_PROJECTED_ATTRIBUTES' },
        'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName',
      ],
      [
        { ExpressionAttributeValues: { ':a': S('a') } },
        'ExpressionAttributeValues can only be specified when using expressions: FilterExpression is null',
      ],
      [
        { FilterExpression: 'a = :b', ScanFilter: {}, ExpressionAttributeValues: { ':b': S('b') } },
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {ScanFilter} Expression parameters: {FilterExpression}',
      ],
      [
        { FilterExpression: 'attribute_exists(pk.a)' },
        "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: pk",
      ],
    ])('%j', async (asked, message) => {
      await refused(asked, message);
    });

    it('a table that is not there', async () => {
      await expectRefused(
        door,
        scan({ TableName: door.newName() }),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
    });
  });
});
