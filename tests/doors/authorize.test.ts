import { DynamoDBClient, GetItemCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from 'vitest';
import { type Authorize, accessDenied, type Intent, Stator } from '../../src/index.ts';
import { ordersTable } from './orders-table.ts';

const open: Stator[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((db) => db.close()));
});

/** Refuses reads of single items, and notes what it was asked. */
function judge(asked: Intent[], isLater = false): Authorize {
  return (intent, caller) => {
    asked.push(intent);
    const refusal =
      intent.action === 'dynamodb:GetItem'
        ? accessDenied(intent, caller, 'no identity-based policy allows')
        : undefined;
    return isLater ? Promise.resolve(refusal) : refusal;
  };
}

const refused = { name: 'AccessDeniedException', message: expect.stringContaining('dynamodb:GetItem') };
const Key = { pk: { S: 'a' }, sk: { N: '1' } };

it.each([false, true])(
  'judges every door of a database, and its forks (answers later: %s)',
  async (isLater) => {
    const asked: Intent[] = [];
    const db = await Stator.open({ authorize: judge(asked, isLater), log: () => {} });
    open.push(db);
    await db.createTable(ordersTable);
    const TableName = ordersTable.TableName;
    expect(asked.map(({ action, resource }) => [action, resource])).toEqual([
      ['dynamodb:CreateTable', `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`],
    ]);
    const fork = db.fork();
    open.push(fork);
    for (const each of [db, fork]) {
      await expect(each.getItem({ TableName, Key })).rejects.toMatchObject(refused);
      await expect(each.getItem({ TableName: 'absent', Key })).rejects.toMatchObject(refused);
      const read = new GetItemCommand({ TableName, Key });
      await expect(each.client().send(read)).rejects.toMatchObject(refused);
      await expect(
        each.transactGetItems({ TransactItems: [{ Get: { TableName, Key } }] }),
      ).rejects.toMatchObject(refused);
      const server = await each.listen({ port: 0 });
      const reply = await fetch(`${server.url}/_stator/explain`, {
        method: 'POST',
        body: JSON.stringify({ statement: `SELECT * FROM "${TableName}"` }),
      });
      expect(reply.status).toBe(200);
      expect(asked.at(-1)?.action).toBe('stator:Explain');
    }
    db.restore(fork);
    await expect(db.getItem({ TableName, Key })).rejects.toMatchObject(refused);
  },
);

describe('a broken authorizer', () => {
  const broken: readonly (readonly [string, () => unknown])[] = [
    ['throws', () => raise(new Error('no policies today'))],
    ['rejects', () => Promise.reject(new Error('no policies today'))],
    ['answers true', () => true],
    ['answers null', () => null],
    ['resolves to true', () => Promise.resolve(true)],
    [
      'answers another promise',
      () => Object.fromEntries([['then', (done: (answer: string) => void) => done('yes')]]),
    ],
    ['answers an Error', () => new Error('no')],
  ];

  it.each(broken)('that %s refuses every door and is logged', async (_, answer) => {
    for (const place of ['open', 'listen'] as const) {
      const log: string[] = [];
      const authorize = answer as unknown as Authorize;
      const db = await Stator.open({ log: (line) => log.push(line), ...(place === 'open' && { authorize }) });
      open.push(db);
      const server = await db.listen({ port: 0, ...(place === 'listen' && { authorize }) });
      const client = new DynamoDBClient({
        ...{ endpoint: server.url, region: 'us-east-1', maxAttempts: 1 },
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      });
      const denied = {
        name: 'AccessDeniedException',
        message: expect.stringMatching(
          /^User: arn:aws:iam::000000000000:user\/\w+ is not authorized to perform: dynamodb:ListTables on resource: arn:aws:dynamodb:us-east-1:000000000000:table\/\*$/,
        ),
      };
      await expect(client.send(new ListTablesCommand({}))).rejects.toMatchObject(denied);
      const listed = await fetch(`${server.url}/_stator/tables`);
      expect(listed.status).toBe(403);
      if (place === 'open') await expect(db.listTables({})).rejects.toMatchObject(denied);
      else expect(await db.listTables({})).toEqual({ TableNames: [] });
      client.destroy();
      expect(log[0]).toMatch(/^The authorizer failed, so dynamodb:ListTables on \S+ is refused: /);
      expect(log.length).toBeGreaterThan(1);
    }
  });
});

it('is asked about the backup that is found, whatever Region its ARN is sent with', async () => {
  const asked: Intent[] = [];
  const db = await Stator.open({ authorize: judge(asked), log: () => {} });
  open.push(db);
  await db.createTable(ordersTable);
  const { BackupDetails } = await db.createBackup({
    TableName: ordersTable.TableName,
    BackupName: 'before',
  });
  const arn = BackupDetails!.BackupArn!;
  const sent = arn.replace('us-east-1', 'eu-west-1');
  await db.describeBackup({ BackupArn: sent });
  await db.deleteBackup({ BackupArn: sent });
  expect(asked.slice(-2).map(({ action, resource }) => [action, resource])).toEqual([
    ['dynamodb:DescribeBackup', arn],
    ['dynamodb:DeleteBackup', arn],
  ]);
});

it('sees that a failed condition shows the item, also where the write returns parts of it', async () => {
  const asked: Intent[] = [];
  const db = await Stator.open({ authorize: judge(asked), log: () => {} });
  open.push(db);
  await db.createTable(ordersTable);
  for (const [ReturnValues, seen] of [
    ['UPDATED_NEW', 'ALL_OLD'],
    ['ALL_NEW', 'ALL_NEW'],
  ] as const) {
    await db
      .updateItem({
        TableName: ordersTable.TableName,
        Key,
        UpdateExpression: 'SET a = pk',
        ReturnValues,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      })
      .catch(() => {});
    expect(asked.at(-1)?.items?.returnValues).toBe(seen);
  }
});

it('is asked about the Region in which a statement is explained', async () => {
  const asked: Intent[] = [];
  const db = await Stator.open({ log: () => {} });
  open.push(db);
  await db.createTable(ordersTable, { region: 'eu-west-1' });
  const server = await db.listen({ port: 0, authorize: judge(asked) });
  const statement = `SELECT * FROM "${ordersTable.TableName}"`;
  for (const [query, region] of [
    ['', 'eu-west-1'],
    ['?region=eu-west-1', undefined],
    ['?region=us-west-2', 'eu-west-1'],
  ] as const) {
    const body = JSON.stringify({ statement, region });
    const reply = await fetch(`${server.url}/_stator/explain${query}`, { method: 'POST', body });
    expect(reply.status).toBe(200);
    expect(asked.at(-1)?.resource).toContain(':eu-west-1:');
  }
});

function raise(error: Error): never {
  throw error;
}
