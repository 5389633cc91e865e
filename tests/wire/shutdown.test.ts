import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { RawJson } from '../../src/operations/operation.ts';
import { deferred } from './deferred.ts';
import { checkedJson } from './raw-connection.ts';
import { closeAfterEach, forget, post, type StubServer, startStub } from './stub-server.ts';

closeAfterEach();

/** A server with an operation that the test holds open, and a promise of its being called. */
async function startHeld() {
  const held = deferred<object>();
  const called = deferred<void>();
  const stub = await startStub({
    Held: () => {
      called.resolve();
      return held.promise;
    },
  });
  forget(stub);
  return { stub, held, called: called.promise };
}

/** A server with an answer that no kernel takes at once. */
async function startHuge() {
  const [called, held, answered] = [deferred<void>(), deferred<void>(), deferred<void>()];
  const text = Buffer.alloc(12 * 1024 * 1024, 'x');
  const stub = await startStub({
    Huge: async () => {
      called.resolve();
      await held.promise;
      setImmediate(() => answered.resolve());
      return new RawJson(['{"Text":"', text, '"}']);
    },
  });
  forget(stub);
  const length = text.length + '{"Text":""}'.length;
  const huge = { length, called: called.promise, answered: answered.promise, release: () => held.resolve() };
  return { stub, huge };
}

function refused(stub: StubServer): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(stub.port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

describe('close', () => {
  it('finishes what is under way, closes what is idle and accepts nothing new', async () => {
    const { stub, held, called } = await startHeld();
    const untouched = await stub.open();
    const idle = await stub.open();
    idle.write(post('Echo'));
    checkedJson(await idle.response());
    const busy = await stub.open();
    busy.write(post('Held'));
    await called;

    let isClosed = false;
    const closing = stub.server.close(60_000).then((cut) => {
      isClosed = true;
      return cut;
    });
    await Promise.all([idle.closed, untouched.closed]);
    expect(await refused(stub)).toBe(true);
    expect(isClosed).toBe(false);

    held.resolve({ Held: true });
    const response = await busy.response();
    expect(checkedJson(response)).toEqual({ Held: true });
    expect(response?.headers.get('connection')).toBe('close');
    await busy.closed;
    expect(await closing).toBe(0);
  });

  it('sends to its end what a client has not taken yet', async () => {
    const { stub, huge } = await startHuge();
    const connection = await stub.open();
    connection.socket.pause();
    connection.write(post('Huge'));
    huge.release();
    await huge.answered;
    const closing = stub.server.close(60_000);
    connection.socket.resume();
    expect((await connection.response())?.body).toHaveLength(huge.length);
    expect(await closing).toBe(0);
  });

  it('loses nothing of an answer behind which a client has sent more', async () => {
    const { stub, huge } = await startHuge();
    const connection = await stub.open();
    connection.socket.pause();
    connection.write(Buffer.concat([post('Huge'), post('Echo')]));
    await huge.called;
    // The server has stopped to listen to this one: these bytes it finds unread when it has sent everything.
    connection.write(post('Echo'));
    const closing = stub.server.close(60_000);
    huge.release();
    await huge.answered;
    connection.socket.resume();
    expect((await connection.response())?.body).toHaveLength(huge.length);
    expect(await closing).toBe(0);
  });

  it('waits for a request whose body is still on its way', async () => {
    const { stub, held } = await startHeld();
    held.resolve({});
    const connection = await stub.open();
    const request = post('Echo', '{"A":1}', { Expect: '100-continue' });
    connection.write(request.subarray(0, -7));
    expect((await connection.response())?.status).toBe(100);
    const closing = stub.server.close(60_000);
    connection.write(request.subarray(-7));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
    expect(await closing).toBe(0);
  });

  it('cuts off what does not finish in time, and says so', async () => {
    const { stub, held, called } = await startHeld();
    const busy = await stub.open();
    busy.write(post('Held'));
    await called;
    expect(await stub.server.close(20)).toBe(1);
    await busy.closed;
    // The operation ends later, for nobody.
    held.resolve({});
    await held.promise;
    expect(stub.logged).toEqual([]);
  });
});
