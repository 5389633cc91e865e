import { afterEach, describe, expect, it } from 'vitest';
import { Stator, type StatorServer, VirtualClock } from '../../src/index.ts';
import { Signer } from '../../src/kit/signer.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { RawConnection } from './raw-connection.ts';

const credentials = [{ accessKeyId: 'AKID', secretAccessKey: 'shh' }];
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function serve(clock: VirtualClock): Promise<StatorServer> {
  const db = await Stator.open({ clock });
  open.push(db);
  const server = await db.listen({ port: 0, auth: 'verify', credentials });
  open.push(server);
  return server;
}

/** Sends a request that was signed at a time, and returns its status. */
async function send(server: StatorServer, signedAtMs: number, change: Readonly<Record<string, string>> = {}) {
  const body = change.body ?? '{}';
  const signer = new Signer({
    digest: nodeDigest,
    ...credentials[0]!,
    region: 'us-east-1',
    service: change.service ?? 'dynamodb',
    nowMs: signedAtMs,
  });
  const headers: Record<string, string> = {
    host: `127.0.0.1:${server.port}`,
    'x-amz-date': signer.dateTime,
    'content-type': change.type ?? 'application/x-amz-json-1.0',
    ...(change.type === undefined && { 'x-amz-target': 'DynamoDB_20120810.ListTables' }),
  };
  const authorization = signer.authorization({
    method: 'POST',
    url: '/',
    headers,
    bodyHash: nodeDigest.sha256(body),
  });
  const response = await fetch(server.url, { method: 'POST', body, headers: { ...headers, authorization } });
  return { status: response.status, text: await response.text() };
}

describe('a server that verifies signatures', () => {
  it('goes by the clock of the machine, wherever that of the database stands', async () => {
    const clock = new VirtualClock(Date.now());
    const server = await serve(clock);
    const yearMs = 365 * 86_400_000;
    for (const movedMs of [0, 3_600_000, -yearMs]) {
      clock.setMs(Date.now() + movedMs);
      expect((await send(server, Date.now())).status).toBe(200);
      if (movedMs === 0) continue;
      const refused = await send(server, Date.now() + movedMs);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('InvalidSignature')]);
    }
  });

  it.each(['AlarmTypes.member.1.x=1', 'AlarmNames.member.1.x.y=1&AlarmNames.member.1.x=1'])(
    'answers a parameter with parts where a value belongs with 400: %s',
    async (parameter) => {
      const server = await serve(new VirtualClock(Date.now()));
      const body = `Action=DescribeAlarms&Version=2010-08-01&${parameter}`;
      const type = 'application/x-www-form-urlencoded';
      const { status, text } = await send(server, Date.now(), { body, type, service: 'monitoring' });
      expect([status, text]).toEqual([400, expect.stringContaining('MalformedInput')]);
    },
  );

  it.each([
    ['unsigned', '/_stator/explain', {}, 403],
    ['for nothing', '/_stator/nothing', {}, 404],
    ['from another origin', '/_stator/reset', { Origin: 'https://example.com' }, 403],
    ['compressed', '/_stator/health', { 'Content-Encoding': 'gzip' }, 415],
    ['too long', '/_stator/health', { 'Content-Length': '1048577' }, 413],
  ])('refuses a control request from its head alone: %s', async (_, path, headers, status) => {
    const server = await serve(new VirtualClock(Date.now()));
    const connection = await RawConnection.open(server.port);
    const all = { Host: 'localhost', 'Content-Length': '1000000', ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    connection.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    expect((await connection.response())?.status).toBe(status);
    connection.socket.destroy();
  });
});
