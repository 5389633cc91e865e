import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RawJson } from '../../src/operations/operation.ts';
import type { Page, PageRequest } from '../../src/wire/pages.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { deferred } from './deferred.ts';
import { checkedJson, type RawConnection } from './raw-connection.ts';
import { closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

/** Everything that arrives until the server closes the connection. */
function everything(connection: RawConnection): Promise<string> {
  const pieces: Buffer[] = [];
  connection.socket.on('data', (piece: Buffer) => pieces.push(piece));
  return connection.closed.then(() => Buffer.concat(pieces).toString());
}

const randomText = (random: SeededRandom, length: number) =>
  Array.from({ length }, () => String.fromCharCode(97 + random.below(26))).join('');

const watch = (version: '1.0' | '1.1') => `GET /_stator/events HTTP/${version}\r\nHost: x\r\n\r\n`;

describe('a connection', () => {
  it('works on pipelined requests one after the other', async () => {
    const held = deferred<object>();
    let under = 0;
    let underMax = 0;
    const stub = await startStub({
      Held: async (input) => {
        underMax = Math.max(underMax, ++under);
        await held.promise;
        under--;
        return { Input: input };
      },
    });
    const connection = await stub.open();
    const count = 500;
    const requests = Array.from({ length: count }, (_, index) => post('Held', `{"N":${index}}`));
    connection.write(Buffer.concat(requests));
    // Another client is not held up, and by then as many requests are read as will be.
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    held.resolve({});
    for (let index = 0; index < count; index++) {
      expect(checkedJson(await connection.response())).toEqual({ Input: { N: index } });
    }
    expect(underMax).toBe(1);
  });

  it('does nothing of what follows a request that closes the connection', async () => {
    const held = deferred<object>();
    let calls = 0;
    const stub = await startStub({
      Held: () => held.promise,
      Count: () => {
        calls++;
        return {};
      },
    });
    for (const closing of [
      post('Held', '{}', { Connection: 'close' }),
      Buffer.from(post('Held').toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1'),
    ]) {
      const connection = await stub.open();
      connection.write(Buffer.concat([closing, post('Count'), post('Count')]));
      const other = await stub.open();
      other.write(post('Echo'));
      checkedJson(await other.response());
      connection.write(post('Count'));
      held.resolve({});
      expect(checkedJson(await connection.response())).toEqual({});
      await connection.closed;
    }
    expect(calls).toBe(0);
  });

  it('reads no further while large answers wait for an earlier one', async () => {
    const held = deferred<object>();
    let calls = 0;
    const text = 'x'.repeat(300_000);
    const stub = await startStub({
      Held: () => held.promise,
      Big: () => {
        calls++;
        return { text };
      },
    });
    const connection = await stub.open();
    connection.write(Buffer.concat([post('Held'), ...Array.from({ length: 50 }, () => post('Big'))]));
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    expect(calls).toBeLessThan(10);
    held.resolve({ first: true });
    expect(checkedJson(await connection.response())).toEqual({ first: true });
    for (let count = 0; count < 50; count++)
      expect(checkedJson(await connection.response())).toEqual({ text });
  });

  it('sends a large answer whole to a client that reads slowly', async () => {
    const text = '\u00f6'.repeat(4_000_000);
    const stub = await startStub({ Huge: () => ({ text }) });
    const connection = await stub.open();
    connection.socket.pause();
    connection.write(Buffer.concat([post('Huge'), post('Echo', '{"after":1}')]));
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    connection.socket.resume();
    expect(checkedJson(await connection.response())).toEqual({ text });
    expect(checkedJson(await connection.response())).toEqual({ Input: { after: 1 } });
  });

  it('keeps answers that a slow client has not taken apart from those to others', async () => {
    const text = (input: unknown) => String((input as { N: number }).N % 10).repeat(40_000);
    const stub = await startStub({
      Pieces: (input) => new RawJson(['{"Text":"', Buffer.from(text(input)), '"}']),
    });
    const [slow, quick] = [await stub.open(), await stub.open()];
    slow.socket.pause();
    const count = 200;
    for (let N = 0; N < count; N++) slow.write(post('Pieces', JSON.stringify({ N })));
    for (let N = 0; N < count; N++) {
      quick.write(post('Pieces', JSON.stringify({ N: N + 5 })));
      expect(checkedJson(await quick.response())).toEqual({ Text: text({ N: N + 5 }) });
    }
    slow.socket.resume();
    for (let N = 0; N < count; N++) expect(checkedJson(await slow.response())).toEqual({ Text: text({ N }) });
  });

  it('takes a body in chunks of single bytes', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
    const body = JSON.stringify({ A: 'x'.repeat(20_000) });
    connection.write(`${[...body].map((character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`);
    expect(checkedJson(await connection.response())).toEqual({ Input: JSON.parse(body) });
  });

  it.each([[[0]], [[0, 600]], [[0, 40, 300, 400, -1]]])(
    'keeps what has arrived of a request apart from what others send: parts from %j',
    async (parts) => {
      const sent = deferred<void>();
      const control = async ({ body }: PageRequest) => {
        await sent.promise;
        return { status: 200, body };
      };
      const stub = await startStub({}, { control });
      // Not to be compressed much: what is inflated meanwhile shall take a while.
      const text = (at: number) => JSON.stringify({ Text: randomText(seededRandom(at), 20_000) });
      const toControl = (body: string) =>
        Buffer.from(
          `POST /_stator/echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      const requests = Array.from({ length: 12 }, (_, at) => {
        const body = text(at);
        if (at % 4 === 0) return post('Echo', body);
        if (at % 4 === 1) return post('Later', body);
        if (at % 4 === 2) return post('Echo', gzipSync(body), { 'Content-Encoding': 'gzip' });
        return toControl(body);
      });
      const clients = await Promise.all(requests.map(() => stub.open()));
      // Every client has sent one part before any sends its next.
      for (const [part, from] of parts.entries()) {
        for (const [at, client] of clients.entries())
          client.write(requests[at]!.subarray(from, parts[part + 1] ?? requests[at]!.length));
        const other = await stub.open();
        other.write(post('Echo', text(99)));
        checkedJson(await other.response());
      }
      sent.resolve();
      for (const [at, client] of clients.entries()) {
        const answer = JSON.parse((await client.response())!.body.toString()) as { Input?: unknown };
        expect(answer.Input ?? answer).toEqual(JSON.parse(text(at)));
      }
    },
  );

  it('knows a whole address for what it is', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write('GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n');
    expect((await connection.response())?.body.toString()).toMatch(/^healthy/);
  });

  it('refuses to expect anything but to go on', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '{"A":1}', { Expect: 'miracles' }));
    expect(await connection.response()).toMatchObject({ status: 417 });
    connection.write(post('Echo', '{"A":2}'));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 2 } });
  });

  it('tells a client to go on only after the answers before', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise });
    const connection = await stub.open();
    const asking = post('Echo', '{"A":1}', { Expect: '100-continue' });
    connection.write(Buffer.concat([post('Held'), asking.subarray(0, -7)]));
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    held.resolve({ first: true });
    expect(checkedJson(await connection.response())).toEqual({ first: true });
    expect((await connection.response())?.status).toBe(100);
    connection.write(asking.subarray(-7));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
  });

  it('ends after the answer to a client that asks for it, and reads nothing behind', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(Buffer.concat([post('Echo', '{"N":1}', { Connection: 'foo, Close' }), post('Echo')]));
    const response = await connection.response();
    expect(checkedJson(response)).toEqual({ Input: { N: 1 } });
    expect(response?.headers.get('connection')).toBe('close');
    expect(await connection.response()).toBeUndefined();
    await connection.closed;
  });

  it('does not take for ever what follows a refusal', async () => {
    const stub = await startStub();
    const connection = await stub.open(true);
    connection.write('nonsense\r\n\r\n');
    expect((await connection.response())?.status).toBe(400);
    const megabyte = Buffer.alloc(1024 * 1024);
    const feed = () => {
      while (connection.socket.writable && connection.socket.write(megabyte));
    };
    connection.socket.on('drain', feed);
    feed();
    await connection.closed;
    await expect.poll(() => stub.server.connections).toBe(0);
  });
});

describe('a page that is sent as it goes', () => {
  const numbers = (count: number): Page => ({
    status: 200,
    headers: { 'Content-Type': 'text/event-stream' },
    body: (async function* () {
      for (let index = 0; index < count; index++)
        yield index % 2 === 0 ? `${index};` : Buffer.from(`${index};`);
      yield '';
    })(),
  });

  it('comes in chunks, after earlier answers and before later ones', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise }, { control: () => numbers(5) });
    const connection = await stub.open();
    connection.write(Buffer.concat([post('Held'), Buffer.from(watch('1.1')), post('Echo')]));
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    held.resolve({ first: true });
    expect(checkedJson(await connection.response())).toEqual({ first: true });
    const page = (await connection.response())!;
    expect(page.body.toString()).toBe('0;1;2;3;4;');
    expect(page.headers.get('content-type')).toBe('text/event-stream');
    expect(checkedJson(await connection.response())).toEqual({ Input: {} });
  });

  it('ends with the connection for a client of HTTP/1.0', async () => {
    const stub = await startStub({}, { control: () => numbers(3) });
    const connection = await stub.open();
    const all = everything(connection);
    connection.write(watch('1.0'));
    const [head, body] = (await all).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/\r\nConnection: close$/);
    expect(head).not.toMatch(/Transfer-Encoding/);
    expect(body).toBe('0;1;2;');
  });

  it('goes no faster than the client reads', async () => {
    let made = 0;
    const piece = 'x'.repeat(100_000);
    const finished = deferred<void>();
    const body = async function* () {
      try {
        for (; made < 1000; made++) yield piece;
      } finally {
        finished.resolve();
      }
    };
    const stub = await startStub({}, { control: () => ({ status: 200, body: body() }) });
    const connection = await stub.open();
    connection.socket.pause();
    connection.write(watch('1.1'));
    const other = await stub.open();
    for (let count = 0; count < 20; count++) {
      other.write(post('Echo'));
      checkedJson(await other.response());
    }
    expect(made).toBeLessThan(1000);
    connection.socket.destroy();
    await finished.promise;
    expect(made).toBeLessThan(1000);
    expect(stub.logged).toEqual([]);
  });

  it('ends for a client that closes its side', async () => {
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
    const connection = await stub.open(true);
    const received = new Promise((resolve) => connection.socket.once('data', resolve));
    connection.write(watch('1.1'));
    await received;
    connection.socket.end();
    await gone.promise;
    await connection.closed;
  });

  it('has no body for HEAD', async () => {
    const stub = await startStub({}, { control: () => numbers(3) });
    const connection = await stub.open();
    connection.write(watch('1.1').replace('GET', 'HEAD'));
    expect(await connection.response(true)).toMatchObject({ status: 200 });
    connection.write(post('Echo'));
    checkedJson(await connection.response());
  });

  it('whose header would break its line is our own fault', async () => {
    const page: Page = { status: 200, headers: { 'X-A': 'a\r\nX-B: b' }, body: '' };
    const stub = await startStub({}, { control: () => page });
    const connection = await stub.open();
    connection.write(watch('1.1'));
    expect(await connection.response()).toMatchObject({ status: 500 });
    expect(stub.logged[0]).toMatch(/cannot be sent as a header/);
  });
});
