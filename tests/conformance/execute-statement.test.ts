import {
  type AttributeValue,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused, invalidParameters as P } from './refusal.ts';

type Item = Record<string, AttributeValue>;

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });
const malformed = "Statement wasn't well formed, can't be processed: ";

throughEveryDoor('ExecuteStatement', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk', 'gpk', 'gsk', 'lsk'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'gsi-inc',
          KeySchema: [
            { AttributeName: 'gpk', KeyType: 'HASH' },
            { AttributeName: 'gsk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['shown'] },
        },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'lsi-keys',
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'lsk', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  const put = (item: Item) => door.client.send(new PutItemCommand({ TableName: table, Item: item }));
  const get = async (pk: string, sk = '1') => {
    const Key = { pk: S(pk), sk: S(sk) };
    const { Item } = await door.client.send(
      new GetItemCommand({ TableName: table, Key, ConsistentRead: true }),
    );
    return Item;
  };
  /** `T` in a statement stands for the table. */
  const named = (statement: string) => statement.replaceAll(/\bT\b/g, `"${table}"`);
  const run = (
    statement: string,
    Parameters?: AttributeValue[],
    more: Partial<ExecuteStatementCommandInput> = {},
  ) =>
    door.client.send(
      new ExecuteStatementCommand({
        Statement: named(statement),
        ...(Parameters && { Parameters }),
        ...more,
      }),
    );
  const items = async (statement: string, parameters?: AttributeValue[]) =>
    (await run(statement, parameters)).Items;
  const refused = (statement: string, message: string, parameters?: AttributeValue[]) =>
    expectInvalid(door, run(statement, parameters), message);
  /** `line:column:length` of the first occurrence of a token behind another. */
  const place = (statement: string, token: string, behind = '', length = token.length) => {
    const text = named(statement);
    const at = text.indexOf(token, text.indexOf(behind) + behind.length);
    return `1:${at + 1}:${length}`;
  };

  describe('INSERT', () => {
    it('stores literals of every type', async () => {
      const answer = await run(
        `INSERT INTO T VALUE {'pk': 'types', 'sk': '1', 's': 'it''s', 'n': -1.50E1, 'yes': true, 'no': FALSE, 'nothing': null,
          'l': [1, 'a', [ ]], 'm': {'k': {'deep': 1}}, 'ss': <<'b', 'a'>>, 'ns': <<10, 1>>, 'empty': ''}`,
      );
      expect(answer.Items).toEqual([]);
      expect(await get('types')).toEqual({
        pk: S('types'),
        sk: S('1'),
        s: S("it's"),
        n: N(-15),
        yes: { BOOL: true },
        no: { BOOL: false },
        nothing: { NULL: true },
        l: { L: [N(1), S('a'), { L: [] }] },
        m: { M: { k: { M: { deep: N(1) } } } },
        ss: { SS: ['a', 'b'] },
        ns: { NS: ['1', '10'] },
        empty: S(''),
      });
    });

    it('takes parameters for attributes', async () => {
      const bytes = Uint8Array.from([1, 2]);
      await run("INSERT INTO T VALUE {'pk': ?, 'sk': '1', 'b': ?}", [S('parameters'), { B: bytes }]);
      expect((await get('parameters'))!.b).toEqual({ B: bytes });
    });

    it('does not replace an item', async () => {
      await run("INSERT INTO T VALUE {'pk': 'twice', 'sk': '1', 'v': 1}");
      const again = run("INSERT INTO T VALUE {'pk': 'twice', 'sk': '1', 'v': 2}");
      await expectRefused(door, again, 'DuplicateItemException', 'Duplicate primary key exists in table');
      expect((await get('twice'))!.v).toEqual(N(1));
    });

    it.each([
      ["INSERT INTO T VALUE {'pk': 'x'}", `${P}Missing the key sk in the item`],
      ["INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'b': <<>>}", 'Empty bags are not supported'],
      [
        "INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'b': <<1, 'a'>>}",
        'Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags',
      ],
      [
        "INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'b': <<'a', 'a'>>}",
        `${P}Input collection [a, a] contains duplicates.`,
      ],
      [
        `INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'd': ${'['.repeat(32)}1${']'.repeat(32)}}`,
        `Nesting Levels have exceeded supported limits under root${'[0]'.repeat(32)}`,
      ],
    ])('refuses %s', (statement, message) => refused(statement, message));

    it('refuses parameters and calls within values, and tells where', async () => {
      const parameter = "INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'm': {'k': ?}}";
      await refused(
        parameter,
        `Unsupported data type: Parameter under key root.k at ${place(parameter, '?')}`,
        [S('v')],
      );
      const call = "INSERT INTO T VALUE {'pk': 'x', 'sk': '1', 'ss': set_add(<<'a'>>, <<'b'>>)}";
      await refused(call, `Unsupported data type: set_add under key root at ${place(call, 'set_add')}`);
    });

    it('refuses an index', async () => {
      const request = run("INSERT INTO T.\"gsi-inc\" VALUE {'pk': 'x', 'sk': '1'}");
      await expect(request).rejects.toThrow('FROM clause may only contain a single table name');
    });
  });

  describe('SELECT', () => {
    beforeAll(async () => {
      for (const pk of ['o', 'p'])
        for (const sk of ['1', '2', '3'])
          await put({ pk: S(pk), sk: S(sk), n: N(Number(sk)), kind: S(`k${sk}`) });
      await put({
        ...{ pk: S('doc'), sk: S('1'), nul: { NULL: true }, flag: { BOOL: true }, tags: { SS: ['a', 'b'] } },
        m: { M: { k: { L: [S('c'), N(2)] }, 'a.b': S('dotted') } },
        l: { L: [S('x')] },
      });
    });

    it('answers whole items and columns', async () => {
      expect(await items("SELECT * FROM T WHERE pk = 'o' AND sk = '2'")).toEqual([
        { pk: S('o'), sk: S('2'), n: N(2), kind: S('k2') },
      ]);
      expect(await items("SELECT n, absent FROM T WHERE pk = 'o' AND sk = '2'")).toEqual([{ n: N(2) }]);
      expect(await items("SELECT * FROM T WHERE pk = 'none' AND sk = '2'")).toEqual([]);
    });

    it('names the column of a path by its last name', async () => {
      expect(await items(`SELECT m.k[0], l[-0], m."a.b" FROM T WHERE pk = 'doc' AND sk = '1'`)).toEqual([
        { 'k[0]': S('c'), 'l[0]': S('x'), 'a.b': S('dotted') },
      ]);
    });

    it.each([
      ['n > 1 AND n < 3', ['2']],
      ['n >= 2', ['2', '3']],
      ['n <> 2', ['1', '3']],
      ['n != 2', ['1', '3']],
      ['NOT n = 2', ['1', '3']],
      ['n BETWEEN 2 AND 3', ['2', '3']],
      ['n NOT BETWEEN 2 AND 3', ['1']],
      ['n IN [1, 3]', ['1', '3']],
      ['n IN (1, 3)', ['1', '3']],
      ['n NOT IN [1, 3]', ['2']],
      ["n = 1 OR kind = 'k3'", undefined],
      ["(n = 1 OR kind = 'k3')", ['1', '3']],
      ["begins_with(kind, 'k1')", ['1']],
      ['BEGINS_WITH("kind", \'k\')', ['1', '2', '3']],
      ["contains(kind, '2')", ['2']],
      ["attribute_type(n, 'N')", ['1', '2', '3']],
      ['size(kind) = 2', ['1', '2', '3']],
      ['absent IS MISSING', ['1', '2', '3']],
      ['n IS NOT MISSING', ['1', '2', '3']],
      ['n IS NULL', []],
      ['n IS NUMERIC', ['1', '2', '3']],
      ['absent IS NOT NULL', ['1', '2', '3']],
      ['attribute_exists(n) AND attribute_not_exists(absent)', ['1', '2', '3']],
      ['attribute_exists(absent) = false', ['1', '2', '3']],
      ["(n = 1) = (kind = 'k1')", ['1', '2', '3']],
      ['attribute_exists(n) <> 1', ['1', '2', '3']],
      ['attribute_exists(n) IN [false]', []],
      ['n = - - 1', ['1']],
      ['n > -/* a comment */-1 -- and another', ['2', '3']],
    ])('filters by %s', async (condition, expected) => {
      const request = items(`SELECT sk FROM T WHERE pk = 'o' AND ${condition}`);
      if (expected === undefined) {
        // AND binds more closely than OR, so that this is no read of one partition.
        expect((await request)!.length).toBeGreaterThan(1);
      } else {
        expect((await request)!.map(({ sk }) => sk!.S)).toEqual(expected);
      }
    });

    it('reads by conditions on the sort key that a Query could not hold', async () => {
      const read = async (condition: string) =>
        (await items(`SELECT sk FROM T WHERE pk = 'o' AND ${condition}`))!.map(({ sk }) => sk!.S).sort();
      expect(await read("(sk = '1' OR sk = '3')")).toEqual(['1', '3']);
      expect(await read("sk IN ['1', '2']")).toEqual(['1', '2']);
      expect(await read("(sk < '2' OR sk > '2' OR sk = '2')")).toEqual(['1', '2', '3']);
      expect(await read("NOT sk = '1'")).toEqual(['2', '3']);
      expect(await read("sk > '1' AND sk <> '2'")).toEqual(['3']);
      expect(await read("sk > '1' AND sk < '3'")).toEqual(['2']);
      expect(await read("sk = '1' AND sk > '0'")).toEqual(['1']);
    });

    it('looks at other attributes of an item that it finds by its key', async () => {
      expect(await items("SELECT sk FROM T WHERE pk = 'o' AND sk = '1' AND n = 2")).toEqual([]);
      expect(await items("SELECT sk FROM T WHERE pk = 'o' AND sk = '1' AND n = 1")).toEqual([{ sk: S('1') }]);
    });

    it('compares values of every type through parameters', async () => {
      const where = "SELECT sk FROM T WHERE pk = 'doc' AND";
      expect(await items(`${where} tags = ?`, [{ SS: ['b', 'a'] }])).toHaveLength(1);
      expect(await items(`${where} l = ?`, [{ L: [S('x')] }])).toHaveLength(1);
      expect(await items(`${where} nul = ?`, [{ NULL: true }])).toHaveLength(1);
      expect(await items(`${where} m.k[1] = ? AND flag = true`, [N(2)])).toHaveLength(1);
      expect(await items(`${where} tags <> ?`, [{ SS: ['a'] }])).toHaveLength(1);
    });

    it('orders by the key', async () => {
      const rows = async (rest: string) =>
        (await items(`SELECT pk, sk FROM T WHERE ${rest}`))!
          .map(({ pk, sk }) => `${pk!.S}${sk!.S}`)
          .join(' ');
      expect(await rows("pk = 'o' ORDER BY sk DESC")).toBe('o3 o2 o1');
      expect(await rows("pk = 'o' ORDER BY sk")).toBe('o1 o2 o3');
      // Ordered by the partition key alone, the sort key descends.
      expect(await rows("pk = 'o' ORDER BY pk ASC")).toBe('o3 o2 o1');
      expect(await rows("pk IN ['o', 'p'] ORDER BY pk DESC, sk ASC")).toBe('p1 p2 p3 o1 o2 o3');
    });

    it('pages through several reads with a limit', async () => {
      const statement = "SELECT pk, sk FROM T WHERE pk IN ['o', 'p'] ORDER BY pk DESC";
      const found: string[] = [];
      let NextToken: string | undefined;
      do {
        const page: Awaited<ReturnType<typeof run>> = await run(statement, undefined, {
          Limit: 2,
          ...(NextToken && { NextToken }),
        });
        found.push(page.Items!.map(({ pk, sk }) => `${pk!.S}${sk!.S}`).join(' '));
        NextToken = page.NextToken;
        expect(page.LastEvaluatedKey === undefined).toBe(NextToken === undefined);
      } while (NextToken !== undefined);
      expect(found.filter((page) => page !== '')).toEqual(['p3 p2', 'p1 o3', 'o2 o1']);
    });

    it('counts what a limit evaluates and not what a filter leaves', async () => {
      const page = await run("SELECT sk FROM T WHERE pk = 'o' AND n = 3", undefined, { Limit: 2 });
      expect(page.Items).toEqual([]);
      const rest = await run("SELECT sk FROM T WHERE pk = 'o' AND n = 3", undefined, {
        NextToken: page.NextToken!,
      });
      expect(rest.Items).toEqual([{ sk: S('3') }]);
    });

    it('refuses the token of another request', async () => {
      const { NextToken } = await run("SELECT sk FROM T WHERE pk = 'o'", undefined, { Limit: 1 });
      const mismatch = 'NextToken does not match request';
      await expectInvalid(
        door,
        run("SELECT sk FROM T WHERE pk = 'p'", undefined, { NextToken: NextToken! }),
        mismatch,
      );
      const first = await run('SELECT sk FROM T WHERE pk = ?', [S('o')], { Limit: 1 });
      const others = run('SELECT sk FROM T WHERE pk = ?', [S('p')], { NextToken: first.NextToken! });
      await expectInvalid(door, others, mismatch);
      const changed = NextToken!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
      await expect(
        run("SELECT sk FROM T WHERE pk = 'o'", undefined, { NextToken: changed }),
      ).rejects.toMatchObject({ name: 'ValidationException' });
      const garbage = run("SELECT sk FROM T WHERE pk = 'o'", undefined, { NextToken: 'garbage' });
      await expectInvalid(door, garbage, 'Invalid NextToken');
    });

    it('scans without the partition key', async () => {
      const answer = await run("SELECT pk FROM T WHERE kind = 'k1'", undefined, {
        ReturnConsumedCapacity: 'TOTAL',
      });
      expect(answer.Items!.map(({ pk }) => pk!.S).sort()).toEqual(['o', 'p']);
      expect(answer.ConsumedCapacity!.TableName).toBe(table);
      expect(await items("SELECT pk FROM T WHERE pk > 'o' AND kind = 'k1'")).toEqual([{ pk: S('p') }]);
      expect(await items('SELECT pk FROM T WHERE pk > 1')).toEqual([]);
    });

    it('tells what a read has cost', async () => {
      const units = async (statement: string, more: Partial<ExecuteStatementCommandInput> = {}) =>
        (await run(statement, undefined, { ReturnConsumedCapacity: 'INDEXES', ...more })).ConsumedCapacity;
      const half = { TableName: table, CapacityUnits: 0.5, Table: { CapacityUnits: 0.5 } };
      expect(await units("SELECT * FROM T WHERE pk = 'o' AND sk = '1'")).toEqual(half);
      expect(await units("SELECT * FROM T WHERE pk = 'none' AND sk = '1'")).toEqual(half);
      const one = { TableName: table, CapacityUnits: 1, Table: { CapacityUnits: 1 } };
      expect(await units("SELECT * FROM T WHERE pk = 'o'", { ConsistentRead: true })).toEqual(one);
      expect(await units("SELECT * FROM T WHERE pk IN ['o', 'p']")).toEqual(one);
    });

    it.each([
      [
        "SELECT sk FROM T WHERE pk IN ['o', 'o']",
        'Overlapping conditions with range keys are not supported in where clause',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND (sk > '0' OR sk < '5')",
        'Overlapping conditions with range keys are not supported in where clause',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND (sk = '1' OR n = 2)",
        'Overlapping conditions with range keys are not supported in where clause',
      ],
      [
        "SELECT sk FROM T WHERE pk = 1 OR pk = 'o'",
        "Key attribute's data type should match its data type in table's schema: Key pk",
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND sk IN ['1', 2]",
        "Key attribute's data type should match its data type in table's schema: Key sk",
      ],
      ['SELECT sk FROM T ORDER BY sk', 'Must have WHERE clause in the statement when using ORDER BY clause.'],
      [
        "SELECT sk FROM T WHERE pk = 'o' ORDER BY n",
        'Attribute n in ORDER BY clause must be part of the primary key',
      ],
      [
        "SELECT sk FROM T WHERE pk > 'a' ORDER BY sk",
        'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.',
      ],
      [
        "SELECT sk FROM T WHERE pk IN ['o', 'p'] ORDER BY sk",
        'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND n = 1 + 1",
        'Unsupported operator in Condition Expression. Operator: +',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND n = -n",
        'Incorrect number of operands for operator or function; operator or function: -, number of operands: 1',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND attribute_exists(n) > false",
        'Incorrect operand type for operator or function; operator or function: >, operand type: BOOL',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND attribute_exists('n')",
        'Operator or function requires a document path; operator or function: attribute_exists',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND attribute_exists()",
        'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0',
      ],
      [
        "SELECT sk FROM T WHERE pk = 'o' AND attribute_type(n, 1)",
        'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N',
      ],
      ['SELECT * FROM "" WHERE pk = \'o\'', 'Path component cannot be an empty string'],
      ['SELECT * FROM T."" WHERE pk = \'o\'', 'Path component cannot be an empty string'],
      ['SELECT * FROM T."a"."b"', 'A path may contain at most 2 components in the FROM clause'],
      ['SELECT * FROM T."no-such-index"', 'The table does not have the specified index'],
      ["SELECT m.inner FROM T WHERE pk = 'doc'", `${malformed}Invalid path dot component`],
      [
        `SELECT sk FROM T WHERE pk IN [${values(51)}]`,
        'Too many decomposed read operations for a given query.',
      ],
      [
        `SELECT sk FROM T WHERE pk IN [${values(26)}] AND sk IN ['1', '2']`,
        'Too many decomposed read operations for a given query.',
      ],
      [
        `SELECT sk FROM T WHERE pk = 'o' AND n IN [${values(101)}]`,
        'The IN operator is provided with too many operands; number of operands: 101',
      ],
      [
        "EXISTS(SELECT * FROM T WHERE pk = 'o' AND sk = '1' AND n IS MISSING)",
        'EXISTS can only be used in ExecuteTransaction write requests.',
      ],
    ])('refuses %s', (statement, message) => refused(statement, message));

    it('takes fifty reads and a hundred values', async () => {
      const statement = `SELECT sk FROM T WHERE pk IN [${values(50)}] AND kind IN [${values(100)}]`;
      expect(await items(statement)).toEqual([]);
      // What is no key read may have as many values as it likes.
      expect(await items(`SELECT sk FROM T WHERE pk IN [${values(51)}] OR kind = 'none'`)).toEqual([]);
    });

    it('tells where the trouble is', async () => {
      const index = "SELECT l[-1] FROM T WHERE pk = 'doc'";
      const range = 'List index is not within the allowable range; index: [-1]';
      await refused(index, `${range} at ${place(index, '1', '-')}`);
      const projected = "SELECT attribute_exists(n) FROM T WHERE pk = 'o'";
      await refused(projected, `Unexpected path component at ${place(projected, 'attribute_exists')}`);
      const called = "SELECT n FROM T WHERE pk = 'o' AND set_add(n, <<1>>) = n";
      await refused(called, `Unrecognized function: set_add at ${place(called, 'set_add')}`);
      const exists = "SELECT n FROM T WHERE pk = 'o' AND EXISTS(n)";
      await refused(exists, `Unrecognized function: exists at ${place(exists, 'EXISTS')}`);
    });

    it('misses a table', async () => {
      const request = run(`SELECT * FROM "${door.newName()}" WHERE pk = 'o'`);
      await expectRefused(door, request, 'ResourceNotFoundException', 'Requested resource not found');
    });
  });

  describe('SELECT from an index', () => {
    beforeAll(async () => {
      await put({
        pk: S('i'),
        sk: S('1'),
        gpk: S('g'),
        gsk: S('a'),
        lsk: S('l1'),
        shown: S('s1'),
        other: S('o1'),
      });
      await put({
        pk: S('i'),
        sk: S('2'),
        gpk: S('g'),
        gsk: S('b'),
        lsk: S('l2'),
        shown: S('s2'),
        other: S('o2'),
      });
      await put({ pk: S('i'), sk: S('3'), other: S('o3') });
    });

    const gsi = 'T."gsi-inc"';
    const lsi = 'T."lsi-keys"';

    it('answers what the index holds', async () => {
      expect(await items(`SELECT * FROM ${gsi} WHERE gpk = 'g' AND gsk > 'a'`)).toEqual([
        { pk: S('i'), sk: S('2'), gpk: S('g'), gsk: S('b'), shown: S('s2') },
      ]);
      const { Items, ConsumedCapacity } = await run(`SELECT * FROM ${lsi} WHERE pk = 'i'`, undefined, {
        ReturnConsumedCapacity: 'INDEXES',
      });
      expect(Items!.map((item) => Object.keys(item).sort())).toEqual([
        ['lsk', 'pk', 'sk'],
        ['lsk', 'pk', 'sk'],
      ]);
      expect(ConsumedCapacity).toMatchObject({
        CapacityUnits: 0.5,
        Table: { CapacityUnits: 0 },
        LocalSecondaryIndexes: { 'lsi-keys': { CapacityUnits: 0.5 } },
      });
    });

    it('fetches what a local index lacks, and a global one does not', async () => {
      expect(await items(`SELECT other FROM ${lsi} WHERE pk = 'i'`)).toEqual([
        { other: S('o1') },
        { other: S('o2') },
      ]);
      await refused(
        `SELECT other FROM ${gsi} WHERE gpk = 'g'`,
        `${P}Global secondary index gsi-inc does not project [other]`,
      );
    });

    it('filters on what the index holds', async () => {
      const message = (index: string) =>
        `${P}Secondary index ${index} does not project one or more filter attributes: [other]`;
      await refused(`SELECT pk FROM ${gsi} WHERE gpk = 'g' AND other = 'o1'`, message('gsi-inc'));
      await refused(`SELECT pk FROM ${gsi} WHERE gpk IN ['g', 'h'] AND NOT other = 'o1'`, message('gsi-inc'));
      await refused(`SELECT pk FROM ${lsi} WHERE pk = 'i' AND other IS MISSING`, message('lsi-keys'));
      // A scan finds nothing instead.
      expect(await items(`SELECT pk FROM ${gsi} WHERE other = 'o1'`)).toEqual([]);
      expect(await items(`SELECT sk, other FROM ${lsi} WHERE other = 'o1'`)).toEqual([]);
      expect(await items(`SELECT sk FROM ${gsi} WHERE NOT other = 'o1'`)).toHaveLength(2);
    });

    it('answers the branches of an OR that filter on what the index holds', async () => {
      const one = `gpk = 'g' AND gsk = 'a' AND shown = 's1'`;
      const lacking = `gpk = 'g' AND gsk = 'b' AND other = 'o2'`;
      for (const where of [`${one} OR ${lacking}`, `${lacking} OR ${one}`])
        expect(await items(`SELECT sk FROM ${gsi} WHERE ${where}`)).toEqual([{ sk: S('1') }]);
      expect(
        await items(
          `SELECT sk FROM ${lsi} WHERE pk = 'i' AND lsk = 'l1' OR pk = 'i' AND lsk = 'l2' AND other = 'o2'`,
        ),
      ).toEqual([{ sk: S('1') }]);
      await refused(
        `SELECT other FROM ${gsi} WHERE ${one} OR ${lacking}`,
        `${P}Global secondary index gsi-inc does not project [other]`,
      );
    });

    it('pages', async () => {
      const first = await run(`SELECT sk FROM ${gsi} WHERE gpk = 'g'`, undefined, { Limit: 1 });
      const second = await run(`SELECT sk FROM ${gsi} WHERE gpk = 'g'`, undefined, {
        NextToken: first.NextToken!,
      });
      expect([...first.Items!, ...second.Items!]).toEqual([{ sk: S('1') }, { sk: S('2') }]);
      const elsewhere = run(`SELECT sk FROM ${lsi} WHERE pk = 'i'`, undefined, {
        NextToken: first.NextToken!,
      });
      await expectInvalid(door, elsewhere, 'NextToken does not match request');
    });

    it('is never consistent on a global index', async () => {
      await expectInvalid(
        door,
        run(`SELECT * FROM ${gsi} WHERE gpk = 'g'`, undefined, { ConsistentRead: true }),
        'Strongly consistent read is not supported on Global Secondary Indexes',
      );
    });

    it.each([
      `UPDATE T."gsi-inc" SET shown = 'x' WHERE pk = 'i' AND sk = '1'`,
      `DELETE FROM T."gsi-inc" WHERE pk = 'i' AND sk = '1'`,
    ])('is no place to write to: %s', (statement) =>
      refused(statement, 'This operation is not supported on an index'),
    );
  });

  describe('UPDATE', () => {
    const where = (pk: string) => `WHERE pk = '${pk}' AND sk = '1'`;

    it('sets and removes', async () => {
      await put({
        pk: S('u1'),
        sk: S('1'),
        n: N(5),
        l: { L: [N(1), N(2)] },
        m: { M: { a: N(1) } },
        gone: N(1),
      });
      await run(
        `UPDATE T SET n=n-1 SET m.b = [2020, 'x', <<'s'>>], copy = n SET l = list_append(l, [3]) REMOVE gone REMOVE m.a ${where('u1')}`,
      );
      expect(await get('u1')).toEqual({
        ...{ pk: S('u1'), sk: S('1'), n: N(4), copy: N(5) },
        l: { L: [N(1), N(2), N(3)] },
        m: { M: { b: { L: [N(2020), S('x'), { SS: ['s'] }] } } },
      });
    });

    it('adds and subtracts as often as it is told', async () => {
      await put({ pk: S('u2'), sk: S('1'), a: N(10), b: N(3) });
      await run(`UPDATE T SET a = (a + 1) - (b - ?) + -2 ${where('u2')}`, [N(1)]);
      expect((await get('u2'))!.a).toEqual(N(7));
    });

    it('changes sets', async () => {
      await put({ pk: S('u3'), sk: S('1'), ss: { SS: ['a'] }, only: { SS: ['x'] } });
      await run(`UPDATE T SET ss = set_add(ss, <<'b'>>), fresh = SET_ADD(fresh, ?) ${where('u3')}`, [
        { NS: ['1'] },
      ]);
      await run(
        `UPDATE T SET ss = set_delete(ss, <<'a'>>) SET only = set_delete(only, <<'x'>>) ${where('u3')}`,
      );
      expect(await get('u3')).toEqual({ pk: S('u3'), sk: S('1'), ss: { SS: ['b'] }, fresh: { NS: ['1'] } });
    });

    it('changes no item that is not there, and none that does not meet the rest', async () => {
      const failed = 'The conditional request failed';
      const ghost = run(`UPDATE T SET a = 1 ${where('ghost')}`);
      await expectRefused(door, ghost, 'ConditionalCheckFailedException', failed);
      expect(await get('ghost')).toBeUndefined();
      await put({ pk: S('u4'), sk: S('1'), v: S('here') });
      const other = run(`UPDATE T SET a = 1 ${where('u4')} AND v = 'there'`);
      await expectRefused(door, other, 'ConditionalCheckFailedException', failed);
      const shown = await run(`UPDATE T SET a = 1 ${where('u4')} AND v = 'there'`, undefined, {
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }).catch((error: { Item?: Item }) => error);
      expect((shown as { Item?: Item }).Item).toEqual({ pk: S('u4'), sk: S('1'), v: S('here') });
      await run(`UPDATE T SET a = 1 WHERE (pk = 'u4' AND sk = '1') AND pk = 'u4' AND v = 'here'`);
      expect((await get('u4'))!.a).toEqual(N(1));
    });

    it('returns items in four forms', async () => {
      const returned = async (form: string) => {
        await put({ pk: S('u5'), sk: S('1'), v: S('old'), keep: N(1) });
        return items(`UPDATE T SET v = 'new' ${where('u5')} RETURNING ${form} *`);
      };
      const whole = (v: string) => [{ pk: S('u5'), sk: S('1'), v: S(v), keep: N(1) }];
      expect(await returned('ALL OLD')).toEqual(whole('old'));
      expect(await returned('ALL NEW')).toEqual(whole('new'));
      expect(await returned('MODIFIED OLD')).toEqual([{ v: S('old') }]);
      expect(await returned('MODIFIED NEW')).toEqual([{ v: S('new') }]);
      expect(await items(`UPDATE T REMOVE v ${where('u5')} RETURNING MODIFIED NEW *`)).toEqual([]);
    });

    it.each([
      [
        "UPDATE T SET a = 1 WHERE pk = 'x'",
        'Where clause does not contain a mandatory equality on all key attributes',
      ],
      ['UPDATE T SET a = 1', 'Where clause does not contain a mandatory equality on all key attributes'],
      [
        "UPDATE T SET a = 1 WHERE pk IN ['x'] AND sk = '1'",
        'Where clause does not contain a mandatory equality on all key attributes',
      ],
      [
        "UPDATE T SET a = 1 WHERE pk = 'x' AND sk = '1' AND pk = 'y'",
        'Multiple conditions on same key pk. Only single item Update/Insert/Delete are supported',
      ],
      [
        `UPDATE T SET pk = 'z' ${where('x')}`,
        `${P}Cannot update attribute pk. This attribute is part of the key`,
      ],
      [
        `UPDATE T SET n = 'a' + 1 ${where('x')}`,
        'Incorrect operand type for operator or function; operator or function: +, operand type: S',
      ],
      [
        `UPDATE T SET n = n - null ${where('x')}`,
        'Incorrect operand type for operator or function; operator or function: -, operand type: NULL',
      ],
      [`UPDATE T SET a = b IS MISSING ${where('x')}`, 'IS operator is not supported in update expressions'],
      [`UPDATE T SET t = 1 ${where('x')} garbage`, `${malformed}Unexpected token after expression`],
      ['UPDATE T WHERE pk = 1', `${malformed}Expected data manipulation`],
      // The rest of the line is a comment.
      [
        `UPDATE T SET n=n--1 ${where('x')}`,
        'Where clause does not contain a mandatory equality on all key attributes',
      ],
    ])('refuses %s', (statement, message) => refused(statement, message));

    it('says what is wrong with operations on sets', async () => {
      await put({ pk: S('u6'), sk: S('1'), ss: { SS: ['a'] }, s: S('text') });
      const update = (value: string) => `UPDATE T SET ${value} ${where('u6')}`;
      const at = (statement: string, token = 'set_add') => place(statement, token);
      const other = update("t = set_add(ss, <<'x'>>)");
      await refused(other, `The first argument to SET_ADD must equal the assignment value at ${at(other)}`);
      const text = update("ss = set_add(ss, 'x')");
      const noSet = 'The second argument to SET_ADD must be a value with type SET';
      await refused(text, `${noSet} at ${place(text, 'ss', 'set_add(')}`);
      const parameter = update('ss = set_add(ss, ?)');
      await refused(parameter, `${noSet} at ${place(parameter, 'ss', 'set_add(')}`, [N(1)]);
      const single = update('ss = set_add(ss)');
      await refused(single, `SET_ADD must have exactly two arguments at ${at(single)}`);
      const type = 'An operand in the update expression has an incorrect data type';
      await refused(update('ss = set_add(ss, <<1>>)'), type);
      await refused(update("s = set_delete(s, <<'x'>>)"), type);
      await refused(
        update('n = list_append(n, [1])'),
        'The provided expression refers to an attribute that does not exist in the item',
      );
      await refused(
        update('ns = set_add(ns, <<2, 2.0>>)'),
        `${P}Input collection [2, 2.0] contains duplicates! under root`,
      );
    });
  });

  describe('DELETE', () => {
    it('deletes an item, or nothing', async () => {
      await put({ pk: S('d1'), sk: S('1'), v: N(1) });
      const statement = "DELETE FROM T WHERE pk = 'd1' AND sk = '1' RETURNING ALL OLD *";
      expect(await items(statement)).toEqual([{ pk: S('d1'), sk: S('1'), v: N(1) }]);
      expect(await items(statement)).toEqual([]);
      // Where nothing is, nothing else is asked of it either.
      expect(await items("DELETE FROM T WHERE pk = 'd1' AND sk = '1' AND v = 1")).toEqual([]);
    });

    it('leaves an item that does not meet the rest', async () => {
      await put({ pk: S('d2'), sk: S('1'), v: N(1) });
      await expectRefused(
        door,
        run("DELETE FROM T WHERE pk = 'd2' AND sk = '1' AND v = 2"),
        'ConditionalCheckFailedException',
        'The conditional request failed',
      );
      expect(await get('d2')).toBeDefined();
    });

    it.each(['MODIFIED OLD', 'ALL NEW', 'MODIFIED NEW'])('returns no %s', (form) =>
      refused(
        `DELETE FROM T WHERE pk = 'x' AND sk = '1' RETURNING ${form} *`,
        `Invalid returning clause: RETURNING ${form} *. Only RETURNING ALL OLD * is allowed in DELETE statements.`,
      ),
    );

    it('needs the whole key', () =>
      refused(
        "DELETE FROM T WHERE v = 'a'",
        'Where clause does not contain a mandatory equality on all key attributes',
      ));
  });

  describe('the request', () => {
    const mismatch = "Number of parameters in request and statement don't match.";

    it('has as many parameters as the statement', async () => {
      await refused('SELECT * FROM T WHERE pk = ?', mismatch);
      await refused('SELECT * FROM T WHERE pk = ?', mismatch, [S('a'), S('b')]);
      await refused("SELECT * FROM T WHERE pk = '?'", mismatch, [S('a')]);
    });

    it('has its parameters judged before its statement', () =>
      refused('UPDATE T SET WHERE', `${P}Input collection [a, a] contains duplicates.`, [
        { SS: ['a', 'a'] },
      ]));

    it.each([
      ['SLECT * FROM T', 'Expected data manipulation'],
      ['SELECT * FROM "unterminated', ''],
      ["SELECT * FROM T WHERE pk = 'unterminated", ''],
      ['SELECT * FROM T /* unterminated', ''],
      ["INSERT INTO T (key, v) VALUES ('a', 1)", 'Unexpected keyword'],
      ["SELECT * FROM T WHERE pk = 'a' garbage here", 'Unexpected token after expression'],
    ])('cannot be read: %s', (statement, detail) => refused(statement, `${malformed}${detail}`));

    it('takes keywords in any case and a semicolon at the end', async () => {
      expect(await items("select sk from T where pk = 'none' and Not sk is missing;")).toEqual([]);
    });

    it('keeps to the limits of its members', async () => {
      const long = run(`SELECT * FROM T WHERE pk = '${'x'.repeat(8_192)}'`);
      await expect(long).rejects.toMatchObject({ name: 'ValidationException' });
      await expectInvalid(
        door,
        run("SELECT * FROM T WHERE pk = 'a'", undefined, { Limit: 0 }),
        "1 validation error detected: Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1",
      );
    });
  });
});

function values(count: number): string {
  return Array.from({ length: count }, (_, i) => `'v${i}'`).join(', ');
}
