import { describe, expect, it } from 'vitest';
import type { Page, PageRequest } from '../../src/wire/pages.ts';
import { deferred } from './deferred.ts';
import { checkedJson } from './raw-connection.ts';
import { closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

const page = (text: string): Page => ({ status: 200, headers: { 'Content-Type': 'text/html' }, body: text });

describe('pages', () => {
  const pages = ({ path }: PageRequest) => (path === '/' || path === '/app.js' ? page(path) : undefined);

  it.each([
    ['GET / HTTP/1.1\r\nHost: x\r\nAccept: text/html,*/*;q=0.8\r\n\r\n', 200, '/'],
    ['GET /app.js?v=1 HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n', 200, '/app.js'],
    ['GET / HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n', 200, 'healthy: dynamodb.us-east-1.amazonaws.com '],
    ['GET /nowhere HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n', 404, '<UnknownOperationException/>\n'],
  ])('%j', async (request, status, body) => {
    const stub = await startStub({}, { pages });
    const connection = await stub.open();
    connection.write(request);
    const response = (await connection.response())!;
    expect(response.status).toBe(status);
    expect(response.body.toString()).toBe(body);
  });
});

describe('a path that a proxy may read differently', () => {
  it.each([
    'DELETE /_stator/faults/..%2f..%2fx',
    'POST /_stator/%2e%2e/reset',
    'POST /_stator/../_stator/reset',
    'POST /_stator//reset',
    'GET /_stator/..%5creset',
    'POST /_stator/%252e%252e/reset',
    'POST http://x/_stator/..%2freset',
    'GET /_studio/..%2fmain.js',
    'GET //',
  ])('is refused before a page or the control API sees it: %s', async (line) => {
    const seen: string[] = [];
    const see = ({ path }: PageRequest) => {
      seen.push(path);
      return page(path);
    };
    const stub = await startStub({}, { control: see, pages: see });
    const connection = await stub.open();
    connection.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    expect((await connection.response())!.status).toBe(400);
    expect(seen).toEqual([]);
  });
});

describe('the control API', () => {
  it('sees whatever is sent below its prefix, without headers of ours for other origins', async () => {
    const seen: PageRequest[] = [];
    const stub = await startStub(
      {},
      {
        control: async (request) => {
          seen.push(request);
          return { status: 202, body: Buffer.from('{}') };
        },
      },
    );
    const connection = await stub.open();
    connection.write(
      'OPTIONS /_stator/clock?to=1 HTTP/1.1\r\nHost: x\r\nOrigin: evil\r\nContent-Length: 2\r\n\r\nhi',
    );
    const response = (await connection.response())!;
    expect(response.status).toBe(202);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
    expect(seen[0]).toMatchObject({ method: 'OPTIONS', path: '/_stator/clock', query: 'to=1' });
    expect(Buffer.from(seen[0]!.body).toString()).toBe('hi');
    expect(seen[0]!.headers.origin).toBe('evil');
  });

  it('may send as it goes, and learns that the client is gone', async () => {
    const gone = deferred<void>();
    const stub = await startStub(
      {},
      {
        control: ({ signal }) => ({
          status: 200,
          body: (async function* () {
            yield 'one';
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            gone.resolve();
          })(),
        }),
      },
    );
    const connection = await stub.open();
    const received = new Promise((resolve) => connection.socket.once('data', resolve));
    connection.write('GET /_stator/events HTTP/1.1\r\nHost: x\r\n\r\n');
    await received;
    connection.socket.destroy();
    await gone.promise;
    expect(stub.logged).toEqual([]);
  });

  it('that throws is logged and answered with 500', async () => {
    const stub = await startStub(
      {},
      {
        control: () => {
          throw new Error('broken');
        },
      },
    );
    const connection = await stub.open();
    connection.write('GET /_stator/ready HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = await connection.response();
    expect(response?.status).toBe(500);
    checkedJson(response);
    expect(stub.logged[0]).toMatch(/^GET \/_stator\/ready failed: Error: broken\n +at /);
    connection.write(post('Echo'));
    checkedJson(await connection.response());
  });

  it('that fails half-way hangs up', async () => {
    const stub = await startStub(
      {},
      {
        control: () => ({
          status: 200,
          // biome-ignore lint/correctness/useYield: the point is that it fails before the first piece.
          body: (async function* (): AsyncGenerator<string> {
            throw new Error('broken');
          })(),
        }),
      },
    );
    const connection = await stub.open();
    connection.write('GET /_stator/events HTTP/1.1\r\nHost: x\r\n\r\n');
    await connection.closed;
  });
});
