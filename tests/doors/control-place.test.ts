import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Stator } from '../../src/index.ts';
import { Places } from '../cli/places.ts';
import { newDirectory } from '../storage/directories.ts';

const places = new Places();
let db: Stator | undefined;
const directories: string[] = [];

afterEach(async () => {
  await db?.close();
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true, force: true });
});

const status = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers })).status;
const listTables = async (url: string) => {
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKID/20261119/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    'x-amz-date': '20261119T000000Z',
  };
  return (await fetch(url, { method: 'POST', headers, body: '{}' })).status;
};
const overSocket = (socketPath: string, path: string) =>
  new Promise<number>((resolve, reject) => {
    request({ socketPath, path, headers: { host: 'localhost' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    })
      .once('error', reject)
      .end();
  });

describe('a control API with a place of its own', () => {
  it('answers on its port, with the studio and all else, and nowhere else', async () => {
    db = await Stator.open();
    const server = await db.listen({ port: 0, controlPort: 0, studio: true });
    const control = server.controlUrl!;
    expect(control).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    for (const path of ['/_stator/health', '/_stator/namespaces', '/_studio/about.json'])
      expect([await status(`${server.url}${path}`), await status(`${control}${path}`)]).toEqual([404, 200]);
    // Browsers get the studio on the control port, and a health check on the other.
    const browser = { accept: 'text/html' };
    expect((await fetch(server.url, { headers: browser })).headers.get('content-security-policy')).toBeNull();
    expect((await fetch(control, { headers: browser })).headers.get('content-security-policy')).toMatch(
      /self/,
    );
    expect([await listTables(server.url), await listTables(control)]).toEqual([200, 200]);
    // The guard of the control API holds on its own port too.
    expect(await status(`${control}/_stator/health`, { origin: 'https://evil.example' })).toBe(403);
    await db.close();
    await expect(fetch(`${control}/_stator/health`)).rejects.toThrow();
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it.runIf(process.platform !== 'win32')('answers on a socket that its owner alone may open', async () => {
    const directory = await newDirectory();
    directories.push(directory);
    const path = join(directory, 'stator.sock');
    // What a killed process leaves: a socket on which nobody listens.
    const script =
      'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, 9))';
    spawnSync(process.execPath, ['-e', script, path]);
    expect(existsSync(path)).toBe(true);
    db = await Stator.open();
    const server = await db.listen({ port: 0, controlSocket: path });
    expect(server.controlUrl).toBe(`unix:${path}`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await overSocket(path, '/_stator/health')).toBe(200);
    expect(await status(`${server.url}/_stator/health`)).toBe(404);
    const second = await Stator.open();
    await expect(second.listen({ port: 0, controlSocket: path })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await second.close();
    expect(await overSocket(path, '/_stator/health')).toBe(200);
    await db.close();
    expect(existsSync(path)).toBe(false);
  });

  it('has either a port or a socket, and refuses both', async () => {
    db = await Stator.open();
    await expect(db.listen({ controlPort: 0, controlSocket: '/tmp/x.sock' })).rejects.toThrow(
      'either a controlPort or a controlSocket',
    );
    await expect(db.listen({ port: 0, controlPort: 0, controlHost: '0.0.0.0' })).rejects.toThrow(
      '0.0.0.0 can be reached from other machines',
    );
  });

  it('lets go of its port when the other one is taken', async () => {
    db = await Stator.open();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await expect(db.listen({ port, controlPort: 0 })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    other.close();
  });
});

it('is named at the start, and shared by several processes', async () => {
  const directory = await places.directory();
  const server = places.start(directory, [
    ...['start', '--data-dir', 'data', '--port', '0', '--control-port', '0', '--workers', '2', '--json'],
  ]);
  const listening = JSON.parse(await server.out.until(/"event":"listening"/)) as {
    endpoint: string;
    control: string;
  };
  expect([
    await status(`${listening.endpoint}/_stator/health`),
    await status(`${listening.control}/_stator/health`),
  ]).toEqual([404, 200]);
  server.process.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  const both = await places.run(directory, ['start', '--control-port', '0', '--control-socket', 'x.sock']);
  expect(both).toMatchObject({ code: 2, err: expect.stringContaining('contradict each other') });
});
