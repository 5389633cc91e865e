import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * What happens to the next request that a client sends through the proxy:
 * - `request lost`: it never reaches the server, and the connection breaks.
 * - `half a request`: the server gets the beginning of it, and the connection breaks.
 * - `answer lost`: the server carries it out, and the connection breaks before the answer is handed on.
 * - `request late`: the client's connection breaks while the request is still on its way; `deliverLate` lets it
 *   arrive at the server.
 */
export type Cut = 'request lost' | 'half a request' | 'answer lost' | 'request late';

export const cuts: readonly Cut[] = ['request lost', 'half a request', 'answer lost', 'request late'];

/** A TCP proxy in front of PostgreSQL that cuts connections at chosen moments of the protocol. */
export interface CuttingProxy {
  readonly url: string;
  cutNext(cut: Cut): void;
  /** Hands the requests that were held back to the server and waits until it has answered them. */
  deliverLate(): Promise<void>;
  close(): Promise<void>;
}

/** The messages at which a request and its answer end: Sync, and ReadyForQuery outside of a transaction. */
const sync = Buffer.from('5300000004', 'hex');
const ready = Buffer.from('5a0000000549', 'hex');

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const server = new URL(target);
  const sockets = new Set<Socket>();
  const late: (() => Promise<void>)[] = [];
  let next: Cut | undefined;

  const listener = createServer((client) => {
    const upstream = connect(Number(server.port), server.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    let cut: Cut | undefined;
    let request = Buffer.alloc(0);
    let answer = Buffer.alloc(0);
    const sever = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('close', () => cut !== 'request late' && upstream.destroy());
    upstream.on('close', () => client.destroy());

    client.on('data', (chunk: Buffer) => {
      if (cut === undefined && next !== undefined) {
        cut = next;
        next = undefined;
      }
      if (cut === undefined || cut === 'answer lost') {
        upstream.write(chunk);
        return;
      }
      request = Buffer.concat([request, chunk]);
      if (!request.subarray(-sync.length).equals(sync)) return;
      if (cut === 'request lost') sever();
      if (cut === 'half a request') upstream.write(request.subarray(0, request.length >> 1), sever);
      if (cut === 'request late') {
        late.push(async () => {
          upstream.write(request);
          while (!answer.subarray(-ready.length).equals(ready)) await once(upstream, 'data');
          upstream.destroy();
        });
        client.destroy();
      }
    });
    upstream.on('data', (chunk: Buffer) => {
      if (cut === undefined) {
        client.write(chunk);
        return;
      }
      answer = Buffer.concat([answer, chunk]);
      if (cut === 'answer lost' && answer.subarray(-ready.length).equals(ready)) sever();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('A listening socket without a port');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    cutNext(cut) {
      next = cut;
    },
    async deliverLate() {
      for (const deliver of late.splice(0)) await deliver();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
