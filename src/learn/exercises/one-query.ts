import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { asLesson } from '../explain-error.ts';
import { textOf, typed } from '../items.ts';
import { mustHold } from '../lesson.ts';
import { isRequest, kindOf } from '../value-kind.ts';

const file = 'query.mjs';
const month = '2026-06';

export const oneQuery: Exercise = {
  id: 'one-query',
  files: [file],
  topics: ['sort-keys', 'capacity-and-cost'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    const wanted: string[] = [];
    const all: string[] = [];
    for (let i = 0; i < 400; i++) {
      const day = dayOf(i);
      const SK = `ORDER#${day}#o-${9_000 + i}`;
      all.push(SK);
      if (day.startsWith(month)) wanted.push(SK);
      // Orders of about half a kilobyte.
      await lab.db.putItem({
        TableName: 'app',
        Item: typed({ PK: 'CUST#a1b2', SK, placedOn: day, total: i, note: 'x'.repeat(450) }),
      });
    }
    wanted.sort().reverse();
    let found: readonly string[] = [];
    let limit: unknown;
    await bench.step('ordersOfMonth returns a request that DynamoDB accepts', async () => {
      const { ordersOfMonth } = await bench.functions(file, ['ordersOfMonth']);
      const request = ordersOfMonth('a1b2', month);
      mustHold(isRequest(request), () => ({
        saw: `ordersOfMonth returned ${kindOf(request)}.`,
        rule: 'It returns the request itself and does not send it: { TableName: "app", KeyConditionExpression: … }.',
      }));
      limit = 'Limit' in request ? request.Limit : undefined;
      const { Items = [] } = (await guardedQuery(lab.caller.query)(request)) as { Items?: never[] };
      found = Items.map((item) => textOf(item, 'SK')!);
      return undefined;
    });
    const account = lab.ledger.take();
    await bench.step('It finds the orders of June and no others', () => {
      const missing = wanted.filter((key) => !found.includes(key));
      const extra = found.filter((key) => !wanted.includes(key));
      mustHold(missing.length === 0, () => ({
        saw: `${counted(missing.length, 'order')} of June ${missing.length === 1 ? 'is' : 'are'} missing${missing.length === 1 ? ': ' : ', such as '}${missing[0]}.`,
        rule:
          limit !== undefined
            ? 'Limit ends the Query after so many items, wherever they are. How many orders a month has is not known before: bound the sort key instead.'
            : missing.every((key) => key.includes('2026-06-30'))
              ? "'ORDER#2026-06-30' is less than 'ORDER#2026-06-30#o-…', because a text that goes on is greater. An upper bound must be above everything of the last day, or use begins_with."
              : 'The key condition must hold for every sort key of the month.',
        topic: 'sort-keys',
      }));
      mustHold(extra.length === 0, () => ({
        saw: `${counted(extra.length, 'order')} of other months came back${extra.length === 1 ? ': ' : ', such as '}${extra[0]}.`,
        rule: 'The condition on the sort key must name the month completely.',
        topic: 'sort-keys',
      }));
      return `${wanted.length} orders`;
    });
    await bench.step('It reads nothing else', () => {
      mustHold(account.scanned === wanted.length, () => ({
        saw: `${account}. It read ${counted(account.scanned, 'item')} for ${wanted.length} orders.`,
        rule: 'A filter drops items after they were read and paid for. What a request reads is decided by the key condition alone.',
        topic: 'capacity-and-cost',
      }));
      return String(account);
    });
    await bench.step('Newest first', () => {
      mustHold(found.join() === wanted.join(), () => ({
        saw: `The first one is ${found[0]}, the newest is ${wanted[0]}.`,
        rule: 'A Query returns items in the order of the sort key. ScanIndexForward: false turns it round, at no price.',
        topic: 'sort-keys',
      }));
      return undefined;
    });
    await bench.step('It works for other months and customers too', async () => {
      const { ordersOfMonth } = await bench.functions(file, ['ordersOfMonth']);
      for (const other of ['2026-02', '2026-05']) {
        const { Items = [] } = (await lab.caller.query(ordersOfMonth('a1b2', other))) as { Items?: never[] };
        const keys = Items.map((item) => textOf(item, 'SK')!);
        const stray = keys.find((key) => !key.includes(`#${other}`));
        mustHold(stray === undefined, () => ({
          saw: `For the month ${other} it returned ${counted(keys.length, 'order')}, such as ${stray}.`,
          rule: 'Build the values of the expression from the arguments, and bound the month at both ends: June had nothing behind it.',
          topic: 'sort-keys',
        }));
        const missing = all.find((key) => key.includes(`#${other}`) && !keys.includes(key));
        mustHold(missing === undefined, () => ({
          saw: `For the month ${other} it returned ${counted(keys.length, 'order')}; ${missing} is missing.`,
          rule: "Not every month has 30 days, and 'ORDER#2026-05-31' is less than 'ORDER#2026-05-31#o-…'. begins_with knows no last day.",
          topic: 'sort-keys',
        }));
      }
      const nobody = (await lab.caller.query(ordersOfMonth('nobody', month))) as { Items?: never[] };
      mustHold((nobody.Items ?? []).length === 0, () => ({
        saw: 'For another customer it returned the orders of a1b2.',
        rule: 'Build the values of the expression from the arguments.',
      }));
      return undefined;
    });
  },
};

/** What the service refuses is the learner's request. */
function guardedQuery(query: (request: object) => Promise<object>) {
  return (request: object) =>
    query(request).catch((error: unknown) => {
      throw asLesson(error, file, 'The request was refused');
    });
}

/** An order whose month is May. */
const lastOfMay = 17;

/** Twelve orders in June, the last on the 30th; the others before it, one of them on the 31st of May. */
function dayOf(i: number): string {
  if (i < 12) return `2026-06-${String(i === 11 ? 30 : 2 * i + 1).padStart(2, '0')}`;
  const months = [
    '2025-09',
    '2025-10',
    '2025-11',
    '2025-12',
    '2026-01',
    '2026-02',
    '2026-03',
    '2026-04',
    '2026-05',
  ];
  return `${months[i % months.length]}-${String(i === lastOfMay ? 31 : (i % 28) + 1).padStart(2, '0')}`;
}
