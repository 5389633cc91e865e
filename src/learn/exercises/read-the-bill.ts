import { appTable } from '../app-table.ts';
import type { Exercise } from '../exercise.ts';
import { typed } from '../items.ts';
import { Lesson } from '../lesson.ts';
import { unitsText } from '../unit-text.ts';

const file = 'prediction.json';
const customers = 25;
const ordersEach = 40;
const itemBytes = 1_000;

const key = typed({ PK: 'CUST#c07', SK: 'ORDER#003' });
const open = { '#s': 'status', ':open': { S: 'OPEN' }, ':pk': { S: 'CUST#c07' } };
const filter = {
  ExpressionAttributeNames: { '#s': open['#s'] },
  ExpressionAttributeValues: { ':open': open[':open'], ':pk': open[':pk'] },
};

const requests = {
  A: { title: 'A: GetItem', operation: 'getItem', request: { Key: key } },
  B: {
    title: 'B: GetItem, strongly consistent',
    operation: 'getItem',
    request: { Key: key, ConsistentRead: true },
  },
  C: {
    title: 'C: Query with a filter',
    operation: 'query',
    request: { KeyConditionExpression: 'PK = :pk', FilterExpression: '#s = :open', ...filter },
  },
  D: {
    title: 'D: Scan with a filter',
    operation: 'scan',
    request: { FilterExpression: 'PK = :pk and #s = :open', ...filter },
  },
} as const;

const parts = ['itemsRead', 'itemsReturned', 'readUnits'] as const;

export const readTheBill: Exercise = {
  id: 'read-the-bill',
  files: [file],
  topics: ['capacity-and-cost'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    for (let customer = 0; customer < customers; customer++)
      for (let order = 0; order < ordersEach; order++)
        await lab.db.putItem({ TableName: 'app', Item: orderOf(customer, order) });
    let given: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> = {};
    await bench.step(`${file} holds numbers`, async () => {
      given = (await bench.fields(file)) as typeof given;
      for (const name of Object.keys(requests))
        for (const part of parts)
          if (typeof given?.[name]?.[part] !== 'number')
            throw new Lesson({
              saw: `${part} of request ${name} is ${JSON.stringify(given?.[name]?.[part])}.`,
              rule: 'Each request needs three numbers: itemsRead, itemsReturned and readUnits.',
            });
      return undefined;
    });
    for (const [name, { title, operation, request }] of Object.entries(requests))
      await bench.step(title, async () => {
        await lab.caller[operation]({ TableName: 'app', ...request });
        const account = lab.ledger.take();
        const { scanned, returned, readUnits } = account;
        const told = given[name]!;
        const saw = (what: string) => `You expect ${what}. The request was run: ${account}.`;
        if (told.itemsRead !== scanned)
          throw new Lesson({
            saw: saw(`${told.itemsRead} items to be read`),
            rule: 'The key condition decides what is read. A filter only drops items afterwards, when they have been paid for; a Scan reads the whole table.',
            topic: 'capacity-and-cost',
          });
        if (told.itemsReturned !== returned)
          throw new Lesson({
            saw: saw(`${told.itemsReturned} items to be returned`),
            rule: 'What passes the filter is returned: the open orders of one customer.',
          });
        if (told.readUnits !== readUnits)
          throw wrongUnits(told.readUnits as number, { readUnits, scanned, saw });
        return unitsText(readUnits, 'read');
      });
  },
};

function wrongUnits(
  told: number,
  { readUnits, scanned, saw }: { readUnits: number; scanned: number; saw: (what: string) => string },
): Lesson {
  const rule =
    scanned > 1 && told === scanned * 0.5
      ? 'Query and Scan do not round each item up: they add up the bytes of all items and round the sum up to 4 KB once.'
      : told === readUnits * 2
        ? 'An eventually consistent read costs half.'
        : told * 2 === readUnits
          ? 'A strongly consistent read costs a whole unit for each 4 KB; only eventually consistent ones are halved.'
          : 'Bytes read, divided by 4,096 and rounded up, are the units of a strongly consistent read; half of that is the price of an eventually consistent one.';
  return new Lesson({
    saw: saw(`${told} read unit${told === 1 ? '' : 's'}`),
    rule,
    topic: 'capacity-and-cost',
  });
}

/** An order of exactly 1,000 bytes, names of attributes included. */
function orderOf(customer: number, order: number) {
  const item = {
    PK: `CUST#c${String(customer).padStart(2, '0')}`,
    SK: `ORDER#${String(order).padStart(3, '0')}`,
    status: order % 10 === 0 ? 'OPEN' : 'DONE',
  };
  const used = Object.entries(item).reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  return typed({ ...item, note: 'x'.repeat(itemBytes - used - 'note'.length) });
}
