import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError, Stator } from '../../src/index.ts';

let db: Stator;
let url: string;

beforeAll(async () => {
  db = await Stator.open();
  url = (await db.listen({ port: 0 })).url;
  await db.createTable({
    TableName: 'Orders',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'customer', AttributeType: 'S' },
      { AttributeName: 'day', AttributeType: 'N' },
      { AttributeName: 'state', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'customer', KeyType: 'HASH' },
      { AttributeName: 'day', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-state',
        KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: 'by-customer-state',
        KeySchema: [
          { AttributeName: 'customer', KeyType: 'HASH' },
          { AttributeName: 'state', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  });
  for (let day = 1; day <= 20; day++) {
    await db.putItem({
      TableName: 'Orders',
      Item: {
        customer: { S: 'a' },
        day: { N: String(day) },
        state: { S: 'new' },
        note: { S: 'x'.repeat(2_000) },
      },
    });
  }
});

afterAll(() => db.close());

describe('db.explain', () => {
  it('tells a lookup by the key', async () => {
    const explained = await db.explain('SELECT * FROM Orders WHERE customer = ? AND day = ?');
    expect(explained).toMatchObject({
      operation: 'GetItem',
      table: 'Orders',
      requests: 1,
      keyConditions: ['"customer" = ?1 AND "day" = ?2'],
      estimate: { kind: 'read', least: 0.5, most: 0.5, items: 20 },
      warnings: [],
    });
  });

  it('tells queries, their filter and their order', async () => {
    const explained = await db.explain(
      "SELECT * FROM Orders WHERE customer IN ['a', 'b'] AND day >= ? AND day < 9 AND note <> 'z' ORDER BY customer DESC, day",
      [{ N: '3' }],
    );
    expect(explained).toMatchObject({
      operation: 'Query',
      requests: 2,
      keyConditions: [
        '"customer" = \'b\' AND "day" BETWEEN 3 AND 9',
        '"customer" = \'a\' AND "day" BETWEEN 3 AND 9',
      ],
      filter: '"day" < 9 AND "note" <> \'z\'',
      order: 'ascending',
    });
    expect(explained.estimate.least).toBe(1);
    expect(explained.estimate.most).toBeGreaterThan(4);
    expect(explained.warnings).toEqual([
      'Items that the filter leaves out are read and paid for all the same.',
    ]);
  });

  it('tells indexes', async () => {
    const keyed = await db.explain('SELECT * FROM "Orders"."by-state" WHERE state = ?');
    expect(keyed).toMatchObject({ operation: 'Query', index: 'by-state', keyConditions: ['"state" = ?1'] });
    // Entries of keys only are smaller than items.
    expect(keyed.estimate.bytes).toBeLessThan(1_000);
    const fetched = await db.explain('SELECT note FROM "Orders"."by-customer-state" WHERE customer = ?');
    expect(fetched).toMatchObject({ operation: 'Query', index: 'by-customer-state' });
    expect(fetched.warnings.join()).toContain('fetched from the table');
  });

  it('warns of scans and tells their whole cost', async () => {
    const explained = await db.explain('SELECT * FROM Orders WHERE day = 3 AND state = ?');
    expect(explained).toMatchObject({
      operation: 'Scan',
      keyConditions: [],
      filter: '"day" = 3 AND "state" = ?1',
    });
    expect(explained.estimate.least).toBe(explained.estimate.most);
    expect(explained.estimate.least).toBe(Math.ceil(explained.estimate.bytes / 4096) / 2);
    expect(explained.warnings[0]).toContain('This reads the whole table');
    expect(explained.warnings[0]).toContain('"customer"');
    // What it costs is what is charged.
    const { ConsumedCapacity } = await db.executeStatement({
      Statement: "SELECT * FROM Orders WHERE day = 3 AND state = 'new'",
      ReturnConsumedCapacity: 'TOTAL',
    });
    expect(ConsumedCapacity!.CapacityUnits).toBe(explained.estimate.least);
  });

  it('tells writes', async () => {
    expect(await db.explain("INSERT INTO Orders VALUE {'customer': ?, 'day': ?, 'note': ?}")).toMatchObject({
      operation: 'PutItem',
      keyConditions: ['"customer" = ?1 AND "day" = ?2'],
      estimate: { kind: 'write', least: 2, most: 10 },
    });
    expect(
      await db.explain(
        'UPDATE Orders SET n = n + ?, l = list_append(l, ?), s = set_add(s, ?) REMOVE x WHERE customer = ? AND day = ? AND size(note) > ? AND attribute_type(n, ?)',
      ),
    ).toMatchObject({
      operation: 'UpdateItem',
      update: 'SET "n" = "n" + ?1 SET "l" = list_append("l", ?2) SET "s" = set_add("s", ?3) REMOVE "x"',
      condition: 'size("note") > ?6 AND attribute_type("n", \'S\')',
    });
    const deletion = await db.explain("DELETE FROM Orders WHERE customer = 'a' AND day = 1");
    expect(deletion).toMatchObject({ operation: 'DeleteItem' });
    // What only a transaction can do costs what it does there.
    const least = 2 * deletion.estimate.least;
    expect(
      await db.explain("EXISTS(SELECT * FROM Orders WHERE customer = 'a' AND day = 1 AND note IS MISSING)"),
    ).toMatchObject({
      operation: 'ConditionCheck',
      condition: '"note" IS MISSING',
      estimate: { least, most: least },
    });
  });

  it('changes nothing', async () => {
    await db.explain("DELETE FROM Orders WHERE customer = 'a' AND day = 1");
    const { Items } = await db.executeStatement({
      Statement: "SELECT day FROM Orders WHERE customer = 'a' AND day = 1",
    });
    expect(Items).toHaveLength(1);
  });

  it('refuses what would be refused', async () => {
    await expect(db.explain('SELEC')).rejects.toThrow(ServiceError);
    await expect(db.explain('SELECT * FROM Orders WHERE customer = ?', [])).rejects.toThrow(
      "Value '[]' at 'parameters'",
    );
    await expect(
      db.explain('SELECT * FROM Orders WHERE customer = ? AND day = ?', [{ S: 'a' }]),
    ).rejects.toThrow("Number of parameters in request and statement don't match.");
    await expect(db.explain("UPDATE Orders SET a = 1 WHERE customer = 'a'")).rejects.toThrow(
      'Where clause does not contain a mandatory equality on all key attributes',
    );
    await expect(db.explain('SELECT * FROM Nowhere')).rejects.toThrow('Requested resource not found');
  });
});

describe('POST /_stator/explain', () => {
  const ask = async (body: object) => {
    const response = await fetch(`${url}/_stator/explain`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as unknown };
  };

  it('answers the same', async () => {
    const statement = "SELECT * FROM Orders WHERE state = 'new'";
    expect(await ask({ statement })).toEqual({ status: 200, body: await db.explain(statement) });
    const withParameters = { statement: 'SELECT * FROM Orders WHERE customer = ?', parameters: [{ S: 'a' }] };
    expect(await ask(withParameters)).toMatchObject({
      status: 200,
      body: { operation: 'Query', keyConditions: ['"customer" = \'a\''] },
    });
  });

  it.each([
    [{}, 'statement is not a text'],
    [{ statement: 1 }, 'statement is not a text'],
    [{ statement: 'SELECT', parameters: {} }, 'parameters is not a list'],
    [{ statement: 'SELECT', limit: 1 }, 'limit is not known here'],
    [{ statement: 'SELECT', region: 1 }, 'region is not a text'],
    [
      { statement: 'SELECT', region: 'a b' },
      'explain: region must be the name of a Region such as "eu-west-1", and not "a b"',
    ],
    [
      { statement: 'SELEC' },
      "ValidationException: Statement wasn't well formed, can't be processed: Expected data manipulation",
    ],
    [
      { statement: 'SELECT * FROM Orders', region: 'eu-west-1' },
      'ResourceNotFoundException: Requested resource not found',
    ],
  ])('refuses %j', async (body, error) => {
    expect(await ask(body)).toEqual({ status: 400, body: { error } });
  });
});

describe('the plain methods of PartiQL', () => {
  it('run statements', async () => {
    const bytes = Uint8Array.from([1, 2]);
    await db.executeStatement({
      Statement: "INSERT INTO Orders VALUE {'customer': 'plain', 'day': 1, 'b': ?}",
      Parameters: [{ B: bytes }],
    });
    const { Items } = await db.executeStatement({
      Statement: "SELECT b FROM Orders WHERE customer = 'plain' AND day = 1",
    });
    expect(Items).toEqual([{ b: { B: bytes } }]);
    const { Responses } = await db.batchExecuteStatement({
      Statements: [
        { Statement: 'SELECT b FROM Orders WHERE customer = ? AND day = 1', Parameters: [{ S: 'plain' }] },
        { Statement: 'SELEC' },
      ],
    });
    expect(Responses[0]).toEqual({ TableName: 'Orders', Item: { b: { B: bytes } } });
    expect(Responses[1]!.Error!.Code).toBe('ValidationError');
    const transaction = await db.executeTransaction({
      TransactStatements: [{ Statement: "SELECT day FROM Orders WHERE customer = 'plain' AND day = 1" }],
    });
    expect(transaction.Responses).toEqual([{ Item: { day: { N: '1' } } }]);
    await expect(
      db.executeTransaction({
        TransactStatements: [{ Statement: "INSERT INTO Orders VALUE {'customer': 'plain', 'day': 1}" }],
      }),
    ).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [{ Code: 'DuplicateItem', Message: 'Duplicate primary key exists in table' }],
    });
  });
});
