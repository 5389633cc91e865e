import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
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

it('answers nothing if the authorizer fails', async () => {
  const failures: string[] = [];
  const db = await Stator.open({
    authorize: () => {
      throw new Error('no policies today');
    },
    log: (line) => failures.push(line),
  });
  open.push(db);
  await expect(db.listTables({})).rejects.toMatchObject({ name: 'InternalServerError' });
  expect(failures.join()).toContain('no policies today');
});
