import { once } from 'node:events';
import { chmod, readdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import { Places } from './places.ts';
import { item, plainRequest, requestHeaders, tableOf } from './plain-request.ts';
import { readableStator } from './readable-checkout.ts';
import { insist, runProgram } from './stator-process.ts';

const places = new Places();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

describe('a server that is stopped', () => {
  it('keeps what it has answered through kill -9', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0']);
    const endpoint = await first.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'));
    const put = await plainRequest(endpoint, 'PutItem', { TableName: 'Orders', Item: item('kept') });
    expect(put.status).toBe(200);
    first.process.kill('SIGKILL');
    await first.ended;

    const again = places.start(directory, ['--port', '0']);
    const found = await plainRequest(await again.endpoint(), 'GetItem', {
      TableName: 'Orders',
      Key: item('kept'),
    });
    expect(found.body).toEqual({ Item: item('kept') });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('by %s finishes the requests under way', async (signal) => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0']);
    const { port } = new URL(await stator.endpoint());
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    const body = '{}';
    const headers = {
      ...requestHeaders('ListTables'),
      Host: 'localhost',
      Connection: 'close',
      'Content-Length': body.length,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST / HTTP/1.1\r\n${lines.join('')}Expect: 100-continue\r\n\r\n`);
    // The server has begun with the request when it asks for the body.
    await once(socket, 'data');
    stator.process.kill(signal);
    await stator.err.until(new RegExp(`${signal}: finishing`));
    socket.write(body);
    const [answer] = (await once(socket, 'data')) as [string];
    expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"TableNames":\[\]\}$/);
    expect(await stator.ended).toMatchObject({ code: 0, signal: null });
    expect(stator.err.text).toMatch(/Stopped\.\n$/);
  });

  it('ends at once when it is told twice', async () => {
    const stator = places.start(await places.directory(), ['--in-memory', '--port', '0']);
    const { port } = new URL(await stator.endpoint());
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n');
    await once(socket, 'data');
    stator.process.kill('SIGTERM');
    await stator.err.until(/finishing/);
    insist(stator.process);
    expect(await stator.ended).toMatchObject({ code: 143 });
  });
});

describe('a server that cannot start', () => {
  it('names the process that has its port', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const directory = await places.directory();
    const { code, err } = await places.run(directory, ['--port', String(port)]);
    expect(code).toBe(1);
    const holder =
      process.platform === 'linux' ? `by process ${process.pid} \\(.*node.*\\)` : 'by another process';
    expect(err).toMatch(
      new RegExp(`^stator: Port ${port} on 127\\.0\\.0\\.1 is taken ${holder}\\.\n.*--port 0`),
    );
    // Nothing was made for a start that was not to be.
    expect(await readdir(directory)).toEqual([]);
  });

  it('names the process that has its data', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0']);
    await first.endpoint();
    const second = await places.run(directory, ['--port', '0']);
    expect(second.code).toBe(1);
    expect(second.err).toMatch(
      new RegExp(
        `^stator: The data directory .*\\.stator is in use by process ${first.process.pid}\\.\nStop that process, .*--data-dir, or start both servers with --shared\\.\n$`,
      ),
    );
    const compaction = await places.run(directory, ['compact']);
    expect([compaction.code, compaction.err]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `is in use by process ${first.process.pid}\\.\n.*itself: stop that process \\(kill ${first.process.pid}\\), and run stator compact again\\.\n$`,
        ),
      ),
    ]);
    process.kill(Number(/kill (\d+)/.exec(compaction.err)![1]));
    await first.ended;
    expect((await places.run(directory, ['compact'])).code).toBe(0);
  });

  it('gives advice that works about a directory that is shared', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0', '--shared']);
    await first.endpoint();
    expect((await places.run(directory, ['--port', '0'])).err).toMatch(
      /\nIt is shared: say --shared here too/,
    );
    expect((await places.run(directory, ['compact'])).err).toMatch(/\n.*stop every server that uses it/);
    expect(
      (await places.run(directory, ['--port', '0', '--shared', '-optimizeDbBeforeStartup'])).err,
    ).toMatch(/\n.*stop every server that uses it, or leave out -optimizeDbBeforeStartup\.\n$/);
    expect((await places.run(directory, ['check'])).err).toMatch(
      /\nIt is shared, .*: stator check --shared\.\n$/,
    );
    expect((await places.run(directory, ['check', '--shared'])).code).toBe(0);
  });

  it('shares a directory that both open for sharing', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0', '--shared']);
    await plainRequest(await first.endpoint(), 'CreateTable', tableOf('Orders'));
    const second = places.start(directory, ['--port', '0', '--shared']);
    const list = await plainRequest(await second.endpoint(), 'ListTables', {});
    expect(list.body.TableNames).toEqual(['Orders']);
  });

  it('tells of data in another format', async () => {
    const directory = await places.directory();
    const first = places.start(directory, ['--port', '0']);
    await first.endpoint();
    first.process.kill('SIGTERM');
    await first.ended;
    const path = join(directory, '.stator', 'stator.mdb');
    const root = open({
      path,
      noSubdir: true,
      encoding: 'binary',
      keyEncoding: 'binary',
      maxDbs: 8,
      pageSize: 8192,
    });
    const meta = root.openDB({ name: 'meta', encoding: 'binary', keyEncoding: 'binary' });
    await meta.put(Buffer.from('format'), Buffer.from('99'));
    await root.close();
    const { code, err } = await places.run(directory, ['--port', '0']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^stator: The data directory .* has format 99; this version of Stator reads format \d+\./,
    );
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('tells of data that is damaged, and of a directory that is a file', async () => {
    const directory = await places.directory({ 'stator.mdb': 'x'.repeat(100_000), file: '' });
    const damaged = await places.run(directory, ['--port', '0', '--data-dir', '.']);
    expect([damaged.code, damaged.err]).toEqual([
      1,
      expect.stringMatching(/^stator: The data file .* is damaged: /),
    ]);
    const file = await places.run(directory, ['--port', '0', '--data-dir', 'file']);
    expect([file.code, file.err]).toEqual([
      1,
      expect.stringMatching(/cannot be used[\s\S]*Something on that path is a file/),
    ]);
  });

  it.runIf(process.getuid?.() === 0)('tells of a directory that it may not use', async () => {
    const directory = await places.directory();
    await chmod(directory, 0o755);
    const uid = 65_534;
    const { node, args } = await readableStator(uid);
    const stator = places.keep(runProgram(node, [...args, '--port', '0'], { directory, uid }));
    const { code, err } = await stator.ended;
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/cannot be used: EACCES[\s\S]*readable and writable for this user \(65534\)/),
    ]);
  });

  it('tells of an address that is not its own', async () => {
    const { err } = await places.run(await places.directory(), [
      '--host',
      '192.0.2.1',
      '--allow-open',
      '--port',
      '0',
    ]);
    expect(err).toMatch(/^stator: 192\.0\.2\.1 is not an address of this machine\./);
  });

  it('never shows the password of its store', async () => {
    const { code, err } = await places.run(await places.directory(), ['--port', '0'], {
      STATOR_STORE: 'postgres://me:hunter2@127.0.0.1:1/db',
    });
    expect(code).toBe(1);
    expect(err).not.toContain('hunter2');
    expect(err).not.toContain('    at ');
  });
});

describe('stator compact', () => {
  it('tells the sizes before and after', async () => {
    const directory = await places.directory();
    const stator = places.start(directory, ['--port', '0', '--data-dir', 'data']);
    const endpoint = await stator.endpoint();
    await plainRequest(endpoint, 'CreateTable', tableOf('Orders'));
    const filler = { ...item('1'), filler: { S: 'x'.repeat(300_000) } };
    await plainRequest(endpoint, 'PutItem', { TableName: 'Orders', Item: filler });
    await plainRequest(endpoint, 'DeleteItem', { TableName: 'Orders', Key: item('1') });
    stator.process.kill('SIGTERM');
    await stator.ended;
    const { code, out } = await places.run(directory, ['compact', '--data-dir', 'data', '--json']);
    const said = JSON.parse(out) as { bytesBefore: number; bytesAfter: number };
    expect([code, said]).toEqual([0, expect.objectContaining({ event: 'compacted' })]);
    expect(said.bytesAfter).toBeLessThan(said.bytesBefore);
    const again = await places.run(directory, ['compact', '--data-dir', 'data']);
    expect(again.out).toMatch(/^Compacted .*\/data: [\d.]+ KiB before, [\d.]+ KiB after\.\n$/);
  });

  it('makes nothing where nothing is', async () => {
    const directory = await places.directory();
    await writeFile(join(directory, 'x'), '');
    const { code, err } = await places.run(directory, ['compact']);
    expect([code, err]).toEqual([1, expect.stringMatching(/^stator: There is no data in .*\.stator\./)]);
    expect(await readdir(directory)).toEqual(['x']);
  });
});
