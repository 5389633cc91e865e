import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Stator } from '../../src/stator.ts';
import { HeaderFields } from '../../src/wire/header-fields.ts';
import { bodyBytes } from '../../src/wire/reply-body.ts';
import { type Orders, tableName, type WireItem } from './items.ts';
import { RequestSigner } from './signed-request.ts';

/** A way into a database that needs no socket. */
export interface Door {
  readonly name: string;
  put(item: WireItem): Promise<unknown>;
  get(key: WireItem): Promise<unknown>;
}

export function plainDoor(db: Stator): Door {
  return {
    name: 'plain methods',
    put: (Item) => db.putItem({ TableName: tableName, Item: Item as PlainItem }),
    get: (Key) => db.getItem({ TableName: tableName, Key: Key as PlainItem }),
  };
}

export function requestDoor(db: Stator): Door {
  return {
    name: 'whole requests: JSON text in, JSON text out',
    put: (Item) => wholeRequest(db, 'PutItem', { TableName: tableName, Item }),
    get: (Key) => wholeRequest(db, 'GetItem', { TableName: tableName, Key }),
  };
}

/** The SDK's client, and how many milliseconds of its calls were spent on our side of it. */
export interface SdkDoor extends Door {
  ourMs: number;
}

export function sdkDoor(db: Stator): SdkDoor {
  const config = db.clientConfig();
  const handler = config.requestHandler as { handle(...args: readonly unknown[]): unknown };
  const client = new DynamoDBClient({
    ...config,
    requestHandler: {
      ...(handler as object),
      metadata: (handler as { readonly metadata?: unknown }).metadata,
      // A database in memory has done everything when this returns; what is left is a promise that is resolved.
      handle: (...args: readonly unknown[]) => {
        const start = performance.now();
        const answer = handler.handle(...args);
        door.ourMs += performance.now() - start;
        return answer;
      },
    } as NonNullable<typeof config.requestHandler>,
  });
  const door: SdkDoor = {
    name: 'the SDK\u2019s client, without a socket',
    ourMs: 0,
    put: (Item) => client.send(new PutItemCommand({ TableName: tableName, Item: Item as SdkItem })),
    get: (Key) => client.send(new GetItemCommand({ TableName: tableName, Key: Key as SdkItem })),
  };
  return door;
}

/** Fills a database through the plain methods, with so many batches under way at once. */
export async function fillPlainly(
  db: Stator,
  orders: Pick<Orders, 'count' | 'item'>,
  callers = 16,
): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < orders.count) {
        const from = next;
        next += 25;
        const puts = Array.from({ length: Math.min(25, orders.count - from) }, (_, i) => ({
          PutRequest: { Item: orders.item(from + i, 0) as PlainItem },
        }));
        const { UnprocessedItems: left } = await db.batchWriteItem({ RequestItems: { [tableName]: puts } });
        if (Object.keys(left ?? {}).length > 0) throw new Error('A batch was written in part only');
      }
    }),
  );
}

/** Both know each kind of value; our items are made by the same rules. */
type SdkItem = Record<string, AttributeValue>;
export type PlainItem = Parameters<Stator['putItem']>[0]['Item'];

const headers = headersOf();

/** Signed once: the open door looks at the form of a signature only, and the target is put in for each request. */
function headersOf(): Readonly<Record<string, string>> {
  const text = new RequestSigner(0).request('GetItem', {}).toString('latin1');
  const lines = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
}

export async function wholeRequest(db: Stator, operation: string, input: object): Promise<Uint8Array> {
  const body = Buffer.from(JSON.stringify(input));
  const reply = await db.requests.handle({
    method: 'POST',
    url: '/',
    headers: HeaderFields.fromRecord({ ...headers, 'x-amz-target': `DynamoDB_20120810.${operation}` }),
    sent: body,
    body,
  });
  if (reply.status !== 200)
    throw new Error(`${operation} was answered with ${String(bodyBytes(reply.body))}`);
  return bodyBytes(reply.body);
}
