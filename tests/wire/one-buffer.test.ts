import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { OneBuffer } from '../../src/wire/one-buffer.ts';

const open = new Set<Socket | Server>();

afterEach(() => {
  for (const each of open) 'destroy' in each ? each.destroy() : each.close();
  open.clear();
});

/** The two ends of a connection whose accepted side was taken over. */
async function connected(prepare: (accepted: Socket) => void = () => {}) {
  const pieces: Buffer[] = [];
  const buffers = new Set<ArrayBufferLike>();
  const one = new OneBuffer();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, '127.0.0.1');
  open.add(server);
  await once(server, 'listening');
  const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  open.add(client);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  prepare(accepted);
  const socket = one.takeOver(accepted, (bytes) => {
    buffers.add(bytes.buffer);
    pieces.push(Buffer.from(bytes));
  });
  open.add(socket);
  return { server, client, accepted, socket, pieces, buffers };
}

const withoutHandle = (accepted: Socket) => {
  (accepted as unknown as { _handle: { useUserBuffer: undefined } })._handle.useUserBuffer = undefined;
};

describe.each([
  ['into one buffer', () => {}],
  ['in the usual way', withoutHandle],
])('a socket that is read %s', (_, prepare) => {
  it('gives all that was sent, the end, and takes an answer after it', async () => {
    const { client, socket, pieces } = await connected(prepare);
    const sent = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    client.end(sent);
    await once(socket, 'end');
    expect(Buffer.concat(pieces).equals(sent)).toBe(true);
    socket.end('answer');
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toBe('answer');
  });

  it('gives nothing while it is paused, and all of it afterwards', async () => {
    const { client, socket, pieces } = await connected(prepare);
    client.write('a');
    await expect.poll(() => Buffer.concat(pieces).toString()).toBe('a');
    socket.pause();
    client.write('b');
    // There and back the other way: by then the byte has long arrived.
    socket.write('c');
    await once(client, 'data');
    expect(Buffer.concat(pieces).toString()).toBe('a');
    socket.resume();
    await expect.poll(() => Buffer.concat(pieces).toString()).toBe('ab');
  });

  it('closes when the client is cut off', async () => {
    const { client, socket } = await connected(prepare);
    const closed = once(socket, 'close').catch(() => 'reset');
    client.resetAndDestroy();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

it('this Node lets sockets be taken over', async () => {
  const { client, accepted, socket, pieces, buffers, server } = await connected();
  expect(socket).not.toBe(accepted);
  for (const text of ['one', 'two', 'three']) {
    client.write(text);
    await expect.poll(() => pieces.at(-1)?.toString()).toBe(text);
  }
  expect(buffers.size).toBe(1);
  // Node's server no longer counts it, and closing the server leaves it open.
  await new Promise((resolve) => server.close(resolve));
  open.delete(server);
  client.write('four');
  await expect.poll(() => pieces.at(-1)?.toString()).toBe('four');
});

it('a client that is gone before it is taken over is read as an end', async () => {
  const { socket, pieces } = await connected((accepted) => accepted.destroy());
  expect(socket.destroyed).toBe(true);
  expect(pieces).toEqual([]);
});
