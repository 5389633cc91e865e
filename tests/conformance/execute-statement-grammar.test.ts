import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  ExecuteStatementCommand,
  ExecuteTransactionCommand,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid, expectRefused } from './refusal.ts';

/** What the service was seen to read, and to refuse, in four Regions in October 2026. */

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number | string): AttributeValue => ({ N: String(number) });
const malformed = "Statement wasn't well formed, can't be processed: ";
const leftOver = `${malformed}Unexpected token after expression`;

throughEveryDoor('Statements of unusual form', (door) => {
  let table: string;
  let several: string;
  const strings = (names: readonly string[]) =>
    names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));

  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: strings(['pk', 'sk']),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
    several = await door.createTable({
      AttributeDefinitions: strings(['pk', 'g', 'h1', 'h2', 'r1', 'r2']),
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'one',
          KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: 'hashes',
          KeySchema: [
            { AttributeName: 'h1', KeyType: 'HASH' },
            { AttributeName: 'h2', KeyType: 'HASH' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
        {
          IndexName: 'ranges',
          KeySchema: [
            { AttributeName: 'h1', KeyType: 'HASH' },
            { AttributeName: 'r1', KeyType: 'RANGE' },
            { AttributeName: 'r2', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'ALL' },
        },
      ],
    });
    const names = ['pk', 'g', 'h1', 'h2', 'r1', 'r2'];
    await door.client.send(
      new PutItemCommand({
        TableName: several,
        Item: Object.fromEntries(names.map((name) => [name, S('a')])),
      }),
    );
  });

  const put = (pk: string, sk: string, more: Record<string, AttributeValue> = {}) =>
    door.client.send(new PutItemCommand({ TableName: table, Item: { pk: S(pk), sk: S(sk), ...more } }));
  const get = async (pk: string) => {
    const Key = { pk: S(pk), sk: S('1') };
    return (await door.client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }))).Item;
  };
  /** `T` stands for the table, `M` for the one whose indexes have keys of several attributes. */
  const withNames = (statement: string) =>
    statement.replaceAll(/\bT\b/g, `"${table}"`).replaceAll(/\bM\b/g, `"${several}"`);
  const run = (statement: string, Parameters?: AttributeValue[]) =>
    door.client.send(
      new ExecuteStatementCommand({ Statement: withNames(statement), ...(Parameters && { Parameters }) }),
    );
  const refused = (statement: string, message: string, Parameters?: AttributeValue[]) =>
    expectInvalid(door, run(statement, Parameters), message);

  describe('UPDATE that begins with FROM', () => {
    it('changes and removes, with parameters in the order of the text', async () => {
      await put('f1', '1', { a: N(1), b: S('bee') });
      await run('FROM T WHERE pk = ? AND sk = ? SET c = ? REMOVE b', [S('f1'), S('1'), N(7)]);
      expect(await get('f1')).toEqual({ pk: S('f1'), sk: S('1'), a: N(1), c: N(7) });
    });

    it('returns what UPDATE returns, and takes keywords in any case', async () => {
      await put('f2', '1', { a: N(1) });
      const { Items } = await run("from T where pk = 'f2' and sk = '1' set d = 3 returning all new *");
      expect(Items).toEqual([{ pk: S('f2'), sk: S('1'), a: N(1), d: N(3) }]);
    });

    it('changes only what is there and meets the rest of the WHERE clause', async () => {
      await put('f3', '1', { a: N(1) });
      for (const statement of [
        "FROM T WHERE pk = 'f3' AND sk = '1' AND a = 2 SET c = 5",
        "FROM T WHERE pk = 'nobody' AND sk = '1' SET c = 1",
      ]) {
        await expectRefused(
          door,
          run(statement),
          'ConditionalCheckFailedException',
          'The conditional request failed',
        );
      }
      await run("FROM T WHERE pk = 'f3' AND sk = '1' AND a = 1 SET c = 5");
      expect((await get('f3'))!.c).toEqual(N(5));
      expect(await get('nobody')).toBeUndefined();
    });

    it('has its place in batches and transactions', async () => {
      await put('f4', '1');
      const Statement = withNames("FROM T WHERE pk = 'f4' AND sk = '1' SET c = 1");
      const { Responses } = await door.client.send(
        new BatchExecuteStatementCommand({ Statements: [{ Statement }] }),
      );
      expect(Responses![0]!.Error).toBeUndefined();
      const again = withNames("FROM T WHERE pk = 'f4' AND sk = '1' SET d = 2");
      await door.client.send(new ExecuteTransactionCommand({ TransactStatements: [{ Statement: again }] }));
      expect(await get('f4')).toMatchObject({ c: N(1), d: N(2) });
    });

    const needsKey = 'Where clause does not contain a mandatory equality on all key attributes';
    it.each([
      ['FROM T SET c = 1', needsKey],
      ['FROM T REMOVE a', needsKey],
      ['FROM T WHERE a = 1 SET c = 1', needsKey],
      ["FROM T SET c = 1 WHERE pk = 'x'", leftOver],
      ["FROM T SET c = 1 WHERE pk = 'x' SET d = 2", leftOver],
    ])('refuses %s', (statement, message) => refused(statement, message));

    it('misses a table like any other', () =>
      expectRefused(
        door,
        run('FROM "nowhere" WHERE pk = \'x\' SET c = 1'),
        'ResourceNotFoundException',
        'Requested resource not found',
      ));
  });

  describe('OR of conditions on the sort key', () => {
    beforeAll(async () => {
      for (const sk of ['1', '2', '3']) await put('or', sk);
      await put('other', '1');
    });
    const sortKeys = async (where: string) => {
      const { Items } = await run(`SELECT * FROM T WHERE ${where}`);
      return Items!.map(({ sk }) => sk!.S).sort();
    };

    it.each([
      ["NOT sk = '1'", ['2', '3']],
      ["sk <> '1'", ['2', '3']],
      ["NOT begins_with(sk, 'x')", ['1', '2', '3']],
      ["NOT sk IN ['1', '3']", ['2']],
      ["NOT sk > '5'", ['1', '2', '3']],
      ["NOT (sk = '1')", ['2', '3']],
    ])('is the union where one says what it is not: %s', async (negated, expected) => {
      expect(await sortKeys(`pk = 'or' AND ${negated} OR pk = 'or' AND sk = '2'`)).toEqual(expected);
      expect(await sortKeys(`pk = 'or' AND (${negated} OR sk = '2')`)).toEqual(expected);
      const others = await sortKeys(`pk = 'or' AND ${negated} OR pk = 'or' AND sk = '2' OR pk = 'other'`);
      expect(others).toEqual(['1', ...expected].sort());
    });

    it('is the union of a partition and a part of it', async () => {
      expect(await sortKeys("pk = 'or' OR pk = 'or' AND NOT sk = '1'")).toEqual(['1', '2', '3']);
    });

    it('goes on page by page without telling an item twice', async () => {
      const found: (string | undefined)[] = [];
      let NextToken: string | undefined;
      do {
        const page = await door.client.send(
          new ExecuteStatementCommand({
            Statement: withNames(
              "SELECT sk FROM T WHERE pk = 'or' AND sk <> '1' OR pk = 'or' AND sk = '2' OR pk = 'other'",
            ),
            Limit: 1,
            ...(NextToken && { NextToken }),
          }),
        );
        found.push(...page.Items!.map(({ sk }) => sk!.S));
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
      expect(found.sort()).toEqual(['1', '2', '3']);
    });

    it.each(["x = '1'", "x <> '1'", "NOT x = '1'"])('is refused beside other attributes: %s', (condition) =>
      refused(
        `SELECT * FROM T WHERE pk = 'or' AND ${condition} OR pk = 'or' AND sk = '2'`,
        'Overlapping conditions with range keys are not supported in where clause',
      ),
    );
  });

  describe('an index whose key has several attributes of a kind', () => {
    const noStatements =
      'PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.';

    it.each([
      "SELECT * FROM M.hashes WHERE h1 = 'a'",
      "SELECT pk FROM M.hashes WHERE h1 = 'a' AND h2 = 'a'",
      "SELECT pk FROM M.ranges WHERE h1 = 'a' ORDER BY r1 DESC",
      'SELECT * FROM M.hashes WHERE h1 = 5',
      "SELECT * FROM M.ranges WHERE pk = 'a'",
      'SELECT * FROM M.hashes',
      'SELECT COUNT(*) FROM M.hashes',
    ])('cannot be read: %s', (statement) => refused(statement, noStatements));

    it('is told of after what the statement itself has wrong', async () => {
      await refused('SELECT * FROM M.hashes WHERE', `${malformed}Unexpected term`);
      const number = 'The parameter cannot be converted to a numeric value: 1e99999999999';
      await refused('SELECT * FROM M.hashes WHERE h1 = ?', number, [N('1e99999999999')]);
    });

    it('leaves the table and its other indexes alone', async () => {
      for (const from of ["M WHERE pk = 'a'", "M.one WHERE g = 'a'"]) {
        expect((await run(`SELECT * FROM ${from}`)).Items).toHaveLength(1);
      }
    });

    it('fails its own statement of a batch', async () => {
      const statements = ['one WHERE g', 'hashes WHERE h1'].map((index) => `SELECT * FROM M.${index} = 'a'`);
      const { Responses } = await door.client.send(
        new BatchExecuteStatementCommand({
          Statements: [...statements, "SELECT * FROM M WHERE pk = 'a'"].map((statement) => ({
            Statement: withNames(statement),
          })),
        }),
      );
      const [one, hashes, whole] = Responses!;
      expect(one!.Error!.Message).toBe(
        'Select statements within BatchExecuteStatement must specify the primary key in the where clause.',
      );
      expect(hashes!.Error).toMatchObject({ Code: 'ValidationError', Message: noStatements });
      expect(whole!.Item!.pk).toEqual(S('a'));
    });
  });

  describe('numbers beyond all bounds', () => {
    it.each(['1e2147483648', '1e99999999999', '1.5e-2147483647', '1e-2147483648'])(
      'cannot be read as literals: %s',
      (number) => refused(`SELECT * FROM T WHERE pk = ${number}`, malformed),
    );

    it.each(['1e2147483648', '-1e99999999999', '1e-2147483648'])(
      'cannot be converted as parameters: %s',
      async (number) => {
        const message = `The parameter cannot be converted to a numeric value: ${number}`;
        for (const value of [N(number), { NS: ['1', number] }, { L: [N(1), N(number)] }])
          await refused("SELECT * FROM T WHERE pk = 'x' AND n = ?", message, [value]);
      },
    );

    it('wrap around just within them', () =>
      refused(
        "SELECT * FROM T WHERE pk = 'x' AND n = ?",
        'Number underflow. Attempting to store a number with magnitude smaller than supported range',
        [N('1e2147483647')],
      ));
  });

  it.each([
    ["INSERT INTO T t VALUE {'pk': 'x', 'sk': '1'}", leftOver],
    ['SELECT * FROM T WHERE IS NULL', `${malformed}Unexpected operator`],
    ['SELECT * FROM T WHERE pk = LIKE', `${malformed}Unexpected operator`],
    ['SELECT * FROM T WHERE ORDER BY pk', `${malformed}Unexpected keyword`],
    ["SELECT * FROM T WHERE pk = 'a' AND x IS FOO", `${malformed}Expected type name`],
  ])('refuses %s', (statement, message) => refused(statement, message));

  it.each(['x IS INT4', 'x IS INT8', 'x.y IS DOUBLE PRECISION', 'x IS CHARACTER VARYING;'])(
    'refuses a type test by itself: %s',
    (statement) => refused(statement, 'Unsupported operation: IsType'),
  );

  it('counts nowhere', async () => {
    for (const from of ['T', 'M.one', "M WHERE pk = 'a'"])
      await refused(`SELECT COUNT(*) FROM ${from}`, 'Unexpected path component at 1:8:5');
    await refused('SELECT COUNT(*) FROM T WHERE', `${malformed}Unexpected term`);
  });

  it.each(['INT4', 'INT8', 'DOUBLE PRECISION', 'CHARACTER VARYING'])('knows %s for a type', (type) =>
    refused(
      `SELECT * FROM T WHERE pk = 'a' AND x IS ${type}`,
      `Unsupported data type for IS operator: ${type}. Supported data types are [MISSING, NULL, BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST]`,
    ),
  );
});
