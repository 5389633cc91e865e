import { appTable } from '../app-table.ts';
import type { Learned } from '../bench.ts';
import type { Exercise } from '../exercise.ts';
import { asLesson } from '../explain-error.ts';
import { type Simple, textOf, typed } from '../items.ts';
import type { Lab } from '../lab.ts';
import { startMs } from '../lab.ts';
import { mustHold } from '../lesson.ts';

const file = 'keys.mjs';
type Thing = Readonly<Record<string, Simple>>;

export const oneScreen: Exercise = {
  id: 'one-screen',
  files: [file],
  topics: ['relationships', 'items-and-keys'],
  async judge(bench) {
    const lab = await bench.lab({ tables: [appTable()] });
    const { customers, orders, lines } = things();
    let screens: Readonly<Record<'customerScreen' | 'orderScreen', Learned>> | undefined;
    await bench.step('Everything is stored, and nothing is overwritten', async () => {
      const mine = await bench.functions(file, ['keysOf', 'customerScreen', 'orderScreen']);
      screens = mine;
      const used = new Map<string, string>();
      for (const [kind, list] of [
        ['customer', customers],
        ['order', orders],
        ['line', lines],
      ] as const)
        for (const thing of list) {
          const keys: unknown = mine.keysOf(kind, thing);
          mustHold(Array.isArray(keys) && keys.length > 0 && keys.every(isKey), () => ({
            saw: `keysOf('${kind}', ${JSON.stringify(thing)}) is ${JSON.stringify(keys)}.`,
            rule: 'It returns a list of { PK, SK } with texts, one for each copy.',
          }));
          for (const { PK, SK } of keys as { PK: string; SK: string }[]) {
            const before = used.get(`${PK} ${SK}`);
            mustHold(before === undefined, () => ({
              saw: `${kind === 'order' ? 'An' : 'A'} ${kind} has the key ${PK} / ${SK}, which ${before === 'order' ? 'an' : 'a'} ${before} has already: the later one overwrites it.`,
              rule: 'Partition key and sort key together are the identity of an item: two things must never share both.',
              topic: 'items-and-keys',
            }));
            used.set(`${PK} ${SK}`, kind);
            await lab.db.putItem({ TableName: 'app', Item: typed({ ...thing, kind, PK, SK }) });
          }
        }
      const ofCustomers = customers.flatMap((thing) => mine.keysOf('customer', thing) as { PK: string }[]);
      mustHold(new Set(ofCustomers.map(({ PK }) => PK)).size > 1, () => ({
        saw: `All customers lie under the partition key ${ofCustomers[0]!.PK}.`,
        rule: 'One partition key gives 1,000 write units a second, however large the table is. Give each customer a collection of its own.',
        topic: 'partitions',
      }));
      return `${used.size} items`;
    });
    await bench.step('The order and all its lines in one request', () =>
      showOrder(lab, screens!.orderScreen, { order: orders[5]!, lines }),
    );
    await bench.step('The customer and the five newest orders in one request', () =>
      showCustomer(lab, screens!.customerScreen, { customer: customers[0]!, orders }),
    );
  },
};

async function showOrder(
  { caller, ledger }: Lab,
  screen: Learned,
  { order, lines }: { order: Thing; lines: readonly Thing[] },
): Promise<string> {
  const found = await ask(caller.query, screen(order.orderId));
  const kinds = found.map(({ kind }) => kind);
  const wanted = lines.filter(({ orderId }) => orderId === order.orderId).map(({ line }) => Number(line));
  const got = found.filter(({ kind }) => kind === 'line').map(({ line }) => Number(line));
  mustHold(kinds.filter((kind) => kind === 'order').length === 1, () => ({
    saw: `The answer holds ${told(kinds)}.`,
    rule: 'The order must lie in the same collection as its lines: the same PK.',
    topic: 'relationships',
  }));
  mustHold(got.length === wanted.length, () => ({
    saw: `The order has ${wanted.length} lines, and the answer holds ${told(kinds)}.`,
    rule: 'Give the lines the partition key of their order, and a sort key that tells them apart.',
    topic: 'relationships',
  }));
  mustHold(got.join() === wanted.join(), () => ({
    saw: `The lines come as ${got.join(', ')}.`,
    rule: "'LINE#10' sorts before 'LINE#2': give numbers in a sort key a fixed width.",
    topic: 'sort-keys',
  }));
  return String(ledger.take());
}

async function showCustomer(
  { caller, ledger }: Lab,
  screen: Learned,
  { customer, orders }: { customer: Thing; orders: readonly Thing[] },
): Promise<string> {
  const found = await ask(caller.query, screen(customer.customerId));
  const account = ledger.take();
  const kinds = found.map(({ kind }) => kind);
  const ofCustomer = orders
    .filter(({ customerId }) => customerId === customer.customerId)
    .sort((a, b) => (String(a.placedAt) < String(b.placedAt) ? 1 : -1));
  const newest = ofCustomer.slice(0, 5).map(({ orderId }) => String(orderId));
  const got = found.filter(({ kind }) => kind === 'order').map(({ orderId }) => orderId);
  mustHold(account.scanned <= 6, () => ({
    saw: `${account}. The screen shows six things.`,
    rule: 'Without Limit a Query reads the whole collection, however large it has become. Arrange the keys so that the six lie together, and read no more.',
    topic: 'capacity-and-cost',
  }));
  mustHold(kinds.includes('customer'), () => ({
    saw: `The answer holds ${told(kinds)}, and no customer.`,
    rule: 'The customer must lie next to the newest orders: PROFILE sorts behind every ORDER#…, so read the collection from its end.',
    topic: 'relationships',
  }));
  mustHold(got.length >= 5 || account.scanned === 6, () => ({
    saw: `The answer holds ${told(kinds)}.`,
    rule: 'The screen shows six things, the customer and five orders: Limit: 6.',
    topic: 'relationships',
  }));
  const oldest = ofCustomer.slice(-5).map(({ orderId }) => String(orderId));
  mustHold([...got].sort().join() !== oldest.sort().join(), () => ({
    saw: `These orders came: ${got.join(', ')}. They are the oldest five.`,
    rule: 'ScanIndexForward: false reads a collection from its end, where the newest are. The sort key of the customer must lie behind them there.',
    topic: 'sort-keys',
  }));
  mustHold([...got].sort().join() === [...newest].sort().join(), () => ({
    saw: `The answer holds ${told(kinds)}; the newest orders are ${newest.join(', ')}, and these came: ${got.join(', ') || 'none'}.`,
    rule: 'Orders must lie in the collection of their customer, by date: the sort key begins with placedAt.',
    topic: 'sort-keys',
  }));
  return String(account);
}

async function ask(query: (request: object) => Promise<object>, request: unknown) {
  mustHold(typeof request === 'object' && request !== null && !('then' in request), () => ({
    saw: 'A screen must return the request of a Query, as an object.',
    rule: 'It returns the request and does not send it.',
  }));
  const { Items = [] } = (await query(request).catch((error: unknown) => {
    throw asLesson(error, file, 'The request was refused');
  })) as { Items?: never[] };
  return Items.map((item) => ({
    kind: textOf(item, 'kind'),
    line: textOf(item, 'line'),
    orderId: textOf(item, 'orderId'),
  }));
}

function isKey(key: unknown): boolean {
  return (
    typeof key === 'object' &&
    key !== null &&
    'PK' in key &&
    'SK' in key &&
    typeof key.PK === 'string' &&
    typeof key.SK === 'string' &&
    key.PK !== '' &&
    key.SK !== ''
  );
}

function told(kinds: readonly (string | undefined)[]): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind ?? 'item', (counts.get(kind ?? 'item') ?? 0) + 1);
  if (counts.size === 0) return 'nothing';
  return [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`).join(' and ');
}

function things(): { customers: Thing[]; orders: Thing[]; lines: Thing[] } {
  const customers: Thing[] = [];
  const orders: Thing[] = [];
  const lines: Thing[] = [];
  for (let c = 0; c < 8; c++) {
    const customerId = `c${c}`;
    customers.push({ customerId, name: `Customer ${c}` });
    for (let o = 0; o < (c === 0 ? 300 : 4); o++) {
      const orderId = `o${c}-${o}`;
      // Not in the order of their numbers.
      // The second customer placed two orders at the same moment.
      const turn = c === 1 ? Math.max(1, o) : o;
      const placedAt = new Date(startMs - ((turn * 7_919) % 10_007) * 3_600_000).toISOString();
      orders.push({ customerId, orderId, placedAt, total: o });
      for (let line = 1; line <= (o === 5 ? 12 : 1); line++)
        lines.push({ orderId, line, product: `p${line}`, price: line });
    }
  }
  return { customers, orders, lines };
}
