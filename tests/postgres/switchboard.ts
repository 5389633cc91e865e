import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy such as haproxy: new connections go to the server that it is set to. */
export interface Switchboard {
  readonly url: string;
  /** Sends new connections elsewhere. Those that are open stay where they are. */
  turnTo(target: { readonly host: string; readonly port: number }): void;
  /** How many connections were made through it. */
  readonly connections: number;
  /** Cuts all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startSwitchboard(first: {
  readonly host: string;
  readonly port: number;
}): Promise<Switchboard> {
  const sockets = new Set<Socket>();
  let target = first;
  let connections = 0;
  const listener = createServer((client) => {
    connections++;
    const server = connect(target.port, target.host);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('A listening socket without a port');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `postgres://stator@127.0.0.1:${address.port}/postgres`,
    turnTo(next) {
      target = next;
    },
    get connections() {
      return connections;
    },
    cut,
    async close() {
      listener.close();
      cut();
      await once(listener, 'close');
    },
  };
}
