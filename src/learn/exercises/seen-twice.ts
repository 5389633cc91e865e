import { appTable } from '../app-table.ts';
import type { Learned } from '../bench.ts';
import type { Exercise } from '../exercise.ts';
import { numberOf, typed } from '../items.ts';
import { Lesson, mustHold } from '../lesson.ts';

const file = 'consumer.mjs';
const failure = 'InternalServerError';

export const seenTwice: Exercise = {
  id: 'seen-twice',
  files: [file],
  topics: ['streams', 'conditions-and-transactions'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    const records = (customer: string) =>
      // Ids say nothing about the order of records.
      Array.from({ length: 10 }, (_, i) => ({ eventId: `${customer}-${(i * 7) % 10}`, customer }));
    const summaryOf = async (customer: string) => {
      const Key = typed({ PK: `CUST#${customer}`, SK: 'SUMMARY' });
      return (await lab.db.getItem({ TableName: 'app', Key })).Item;
    };
    const ordersOf = async (customer: string) => numberOf(await summaryOf(customer), 'orders');
    /** The consumer as a new process has it. */
    let started = 0;
    const start = async (): Promise<Learned> => (await bench.functions(file, ['handle'], ++started)).handle;
    await bench.step('Each record once', async () => {
      const handle = await start();
      const [first, ...others] = records('ann');
      await handle(lab.caller, first);
      const atFirst = JSON.stringify(await summaryOf('ann'));
      for (const record of others) await handle(lab.caller, record);
      const counted = await ordersOf('ann');
      mustHold(counted === 10, () => ({
        saw: `After ten records the summary says ${counted ?? 'nothing'}.`,
        rule: 'The summary is PK = CUST#<customer>, SK = SUMMARY, with the number orders.',
      }));
      const atLast = JSON.stringify(await summaryOf('ann'));
      mustHold(atLast.length <= atFirst.length + 20, () => ({
        saw: `The summary grew with the records: after ten of them it is ${atLast}.`,
        rule: 'An item ends at 400 KB, and each write pays for all of it. Keep what grows in items of its own: one marker for each record.',
        topic: 'limits',
      }));
      return String(lab.ledger.take());
    });
    await bench.step('Some are delivered twice', async () => {
      const handle = await start();
      const list = records('bob');
      for (const record of [...list, ...list.slice(4), list[0]!]) await handle(lab.caller, record);
      const counted = await ordersOf('bob');
      mustHold(counted === 10, () => ({
        saw: `Ten orders, seventeen deliveries: the summary says ${counted ?? 'nothing'}.`,
        rule: 'A stream delivers at least once. ADD counts each delivery, so remember which records were counted.',
        topic: 'streams',
      }));
      return undefined;
    });
    await bench.step('The consumer is started anew in between', async () => {
      const list = records('cho');
      const before = await start();
      for (const record of list.slice(0, 7)) await before(lab.caller, record);
      await lab.wait(3_600_000);
      const after = await start();
      for (const record of list.slice(3)) await after(lab.caller, record);
      const counted = await ordersOf('cho');
      mustHold(counted === 10, () => ({
        saw: `The consumer crashed after 7 records and began again at the fourth an hour later. Of ten orders the summary counts ${counted ?? 'none'}.`,
        rule: 'What a process remembers is gone when it ends, and a ClientRequestToken is forgotten after ten minutes. The memory belongs into the table.',
        topic: 'streams',
      }));
      return undefined;
    });
    await bench.step('A write fails, and the record comes again', async () => {
      const handle = await start();
      for (const operation of ['PutItem', 'UpdateItem', 'TransactWriteItems'])
        for (const afterwards of [false, true]) {
          const customer = `dee-${operation}-${afterwards}`;
          let hidden = false;
          for (const record of records(customer)) {
            lab.db.faults.add({ error: failure, operation, afterwards });
            let comesAgain = false;
            await handle(lab.caller, record).catch((error: unknown) => {
              if (!(error instanceof Lesson) || !error.saw.includes(failure)) throw error;
              comesAgain = true;
            });
            lab.db.faults.clear();
            // A record that the consumer took without an error does not come again.
            if (comesAgain) await handle(lab.caller, record);
            else hidden = true;
          }
          const counted = await ordersOf(customer);
          mustHold(counted === 10, () => ({
            saw: `Each ${operation} failed once${afterwards ? ' after it was done' : ''}, and its record came again if handle threw. Of ten orders the summary counts ${counted ?? 'none'}.`,
            rule: hidden
              ? 'A record comes again if handle throws. An error that you catch and do not understand must be thrown on.'
              : 'If the marker is written first, a failure before the count loses an order; if it is written last, it counts twice. Write both in one transaction.',
            topic: 'conditions-and-transactions',
          }));
        }
      return undefined;
    });
  },
};
