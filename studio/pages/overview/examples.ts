import { call } from '../../data/api.ts';
import { keepExample } from '../../data/models.ts';

/** Examples that a new user can start with one click: real tables, made and filled over the public API. */

type Value = { readonly S: string } | { readonly N: string };
type ExampleItem = Readonly<Record<string, Value>>;

interface Example {
  readonly definition: object;
  items(): ExampleItem[];
  /** Traffic after the items are there. */
  readonly play?: (signal: AbortSignal) => Promise<void>;
}

const S = (text: string): Value => ({ S: text });
const N = (number: number | string): Value => ({ N: String(number) });

const examples: Readonly<Record<string, Example>> = {
  orders: {
    definition: singleTable('orders', ['GSI1', 'GSI2']),
    items: orderItems,
  },
  parcels: {
    definition: singleTable('parcels', ['GSI1']),
    items: parcelItems,
    play: playRush,
  },
};

/** Creates the table of an example, loads its items, and opens its model. Answers the table's name. */
export async function startExample(name: string): Promise<string> {
  const example = examples[name]!;
  await call('CreateTable', example.definition);
  await untilActive(name);
  const waiting = example.items().map((Item) => ({ PutRequest: { Item } }));
  while (waiting.length > 0) {
    const part = waiting.splice(0, 25);
    const { UnprocessedItems = {} } = await call<{ UnprocessedItems?: Record<string, typeof part> }>(
      'BatchWriteItem',
      { RequestItems: { [name]: part } },
    );
    waiting.push(...(UnprocessedItems[name] ?? []));
  }
  const { exampleModel } = await import('./example-models.ts');
  keepExample(exampleModel(name));
  return name;
}

/** Plays the traffic of an example, where it has any; answers whether it has. */
export function playExample(name: string): boolean {
  const { play } = examples[name]!;
  void play?.(AbortSignal.timeout(60_000)).catch(() => {});
  return play !== undefined;
}

async function untilActive(name: string): Promise<void> {
  for (;;) {
    const { Table } = await call<{ Table: { TableStatus: string } }>('DescribeTable', { TableName: name });
    if (Table.TableStatus === 'ACTIVE') return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function singleTable(name: string, indexes: readonly string[]): object {
  const keys = ['PK', 'SK', ...indexes.flatMap((index) => [`${index}PK`, `${index}SK`])];
  const schema = (prefix: string) => [
    { AttributeName: `${prefix}PK`, KeyType: 'HASH' },
    { AttributeName: `${prefix}SK`, KeyType: 'RANGE' },
  ];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: 'S' })),
    KeySchema: schema(''),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index,
      KeySchema: schema(index),
      Projection: { ProjectionType: 'ALL' },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
}

const customers = [
  ['a1b2', 'Acme Co', 'GOLD', 'Hamburg'],
  ['c3d4', 'Blue Kettle', 'SILVER', 'Porto'],
  ['e5f6', 'Nordlicht', 'GOLD', 'Tromsø'],
  ['g7h8', 'Saffron & Sons', 'BRONZE', 'Jaipur'],
  ['i9j0', 'بيت القهوة', 'SILVER', 'عمّان'],
] as const;
const products = [
  ['sku-kettle', 'Kettle', '39.90'],
  ['sku-grinder', 'Grinder ☕', '72.50'],
  ['sku-beans', 'Beans 1 kg', '18.25'],
  ['sku-cup', 'Cup', '9.00'],
] as const;
const states = ['OPEN', 'SHIPPED', 'SHIPPED', 'OPEN', 'DELIVERED', 'CANCELLED'] as const;

/** Customers with their orders in one collection, orders with their lines in another; GSI2 holds open orders only. */
function orderItems(): ExampleItem[] {
  const items: ExampleItem[] = [];
  for (const [c, [id, name, tier, city]] of customers.entries()) {
    const PK = S(`CUST#${id}`);
    items.push({
      PK,
      SK: S('PROFILE'),
      type: S('Customer'),
      name: S(name),
      tier: S(tier),
      city: S(city),
      customerId: S(id),
    });
    for (let o = 0; o < 3 + ((c * 2) % 4); o++) {
      const order = `o-${9001 + c * 10 + o}`;
      const at = `2026-06-${String(1 + ((c * 5 + o * 3) % 28)).padStart(2, '0')}`;
      const status = states[(c + o) % states.length]!;
      const lines = products.filter((_, i) => (o + i + c) % 3 === 0);
      const total = lines.reduce((sum, [, , price], i) => sum + Number(price) * (i + 1) * 100, 0) / 100;
      items.push({
        PK,
        SK: S(`ORDER#${at}#${order}`),
        type: S('Order'),
        orderId: S(order),
        status: S(status),
        total: N(total.toFixed(2)),
        placedAt: S(`${at}T10:0${o}:00Z`),
        placedOn: S(at),
        customerId: S(id),
        GSI1PK: S(`CUST#${id}#${status}`),
        GSI1SK: S(`${at}#${order}`),
        ...(status === 'OPEN' && { GSI2PK: S('OPEN'), GSI2SK: S(`${at}#${order}`) }),
      });
      for (const [i, [sku, title, price]] of lines.entries())
        items.push({
          PK: S(`ORDER#${order}`),
          SK: S(`LINE#${String(i + 1).padStart(3, '0')}`),
          type: S('Line'),
          sku: S(sku),
          title: S(title),
          quantity: N(i + 1),
          price: N(price),
          orderId: S(order),
          lineNo: N(i + 1),
        });
    }
  }
  return items;
}

function parcelItems(): ExampleItem[] {
  const items: ExampleItem[] = [];
  for (let p = 0; p < 40; p++) {
    const id = `P-${String(700_000 + p * 37)}`;
    const depot = p % 3 === 0 ? 'HAMBURG' : ['PORTO', 'JAIPUR', 'OSLO'][p % 3]!;
    items.push({
      PK: S(`PARCEL#${id}`),
      SK: S('META'),
      type: S('Parcel'),
      weight: N(((p * 313) % 2900) + 100),
      depot: S(depot),
      parcelId: S(id),
      pickedUpOn: S('2026-06-01'),
      GSI1PK: S(`DEPOT#${depot}`),
      GSI1SK: S(`2026-06-01#${id}`),
    });
    for (let e = 0; e < 1 + (p % 4); e++) {
      const time = `2026-06-01T${String(6 + e * 3).padStart(2, '0')}:${String((p * 7) % 60).padStart(2, '0')}:00Z`;
      items.push({
        PK: S(`PARCEL#${id}`),
        SK: S(`SCAN#${time}`),
        type: S('Scan'),
        at: S(e === 0 ? 'pick-up' : e === 3 ? 'door' : depot),
        parcelId: S(id),
        scannedAt: S(time),
      });
    }
  }
  return items;
}

/** So long does one depot scan everything under one key. */
const rushMs = 20_000;
/** Writes of 25 items of four units each: more than the thousand units a second that one key can take. */
const batchesPerSecond = 16;
/** What the printer was sent for a parcel. It makes a scan cost four units, so that a slow machine has a rush too. */
const label = `^XA${'^FO40,80^A0N,36,36^FDHAMBURG^FS'.repeat(110)}^XZ`;

/** The morning rush: a depot writes all its scans under one partition key, the mistake that this example is about. */
async function playRush(signal: AbortSignal): Promise<void> {
  const began = performance.now();
  let batches = 0;
  const sender = async () => {
    for (;;) {
      const elapsed = performance.now() - began;
      if (elapsed > rushMs || signal.aborted) return;
      const ahead = (batches / batchesPerSecond) * 1_000 - elapsed;
      if (ahead > 0) await new Promise((resolve) => setTimeout(resolve, ahead));
      const first = 25 * batches++;
      const puts = Array.from({ length: 25 }, (_, i) => ({
        PutRequest: {
          Item: {
            PK: S('DEPOT#HAMBURG#2026-06-01'),
            SK: S(`SCAN#${String(first + i).padStart(7, '0')}`),
            type: S('DepotScan'),
            parcel: S(`P-${String(700_000 + ((first + i) % 40) * 37)}`),
            depot: S('HAMBURG'),
            day: S('2026-06-01'),
            label: S(label),
            sequence: N(first + i),
          },
        },
      }));
      await call('BatchWriteItem', { RequestItems: { parcels: puts } }, { pattern: 'scanAtDepot' });
    }
  };
  await Promise.all([sender(), sender(), sender(), sender()]);
}
