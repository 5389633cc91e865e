import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { deferred } from './deferred.ts';
import { checkedJson, type RawConnection } from './raw-connection.ts';
import { closeAfterEach, post, type StubServer, startStub } from './stub-server.ts';

closeAfterEach();

const bodyMax = 16 * 1024 * 1024;

async function stillServes(stub: StubServer): Promise<void> {
  const connection = await stub.open();
  connection.write(post('Echo', '{"still":"here"}'));
  expect(checkedJson(await connection.response())).toEqual({ Input: { still: 'here' } });
}

async function expectTooLarge(connection: RawConnection): Promise<void> {
  const response = (await connection.response())!;
  expect(response).toMatchObject({ status: 413, body: Buffer.alloc(0) });
  expect(response.headers.get('transfer-encoding')).toBe('chunked');
  expect(response.headers.has('x-amzn-requestid')).toBe(false);
}

describe('a body', () => {
  it('may have sixteen megabytes', async () => {
    const stub = await startStub({ Size: (input) => ({ Size: JSON.stringify(input).length }) });
    const connection = await stub.open();
    const body = Buffer.alloc(bodyMax, 'x');
    body.write('{"A":"');
    body.write('"}', bodyMax - 2);
    connection.write(post('Size', body));
    expect(checkedJson(await connection.response())).toEqual({ Size: bodyMax });
  });

  it('may not have one byte more, by its length or in chunks; the connection lives on', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', Buffer.alloc(bodyMax + 1, ' ')));
    await expectTooLarge(connection);
    const head = post('Echo', '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' });
    connection.write(head);
    for (let chunk = 0; chunk < 17; chunk++) {
      connection.write('100000\r\n');
      connection.write(Buffer.alloc(1024 * 1024, ' '));
      connection.write('\r\n');
    }
    await expectTooLarge(connection);
    connection.write('0\r\n\r\n');
    connection.write(post('Echo', '{"after":1}'));
    expect(checkedJson(await connection.response())).toEqual({ Input: { after: 1 } });
  });

  it('is refused by its announced length alone', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '', { 'Content-Length': String(bodyMax + 1), Expect: '100-continue' }));
    await expectTooLarge(connection);
    await connection.closed;
  });

  it('that never ends is cut off', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }));
    const megabyte = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(1024 * 1024, ' '),
      Buffer.from('\r\n'),
    ]);
    const feed = () => {
      while (connection.socket.writable && connection.socket.write(megabyte));
    };
    connection.socket.on('drain', feed);
    feed();
    await connection.closed;
    await stillServes(stub);
  });

  it('of nothing but brackets, or nested too deep, is not JSON', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    for (const body of [Buffer.alloc(bodyMax, '['), Buffer.from('{"a":'.repeat(200_000))]) {
      connection.write(post('Echo', body));
      expect(checkedJson(await connection.response())).toEqual({
        __type: 'com.amazon.coral.service#SerializationException',
      });
    }
  });
});

describe('headers', () => {
  it('may have sixteen kilobytes', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', '{}', { 'X-Large': 'x'.repeat(15_000) }));
    checkedJson(await connection.response());
  });

  it.each([
    ['long headers', post('Echo', '{}', { 'X-Large': 'x'.repeat(17_000) })],
    ['longer headers', post('Echo', '{}', { 'X-Large': 'x'.repeat(200_000) })],
    ['a long request line', Buffer.from(`POST /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)],
    ['a longer request line', Buffer.from(`POST /${'x'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)],
  ])('end in 400 with %s', async (_, request) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(request);
    expect((await connection.response())?.status).toBe(400);
    connection.socket.end();
    await connection.closed;
    await stillServes(stub);
  });
});

describe('what could be read in two ways', () => {
  it.each([
    ['a length and chunks', post('Echo', '0\r\n\r\n', { 'Transfer-Encoding': 'chunked' })],
    ['two lengths', post('Echo', '{}', { 'content-length': '3' })],
    ['a length that is none', post('Echo', '{}', { 'Content-Length': '+2' })],
    ['a negative length', post('Echo', '{}', { 'Content-Length': '-2' })],
    ['chunks under another name', post('Echo', '{}', { 'Transfer-Encoding': 'xchunked' })],
    ['a folded header', post('Echo', '{}', { 'X-Folded': 'a\r\n b\x00' })],
    ['a blank before the colon', post('Echo', '{}', { 'X-Blank ': 'a' })],
    ['no Host', post('Echo', '{}', { Host: undefined })],
    ['a bare line feed', Buffer.from('POST / HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}')],
    ['another protocol', Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'latin1')],
    ['another version', Buffer.from('POST / HTTP/2.0\r\nHost: x\r\n\r\n')],
  ])('is refused: %s', async (_, request) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(request);
    expect((await connection.response())?.status).toBe(400);
    expect(await connection.response()).toBeUndefined();
    connection.socket.end();
    await connection.closed;
    await stillServes(stub);
  });

  it('leaves earlier requests of the connection their own answers', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise });
    const connection = await stub.open();
    connection.write(Buffer.concat([post('Held'), post('Echo'), Buffer.from('nonsense\r\n\r\n')]));
    await stillServes(stub);
    held.resolve({ Held: true });
    expect(checkedJson(await connection.response())).toEqual({ Held: true });
    expect(checkedJson(await connection.response())).toEqual({ Input: {} });
    expect((await connection.response())?.status).toBe(400);
    connection.socket.end();
    await connection.closed;
  });

  it('closes a tunnel before it is one', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    await connection.closed;
    await stillServes(stub);
  });

  it('does not switch protocols', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    expect((await connection.response())?.status).toBe(200);
  });
});

describe('a slow client', () => {
  const impatient = { headersTimeoutMs: 50, requestTimeoutMs: 100, timeoutCheckMs: 20 };

  it('that never finishes its headers is let go', async () => {
    const stub = await startStub({}, impatient);
    const silent = await stub.open();
    const slow = await stub.open();
    slow.write('POST / HTTP/1.1\r\nHost: x\r\n');
    expect((await slow.response())?.status).toBe(408);
    slow.socket.end();
    silent.socket.end();
    await Promise.all([slow.closed, silent.closed]);
    await stillServes(stub);
  });

  it('that never finishes its body is let go', async () => {
    const stub = await startStub({}, impatient);
    const connection = await stub.open();
    connection.write(post('Echo', '{"A":', { 'Content-Length': '1000' }));
    expect((await connection.response())?.status).toBe(408);
    await connection.closed;
    await stillServes(stub);
  });

  it('is not to blame for a slow operation', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise }, { ...impatient, keepAliveTimeoutMs: 20 });
    const waiting = await stub.open();
    waiting.write(post('Held'));
    // By the time that another client has been let go, the one that waits would have been as well.
    const slow = await stub.open();
    slow.write('POST / HTTP/1.1\r\nHost: x\r\n');
    expect((await slow.response())?.status).toBe(408);
    held.resolve({ Held: true });
    expect(checkedJson(await waiting.response())).toEqual({ Held: true });
  });

  it('that stays idle after an answer is let go', async () => {
    const stub = await startStub({}, { keepAliveTimeoutMs: 20 });
    const connection = await stub.open();
    connection.write(post('Echo'));
    checkedJson(await connection.response());
    await connection.closed;
  });

  it('that does not read its answers is let go', async () => {
    const chunk = 'x'.repeat(4 * 1024 * 1024);
    const stub = await startStub({ Huge: () => ({ chunk }) }, { writeTimeoutMs: 50 });
    const connection = await stub.open();
    connection.socket.pause();
    connection.write(Buffer.concat(Array.from({ length: 8 }, () => post('Huge'))));
    await expect.poll(() => stub.server.connections, { timeout: 60_000 }).toBe(0);
    await stillServes(stub);
  });

  it('that leaves the last few bytes unread is let go too, without a listener for every look at the time', async () => {
    const stub = await startStub({}, { keepAliveTimeoutMs: 1_000, writeTimeoutMs: 200, timeoutCheckMs: 5 });
    const connection = await stub.open();
    connection.socket.pause();
    const served = servedSocket(stub.port, connection);
    // More than the kernel takes, and less than the server waits with.
    for (; served.writableLength === 0 && !served.destroyed; await nextTurn())
      connection.write(post('Large'));
    const listeners: number[] = [];
    const look = setInterval(() => listeners.push(served.listenerCount('finish')), 5);
    await expect.poll(() => stub.server.connections, { timeout: 60_000 }).toBe(0);
    clearInterval(look);
    expect(Math.max(...listeners)).toBeLessThan(4);
    await stillServes(stub);
  });

  it.each([
    ['in the middle of its headers', post('Echo').subarray(0, 50)],
    ['in the middle of its body', post('Echo', '{"A":1}').subarray(0, -3)],
  ])('that closes its side %s gets 400', async (_, part) => {
    const stub = await startStub();
    const connection = await stub.open(true);
    connection.write(part);
    connection.socket.end();
    expect((await connection.response())?.status).toBe(400);
    await connection.closed;
    await stillServes(stub);
  });

  it('that resets the connection is forgotten', async () => {
    const stub = await startStub();
    for (const part of [post('Echo').subarray(0, 50), post('Echo', '{"A":1}').subarray(0, -3)]) {
      const connection = await stub.open();
      connection.write(part);
      connection.socket.resetAndDestroy();
      await connection.closed;
    }
    await stillServes(stub);
  });
});

/** The server's side of a connection, which is in this process too. */
function servedSocket(port: number, { socket }: RawConnection): Socket {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  const sockets = handles.filter((handle) => handle instanceof Socket);
  return sockets.find(({ localPort, remotePort }) => localPort === port && remotePort === socket.localPort)!;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
