import { afterEach } from 'vitest';
import { dynamoErrors } from '../../src/operations/api/dynamo-errors.ts';
import type { Service, ServiceOperation } from '../../src/operations/api/service.ts';
import { emptyBody, RawJson } from '../../src/operations/operation.ts';
import { openDoor } from '../../src/wire/authenticate.ts';
import { HttpServer, type HttpServerOptions } from '../../src/wire/http-server.ts';
import { seededRandom } from '../seeded-random.ts';
import { RawConnection } from './raw-connection.ts';

type OperationHandler = ServiceOperation['handle'];

export interface StubServer {
  readonly server: HttpServer;
  readonly port: number;
  readonly logged: string[];
  open(halfOpen?: boolean): Promise<RawConnection>;
}

const running = new Set<StubServer>();
const connections = new Set<RawConnection>();

/** Every test leaves nothing behind: call once in each file that starts servers. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const connection of connections) connection.socket.destroy();
    connections.clear();
    await Promise.all([...running].map((stub) => stub.server.close(0)));
    running.clear();
  });
}

function operationsOf(handlers: readonly (readonly [string, OperationHandler])[]) {
  return new Map(handlers.map(([name, handle]) => [name, { name, handle }]));
}

/** A server of a few operations that have nothing to do with tables. */
export async function startStub(
  operations: Readonly<Record<string, OperationHandler>> = {},
  options: Partial<HttpServerOptions> = {},
): Promise<StubServer> {
  const logged: string[] = [];
  const random = seededRandom(1);
  const service: Service = {
    targetPrefix: 'DynamoDB_20120810',
    signingName: 'dynamodb',
    apiVersion: '2012-08-10',
    protocols: ['dynamodb'],
    errors: dynamoErrors,
    operations: operationsOf([
      ['Echo', (input) => ({ Input: input })],
      ['Later', async (input) => ({ Input: input })],
      ['Large', () => new RawJson(['{"Text":"', Buffer.alloc(5000, 'x'), '"}'])],
      ['TagResource', () => emptyBody],
      ...Object.entries(operations),
    ]),
  };
  const server = new HttpServer({
    services: [service],
    authenticate: openDoor(),
    random: () => random.below(2 ** 32),
    region: 'us-east-1',
    log: (line) => logged.push(line),
    authorize: undefined,
    ...options,
  });
  const { port } = await server.listen(0, '127.0.0.1');
  const stub: StubServer = {
    server,
    port,
    logged,
    async open(halfOpen) {
      const connection = await RawConnection.open(port, halfOpen);
      connections.add(connection);
      return connection;
    },
  };
  running.add(stub);
  return stub;
}

/** For a test that closes its server itself. */
export function forget(stub: StubServer): void {
  running.delete(stub);
}

export const authorization =
  'AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

/** The lines of a request that an SDK would send; a header set to `undefined` is left out. */
export function post(
  operation: string,
  body: string | Uint8Array = '{}',
  headers: Readonly<Record<string, string | undefined>> = {},
): Buffer {
  const bytes = Buffer.from(body);
  const all: Record<string, string | undefined> = {
    Host: 'localhost',
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amz-Target': `DynamoDB_20120810.${operation}`,
    'X-Amz-Date': '20261115T120000Z',
    Authorization: authorization,
    'Content-Length': String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return Buffer.concat([Buffer.from(`POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}
