import { getEventListeners, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { KeptConnections } from './kept-connections.ts';

let server: Server | undefined;
afterEach(() => void server?.closeAllConnections());
afterEach(() => void server?.close());

async function serve(answer: (body: string) => { status: number; text: string } | undefined) {
  const sockets: Socket[] = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const found = answer(body);
      if (found === undefined) request.socket.destroy();
      else response.writeHead(found.status).end(found.text);
    });
  });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { url, sockets };
}

const post = (url: URL, body: string) => ({ method: 'POST', url, headers: {}, body });
const { signal } = new AbortController();

it('uses one connection for calls in turn, and leaves no listener at the signal', async () => {
  const { url, sockets } = await serve((body) => ({ status: 200, text: body }));
  const connections = new KeptConnections();
  for (let n = 0; n < 20; n++)
    expect(await connections.send(post(url, `äöü ${n}`), signal)).toMatchObject({
      status: 200,
      text: `äöü ${n}`,
    });
  expect(sockets).toHaveLength(1);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('sends again where the service closed an idle connection', async () => {
  const { url, sockets } = await serve((body) => ({ status: 400, text: body }));
  const connections = new KeptConnections();
  await connections.send(post(url, 'one'), signal);
  sockets[0]!.resetAndDestroy();
  expect(await connections.send(post(url, 'two'), signal)).toMatchObject({ status: 400, text: 'two' });
  expect(sockets).toHaveLength(2);
});

it('does not send again what a fresh connection lost, and stops when it is asked to', async () => {
  let seen = 0;
  const { url } = await serve(() => {
    seen++;
    return undefined;
  });
  const connections = new KeptConnections();
  await expect(connections.send(post(url, 'x'), signal)).rejects.toThrow(/hang up|ECONNRESET/);
  expect(seen).toBe(1);
  const stopping = new AbortController();
  const sent = connections.send(post(url, 'x'), stopping.signal);
  stopping.abort(new Error('enough'));
  await expect(sent).rejects.toThrow('enough');
});
