import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  type ReturnConsumedCapacity,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, invalidParameters as P } from './refusal.ts';

type Item = Record<string, AttributeValue>;

throughEveryDoor('consumed capacity', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'colour', 'town', 'street', 'rank'].map((AttributeName) => ({
        AttributeName,
        AttributeType: AttributeName === 'rank' ? 'N' : 'S',
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
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note', 'words'] },
        },
        {
          IndexName: 'by-place',
          KeySchema: [
            { AttributeName: 'town', KeyType: 'HASH' },
            { AttributeName: 'street', KeyType: 'HASH' },
            { AttributeName: 'rank', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
  });

  const key = (name: string): Item => ({ pk: { S: name }, sk: { S: 'a' } });
  const units = (CapacityUnits: number) => ({ CapacityUnits });

  async function put(Item: Item, asked: ReturnConsumedCapacity = 'INDEXES') {
    const { ConsumedCapacity: capacity } = await door.client.send(
      new PutItemCommand({ TableName: table, Item, ReturnConsumedCapacity: asked }),
    );
    return capacity;
  }

  /** The arms of a write: the table's, the local index's, and those of the global indexes by name. */
  function arms(
    tableUnits: number,
    indexes: { local?: number; colour?: number; place?: number } = {},
  ): object {
    const { local, colour, place } = indexes;
    const global = {
      ...(colour !== undefined && { 'by-colour': units(colour) }),
      ...(place !== undefined && { 'by-place': units(place) }),
    };
    return {
      TableName: table,
      CapacityUnits: tableUnits + (local ?? 0) + (colour ?? 0) + (place ?? 0),
      Table: units(tableUnits),
      ...(local !== undefined && { LocalSecondaryIndexes: { 'by-rank': units(local) } }),
      ...(Object.keys(global).length > 0 && { GlobalSecondaryIndexes: global }),
    };
  }

  describe('of reads', () => {
    it.each([
      ['nothing', undefined, 0.5],
      ['an item of 4,096 bytes', 4096, 0.5],
      ['an item of 4,097 bytes', 4097, 1],
      ['an item of 8,193 bytes', 8193, 1.5],
    ])('%s', async (_, bytes, eventually) => {
      const Key = key(door.newName());
      if (bytes !== undefined) {
        const frame = 2 + Key.pk!.S!.length + 2 + 1 + 1;
        await put({ ...Key, x: { S: 'x'.repeat(bytes - frame) } });
      }
      const get = async (ConsistentRead: boolean, ReturnConsumedCapacity?: ReturnConsumedCapacity) => {
        const answer = await door.client.send(
          new GetItemCommand({ TableName: table, Key, ConsistentRead, ReturnConsumedCapacity }),
        );
        return answer.ConsumedCapacity;
      };
      expect(await get(true)).toBeUndefined();
      expect(await get(true, 'NONE')).toBeUndefined();
      const strongly = 2 * eventually;
      expect(await get(true, 'TOTAL')).toEqual({ TableName: table, ...units(strongly) });
      expect(await get(true, 'INDEXES')).toEqual({
        TableName: table,
        ...units(strongly),
        Table: units(strongly),
      });
      // On the service, an eventually consistent read may still see nothing and cost the least.
      const eventual = await get(false, 'TOTAL');
      if (!door.onAws) expect(eventual).toEqual({ TableName: table, ...units(eventually) });
    });
  });

  it('is told only when asked for', async () => {
    const item = { ...key('asked'), colour: { S: 'red' } };
    expect(await put(item, 'NONE')).toBeUndefined();
    expect(await put({ ...item, colour: { S: 'blue' } }, 'TOTAL')).toEqual({ TableName: table, ...units(3) });
  });

  it('of a write is that of the larger image', async () => {
    const item = key('larger');
    const frame = 2 + 6 + 2 + 1 + 1;
    const sized = (bytes: number) => ({ ...item, x: { S: 'x'.repeat(bytes - frame) } });
    expect(await put(sized(1024))).toEqual(arms(1));
    expect(await put(sized(1025))).toEqual(arms(2));
    expect(await put(sized(3000))).toEqual(arms(3));
    expect(await put(item)).toEqual(arms(3));
    expect(await put(item)).toEqual(arms(1));
  });

  it('of a global index follows what becomes of its entry', async () => {
    const item = key('global');
    const colour = (S: string) => ({ colour: { S } });
    const long = { note: { S: 'n'.repeat(1500) } };
    expect(await put(item)).toEqual(arms(1));
    expect(await put({ ...item, ...colour('red') })).toEqual(arms(1, { colour: 1 }));
    expect(await put({ ...item, ...colour('red') })).toEqual(arms(1));
    expect(await put({ ...item, ...colour('red'), other: { S: 'not projected' } })).toEqual(arms(1));
    expect(await put({ ...item, ...colour('red'), note: { S: 'a' } })).toEqual(arms(1, { colour: 1 }));
    expect(await put({ ...item, ...colour('red'), ...long })).toEqual(arms(2, { colour: 2 }));
    // To another key it is a deletion and an insertion, each rounded by itself.
    expect(await put({ ...item, ...colour('blue'), ...long })).toEqual(arms(2, { colour: 4 }));
    expect(await put({ ...item, ...colour('red') })).toEqual(arms(2, { colour: 3 }));
    expect(await put(item)).toEqual(arms(1, { colour: 1 }));
    expect(await put(item)).toEqual(arms(1));
  });

  it('of an index is nothing for a set in another order and a number in another spelling', async () => {
    const item = { ...key('same'), colour: { S: 'red' } };
    expect(await put({ ...item, note: { N: '100' }, words: { SS: ['a', 'b'] } })).toEqual(
      arms(1, { colour: 1 }),
    );
    expect(await put({ ...item, note: { N: '1e2' }, words: { SS: ['b', 'a'] } })).toEqual(arms(1));
  });

  it('of an index of several attributes needs them all', async () => {
    const item = { ...key('several'), town: { S: 'Ulm' } };
    const street = { street: { S: 'Gasse' } };
    expect(await put(item)).toEqual(arms(1));
    expect(await put({ ...item, ...street })).toEqual(arms(1));
    const whole = { ...item, ...street, rank: { N: '1' } };
    expect(await put(whole)).toEqual(arms(1, { local: 1, place: 1 }));
    expect(await put({ ...whole, rank: { N: '2' } })).toEqual(arms(1, { local: 2, place: 2 }));
    expect(await put({ ...whole, rank: { N: '2' }, other: { S: 'all' } })).toEqual(arms(1, { place: 1 }));
    expect(await put({ ...item, rank: { N: '2' } })).toEqual(arms(1, { place: 1 }));
  });

  it('of a deletion is that of what was there', async () => {
    const item = { ...key('deleted'), rank: { N: '7' }, colour: { S: 'red' }, x: { S: 'x'.repeat(2000) } };
    await put(item);
    const remove = async () => {
      const { ConsumedCapacity: capacity } = await door.client.send(
        new DeleteItemCommand({
          TableName: table,
          Key: key('deleted'),
          ReturnConsumedCapacity: 'INDEXES',
        }),
      );
      return capacity;
    };
    expect(await remove()).toEqual(arms(2, { local: 1, colour: 1 }));
    expect(await remove()).toEqual(arms(1));
  });

  it('comes with the size of the item collection, when asked for', async () => {
    const Item = key('collection');
    const put = (ReturnItemCollectionMetrics?: 'NONE' | 'SIZE') =>
      door.client.send(new PutItemCommand({ TableName: table, Item, ReturnItemCollectionMetrics }));
    expect((await put()).ItemCollectionMetrics).toBeUndefined();
    expect((await put('NONE')).ItemCollectionMetrics).toBeUndefined();
    expect((await put('SIZE')).ItemCollectionMetrics).toEqual({
      ItemCollectionKey: { pk: Item.pk },
      SizeEstimateRangeGB: [0, 1],
    });
    const removed = await door.client.send(
      new DeleteItemCommand({ TableName: table, Key: Item, ReturnItemCollectionMetrics: 'SIZE' }),
    );
    expect(removed.ItemCollectionMetrics).toMatchObject({ ItemCollectionKey: { pk: Item.pk } });
  });

  it.each<[string, Item, string]>([
    [
      'another type',
      { colour: { N: '1' } },
      `${P}Type mismatch for Index Key colour Expected: S Actual: N IndexName: by-colour`,
    ],
    [
      'null',
      { rank: { NULL: true } },
      `${P}Type mismatch for Index Key rank Expected: N Actual: NULL IndexName: by-place`,
    ],
    [
      'an empty string',
      { colour: { S: '' } },
      'One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: by-colour, IndexKey: colour',
    ],
    [
      'a long string',
      { colour: { S: 'x'.repeat(2049) } },
      `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
    ],
  ])('is none for an index key of %s, which is refused', async (_, attributes, message) => {
    await expectInvalid(door, put({ ...key('refused'), ...attributes }), message);
  });
});
