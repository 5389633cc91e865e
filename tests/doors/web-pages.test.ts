import { afterEach, describe, expect, it } from 'vitest';
import { type ListenOptions, Stator, type StatorServer } from '../../src/index.ts';
import { type PageAnswer, sendAsPage } from './send-as-page.ts';

let db: Stator | undefined;
let server: StatorServer;

afterEach(() => db?.close());

async function start(options: ListenOptions = {}): Promise<void> {
  db = await Stator.open();
  server = await db.listen({ port: 0, ...options });
}

function send(headers: Record<string, string>, method?: string, path?: string): Promise<PageAnswer> {
  return sendAsPage(server.port, headers, method, path);
}

async function statuses(requests: readonly Record<string, string>[]): Promise<number[]> {
  return (await Promise.all(requests.map((headers) => send(headers)))).map(({ status }) => status);
}

describe('a server on a loopback address', () => {
  it('answers programs under its own names, and pages of this machine', async () => {
    await start();
    const answered = [
      { Host: `localhost:${server.port}` },
      { Host: `127.0.0.1:${server.port}` },
      { Host: 'host.docker.internal:8000' },
      { Origin: 'http://localhost:3000' },
      { Origin: 'https://127.0.0.1' },
      { Origin: 'http://[::1]:5173' },
    ];
    expect(await statuses(answered)).toEqual(answered.map(() => 200));
    const { headers } = await send({ Origin: 'http://localhost:3000' });
    expect(headers['access-control-allow-origin']).toBe('*');
  });

  it('refuses other pages and other names, in words that SDKs show', async () => {
    await start();
    const refused = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { Origin: 'http://localhost.evil.example' },
      { Host: `evil.example:${server.port}` },
      { Host: `evil.example:${server.port}`, Origin: `http://evil.example:${server.port}` },
      { Host: 'stator:8000' },
    ];
    expect(await statuses(refused)).toEqual(refused.map(() => 403));
    const { headers, text } = await send({ Origin: 'https://evil.example' });
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['x-amzn-requestid']).toMatch(/^[A-Z0-9]{52}$/);
    expect(JSON.parse(text)).toEqual({
      __type: 'com.amazon.coral.service#AccessDeniedException',
      Message: expect.stringContaining('--cors https://evil.example '),
    });
  });

  it('refuses the preflight of such a page, and whatever else it asks for', async () => {
    await start();
    const preflight = {
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-amz-target',
    };
    const asked = await send({ Origin: 'https://evil.example', ...preflight }, 'OPTIONS');
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    const allowed = await send({ Origin: 'http://localhost:3000', ...preflight }, 'OPTIONS');
    expect([allowed.status, allowed.headers['access-control-allow-headers']]).toEqual([200, 'x-amz-target']);
    for (const method of ['GET', 'HEAD', 'PUT'])
      expect((await send({ Origin: 'https://evil.example' }, method)).status).toBe(403);
    expect((await send({ Host: 'evil.example' }, 'GET')).status).toBe(403);
    expect((await send({}, 'GET')).status).toBe(200);
  });

  it('refuses a page before it looks at the body', async () => {
    await start();
    const corrupt = { 'Content-Encoding': 'gzip', Origin: 'https://evil.example' };
    expect((await send(corrupt)).status).toBe(403);
  });

  it('opens to those that are listed', async () => {
    await start({
      cors: ['https://app.example', 'tools.example'],
      allowHosts: ['db.example', '*.corp.example'],
    });
    const answered = [
      { Origin: 'https://app.example' },
      { Origin: 'http://tools.example:3000' },
      { Host: 'db.example:8000' },
      { Host: 'a.corp.example', Origin: 'https://app.example' },
      { Host: 'db.example:8000', Origin: 'http://db.example:8000' },
    ];
    expect(await statuses(answered)).toEqual(answered.map(() => 200));
    const refused = [{ Origin: 'http://app.example' }, { Host: 'app.example' }, { Origin: 'null' }];
    expect(await statuses(refused)).toEqual([403, 403, 403]);
    // The control API is for pages of the server itself, and knows the same names.
    expect((await send({ Host: 'db.example' }, 'GET', '/_stator/health')).status).toBe(200);
    const fromPage = { Host: 'db.example', Origin: 'https://app.example' };
    expect((await send(fromPage, 'GET', '/_stator/health')).status).toBe(403);
  });

  it('opens to all with an asterisk, which has to be said', async () => {
    await start({ cors: ['*'], allowHosts: ['*'] });
    const answered = [{ Origin: 'https://evil.example' }, { Origin: 'null' }, { Host: 'evil.example' }];
    expect(await statuses(answered)).toEqual([200, 200, 200]);
    const fromPage = { Origin: 'https://evil.example' };
    expect((await send(fromPage, 'POST', '/_stator/snapshot')).status).toBe(403);
  });

  it('does not begin with a list that cannot be', async () => {
    db = await Stator.open();
    await expect(db.listen({ port: 0, cors: ['https://a.example/path'] })).rejects.toThrow(
      'listen: cors[0] takes origins',
    );
    await expect(db.listen({ port: 0, allowHosts: ['http://a.example'] })).rejects.toThrow(
      'listen: allowHosts[0] takes',
    );
  });
});

describe('a server that other machines can reach', () => {
  it('answers to every name where signatures are verified, though not to every page', async () => {
    const credentials = [{ accessKeyId: 'known', secretAccessKey: 'secret' }];
    await start({ host: '0.0.0.0', auth: 'verify', credentials });
    // The signature is wrong, and that is found out only after the name has passed.
    const { status, text } = await send({ Host: 'db.example' });
    expect([status, text]).toEqual([400, expect.stringContaining('InvalidSignatureException')]);
    expect((await send({ Host: 'db.example', Origin: 'https://evil.example' })).status).toBe(403);
  });
});
