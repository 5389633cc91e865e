import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A door before a server that lets reading requests through, refuses all others, and counts both. */
export interface Door {
  readonly url: string;
  /** What came, as `DynamoDB_20120810.DescribeTable`. */
  readonly passed: string[];
  readonly refused: string[];
  /** Operations that are answered with AccessDeniedException. */
  readonly denied: Set<string>;
  /** While true, connections are cut without an answer, as by a server that has gone. */
  isShut: boolean;
  close(): Promise<void>;
}

const reading = /^(List|Describe|Get|Scan$|Query$)/;

export async function readOnlyDoor(target: string): Promise<Door> {
  const passed: string[] = [];
  const refused: string[] = [];
  const denied = new Set<string>();
  const server: Server = createServer((request, response) => {
    if (door.isShut) {
      request.socket.destroy();
      return;
    }
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', async () => {
      const operation = String(request.headers['x-amz-target'] ?? `${request.method} ${request.url}`);
      const name = operation.replace(/^.*\./, '');
      const refuse = (type: string, message: string, status: number) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
        response.end(JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message }));
      };
      if (request.headers['x-amz-target'] === undefined || !reading.test(name)) {
        if (request.method !== 'GET') refused.push(operation);
        refuse('UnknownOperationException', 'This door is for reading.', 404);
        return;
      }
      if (denied.has(name)) {
        refuse('AccessDeniedException', `User is not authorized to perform: ${name}`, 400);
        return;
      }
      passed.push(operation);
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const answer = await fetch(target, { method: 'POST', headers, body: Buffer.concat(parts) });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door: Door = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ passed, refused, denied, isShut: false },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return door;
}
