import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  type BatchStatementRequest,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { throughEveryDoor } from './doors.ts';
import { expectInvalid } from './refusal.ts';

const S = (text: string): AttributeValue => ({ S: text });
const N = (number: number): AttributeValue => ({ N: String(number) });

throughEveryDoor('BatchExecuteStatement', (door) => {
  let table: string;
  beforeAll(async () => {
    table = await door.createTable();
  });

  const put = (item: Record<string, AttributeValue>) =>
    door.client.send(new PutItemCommand({ TableName: table, Item: item }));
  const get = async (pk: string) =>
    (
      await door.client.send(
        new GetItemCommand({ TableName: table, Key: { pk: S(pk) }, ConsistentRead: true }),
      )
    ).Item;
  /** `T` in a statement stands for the table. */
  const member = (statement: string | BatchStatementRequest): BatchStatementRequest => {
    const request = typeof statement === 'string' ? { Statement: statement } : statement;
    return { ...request, Statement: request.Statement!.replaceAll(/\bT\b/g, `"${table}"`) };
  };
  const run = (...statements: (string | BatchStatementRequest)[]) =>
    door.client.send(
      new BatchExecuteStatementCommand({
        Statements: statements.map(member),
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
  const responses = async (...statements: (string | BatchStatementRequest)[]) =>
    (await run(...statements)).Responses;

  const keyNeeded =
    'Select statements within BatchExecuteStatement must specify the primary key in the where clause.';
  const invalid = (Message: string) => ({ Error: { Code: 'ValidationError', Message } });

  it('reads items by their keys', async () => {
    await put({ pk: S('r1'), v: N(1), m: { M: { k: S('deep') } } });
    await put({ pk: S('r2'), v: N(2) });
    expect(
      await responses("SELECT * FROM T WHERE pk = 'r2'", "SELECT m.k FROM T WHERE pk IN ['r1']", {
        Statement: 'SELECT v FROM T WHERE pk = ?',
        Parameters: [S('none')],
      }),
    ).toEqual([
      { TableName: table, Item: { pk: S('r2'), v: N(2) } },
      { TableName: table, Item: { k: S('deep') } },
      { TableName: table },
    ]);
  });

  it('writes, and returns what it is told to', async () => {
    await put({ pk: S('w1'), v: N(1) });
    await put({ pk: S('w2'), v: N(1) });
    await put({ pk: S('w3'), v: N(1) });
    expect(
      await responses(
        "INSERT INTO T VALUE {'pk': 'w0', 'v': 0}",
        "UPDATE T SET v = v + 1 WHERE pk = 'w1' RETURNING MODIFIED NEW *",
        "DELETE FROM T WHERE pk = 'w2' RETURNING ALL OLD *",
        "UPDATE T REMOVE v WHERE pk = 'w3' RETURNING MODIFIED NEW *",
      ),
    ).toEqual([
      { TableName: table },
      { TableName: table, Item: { v: N(2) } },
      { TableName: table, Item: { pk: S('w2'), v: N(1) } },
      { TableName: table },
    ]);
    expect(await get('w0')).toEqual({ pk: S('w0'), v: N(0) });
    expect(await get('w2')).toBeUndefined();
    expect(await get('w3')).toEqual({ pk: S('w3') });
  });

  it('tells the errors of statements by themselves', async () => {
    await put({ pk: S('e1'), v: N(1) });
    const deep = { Statement: "UPDATE T SET v = ? WHERE pk = 'e1'", Parameters: [{ SS: [] as string[] }] };
    expect(
      await responses(
        "SLECT * FROM T WHERE pk = 'e0'",
        "INSERT INTO T VALUE {'pk': 'e1'}",
        {
          Statement: "UPDATE T SET v = 2 WHERE pk = 'e2' AND v = 1",
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
        `UPDATE "${door.newName()}" SET v = 2 WHERE pk = 'e3'`,
        'DELETE FROM T WHERE v = 1',
        "DELETE FROM T WHERE pk = 'e4' RETURNING ALL NEW *",
        deep,
        "EXISTS(SELECT * FROM T WHERE pk = 'e5' AND v = 1)",
        'UPDATE T SET v = v + 1 WHERE pk = ?',
        "INSERT INTO T VALUE {'pk': 'e6'}",
      ),
    ).toEqual([
      invalid("Statement wasn't well formed, can't be processed: Expected data manipulation"),
      {
        TableName: table,
        Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' },
      },
      {
        TableName: table,
        Error: { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      },
      { Error: { Code: 'ResourceNotFound', Message: 'Requested resource not found' } },
      invalid('Where clause does not contain a mandatory equality on all key attributes'),
      invalid(
        'Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.',
      ),
      invalid('One or more parameter values were invalid: An string set  may not be empty'),
      invalid('EXISTS can only be used in ExecuteTransaction write requests.'),
      invalid("Number of parameters in request and statement don't match."),
      { TableName: table },
    ]);
    expect(await get('e6')).toBeDefined();
  });

  describe('SELECT', () => {
    it.each([
      ["SELECT * FROM T WHERE v = 'a'", keyNeeded],
      ['SELECT * FROM T', keyNeeded],
      ["SELECT * FROM T WHERE pk = 'a' AND v = 1", keyNeeded],
      ["SELECT * FROM T WHERE pk = 'a' AND pk = 'b'", keyNeeded],
      ['SELECT * FROM T."some-index" WHERE pk = \'a\'', keyNeeded],
      ["SELECT * FROM T WHERE pk = 'a' AND attribute_exists(v)", keyNeeded],
    ])('needs the whole key and no more: %s', async (statement, message) => {
      await put({ pk: S('s1') });
      expect(await responses(statement, "SELECT * FROM T WHERE pk = 's1'")).toEqual([
        invalid(message),
        { TableName: table, Item: { pk: S('s1') } },
      ]);
    });
  });

  it('does not read and write at once', () =>
    expectInvalid(
      door,
      run("SELECT * FROM T WHERE pk = 'a'", "INSERT INTO T VALUE {'pk': 'b'}"),
      'Read and write requests together in the same batch is not supported.',
    ));

  it('takes an item once', async () => {
    await expect(
      run("UPDATE T SET v = 1 WHERE pk = 'a'", "DELETE FROM T WHERE pk = 'a'"),
    ).rejects.toMatchObject({ name: 'ValidationException' });
  });

  it('tells what each statement has cost', async () => {
    await put({ pk: S('c1'), v: S('x'.repeat(1_500)) });
    const strong = { Statement: "SELECT * FROM T WHERE pk = 'c1'", ConsistentRead: true };
    const reads = await run(strong, "SELECT * FROM T WHERE pk = 'none'");
    expect(reads.ConsumedCapacity).toEqual([
      { TableName: table, CapacityUnits: 1 },
      { TableName: table, CapacityUnits: 0.5 },
    ]);
    const writes = await run(
      "UPDATE T SET w = 1 WHERE pk = 'c1' AND v = 'no'",
      "INSERT INTO T VALUE {'pk': 'c2'}",
    );
    expect(writes.ConsumedCapacity).toEqual([
      { TableName: table, CapacityUnits: 2 },
      { TableName: table, CapacityUnits: 1 },
    ]);
  });

  it('takes one statement at least and 25 at most', async () => {
    await expect(run()).rejects.toMatchObject({ name: 'ValidationException' });
    const many = Array.from({ length: 26 }, (_, i) => `SELECT * FROM T WHERE pk = 'm${i}'`);
    await expect(run(...many)).rejects.toMatchObject({ name: 'ValidationException' });
    expect(await responses(...many.slice(1))).toHaveLength(25);
  });
});
