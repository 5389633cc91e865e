import {
  DeleteItemCommand,
  type DeleteItemCommandInput,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  type PutItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { sendRaw } from './raw-request.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

const E = '1 validation error detected: ';

throughEveryDoor('validation', (door) => {
  describe('of constraints', () => {
    const put = (input: object) => door.client.send(new PutItemCommand(input as PutItemCommandInput));
    const get = (input: object) => door.client.send(new GetItemCommand(input as GetItemCommandInput));
    const remove = (input: object) =>
      door.client.send(new DeleteItemCommand(input as DeleteItemCommandInput));
    const pk = { pk: { S: 'a' } };

    it('lists everything when a required member is missing', async () => {
      await expectInvalid(
        door,
        get({ ReturnConsumedCapacity: 'SOME' }),
        "3 validation errors detected: Value 'SOME' at 'returnConsumedCapacity' failed to satisfy constraint: Member must satisfy enum value set: [INDEXES, TOTAL, NONE]; Value null at 'tableName' failed to satisfy constraint: Member must not be null; Value null at 'key' failed to satisfy constraint: Member must not be null",
      );
      await expectInvalid(
        door,
        put({ TableName: 'abc' }),
        `${E}Value null at 'item' failed to satisfy constraint: Member must not be null`,
      );
    });

    it.each<[string, (input: object) => Promise<unknown>, object]>([
      ['PutItem', put, { Item: pk }],
      ['GetItem', get, { Key: pk }],
      ['DeleteItem', remove, { Key: pk }],
    ])('of the table name in %s', async (_, request, input) => {
      await expectInvalid(
        door,
        request({ ...input, TableName: '' }),
        `${E}Value at 'TableName' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
      await expectInvalid(
        door,
        request({ ...input, TableName: 'a;b' }),
        `${E}Value 'a;b' at 'tableName' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+`,
      );
      const long = 'x'.repeat(256);
      await expectInvalid(
        door,
        request({ ...input, TableName: long }),
        `${E}Value '${long}' at 'tableName' failed to satisfy constraint: Member must have length less than or equal to 255`,
      );
      // Items may be looked for in tables whose names are too short to be created.
      await expectRefused(
        door,
        request({ ...input, TableName: 'a' }),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
    });

    it('words a wrong enum value by the layer that converts it', async () => {
      const message = `${E}Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]`;
      const wrong = { TableName: 'abc', ReturnValues: 'EVERYTHING' };
      if (door.onAws) return;
      await expectInvalid(door, put({ ...wrong, Item: pk }), message);
      await expectInvalid(door, remove({ ...wrong, Key: pk }), message);
    });
  });

  describe('of JSON types', () => {
    const item = (value: unknown) => JSON.stringify({ TableName: 'abc', Item: { pk: value } });
    const structure = 'Start of structure or map found where not expected';

    it.each<[string, string, string]>([
      ['a number for a string', item({ S: 1 }), 'NUMBER_VALUE cannot be converted to String'],
      ['a fraction for a string', item({ N: 1.5 }), 'DECIMAL_VALUE cannot be converted to String'],
      ['true for a string', item({ S: true }), 'TRUE_VALUE cannot be converted to String'],
      ['false for a string', item({ S: false }), 'FALSE_VALUE cannot be converted to String'],
      ['a list for a string', item({ S: [] }), 'Unrecognized collection type class java.lang.String'],
      ['a map for a string', item({ S: {} }), structure],
      ['a number for a boolean', item({ BOOL: 1 }), 'NUMBER_VALUE cannot be converted to Boolean'],
      ['text for a boolean', item({ BOOL: 'maybe' }), 'Unexpected token received from parser'],
      ['a list for a boolean', item({ BOOL: [] }), 'Unrecognized collection type class java.lang.Boolean'],
      ['a number for bytes', item({ B: 1 }), 'only base-64-encoded strings are convertible to bytes'],
      [
        'five characters for bytes',
        item({ B: 'abcde' }),
        'Base64 encoded length is expected a multiple of 4 bytes but found: 5',
      ],
      ['bytes with a bad end', item({ B: 'AB==' }), 'Invalid last non-pad Base64 character dectected'],
      ['text for a list', item({ L: 'a' }), 'Unexpected field type'],
      ['a map for a list', item({ L: {} }), structure],
      ['text for a set', item({ SS: 'a' }), 'Unexpected field type'],
      ['a number in a set', item({ NS: [1] }), 'NUMBER_VALUE cannot be converted to String'],
      ['text for a map', item({ M: 'a' }), 'Unexpected field type'],
      [
        'a list for a map',
        item({ M: [] }),
        'Unrecognized collection type java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>',
      ],
      ['text for a value', item('a'), 'Unexpected value type in payload'],
      [
        'a list for a value',
        item([]),
        'Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue',
      ],
      ['text for an item', JSON.stringify({ TableName: 'abc', Item: 'a' }), 'Unexpected field type'],
      ['a number for a name', JSON.stringify({ TableName: 1 }), 'NUMBER_VALUE cannot be converted to String'],
    ])('%s', async (_, body, message) => {
      await expectRefused(door, sendRaw(door.client, 'PutItem', body), 'SerializationException', message);
    });

    it('text for a number', async () => {
      const request = sendRaw(door.client, 'ListTables', '{"Limit":"1"}');
      const message = 'STRING_VALUE cannot be converted to Integer';
      await expectRefused(door, request, 'SerializationException', message);
    });

    it('text for a structure', async () => {
      const body = '{"TableName":"abc","TimeToLiveSpecification":"a"}';
      const request = sendRaw(door.client, 'UpdateTimeToLive', body);
      await expectRefused(door, request, 'SerializationException', 'Unexpected field type');
    });
  });

  describe('is lenient', () => {
    let table: string;
    beforeAll(async () => {
      table = await door.createTable();
    });
    const key = { pk: { S: 'lenient' } };
    const read = () =>
      door.client.send(new GetItemCommand({ TableName: table, Key: key, ConsistentRead: true }));

    it('towards unknown and null members, and words for booleans', async () => {
      const body = {
        TableName: table,
        Unknown: 1,
        ReturnValues: null,
        Item: { ...key, yes: { BOOL: 'YES' }, no: { BOOL: '0', X: 'dropped', S: null } },
      };
      await sendRaw(door.client, 'PutItem', JSON.stringify(body));
      expect((await read()).Item).toEqual({ ...key, yes: { BOOL: true }, no: { BOOL: false } });
    });
  });

  describe('of the envelope', () => {
    it.each([
      ['no JSON', 'ListTables', '{', 'SerializationException'],
      ['no body', 'ListTables', '', 'SerializationException'],
      ['no operation of this name', 'ListTable', '{}', 'UnknownOperationException'],
      ['no JSON, which comes first', 'ListTable', '}', 'SerializationException'],
    ])('%s', async (_, operation, body, name) => {
      // These errors come without a text.
      await expectRefused(door, sendRaw(door.client, operation, body), name, 'UnknownError');
    });
  });
});
