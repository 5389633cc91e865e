// The limit for a durable server: node:http, the JSON of each request parsed, and the bare lmdb package below, which
// acknowledges a write once it is on disk. It checks nothing. bare-lmdb-server.ts <port> <directory>
import { createServer } from 'node:http';
import { RawOrders } from '../../storage/raw-orders.ts';
import type { WireItem } from '../items.ts';
// @ts-expect-error: plain JavaScript, which servers in JavaScript use as well.
import { endWithParent } from './end-with-parent.js';

const [port, directory] = process.argv.slice(2);
const orders = new RawOrders(`${directory}/raw.mdb`);

interface Update {
  readonly Key: WireItem;
  readonly ExpressionAttributeValues: { readonly ':version': { readonly N: string } };
}

interface Put {
  readonly Item: WireItem;
}

const operations: Readonly<Record<string, (input: never) => string | Promise<string>>> = {
  PutItem: async ({ Item }: Put) => {
    await orders.commit(() => orders.put(Item));
    return '{}';
  },
  UpdateItem: async (input: Update) => {
    await orders.commit(() => update(input));
    return '{}';
  },
  TransactWriteItems: async (input: {
    readonly TransactItems: readonly { readonly Update?: Update; readonly Put?: Put }[];
    readonly ClientRequestToken: string;
  }) => {
    await orders.commit(() => {
      // Whether the token was used before has to be looked up, and that it is used now has to be kept.
      if (!orders.isNewToken(input.ClientRequestToken)) return;
      for (const { Update, Put } of input.TransactItems)
        if (Update !== undefined) update(Update);
        else orders.put(Put!.Item);
    });
    return '{}';
  },
  BatchWriteItem: async (input: {
    readonly RequestItems: Readonly<Record<string, readonly { readonly PutRequest: Put }[]>>;
  }) => {
    const puts = Object.values(input.RequestItems)[0]!;
    await orders.commit(() => {
      for (const { PutRequest } of puts) orders.put(PutRequest.Item);
    });
    return '{"UnprocessedItems":{}}';
  },
  GetItem: ({ Key }: { readonly Key: WireItem }) => `{"Item":${orders.getText(Key)}}`,
};

function update({ Key, ExpressionAttributeValues: values }: Update): void {
  orders.update(Key, (item) => ({ ...item, version: values[':version'] }));
}

endWithParent();
createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  const answer = async () => {
    const target = String(request.headers['x-amz-target']);
    const input = JSON.parse(Buffer.concat(pieces).toString()) as never;
    const operation = operations[target.slice(target.indexOf('.') + 1)];
    const body =
      operation === undefined ? '{"Table":{"TableStatus":"ACTIVE"},"TableNames":[]}' : await operation(input);
    response.writeHead(200, {
      'Content-Type': 'application/x-amz-json-1.0',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  request.on('end', () => {
    answer().catch((error: Error) => response.destroy(error));
  });
}).listen(Number(port), '127.0.0.1');
