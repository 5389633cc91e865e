import type { AttributeMap } from '../../index.ts';
import { counted } from '../../model/counted.ts';
import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { textOf, typed } from '../items.ts';
import { mustHold } from '../lesson.ts';

const file = 'pages.mjs';
const orders = 3_000;
const small = 130;

/** Unpaid are some of the first and some of the last, and none of the second megabyte. */
const isPaid = (i: number) => !(i % 97 === 0 && (i < 900 || i > 2_400));

export const pageToTheEnd: Exercise = {
  id: 'page-to-the-end',
  files: [file],
  topics: ['api'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()], requestsMax: 150 });
    const keyOf = (i: number) => `ORDER#${String(i).padStart(5, '0')}`;
    const put = (PK: string, i: number, note: string) =>
      lab.db.putItem({ TableName: 'app', Item: typed({ PK, SK: keyOf(i), paid: isPaid(i), note }) });
    for (let i = 0; i < orders; i++) await put('CUST#big', i, 'x'.repeat(960));
    for (let i = 0; i < small; i++) await put('CUST#small', i, 'x');
    const wanted = Array.from({ length: orders }, (_, i) => i).filter((i) => !isPaid(i));
    await bench.step('All unpaid orders are found', async () => {
      const { unpaid } = await bench.functions(file, ['unpaid']);
      const found: unknown = await unpaid(lab.caller, 'CUST#big');
      const account = lab.ledger.take();
      mustHold(Array.isArray(found), () => ({
        saw: `unpaid returned ${JSON.stringify(found)}.`,
        rule: 'It returns a list of items.',
      }));
      const keys = new Set((found as AttributeMap[]).map((item) => textOf(item, 'SK')));
      mustHold(keys.size === wanted.length, () => ({
        saw: `${counted(wanted.length, 'order')} are unpaid; unpaid returned ${keys.size}. ${account}.`,
        rule:
          account.requests === 1
            ? 'One Query reads 1 MB and stops. If the answer has a LastEvaluatedKey, there is more: pass it as ExclusiveStartKey.'
            : 'A page may be empty although more follows, because the filter dropped all that it read. Only a missing LastEvaluatedKey is the end.',
        topic: 'api',
      }));
      mustHold((found as unknown[]).length === keys.size, () => ({
        saw: `unpaid returned ${(found as unknown[]).length} items, and ${keys.size} different ones.`,
        rule: 'Each page must begin where the one before has stopped.',
      }));
      mustHold(account.of('scan').requests === 0, () => ({
        saw: `${account}. A Scan reads the orders of all customers.`,
        rule: 'Whoever knows the partition key sends a Query: a Scan costs what the table holds, however little of it is wanted.',
        topic: 'method',
      }));
      mustHold(account.requests <= 6, () => ({
        saw: `${account}. Four pages of 1 MB hold everything.`,
        rule: 'Leave Limit out where everything is wanted: a small page only makes more requests.',
      }));
      return String(account);
    });
    await bench.step('Pages of 25 show every order once', async () => {
      // Two processes behind one address: the next page may be asked of either.
      const processes = [await bench.functions(file, ['page']), await bench.functions(file, ['page'], 1)];
      const seen: string[] = [];
      let cursor: unknown;
      let pages = 0;
      do {
        const answer = (await processes[pages % 2]!.page(lab.caller, 'CUST#small', cursor)) as
          | { items?: AttributeMap[]; cursor?: unknown }
          | undefined;
        pages++;
        mustHold(Array.isArray(answer?.items) && answer.items.length <= 25, () => ({
          saw: `Page ${pages} has ${Array.isArray(answer?.items) ? answer.items.length : 'no'} items.`,
          rule: 'It returns { items, cursor } with at most 25 items.',
        }));
        mustHold(answer!.items!.length === 25 || isAbsent(answer!.cursor), () => ({
          saw: `Page ${pages} has ${answer!.items!.length} items, and a cursor for more.`,
          rule: 'A page has 25 orders as long as more follow: Limit: 25.',
        }));
        const keys = answer!.items!.map((item) => textOf(item, 'SK')!);
        const again = keys.find((key) => seen.includes(key));
        mustHold(again === undefined, () => ({
          saw: `Page ${pages} shows ${again} once more.`,
          rule: 'The cursor itself must carry LastEvaluatedKey, since another process may answer the next request, and that request must pass it as ExclusiveStartKey.',
          topic: 'api',
        }));
        seen.push(...keys);
        cursor = answer!.cursor;
        mustHold(isAbsent(cursor) || typeof cursor === 'string', () => ({
          saw: `The cursor of page ${pages} is ${JSON.stringify(cursor)}.`,
          rule: 'A browser can send back a text only.',
        }));
      } while (!isAbsent(cursor) && pages < 20);
      const account = lab.ledger.take();
      mustHold(seen.length === small, () => ({
        saw: `${pages} pages showed ${seen.length} of ${small} orders.`,
        rule: 'As long as LastEvaluatedKey is there the page has a cursor; behind the last page it has none.',
        topic: 'api',
      }));
      mustHold(account.scanned <= small + 25, () => ({
        saw: `${account}, to show ${small} orders.`,
        rule: 'Skipping by number reads everything before it again, and pays for it. A cursor begins where the last page has stopped.',
        topic: 'api',
      }));
      return String(account);
    });
  },
};

function isAbsent(cursor: unknown): boolean {
  return cursor === undefined || cursor === null;
}
