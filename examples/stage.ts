import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type ConsumedCapacity,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
  type ScalarAttributeType,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';

/** The stage for the examples: a client, a table that is gone afterwards, and a place for what was found. */
export type Example = (client: DynamoDBDocumentClient, say: Say, time: Time) => Promise<void>;

/** The database's time. Where it can be moved, an example shows what becomes of its items in the end. */
export interface Time {
  /** In seconds since 1970. */
  now(): Promise<number>;
  /** Lets time pass, with all that it brings, and answers whether it did: the service's goes by itself. */
  pass(seconds: number): Promise<boolean>;
}

const systemTime: Time = { now: async () => Math.floor(Date.now() / 1000), pass: async () => false };

/** The time of a server, which can be moved if it was started with a virtual clock. */
export async function serverTime(url: string): Promise<Time> {
  const clock = new URL('/_stator/clock', url);
  const tell = async (init?: RequestInit) => (await (await fetch(clock, init)).json()) as { nowMs: number };
  const { virtual } = (await tell().catch(() => ({}))) as { virtual?: boolean };
  if (virtual !== true) return systemTime;
  return {
    now: async () => Math.floor((await tell()).nowMs / 1000),
    async pass(seconds) {
      await tell({ method: 'POST', body: JSON.stringify({ advanceMs: seconds * 1000 }) });
      return true;
    },
  };
}

/** The time of a database in this process that was opened with a virtual clock. */
export function clockTime(db: {
  readonly clock: { nowMicros(): number; advanceMs?(ms: number): void };
  settled(): Promise<void>;
}): Time {
  return {
    now: async () => Math.floor(db.clock.nowMicros() / 1e6),
    async pass(seconds) {
      db.clock.advanceMs?.(seconds * 1000);
      await db.settled();
      return true;
    },
  };
}

/** Takes a remark, or the name of an access pattern together with the answer of the one request that serves it. */
export type Say = (text: string, answer?: Answer) => void;

export interface Answer {
  readonly Item?: Attributes | undefined;
  readonly Items?: Attributes[] | undefined;
  readonly Attributes?: Attributes | undefined;
  readonly Count?: number | undefined;
  readonly ScannedCount?: number | undefined;
  readonly ConsumedCapacity?: ConsumedCapacity | undefined;
}

export type Attributes = Record<string, unknown>;

/** The partition key first, then the sort key if there is one. */
export type Key = Readonly<Record<string, ScalarAttributeType>>;

export interface TableShape {
  /** `{ PK: 'S', SK: 'S' }` unless said otherwise. */
  readonly key?: Key;
  /** Global secondary indexes, with all attributes or with `only` these beside the keys. */
  readonly indexes?: Readonly<Record<string, { readonly key: Key; readonly only?: string[] }>>;
}

/** What every request begins with: the table, and the wish to hear what it cost. */
export interface Table {
  readonly TableName: string;
  readonly ReturnConsumedCapacity: 'TOTAL';
}

/** Makes a table on demand under a name of its own, and removes it however the example ends. */
export async function withTable(
  client: DynamoDBDocumentClient,
  { key = { PK: 'S', SK: 'S' }, indexes = {} }: TableShape,
  use: (table: Table) => Promise<void>,
): Promise<void> {
  const TableName = `stator-example-${randomUUID()}`;
  const types = Object.assign({}, key, ...Object.values(indexes).map((index) => index.key)) as Key;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: keySchema(key),
      ...(Object.keys(indexes).length > 0 && {
        GlobalSecondaryIndexes: Object.entries(indexes).map(([IndexName, { key, only }]) => ({
          IndexName,
          KeySchema: keySchema(key),
          Projection: projection(only),
        })),
      }),
    }),
  );
  try {
    // The waiter only sends commands, which the document client does as well.
    const waiting = { client: client as unknown as DynamoDBClient, minDelay: 1, maxWaitTime: 120 };
    await waitUntilTableExists(waiting, { TableName });
    await use({ TableName, ReturnConsumedCapacity: 'TOTAL' });
  } finally {
    await client.send(new DeleteTableCommand({ TableName }));
  }
}

function keySchema(key: Key): KeySchemaElement[] {
  return Object.keys(key).map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' }));
}

function projection(only: string[] | undefined) {
  if (only === undefined) return { ProjectionType: 'ALL' as const };
  if (only.length === 0) return { ProjectionType: 'KEYS_ONLY' as const };
  return { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: only };
}

/** Writes any number of items, 25 to a request, and sends again what the service had no capacity for. */
export async function putAll(
  client: DynamoDBDocumentClient,
  { TableName }: Table,
  items: readonly Attributes[],
): Promise<void> {
  for (let from = 0; from < items.length; from += 25) {
    const puts = items.slice(from, from + 25).map((Item) => ({ PutRequest: { Item } }));
    let left: BatchWriteCommandInput['RequestItems'] = { [TableName]: puts };
    for (let pauseMs = 50; left !== undefined && Object.keys(left).length > 0; pauseMs *= 2) {
      left = (await client.send(new BatchWriteCommand({ RequestItems: left }))).UnprocessedItems;
      if (Object.keys(left ?? {}).length > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** Runs an example and answers, line by line, what it said, and at the end which requests it needed. */
export async function played(
  example: Example,
  client: DynamoDBDocumentClient,
  time: Time = systemTime,
): Promise<string> {
  const lines: string[] = [];
  const requests = new Map<string, number>();
  client.middlewareStack.add(
    (next) => (given) => {
      const target = (given.request as { headers: Record<string, string> }).headers['x-amz-target'] ?? '';
      const operation = target.replace(/^.*\./, '');
      if (!operation.endsWith('Table')) requests.set(operation, (requests.get(operation) ?? 0) + 1);
      return next(given);
    },
    { step: 'build', name: 'countRequests' },
  );
  try {
    const say: Say = (text, answer) => {
      // Every access pattern is a paragraph; remarks in a row are one.
      if (answer !== undefined && lines.length > 0) lines.push('');
      lines.push(text, ...(answer === undefined ? [] : [...shown(answer), '']));
    };
    await example(client, say, time);
  } finally {
    client.middlewareStack.remove('countRequests');
  }
  const sent = [...requests].sort().map(([operation, times]) => `${times} ${operation}`);
  return `${lines.join('\n')}\n\nRequests: ${sent.join(', ')}\n`.replace(/\n{3,}/g, '\n\n');
}

function shown({ Item, Items, Attributes, Count, ScannedCount, ConsumedCapacity }: Answer): string[] {
  const items = Items ?? [Item ?? Attributes].filter((item) => item !== undefined);
  const lines = items.map((item) => `  ${Object.entries(item).sort(keysFirst).map(pair).join('  ')}`);
  const units = counted(ConsumedCapacity?.CapacityUnits ?? Number.NaN, 'unit');
  if (Count === undefined) return [...lines, `  = ${units}`];
  const read = ScannedCount === Count ? '' : ` of ${ScannedCount} read`;
  return [...lines, `  = ${counted(Count, 'item')}${read}, ${units}`];
}

function pair([name, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name}=${text.length > 60 ? `<${text.length} characters>` : text}`;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

/** Keys before the rest, which goes by name: a service is free to answer attributes in any order. */
function keysFirst([a]: [string, unknown], [b]: [string, unknown]): number {
  const rank = (name: string) => (/^[ps]k$/i.test(name) ? 0 : /^GSI\d[PS]K$/.test(name) ? 2 : 1);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

/** The time at which examples begin, where that can be chosen, so that what they print is the same every time. */
export const examplesBegin = Date.parse('2026-01-01T00:00:00Z');

/**
 * Plays the example if its file is what was started. STATOR_ENDPOINT is the address of a server, or `aws` for the
 * service itself with the credentials and the Region of your environment; without it, a database in this process
 * does.
 */
export async function playIfStarted(moduleUrl: string, example: Example): Promise<void> {
  const started = process.argv[1];
  if (started === undefined || realpathSync(started) !== fileURLToPath(moduleUrl)) return;
  const endpoint = process.env.STATOR_ENDPOINT;
  if (endpoint === undefined) {
    const { Stator, VirtualClock } = await import('stator');
    const db = await Stator.open({ clock: new VirtualClock(examplesBegin) });
    process.stdout.write(await played(example, db.documentClient(), clockTime(db)));
    await db.close();
    return;
  }
  const anyone = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient(
    endpoint === 'aws' ? {} : { endpoint, region: 'us-east-1', credentials: anyone },
  );
  const time = endpoint === 'aws' ? systemTime : await serverTime(endpoint);
  process.stdout.write(await played(example, DynamoDBDocumentClient.from(client), time));
  client.destroy();
}
