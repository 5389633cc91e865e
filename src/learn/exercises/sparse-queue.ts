import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed } from '../items.ts';
import { startMs } from '../lab.ts';
import { mustHold } from '../lesson.ts';

const file = 'jobs.mjs';
const jobs = 50;
const finished = 40;

export const sparseQueue: Exercise = {
  id: 'sparse-queue',
  files: [file],
  topics: ['indexes'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable({ indexes: ['GSI1'] })] });
    const dateOf = (i: number) => new Date(startMs - i * 3_600_000).toISOString();
    for (let i = 0; i < jobs; i++) {
      const item = { PK: `JOB#${i}`, SK: 'JOB', status: 'OPEN', createdAt: dateOf(i) };
      await lab.db.putItem({
        TableName: 'app',
        Item: typed({ ...item, GSI1PK: 'OPEN', GSI1SK: item.createdAt }),
      });
    }
    const inIndex = async () => {
      const { Items = [] } = await lab.db.scan({ TableName: 'app', IndexName: 'GSI1' });
      return Items.map((item) => ({ partition: textOf(item, 'GSI1PK'), key: textOf(item, 'PK') }));
    };
    const statusOf = async (i: number) => {
      const { Item } = await lab.db.getItem({ TableName: 'app', Key: typed({ PK: `JOB#${i}`, SK: 'JOB' }) });
      return { status: textOf(Item, 'status'), createdAt: textOf(Item, 'createdAt') };
    };
    await bench.step(`${finished} of ${jobs} jobs are finished`, async () => {
      const { finish } = await bench.functions(file, ['finish']);
      for (let i = 0; i < finished; i++) await finish(lab.caller, String(i));
      const account = lab.ledger.take();
      const { status, createdAt } = await statusOf(0);
      mustHold(status === 'DONE' && createdAt === dateOf(0), () => ({
        saw:
          status === undefined
            ? 'A finished job is gone from the table.'
            : `A finished job has the status ${status} and was created ${createdAt}.`,
        rule: 'finish sets the status to DONE and leaves everything else of the job as it is.',
      }));
      mustHold(account.requests === finished, () => ({
        saw: `${account} for ${finished} jobs.`,
        rule: 'One UpdateItem changes the status and the keys of the index together.',
      }));
      return String(account);
    });
    await bench.step('The index holds open jobs only', async () => {
      const found = await inIndex();
      const elsewhere = found.filter(({ partition }) => partition !== 'OPEN');
      mustHold(found.length === jobs - finished, () => ({
        saw: `${jobs - finished} jobs are open, and the index holds ${found.length} entries${elsewhere.length === 0 ? '' : `, ${elsewhere.length} of them under ${elsewhere[0]!.partition}`}.`,
        rule:
          elsewhere.length === 0
            ? 'An item stays in a sparse index as long as it has the key attributes of the index. Remove them in the same update: REMOVE GSI1PK, GSI1SK.'
            : 'Another key value only moves the entry: it is still stored, and was written twice. Remove the key attributes, and the entry is gone.',
        topic: 'indexes',
      }));
      return `${found.length} entries`;
    });
    await bench.step('A job that is opened again comes back to its place', async () => {
      const { reopen } = await bench.functions(file, ['reopen']);
      lab.ledger.take();
      await reopen(lab.caller, '3');
      const account = lab.ledger.take();
      const { Items = [] } = await lab.db.query({
        TableName: 'app',
        IndexName: 'GSI1',
        KeyConditionExpression: 'GSI1PK = :open AND GSI1SK = :date',
        ExpressionAttributeValues: { ':open': { S: 'OPEN' }, ':date': { S: dateOf(3) } },
      });
      const { status } = await statusOf(3);
      mustHold(status === 'OPEN' && Items.length === 1, () => ({
        saw: `After reopen the job has the status ${status}, and the index holds ${Items.length} entries under OPEN / ${dateOf(3)}.`,
        rule: 'Set the status and both key attributes; GSI1SK is the createdAt of the item: SET GSI1SK = createdAt.',
        topic: 'indexes',
      }));
      mustHold(account.requests === 1, () => ({
        saw: `reopen made ${account}.`,
        rule: 'An update expression can copy an attribute of the same item: SET GSI1SK = createdAt. Nothing has to be read first.',
        topic: 'conditions-and-transactions',
      }));
      return String(account);
    });
  },
};
