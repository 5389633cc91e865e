import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { Stator } from '../../src/stator.ts';
import { HeaderFields } from '../../src/wire/header-fields.ts';
import { seededRandom } from '../../tests/seeded-random.ts';
import { collectGarbage, median } from '../compare.ts';
import type { HttpSettings, InProcessResult } from './http-suite.ts';
import { Orders, tableName, type WireItem } from './items.ts';
import type { MeasuredOperation } from './load.ts';
import { RequestSigner } from './signed-request.ts';

/** A way into a database that needs no socket. */
interface Door {
  readonly name: string;
  put(item: WireItem): unknown;
  get(key: WireItem): unknown;
}

/** What the doors without a socket do, one request after the other, on a database in memory. */
export async function measureInProcess(settings: HttpSettings): Promise<InProcessResult[]> {
  const orders = new Orders(settings.items, settings.seed);
  const db = await Stator.open();
  try {
    const doors = doorsOf(db);
    await wholeRequest(db, 'CreateTable', {
      TableName: tableName,
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    });
    for (let index = 0; index < orders.count; index++) await doors[0]!.put(orders.item(index, 0));
    const results: InProcessResult[] = [];
    for (const operation of ['GetItem', 'PutItem'] as const) {
      const rates = doors.map(() => [] as number[]);
      for (let round = -1; round < settings.rounds; round++)
        for (const [at, door] of doors.entries()) {
          const rate = await oneRound(door, operation, orders, settings, round);
          // The round before the first warms up.
          if (round >= 0) rates[at]!.push(rate);
        }
      for (const [at, { name }] of doors.entries())
        results.push({ door: name, operation, operationsPerSecond: median(rates[at]!) });
    }
    return results;
  } finally {
    await db.close();
  }
}

async function oneRound(
  door: Door,
  operation: MeasuredOperation,
  orders: Orders,
  { seconds, seed }: HttpSettings,
  round: number,
): Promise<number> {
  const random = seededRandom(seed + round);
  const indexes = Array.from({ length: 4096 }, () => random.below(orders.count));
  const inputs = indexes.map((index) =>
    operation === 'GetItem' ? orders.key(index) : orders.item(index, round + 1),
  );
  const act = operation === 'GetItem' ? door.get : door.put;
  collectGarbage();
  const start = performance.now();
  const until = start + seconds * 1_000;
  let done = 0;
  for (let now = start; now < until; now = performance.now()) {
    const answer = await act(inputs[done & 4095]!);
    if (answer === undefined) throw new Error(`${door.name}: ${operation} was not answered`);
    done++;
  }
  return (done / (performance.now() - start)) * 1_000;
}

function doorsOf(db: Stator): Door[] {
  const client = db.client();
  return [
    {
      name: 'whole requests: JSON text in, JSON text out',
      put: (Item) => wholeRequest(db, 'PutItem', { TableName: tableName, Item }),
      get: (Key) => wholeRequest(db, 'GetItem', { TableName: tableName, Key }),
    },
    {
      name: 'the SDK\u2019s client, without a socket',
      put: (Item) => client.send(new PutItemCommand({ TableName: tableName, Item: Item as SdkItem })),
      get: (Key) => client.send(new GetItemCommand({ TableName: tableName, Key: Key as SdkItem })),
    },
    {
      name: 'plain methods',
      put: (Item) => db.putItem({ TableName: tableName, Item: Item as PlainItem }),
      get: (Key) => db.getItem({ TableName: tableName, Key: Key as PlainItem }),
    },
  ];
}

/** Both know each kind of value; our items are made by the same rules. */
type SdkItem = Record<string, AttributeValue>;
type PlainItem = Parameters<Stator['putItem']>[0]['Item'];

const headers = headersOf();

/** Signed once: the open door looks at the form of a signature only, and the target is put in for each request. */
function headersOf(): Readonly<Record<string, string>> {
  const text = new RequestSigner(0).request('GetItem', {}).toString('latin1');
  const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
}

async function wholeRequest(db: Stator, operation: string, input: object): Promise<string | Uint8Array> {
  const body = Buffer.from(JSON.stringify(input));
  const reply = await db.requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({ ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` }),
    sent: body,
    body,
  });
  if (reply.status !== 200) throw new Error(`${operation} was answered with ${String(reply.body)}`);
  return reply.body;
}
