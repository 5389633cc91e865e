import {
  type AttributeValue,
  type CancellationReason,
  ExecuteTransactionCommand,
  type ExecuteTransactionCommandInput,
  GetItemCommand,
  type ParameterizedStatement,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });

throughEveryDoor('ExecuteTransaction', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable({
      AttributeDefinitions: ['pk', 'sk'].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  });

  const put = (pk: string, more: Record<string, AttributeValue> = {}, sk = '1') =>
    door.client.send(new PutItemCommand({ TableName: table, Item: { pk: S(pk), sk: S(sk), ...more } }));
  const get = async (pk: string) => {
    const Key = { pk: S(pk), sk: S('1') };
    return (await door.client.send(new GetItemCommand({ TableName: table, Key, ConsistentRead: true }))).Item;
  };
  /** `T` in a statement stands for the table. */
  const statement = (given: string | ParameterizedStatement): ParameterizedStatement => {
    const request = typeof given === 'string' ? { Statement: given } : given;
    return { ...request, Statement: request.Statement!.replaceAll(/\bT\b/g, `"${table}"`) };
  };
  const run = (
    statements: (string | ParameterizedStatement)[],
    more: Partial<ExecuteTransactionCommandInput> = {},
  ) =>
    door.client.send(
      new ExecuteTransactionCommand({ TransactStatements: statements.map(statement), ...more }),
    );
  const refused = (statements: (string | ParameterizedStatement)[], message: string) =>
    expectInvalid(door, run(statements), message);
  const inStatement = (position: number, message: string) =>
    `Validation failed in TransactStatements[${position}]: ${message}`;
  const reasons = async (...statements: (string | ParameterizedStatement)[]) => {
    const error = await run(statements).then(
      () => undefined,
      (thrown: { name: string; message: string; CancellationReasons?: CancellationReason[] }) => thrown,
    );
    expect(error).toMatchObject({ name: 'TransactionCanceledException' });
    const codes = error!.CancellationReasons!.map(({ Code }) => Code).join(', ');
    expect(error!.message).toBe(
      `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    );
    return error!.CancellationReasons;
  };
  const key = (pk: string, sk = '1') => `pk = '${pk}' AND sk = '${sk}'`;
  const none = { Code: 'None' };

  it('reads items at once', async () => {
    await put('r1', { v: N(1) });
    await put('r2', { m: { M: { k: S('deep') } } });
    const { Responses, ConsumedCapacity } = await run(
      [
        `SELECT * FROM T WHERE ${key('r1')}`,
        { Statement: 'SELECT m.k FROM T WHERE sk = ? AND (pk = ?)', Parameters: [S('1'), S('r2')] },
        `SELECT * FROM T WHERE pk IN ['r3'] AND sk IN ['1'] AND pk = 'r3'`,
      ],
      { ReturnConsumedCapacity: 'TOTAL' },
    );
    expect(Responses).toEqual([
      { Item: { pk: S('r1'), sk: S('1'), v: N(1) } },
      { Item: { k: S('deep') } },
      {},
    ]);
    expect(ConsumedCapacity).toEqual([{ TableName: table, CapacityUnits: 6, ReadCapacityUnits: 6 }]);
  });

  it('writes all or nothing', async () => {
    await put('w1', { n: N(1) });
    await put('w3', { n: N(1) });
    const { Responses } = await run([
      "INSERT INTO T VALUE {'pk': 'w0', 'sk': '1'}",
      `UPDATE T SET n = n + 1 WHERE ${key('w1')}`,
      `DELETE FROM T WHERE ${key('w2')}`,
      `EXISTS(SELECT * FROM T WHERE ${key('w3')} AND n = 1)`,
    ]);
    expect(Responses).toEqual([]);
    expect(await get('w0')).toBeDefined();
    expect((await get('w1'))!.n).toEqual(N(2));
    expect(
      await reasons(
        "INSERT INTO T VALUE {'pk': 'w0', 'sk': '1'}",
        "INSERT INTO T VALUE {'pk': 'w4', 'sk': '1'}",
      ),
    ).toEqual([{ Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' }, none]);
    expect(await get('w4')).toBeUndefined();
  });

  it('is cancelled by conditions', async () => {
    await put('c1', { v: S('here') });
    await put('c2', { v: S('here') });
    const failed = { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' };
    expect(
      await reasons(
        `EXISTS(SELECT * FROM T WHERE ${key('c1')} AND v IS MISSING)`,
        `UPDATE T SET w = 1 WHERE ${key('c2')}`,
        {
          Statement: `UPDATE T SET w = 1 WHERE ${key('c3')}`,
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      ),
    ).toEqual([failed, none, failed]);
    const shown = { Statement: `DELETE FROM T WHERE ${key('c1')} AND v = 'there'` };
    expect(await reasons({ ...shown, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })).toEqual([
      { ...failed, Item: { pk: S('c1'), sk: S('1'), v: S('here') } },
    ]);
    // The first value is the key's, and the other a condition.
    expect(
      await reasons(
        `EXISTS(SELECT * FROM T WHERE ${key('c1')} AND pk = 'other' AND v = 'here')`,
        `UPDATE T SET w = 1 WHERE ${key('c2')}`,
      ),
    ).toEqual([failed, none]);
    expect((await get('c2'))!.w).toBeUndefined();
  });

  it('is cancelled by keys that do not fit', async () => {
    await put('k1');
    const update = (where: string) => `UPDATE T SET a = 1 WHERE ${where}`;
    const mismatch = {
      Code: 'ValidationError',
      Message: 'The provided key element does not match the schema',
    };
    expect(
      await reasons(
        update(key('k1')),
        update("pk = 'k1'"),
        update("pk IN ['k1'] AND sk = '1'"),
        update(`${key('k1')} AND pk = 'other'`),
      ),
    ).toEqual([none, mismatch, none, none]);
    for (const where of [
      "pk IN ['k1'] AND sk = '1'",
      `${key('k1')} AND pk = 'other'`,
      "pk = 'k1' AND sk = 1",
    ])
      expect(await reasons(update(where))).toEqual([mismatch]);
    expect(await reasons("INSERT INTO T VALUE {'pk': 'k2'}", "DELETE FROM T WHERE sk = '1'")).toEqual([
      {
        Code: 'ValidationError',
        Message: 'One or more parameter values were invalid: Missing the key sk in the item',
      },
      none,
    ]);
    const select = `SELECT * FROM T WHERE ${key('k1')}`;
    expect(await reasons(select, select, "SELECT * FROM T WHERE pk = 1 AND sk = '1'")).toEqual([
      none,
      none,
      mismatch,
    ]);
  });

  it('is cancelled by tables that are not there', async () => {
    const missing = `UPDATE "${door.newName()}" SET a = 1 WHERE pk = 'x' AND sk = '1'`;
    const notFound = { Code: 'ResourceNotFound', Message: 'Requested resource not found' };
    expect(await reasons(`${missing} RETURNING ALL NEW *`, `UPDATE T SET a = 1 WHERE ${key('t1')}`)).toEqual([
      notFound,
      none,
    ]);
    await refused(
      [missing, `UPDATE T SET a = 1 WHERE ${key('t1')} RETURNING ALL NEW *`],
      inStatement(1, 'RETURNING clause is not supported in ExecuteTransaction.'),
    );
  });

  describe('refuses', () => {
    const existsRule = 'EXISTS() must contain a single item read with additional condition';
    const readRule =
      'Select statements within ExecuteTransaction must specify the primary key in the where clause.';

    it.each([
      [
        `UPDATE T SET a = 1 WHERE ${key('x')} RETURNING ALL NEW *`,
        'RETURNING clause is not supported in ExecuteTransaction.',
      ],
      [
        `SELECT * FROM T."index" WHERE ${key('x')}`,
        'Reads on indices are not supported within transactions.',
      ],
      [`SELECT * FROM T WHERE ${key('x')} AND v = 1`, readRule],
      [`SELECT * FROM T WHERE ${key('x')} AND pk = 'y'`, readRule],
      ["SELECT * FROM T WHERE pk = 'x'", readRule],
      [`EXISTS(SELECT * FROM T WHERE ${key('x')})`, existsRule],
      ["EXISTS(SELECT * FROM T WHERE pk IN ['x'] AND sk = '1' AND v = 1)", existsRule],
      ['EXISTS(SELECT * FROM T WHERE v = 1)', existsRule],
      [
        "SELECT * FROM T WHERE pk IN ['x', 'x'] AND sk = '1'",
        'Overlapping conditions with range keys are not supported in where clause',
      ],
      [`UPDATE T."index" SET a = 1 WHERE ${key('x')}`, 'This operation is not supported on an index'],
      ['SLECT', "Statement wasn't well formed, can't be processed: Expected data manipulation"],
      [
        `UPDATE T SET n = n + [1] WHERE ${key('x')}`,
        'Incorrect operand type for operator or function; operator or function: +, operand type: L',
      ],
    ])('%s', (given, message) => refused([given], inStatement(0, message)));

    it('reads among writes', () =>
      refused(
        [`SELECT * FROM T WHERE ${key('x')}`, `UPDATE T SET a = 1 WHERE ${key('y')}`],
        'ExecuteTransaction API does not support both read and write operations in the same request.',
      ));

    it('an item twice', async () => {
      const twice = 'Transaction request cannot include multiple operations on one item';
      const select = `SELECT * FROM T WHERE ${key('x')}`;
      await refused([select, `SELECT a FROM T WHERE sk = '1' AND pk = 'x'`], twice);
      await refused([`UPDATE T SET a = 1 WHERE ${key('x')}`, `DELETE FROM T WHERE ${key('x')}`], twice);
    });

    it('parameters before statements', () =>
      refused(
        ['SLECT', { Statement: `UPDATE T SET a = ? WHERE ${key('x')}`, Parameters: [{ SS: ['a', 'a'] }] }],
        'One or more parameter values were invalid: Input collection [a, a] contains duplicates.',
      ));

    it('none and more than a hundred statements', async () => {
      await expect(run([])).rejects.toMatchObject({ name: 'ValidationException' });
      const many = Array.from({ length: 101 }, (_, i) => `SELECT * FROM T WHERE ${key(`m${i}`)}`);
      await expect(run(many)).rejects.toMatchObject({ name: 'ValidationException' });
      expect((await run(many.slice(1))).Responses).toHaveLength(100);
    });
  });

  it('reads no more than four megabytes', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `large${i}`);
    for (const pk of names) await put(pk, { text: S('x'.repeat(380_000)) });
    const reads = names.map((pk) => `SELECT * FROM T WHERE ${key(pk)}`);
    expect((await run(reads.slice(1))).Responses).toHaveLength(11);
    await refused(reads, 'The aggregate size of the items in the transaction exceeds the limit of 4 MB');
  });

  it('writes no more than four megabytes', async () => {
    const updates = Array.from({ length: 12 }, (_, i) => ({
      Statement: `UPDATE T SET a = ? WHERE ${key(`written${i}`)}`,
      Parameters: [S('x'.repeat(350_000))],
    }));
    const tooLarge = /^Transaction payload size cannot exceed 4MB/;
    await expect(run(updates)).rejects.toThrow(tooLarge);
    const inserts = updates.map(({ Parameters }, i) => ({
      Statement: `INSERT INTO T VALUE {'pk': 'written${i}', 'sk': '1', 'a': ?}`,
      Parameters,
    }));
    await expect(run(inserts)).rejects.toThrow(tooLarge);
    await run(inserts.slice(0, 11));
  });

  it('happens once under one token', async () => {
    await put('once', { n: N(0) });
    const statements = [`UPDATE T SET n = n + 1 WHERE ${key('once')}`];
    const more = { ClientRequestToken: `token-${Date.now()}`, ReturnConsumedCapacity: 'TOTAL' as const };
    const first = await run(statements, more);
    expect(first.Responses).toEqual([]);
    expect(first.ConsumedCapacity).toEqual([{ TableName: table, CapacityUnits: 2, WriteCapacityUnits: 2 }]);
    const second = await run(statements, more);
    expect(second.Responses).toEqual([]);
    expect(second.ConsumedCapacity).toEqual([{ TableName: table, CapacityUnits: 2, ReadCapacityUnits: 2 }]);
    expect((await get('once'))!.n).toEqual(N(1));
    await expect(run([`UPDATE T SET n = n + 2 WHERE ${key('once')}`], more)).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
    });
  });
});
