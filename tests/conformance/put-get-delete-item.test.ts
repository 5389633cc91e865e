import {
  type AttributeValue,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  DescribeTableCommand,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

type Item = Record<string, AttributeValue>;

/** What the newer of the service's two layers puts before its own checks of a write. */
const E = '1 validation error detected: ';
const noType = 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes';
const tooDeep =
  'Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit';

throughEveryDoor('PutItem, GetItem and DeleteItem', (door) => {
  let table: string;
  /** Keyed by a binary and a number. */
  let pairs: string;

  beforeAll(async () => {
    [table, pairs] = await Promise.all([
      door.createTable(),
      door.createTable({
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'B' },
          { AttributeName: 'sk', AttributeType: 'N' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      }),
    ]);
  });

  const put = (Item: Item, rest: Partial<PutItemCommandInput> = {}) =>
    door.client.send(new PutItemCommand({ TableName: table, Item, ...rest }));
  const get = (Key: Item, rest: Partial<GetItemCommandInput> = {}) =>
    door.client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true, ...rest }));
  const remove = (Key: Item, rest: Partial<DeleteItemCommandInput> = {}) =>
    door.client.send(new DeleteItemCommand({ TableName: table, Key, ...rest }));

  /** Puts an item under a key of its own and reads it back, without the key. */
  async function stored(attributes: Item): Promise<Item> {
    const pk = { S: door.newName() };
    await put({ pk, ...attributes });
    const { pk: key, ...rest } = (await get({ pk })).Item!;
    expect(key).toEqual(pk);
    return rest;
  }

  describe('keep', () => {
    it.each<[string, AttributeValue]>([
      ['a string', { S: 'text' }],
      ['a string of all planes', { S: 'aß漢𝒳\u0000"\\\n\u2028' }],
      ['an empty string', { S: '' }],
      ['a number', { N: '42' }],
      ['bytes', { B: Uint8Array.from([0, 1, 254, 255]) }],
      ['no bytes', { B: new Uint8Array() }],
      ['true', { BOOL: true }],
      ['false', { BOOL: false }],
      ['null', { NULL: true }],
      ['a list of all kinds', { L: [{ S: 'a' }, { N: '1' }, { NULL: true }, { L: [] }, { M: {} }] }],
      ['an empty list', { L: [] }],
      ['a map', { M: { a: { S: 'x' } } }],
      ['a map within a map', { M: { a: { M: { b: { BOOL: true } } }, 'c.d#:': { N: '0' } } }],
      ['an empty map', { M: {} }],
    ])('%s', async (_, value) => {
      expect(await stored({ value })).toEqual({ value });
    });

    it('sets, whose members have no order', async () => {
      const found = await stored({
        strings: { SS: ['b', 'a', 'ab', ''] },
        numbers: { NS: ['10', '9', '-1', '1e2'] },
        binaries: { BS: [Uint8Array.of(2), Uint8Array.of(1, 2), Uint8Array.of(1)] },
      });
      expect(found.strings!.SS!.toSorted()).toEqual(['', 'a', 'ab', 'b']);
      expect(found.numbers!.NS!.toSorted()).toEqual(['-1', '10', '100', '9']);
      expect(found.binaries!.BS!.map((bytes) => [...bytes].join()).toSorted()).toEqual(['1', '1,2', '2']);
    });

    it.each([
      ['0', '0'],
      ['-0', '0'],
      ['+7', '7'],
      ['007', '7'],
      ['1.50', '1.5'],
      ['-1.000', '-1'],
      ['1e3', '1000'],
      ['1E+3', '1000'],
      ['12.5e-1', '1.25'],
      ['0.000', '0'],
      ['.5', '0.5'],
      ['1e-130', `0.${'0'.repeat(129)}1`],
      ['1e125', `1${'0'.repeat(125)}`],
      [`9.${'9'.repeat(37)}e125`, '9'.repeat(38) + '0'.repeat(88)],
      ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ])('the number %s as %s', async (sent, kept) => {
      expect(await stored({ n: { N: sent } })).toEqual({ n: { N: kept } });
    });

    it('attributes with names of their own', async () => {
      const attributes = {
        __proto__x: { S: 'a' },
        constructor: { S: 'b' },
        '10': { S: 'c' },
        '2': { S: 'd' },
        'with space': { S: 'e' },
        größe: { S: 'f' },
        [`long${'x'.repeat(65_531)}`]: { S: 'g' },
      };
      expect(await stored(attributes)).toEqual(attributes);
    });

    it('a scalar in 31 maps or lists, and in no more', async () => {
      const nested = (levels: number, wrap: (inner: AttributeValue) => AttributeValue) => {
        let value: AttributeValue = { S: 'in the middle' };
        for (let i = 0; i < levels; i++) value = wrap(value);
        return value;
      };
      for (const wrap of [(a: AttributeValue) => ({ M: { a } }), (a: AttributeValue) => ({ L: [a] })]) {
        expect(await stored({ value: nested(31, wrap) })).toEqual({ value: nested(31, wrap) });
        await expectInvalid(door, stored({ value: nested(32, wrap) }), E + tooDeep);
      }
    });
  });

  describe('refuse', () => {
    it.each<[string, AttributeValue, string]>([
      ['a number that is none', { N: 'b' }, `${E}The parameter cannot be converted to a numeric value: b`],
      ['an empty number', { N: '' }, `${E}The parameter cannot be converted to a numeric value: `],
      ['a number with a blank', { N: ' 1' }, `${E}The parameter cannot be converted to a numeric value:  1`],
      ['infinity', { N: 'Infinity' }, `${E}The parameter cannot be converted to a numeric value: Infinity`],
      [
        '39 digits',
        { N: '1'.repeat(39) },
        `${E}Attempting to store more than 38 significant digits in a Number`,
      ],
      [
        'a number that is too large',
        { N: '1e126' },
        `${E}Number overflow. Attempting to store a number with magnitude larger than supported range`,
      ],
      [
        'a number that is too small',
        { N: '1e-131' },
        `${E}Number underflow. Attempting to store a number with magnitude smaller than supported range`,
      ],
      ['no string in a set', { SS: [] }, `${E}${P}An string set  may not be empty`],
      ['no number in a set', { NS: [] }, `${E}${P}An number set  may not be empty`],
      ['no bytes in a set', { BS: [] }, `${E}${P}Binary sets should not be empty`],
      [
        'a string twice',
        { SS: ['b', 'a', 'b'] },
        `${E}${P}Input collection ["a", "b", "b"] contains duplicates.`,
      ],
      ['a number twice', { NS: ['1', '2', '1.0'] }, `${E}${P}Input collection contains duplicates.`],
      [
        'bytes twice',
        { BS: [Uint8Array.of(0), Uint8Array.of(255), Uint8Array.of(0)] },
        `${E}${P}Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.`,
      ],
      [
        'a null that is none',
        { NULL: false } as unknown as AttributeValue,
        `${E}${P}Null attribute value types must have the value of true`,
      ],
      ['a name without characters', { M: { '': { S: '' } } }, `${E}Empty attribute name`],
    ])('%s', async (_, value, message) => {
      await expectInvalid(door, put({ pk: { S: 'a' }, value }), message);
      // A table that does not exist is found out about only after the request itself was looked at.
      await expectInvalid(door, put({ pk: { S: 'a' }, value }, { TableName: door.newName() }), message);
    });

    it('a value of no type, or of two', async () => {
      const send = (value: object) =>
        sendRaw(
          door.client,
          'PutItem',
          JSON.stringify({ TableName: table, Item: { pk: { S: 'a' }, value } }),
        );
      await expectInvalid(door, send({}), noType);
      await expectInvalid(door, send({ X: 'unknown' }), noType);
      await expectInvalid(
        door,
        send({ S: 'a', BOOL: true }),
        'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
      );
    });
  });

  describe('check keys:', () => {
    const mismatch = 'The provided key element does not match the schema';
    const empty = (what: string, key: string) =>
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty ${what} value. Key: ${key}`;

    it('PutItem says which key is missing or mistyped', async () => {
      await expectInvalid(door, put({}), `${P}Missing the key pk in the item`);
      await expectInvalid(
        door,
        put({ pk: { N: '1' } }),
        `${P}Type mismatch for key pk expected: S actual: N`,
      );
      await expectInvalid(door, put({ pk: { M: {} } }), `${P}Type mismatch for key pk expected: S actual: M`);
      const ofPairs = { TableName: pairs };
      await expectInvalid(
        door,
        put({ pk: { B: Uint8Array.of(1) } }, ofPairs),
        `${P}Missing the key sk in the item`,
      );
      await expectInvalid(
        door,
        put({ pk: { B: Uint8Array.of(1) }, sk: { S: '1' } }, ofPairs),
        `${P}Type mismatch for key sk expected: N actual: S`,
      );
    });

    it.each<[string, Item]>([
      ['no key', {}],
      ['another attribute', { id: { S: 'a' } }],
      ['one attribute more', { pk: { S: 'a' }, sk: { S: 'b' } }],
      ['another type', { pk: { N: '1' } }],
    ])('GetItem and DeleteItem want the key and nothing else: %s', async (_, key) => {
      await expectInvalid(door, get(key), mismatch);
      await expectInvalid(door, remove(key), mismatch);
    });

    it('an empty one is none', async () => {
      for (const request of [put, get, remove])
        await expectInvalid(door, request({ pk: { S: '' } }), empty('string', 'pk'));
      const noBytes = { pk: { B: new Uint8Array() }, sk: { N: '1' } };
      for (const request of [put, get, remove])
        await expectInvalid(door, request(noBytes, { TableName: pairs }), empty('binary', 'pk'));
    });

    it('a partition key has 2,048 bytes at most', async () => {
      const text = (bytes: number) => ({ pk: { S: `ß${'x'.repeat(bytes - 2)}` } });
      await put(text(2048));
      expect((await get(text(2048))).Item).toEqual(text(2048));
      const tooLong = `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`;
      for (const request of [put, get, remove]) await expectInvalid(door, request(text(2049)), tooLong);
    });

    it('a sort key has 1,024 bytes at most', async () => {
      const TableName = await door.createTable({
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'B' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      });
      const key = (bytes: number) => ({ pk: { S: 'a' }, sk: { B: new Uint8Array(bytes).fill(255) } });
      await put(key(1024), { TableName });
      expect((await get(key(1024), { TableName })).Item).toEqual(key(1024));
      const tooLong = `${P}Aggregated size of all range keys has exceeded the size limit of 1024 bytes`;
      for (const request of [put, get, remove])
        await expectInvalid(door, request(key(1025), { TableName }), tooLong);
    });

    it('numbers are the same key however they are written', async () => {
      const TableName = pairs;
      const pk = { B: Uint8Array.of(7) };
      await put({ pk, sk: { N: '1e2' }, v: { S: 'first' } }, { TableName });
      await put({ pk, sk: { N: '100.0' }, v: { S: 'second' } }, { TableName });
      const expected = { pk, sk: { N: '100' }, v: { S: 'second' } };
      expect((await get({ pk, sk: { N: '+100' } }, { TableName })).Item).toEqual(expected);
      await remove({ pk, sk: { N: '1.00e2' } }, { TableName });
      expect((await get({ pk, sk: { N: '100' } }, { TableName })).Item).toBeUndefined();
    });
  });

  describe('an item', () => {
    it('is at most 400 KB, names and values, to the byte', async () => {
      const pk = { S: 'large' };
      // 2 + 5 for the key, 1 + 4 + 1 for the number, 4 for the empty list with its name: 17 and the text's name.
      const around = { pk, n: { N: '-12345' }, l: { L: [] } };
      const frame = 2 + 5 + (1 + 1 + 3 + 1) + (1 + 3) + 1;
      const sized = (bytes: number) => ({ ...around, t: { S: 'x'.repeat(bytes - frame) } });
      const { ConsumedCapacity: capacity } = await put(sized(409_600), { ReturnConsumedCapacity: 'TOTAL' });
      expect(capacity!.CapacityUnits).toBe(400);
      expect((await get({ pk })).Item).toEqual(sized(409_600));
      await expectInvalid(door, put(sized(409_601)), 'Item size has exceeded the maximum allowed size');
      expect((await get({ pk })).Item).toEqual(sized(409_600));
      await remove({ pk });
    });

    it('is replaced as a whole', async () => {
      const pk = { S: 'replaced' };
      await put({ pk, a: { S: '1' }, b: { S: '2' } });
      await put({ pk, c: { S: '3' } });
      expect((await get({ pk })).Item).toEqual({ pk, c: { S: '3' } });
    });

    it('is returned as it was, when asked for', async () => {
      const pk = { S: 'returned' };
      const first = { pk, a: { SS: ['y', 'x'] } };
      expect((await put(first, { ReturnValues: 'ALL_OLD' })).Attributes).toBeUndefined();
      expect((await put({ pk }, { ReturnValues: 'NONE' })).Attributes).toBeUndefined();
      expect((await put(first, { ReturnValues: 'ALL_OLD' })).Attributes).toEqual({ pk });
      const { Attributes: old } = await remove({ pk }, { ReturnValues: 'ALL_OLD' });
      expect(old!.a!.SS!.toSorted()).toEqual(['x', 'y']);
      expect((await remove({ pk }, { ReturnValues: 'ALL_OLD' })).Attributes).toBeUndefined();
      expect((await get({ pk })).Item).toBeUndefined();
    });

    it.each(['ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'] as const)(
      'is not returned as %s',
      async (ReturnValues) => {
        const message = `${E}ReturnValues can only be ALL_OLD or NONE`;
        await expectInvalid(door, put({ pk: { S: 'a' } }, { ReturnValues }), message);
        await expectInvalid(door, remove({ pk: { S: 'a' } }, { ReturnValues }), message);
      },
    );

    it('is found by the ARN of its table too', async () => {
      const { Table: described } = await door.client.send(new DescribeTableCommand({ TableName: table }));
      const TableName = described!.TableArn!;
      const pk = { S: 'by arn' };
      const { ConsumedCapacity: capacity } = await put(
        { pk },
        { TableName, ReturnConsumedCapacity: 'TOTAL' },
      );
      expect(capacity).toEqual({ TableName, CapacityUnits: 1 });
      expect((await get({ pk })).Item).toEqual({ pk });
      expect((await get({ pk }, { TableName })).Item).toEqual({ pk });
      await remove({ pk }, { TableName });
      expect((await get({ pk })).Item).toBeUndefined();
    });

    it('of no table is not found', async () => {
      const TableName = door.newName();
      for (const request of [put, get, remove])
        await expectRefused(
          door,
          request({ pk: { S: 'a' } }, { TableName }),
          'ResourceNotFoundException',
          'Requested resource not found',
        );
    });

    it('travels through a document client', async () => {
      const documents = DynamoDBDocumentClient.from(door.client);
      const Item = {
        pk: 'document',
        tags: new Set(['a']),
        n: 12.5,
        nested: { list: [1, 'two', null, true] },
      };
      await documents.send(new PutCommand({ TableName: table, Item }));
      const found = await documents.send(
        new GetCommand({ TableName: table, Key: { pk: 'document' }, ConsistentRead: true }),
      );
      expect(found.Item).toEqual(Item);
    });
  });
});
