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
  put(item: WireItem): Promise<unknown>;
  get(key: WireItem): Promise<unknown>;
  /** How many milliseconds of all calls were spent on our side of the SDK's client. */
  ourMs?(): number;
}

export const doors = {
  'plain methods': plainDoor,
  'whole requests: JSON text in, JSON text out': requestDoor,
  'the SDK\u2019s client, without a socket': sdkDoor,
} satisfies Record<string, (db: Stator) => Door>;

export type DoorName = keyof typeof doors;

export function plainDoor(db: Stator): Door {
  return {
    put: (Item) => db.putItem({ TableName: tableName, Item: Item as PlainItem }),
    get: (Key) => db.getItem({ TableName: tableName, Key: Key as PlainItem }),
  };
}

function requestDoor(db: Stator): Door {
  return {
    put: (Item) => wholeRequest(db, 'PutItem', { TableName: tableName, Item }),
    get: (Key) => wholeRequest(db, 'GetItem', { TableName: tableName, Key }),
  };
}

function sdkDoor(db: Stator): Door {
  const config = db.clientConfig();
  const handler = config.requestHandler as { handle(...args: readonly unknown[]): unknown };
  let ourMs = 0;
  const client = new DynamoDBClient({
    ...config,
    requestHandler: {
      ...(handler as object),
      metadata: (handler as { readonly metadata?: unknown }).metadata,
      // A database in memory has done everything when this returns; what is left is a promise that is resolved.
      handle: (...args: readonly unknown[]) => {
        const start = performance.now();
        const answer = handler.handle(...args);
        ourMs += performance.now() - start;
        return answer;
      },
    } as NonNullable<typeof config.requestHandler>,
  });
  return {
    put: (Item) => client.send(new PutItemCommand({ TableName: tableName, Item: Item as SdkItem })),
    get: (Key) => client.send(new GetItemCommand({ TableName: tableName, Key: Key as SdkItem })),
    ourMs: () => ourMs,
  };
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
    throw new Error(`${operation} was answered with ${Buffer.from(bodyBytes(reply.body)).toString()}`);
  return bodyBytes(reply.body);
}
