import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  DeleteItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

type Item = Record<string, AttributeValue>;
type Asked = Partial<QueryCommandInput>;

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });

const index = (
  IndexName: string,
  hash: readonly string[],
  range: readonly string[],
  projection: 'ALL' | 'KEYS_ONLY' | readonly string[],
) => ({
  IndexName,
  KeySchema: [
    ...hash.map((AttributeName) => ({ AttributeName, KeyType: 'HASH' as const })),
    ...range.map((AttributeName) => ({ AttributeName, KeyType: 'RANGE' as const })),
  ],
  Projection:
    typeof projection === 'string'
      ? { ProjectionType: projection }
      : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...projection] },
});

throughEveryDoor('Query', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: [
        ...['pk', 'colour', 'h2', 'r1', 'r2', 'r3'].map((AttributeName) => ({
          AttributeName,
          AttributeType: 'S' as const,
        })),
        ...['sk', 'rank', 'r4'].map((AttributeName) => ({ AttributeName, AttributeType: 'N' as const })),
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        index('lsi-keys', ['pk'], ['rank'], 'KEYS_ONLY'),
        index('lsi-all', ['pk'], ['r1'], 'ALL'),
      ],
      GlobalSecondaryIndexes: [
        index('gsi-all', ['colour'], [], 'ALL'),
        index('gsi-keys', ['colour'], ['rank'], 'KEYS_ONLY'),
        index('gsi-some', ['colour'], ['sk'], ['note']),
        index('gsi-many', ['colour', 'h2'], ['r1', 'r2', 'r3', 'r4'], 'ALL'),
      ],
    });
  });

  const put = (Item: Item) => door.client.send(new PutItemCommand({ TableName: table, Item }));

  async function fill(pk: string, count: number, more: (i: number) => Item = () => ({})) {
    for (let i = 0; i < count; i++) await put({ pk: S(pk), sk: N(i), ...more(i) });
  }

  const query = (input: Asked) => door.client.send(new QueryCommand({ TableName: table, ...input }));

  /** A query by one value of one attribute. */
  const by = (name: string, value: AttributeValue, more = '', values: Item = {}): Asked => ({
    KeyConditionExpression: `${name} = :key${more}`,
    ExpressionAttributeValues: { ':key': value, ...values },
  });

  /** All pages of a query. */
  async function pages(input: Asked) {
    const found = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await query({ ...input, ExclusiveStartKey });
      found.push(page);
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return found;
  }

  const numbers = (items: readonly Item[] | undefined, name = 'sk') =>
    items?.map((item) => Number(item[name]!.N));

  /** On the service a global index follows after a while. */
  async function eventually<T>(read: () => Promise<T>, isThere: (found: T) => boolean): Promise<T> {
    for (let tries = 0; ; tries++) {
      const found = await read();
      if (!door.onAws || isThere(found) || tries === 50) return found;
      await sleep(200);
    }
  }

  const refused = (input: Asked, message: string) => expectInvalid(door, query(input), message);

  describe('key conditions', () => {
    let pk: string;
    beforeAll(async () => {
      pk = door.newName();
      for (const i of [10, 9, 1, -1, 2, 100, 0, 1.5]) await put({ pk: S(pk), sk: N(i) });
    });

    it.each([
      ['', {}, [-1, 0, 1, 1.5, 2, 9, 10, 100]],
      [' AND sk = :a', { ':a': N(9) }, [9]],
      [' AND sk = :a', { ':a': N(8) }, []],
      [' AND sk < :a', { ':a': N(1) }, [-1, 0]],
      [' AND sk <= :a', { ':a': N(1) }, [-1, 0, 1]],
      [' AND sk > :a', { ':a': N(9) }, [10, 100]],
      [' AND :a < sk', { ':a': N(9) }, [10, 100]],
      [' AND sk >= :a', { ':a': N(9) }, [9, 10, 100]],
      [' AND sk BETWEEN :a AND :b', { ':a': N(1), ':b': N(9) }, [1, 1.5, 2, 9]],
    ])('pk = :key%s', async (more, values, expected) => {
      const asked = { ...by('pk', S(pk), more, values as Item), ConsistentRead: true };
      const found = await query(asked);
      expect(numbers(found.Items)).toEqual(expected);
      expect([found.Count, found.ScannedCount]).toEqual([expected.length, expected.length]);
      expect(found.LastEvaluatedKey).toBeUndefined();
      const backward = await query({ ...asked, ScanIndexForward: false });
      expect(numbers(backward.Items)).toEqual([...expected].reverse());
    });

    it('stand in KeyConditions too', async () => {
      const found = await query({
        ConsistentRead: true,
        KeyConditions: {
          pk: { ComparisonOperator: 'EQ', AttributeValueList: [S(pk)] },
          sk: { ComparisonOperator: 'BETWEEN', AttributeValueList: [N(0), N(1)] },
        },
      });
      expect(numbers(found.Items)).toEqual([0, 1]);
    });

    it.each([
      ['sk = :a', { ':a': N(1) }, 'Query condition missed key schema element: pk'],
      ['pk = :a AND x = :a', { ':a': S('a') }, 'Query condition missed key schema element: sk'],
      ['pk > :a', { ':a': S('a') }, 'Query key condition not supported'],
      ['pk = :a', { ':a': N(1) }, `${P}Condition parameter type does not match schema type`],
      [
        'pk = :a AND sk = :a AND x = :a',
        { ':a': S('a') },
        'The number of query conditions (3) exceeds the number of key attributes defined in the schema (2)',
      ],
      [
        'pk = :a OR sk = :a',
        { ':a': S('a') },
        'Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: OR',
      ],
      [
        'pk = :a AND sk <> :a',
        { ':a': S('a') },
        'Invalid KeyConditionExpression: Invalid operator used in KeyConditionExpression: <>',
      ],
      [
        'pk = :a AND pk = :a',
        { ':a': S('a') },
        'Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key',
      ],
      [
        'pk = :a AND sk BETWEEN :c AND :b',
        { ':a': S('a'), ':b': N(1), ':c': N(2) },
        'Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}',
      ],
      [
        'pk = :a',
        { ':a': S('') },
        'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: pk',
      ],
    ])('%s is refused', async (KeyConditionExpression, values, message) => {
      await refused({ KeyConditionExpression, ExpressionAttributeValues: values as Item }, message);
    });

    it('are needed', async () => {
      await refused(
        {},
        'Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.',
      );
    });
  });

  describe('filters and projections', () => {
    let pk: string;
    beforeAll(async () => {
      pk = door.newName();
      await fill(pk, 6, (i) => ({ even: { BOOL: i % 2 === 0 }, doc: { M: { a: N(i), b: S('b') } } }));
    });

    it('cut what is returned and not what is counted as scanned', async () => {
      const found = await query({
        ...by('pk', S(pk), '', { ':even': { BOOL: true } }),
        FilterExpression: 'even = :even',
        ProjectionExpression: 'doc.a',
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      });
      expect(found.Items).toEqual([0, 2, 4].map((i) => ({ doc: { M: { a: N(i) } } })));
      expect([found.Count, found.ScannedCount]).toEqual([3, 6]);
      expect(found.ConsumedCapacity).toEqual({ TableName: table, CapacityUnits: 1 });
    });

    it('a page that the filter leaves nothing of has a place to go on from', async () => {
      const found = await query({
        ...by('pk', S(pk), '', { ':even': { BOOL: true } }),
        FilterExpression: 'attribute_exists(nothing) AND even = :even',
        Limit: 2,
        ConsistentRead: true,
      });
      expect(found).toMatchObject({ Items: [], Count: 0, ScannedCount: 2 });
      expect(found.LastEvaluatedKey).toEqual({ pk: S(pk), sk: N(1) });
    });

    it('legacy ones do the same', async () => {
      const found = await query({
        KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S(pk)] } },
        QueryFilter: { even: { ComparisonOperator: 'EQ', AttributeValueList: [{ BOOL: false }] } },
        AttributesToGet: ['sk'],
        ConsistentRead: true,
      });
      expect(found.Items).toEqual([1, 3, 5].map((i) => ({ sk: N(i) })));
    });

    it('COUNT returns no items', async () => {
      const found = await query({
        ...by('pk', S(pk), '', { ':even': { BOOL: true } }),
        FilterExpression: 'even = :even',
        Select: 'COUNT',
        ConsistentRead: true,
      });
      expect([found.Items, found.Count, found.ScannedCount]).toEqual([undefined, 3, 6]);
    });

    it('a filter cannot name the key', async () => {
      const text = 'can only contain non-primary key attributes: Primary key attribute: sk';
      await refused(
        { ...by('pk', S(pk), '', { ':one': N(1) }), FilterExpression: 'sk = :one' },
        `Filter Expression ${text}`,
      );
      await refused(
        {
          KeyConditions: { pk: { ComparisonOperator: 'EQ', AttributeValueList: [S(pk)] } },
          QueryFilter: { sk: { ComparisonOperator: 'EQ', AttributeValueList: [N(1)] } },
        },
        `QueryFilter ${text}`,
      );
    });

    it.each<[Asked, string]>([
      [
        { Select: 'SPECIFIC_ATTRIBUTES' },
        'Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES',
      ],
      [
        { Select: 'ALL_PROJECTED_ATTRIBUTES' },
        'ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName',
      ],
      [
        { Select: 'ALL_ATTRIBUTES', ProjectionExpression: 'x' },
        'Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES',
      ],
      [
        { Select: 'ALL_PROJECTED_ATTRIBUTES', ProjectionExpression: 'x' },
        'Cannot specify the ProjectionExpression when choosing to get ALL_PROJECTED_ATTRIBUTES',
      ],
      [
        { Select: 'COUNT', ProjectionExpression: 'x' },
        'Cannot specify the ProjectionExpression when choosing to get only the Count',
      ],
    ])('%j is refused', async (asked, message) => {
      await refused({ ...by('pk', S(pk)), ...asked }, `1 validation error detected: ${message}`);
    });

    it('legacy and new parameters do not mix', async () => {
      await refused(
        { ...by('pk', S(pk)), AttributesToGet: ['sk'] },
        'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {AttributesToGet} Expression parameters: {KeyConditionExpression}',
      );
    });
  });

  describe('pages', () => {
    it.each([true, false])('follow one another (forward: %s)', async (ScanIndexForward) => {
      const pk = door.newName();
      await fill(pk, 7);
      const found = await pages({ ...by('pk', S(pk)), Limit: 3, ScanIndexForward, ConsistentRead: true });
      const all = [0, 1, 2, 3, 4, 5, 6];
      expect(found.flatMap(({ Items }) => numbers(Items))).toEqual(ScanIndexForward ? all : all.reverse());
      expect(found.map(({ Count }) => Count)).toEqual([3, 3, 1]);
    });

    it('a page that ends at its limit has a start key even when nothing follows', async () => {
      const pk = door.newName();
      await fill(pk, 2);
      const asked = { ...by('pk', S(pk)), ConsistentRead: true };
      expect((await query({ ...asked, Limit: 2 })).LastEvaluatedKey).toEqual({ pk: S(pk), sk: N(1) });
      expect((await query({ ...asked, Limit: 3 })).LastEvaluatedKey).toBeUndefined();
      const after = await query({ ...asked, ExclusiveStartKey: { pk: S(pk), sk: N(1) } });
      expect(after).toMatchObject({ Items: [], Count: 0, ScannedCount: 0 });
    });

    it('end when they have evaluated 1 MB, filter or not', async () => {
      const pk = door.newName();
      await fill(pk, 4, () => ({ fill: S('x'.repeat(390_000)) }));
      const found = await pages({
        ...by('pk', S(pk)),
        FilterExpression: 'attribute_not_exists(fill)',
        ConsistentRead: true,
        ReturnConsumedCapacity: 'TOTAL',
      });
      expect(found.map(({ Count, ScannedCount }) => [Count, ScannedCount])).toEqual([
        [0, 3],
        [0, 1],
      ]);
      expect(found[0]!.LastEvaluatedKey).toEqual({ pk: S(pk), sk: N(2) });
      // Three items of 390,000 bytes and a little, rounded up once.
      expect(found[0]!.ConsumedCapacity?.CapacityUnits).toBe(Math.ceil((3 * 390_050) / 4096));
    });

    it('start behind a place where nothing stands any more', async () => {
      const pk = door.newName();
      await fill(pk, 5);
      const first = await query({ ...by('pk', S(pk)), Limit: 2, ConsistentRead: true });
      await door.client.send(
        new DeleteItemCommand({ TableName: table, Key: first.LastEvaluatedKey as Item }),
      );
      const rest = await query({
        ...by('pk', S(pk)),
        ExclusiveStartKey: first.LastEvaluatedKey,
        ConsistentRead: true,
      });
      expect(numbers(rest.Items)).toEqual([2, 3, 4]);
    });

    it.each<[string, Asked, Item, string]>([
      ['too few attributes', {}, { pk: S('a') }, 'The provided starting key is invalid'],
      ['too many', {}, { pk: S('a'), sk: N(1), x: S('a') }, 'The provided starting key is invalid'],
      ['others', {}, { pk: S('a'), x: N(1) }, 'The provided starting key is invalid'],
      ['another type', {}, { pk: S('a'), sk: S('1') }, 'The provided key element does not match the schema'],
      [
        'no type',
        {},
        { pk: S('a'), sk: {} as AttributeValue },
        'The provided starting key is invalid: Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
      ],
      [
        'another partition',
        {},
        { pk: S('b'), sk: N(1) },
        'The provided starting key is outside query boundaries based on provided conditions',
      ],
      [
        'a place that the condition leaves out',
        by('pk', S('a'), ' AND sk > :one', { ':one': N(1) }),
        { pk: S('a'), sk: N(1) },
        'The provided starting key does not match the range key predicate',
      ],
      [
        'another partition and a range',
        by('pk', S('a'), ' AND sk > :one', { ':one': N(1) }),
        { pk: S('b'), sk: N(2) },
        'The query can return at most one row and cannot be restarted',
      ],
      [
        'the key of a table for an index',
        { ...by('colour', S('a')), IndexName: 'gsi-all' },
        { pk: S('a'), sk: N(1) },
        'The provided starting key is invalid',
      ],
      [
        'a wrong table key for an index',
        { ...by('colour', S('a')), IndexName: 'gsi-all' },
        { pk: S('a'), sk: S('1'), colour: S('a') },
        'The provided starting key is invalid: The provided key element does not match the schema',
      ],
    ])('a start key of %s is refused', async (_, asked, ExclusiveStartKey, message) => {
      await refused({ ...by('pk', S('a')), ...asked, ExclusiveStartKey }, message);
    });

    it('there is no start key where a partition is one item', async () => {
      const TableName = await door.createTable();
      await door.client.send(new PutItemCommand({ TableName, Item: { pk: S('a') } }));
      const asked = { TableName, ...by('pk', S('a')) };
      const message = (key: string) =>
        `The provided exclusive start key is invalid: ExclusiveStartKey: ${key}`;
      await refused({ ...asked, ExclusiveStartKey: { pk: S('a') } }, message('{pk=AttributeValue: {S:a}}'));
      await refused(
        { ...asked, ExclusiveStartKey: { pk: N(1) } },
        'The provided key element does not match the schema',
      );
      await refused({ ...asked, ExclusiveStartKey: { sk: S('a') } }, 'The provided starting key is invalid');
      // What is answered as the last key must be taken back.
      if (door.onAws) return;
      const page = await query({ ...asked, Limit: 1 });
      expect(page.Items).toEqual([{ pk: S('a') }]);
      expect(page.LastEvaluatedKey).toBeUndefined();
    });
  });

  describe('local indexes', () => {
    let pk: string;
    beforeAll(async () => {
      pk = door.newName();
      await fill(pk, 4, (i) => ({ ...(i !== 3 && { rank: N(-i), r1: S(`r${i}`) }), note: S(`n${i}`) }));
    });
    const asked = (more: Asked = {}): Asked => ({
      ...by('pk', S(pk)),
      IndexName: 'lsi-keys',
      ConsistentRead: true,
      ReturnConsumedCapacity: 'INDEXES',
      ...more,
    });
    const arms = (tableUnits: number, indexUnits: number) => ({
      TableName: table,
      CapacityUnits: tableUnits + indexUnits,
      Table: { CapacityUnits: tableUnits },
      LocalSecondaryIndexes: { 'lsi-keys': { CapacityUnits: indexUnits } },
    });

    it('hold the items that have their key, in its order', async () => {
      const found = await query(asked());
      expect(found.Items).toEqual([2, 1, 0].map((i) => ({ pk: S(pk), sk: N(i), rank: N(-i) })));
      expect(found.ConsumedCapacity).toEqual(arms(0, 1));
    });

    it('fetch what they do not hold, each item for itself', async () => {
      const found = await query(asked({ ProjectionExpression: 'note' }));
      expect(found.Items).toEqual([2, 1, 0].map((i) => ({ note: S(`n${i}`) })));
      expect(found.ConsumedCapacity).toEqual(arms(3, 1));
      const all = await query(asked({ Select: 'ALL_ATTRIBUTES', ConsistentRead: false }));
      if (!door.onAws) expect(all.ConsumedCapacity).toEqual(arms(1.5, 0.5));
      const none = await query(asked({ ProjectionExpression: 'pk, #rank', ...names('rank') }));
      expect(none.ConsumedCapacity).toEqual(arms(0, 1));
    });

    it('pages carry both keys', async () => {
      const found = await pages(asked({ Limit: 2, Select: 'ALL_ATTRIBUTES' }));
      expect(found[0]!.LastEvaluatedKey).toEqual({ pk: S(pk), sk: N(1), rank: N(-1) });
      expect(found.flatMap(({ Items }) => numbers(Items))).toEqual([2, 1, 0]);
    });

    it('cannot be filtered by what they do not hold', async () => {
      await refused(
        asked({ FilterExpression: 'note = :key', Select: 'ALL_ATTRIBUTES' }),
        `${P}Secondary index lsi-keys does not project one or more filter attributes: [note]`,
      );
    });
  });

  const names = (...reserved: string[]): Asked => ({
    ExpressionAttributeNames: Object.fromEntries(reserved.map((name) => [`#${name}`, name])),
  });

  describe('global indexes', () => {
    let colour: string;
    let pk: string;
    beforeAll(async () => {
      colour = door.newName();
      pk = door.newName();
      await fill(pk, 5, (i) => ({
        colour: S(colour),
        ...(i !== 4 && { rank: N(1) }),
        note: S(`n${i}`),
        x: S('x'),
      }));
      await eventually(
        () => query({ ...by('colour', S(colour)), IndexName: 'gsi-all' }),
        ({ Count }) => Count === 5,
      );
    });
    const asked = (IndexName: string, more: Asked = {}): Asked => ({
      ...by('colour', S(colour)),
      IndexName,
      ...more,
    });

    it('hold what their projection says', async () => {
      const keys = { pk: S(pk), colour: S(colour) };
      const all = await query(asked('gsi-all'));
      expect(all.Items).toContainEqual({ ...keys, sk: N(0), rank: N(1), note: S('n0'), x: S('x') });
      const onlyKeys = await query(asked('gsi-keys'));
      expect(onlyKeys.Items).toContainEqual({ ...keys, sk: N(0), rank: N(1) });
      expect(onlyKeys.Count).toBe(4);
      const some = await query(asked('gsi-some'));
      expect(some.Items).toEqual([0, 1, 2, 3, 4].map((i) => ({ ...keys, sk: N(i), note: S(`n${i}`) })));
    });

    it('charge their own arm', async () => {
      const found = await query(asked('gsi-some', { ReturnConsumedCapacity: 'INDEXES' }));
      expect(found.ConsumedCapacity).toEqual({
        TableName: table,
        CapacityUnits: 0.5,
        Table: { CapacityUnits: 0 },
        GlobalSecondaryIndexes: { 'gsi-some': { CapacityUnits: 0.5 } },
      });
    });

    it.each([true, false])('page through equal keys without loss (forward: %s)', async (ScanIndexForward) => {
      const found = await pages(asked('gsi-keys', { Limit: 1, ScanIndexForward }));
      const seen = found.flatMap(({ Items }) => numbers(Items)!);
      expect([...seen].sort()).toEqual([0, 1, 2, 3]);
      expect(found.length).toBe(5);
      const once = numbers((await query(asked('gsi-keys', { ScanIndexForward }))).Items);
      expect(seen).toEqual(once);
    });

    it.each<[Asked, string]>([
      [{ IndexName: 'nowhere' }, 'The table does not have the specified index: nowhere'],
      [{ ConsistentRead: true }, 'Consistent reads are not supported on global secondary indexes'],
      [
        { Select: 'ALL_ATTRIBUTES' },
        `${P}Select type ALL_ATTRIBUTES is not supported for global secondary index gsi-some because its projection type is not ALL`,
      ],
      [{ ProjectionExpression: 'pk, x' }, `${P}Global secondary index gsi-some does not project [x]`],
      [
        { FilterExpression: 'x = :key' },
        `${P}Secondary index gsi-some does not project one or more filter attributes: [x]`,
      ],
    ])('%j is refused', async (more, message) => {
      await refused({ ...asked('gsi-some'), ...more }, message);
    });

    it('may be filtered by the keys of the table', async () => {
      const found = await query(
        asked('gsi-all', {
          FilterExpression: 'sk >= :three',
          ExpressionAttributeValues: { ':key': S(colour), ':three': N(3) },
        }),
      );
      expect(numbers(found.Items)!.sort()).toEqual([3, 4]);
    });
  });

  describe('global indexes of several attributes', () => {
    let colour: string;
    beforeAll(async () => {
      colour = door.newName();
      const key = { colour: S(colour), h2: S('h') };
      for (let i = 0; i < 8; i++) {
        const bit = (n: number) => S(i & n ? 'b' : 'a');
        await put({ pk: S(colour), sk: N(i), ...key, r1: bit(4), r2: bit(2), r3: bit(1), r4: N(i) });
      }
      await put({ pk: S(colour), sk: N(8), ...key, r1: S('a'), r2: S('a'), r3: S('a') });
      await eventually(
        () => query(asked('')),
        ({ Count }) => Count === 8,
      );
    });
    const asked = (more: string, values: Item = {}): Asked => ({
      IndexName: 'gsi-many',
      KeyConditionExpression: `colour = :c AND h2 = :h${more}`,
      ExpressionAttributeValues: { ':c': S(colour), ':h': S('h'), ...values },
    });
    const A = { ':a': S('a') };
    const B = { ':b': S('b') };

    it.each<[string, Item, number[]]>([
      ['', {}, [0, 1, 2, 3, 4, 5, 6, 7]],
      [' AND r1 = :b', B, [4, 5, 6, 7]],
      [' AND r1 = :b AND r2 < :b', B, [4, 5]],
      [' AND r1 = :b AND r2 = :a AND begins_with(r3, :b)', { ...A, ...B }, [5]],
      [' AND r1 = :a AND r2 = :a AND r3 = :a AND r4 >= :n', { ...A, ':n': N(0) }, [0]],
    ])('key%s', async (more, values, expected) => {
      expect(numbers((await query(asked(more, values))).Items)).toEqual(expected);
      const paged = await pages({ ...asked(more, values), Limit: 1, ScanIndexForward: false });
      expect(paged.flatMap(({ Items }) => numbers(Items))).toEqual([...expected].reverse());
    });

    it('must be given whole, without a gap', async () => {
      await refused(
        { ...asked(''), KeyConditionExpression: 'colour = :c', ExpressionAttributeValues: { ':c': S('c') } },
        'HASH key attributes h2 must have equality conditions specified in the query',
      );
      for (const [text, names] of [
        ['colour > :c AND h2 = :h', 'colour'],
        ['colour > :c AND h2 < :h AND r1 = :h', 'colour, h2'],
        ['colour < :c AND r1 = :h', 'h2'],
      ] as const) {
        await refused(
          { ...asked(''), KeyConditionExpression: text },
          `HASH key attributes ${names} must have equality conditions specified in the query`,
        );
      }
      await refused(
        asked(' AND r2 = :a', A),
        'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
      );
      await refused(
        asked(' AND r1 > :a AND r2 = :a', A),
        'RANGE key attributes r1 must have equality conditions specified in the query because a condition is present on key attribute r2',
      );
    });

    it('keep their order when their values are longer than a stored key can be', async () => {
      const long = door.newName();
      const text = (end: string) => S('x'.repeat(1_000) + end);
      const order = [3, 0, 2, 1, 4];
      for (const i of order) {
        await put({
          pk: S(long),
          sk: N(i),
          colour: S(long),
          h2: S('h'),
          r1: text(''),
          r2: text(''),
          r3: text(String(i >> 1)),
          r4: N(i),
        });
      }
      const all = { ':c': S(long), ':h': S('h') };
      const within = (more = '', values: Item = {}): Asked => ({
        ...asked(more),
        ExpressionAttributeValues: { ...all, ...values },
      });
      const found = await eventually(
        () => query(within()),
        ({ Count }) => Count === 5,
      );
      expect(numbers(found.Items)).toEqual([0, 1, 2, 3, 4]);
      for (const ScanIndexForward of [true, false]) {
        const paged = await pages({ ...within(), Limit: 1, ScanIndexForward });
        const expected = [0, 1, 2, 3, 4];
        expect(paged.flatMap(({ Items }) => numbers(Items))).toEqual(
          ScanIndexForward ? expected : expected.reverse(),
        );
      }
      const part = await query(
        within(' AND r1 = :r AND r2 = :r AND r3 >= :s', { ':r': text(''), ':s': text('1') }),
      );
      expect(numbers(part.Items)).toEqual([2, 3, 4]);
      expect(part.ScannedCount).toBe(3);
    });
  });

  describe('bad requests', () => {
    it('a limit of nothing', async () => {
      await refused(
        { ...by('pk', S('a')), Limit: 0 },
        "1 validation error detected: Value at 'Limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      );
    });

    it('a table that is not there', async () => {
      await expectRefused(
        door,
        query({ ...by('pk', S('a')), TableName: door.newName() }),
        'ResourceNotFoundException',
        'Requested resource not found',
      );
    });

    it('a key condition of values that no key can have', async () => {
      await refused(
        by('pk', S('x'.repeat(2_049))),
        `${P}Size of hashkey has exceeded the maximum size limit of2048 bytes`,
      );
    });
  });
});
