import { chmodSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Stator, type StatorServer } from '../../src/index.ts';
import { Signer } from '../../src/kit/signer.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { newDirectory } from '../storage/directories.ts';

afterEach(() => vi.restoreAllMocks());

/** Sends a signed request on the one connection of an agent. */
function send(server: StatorServer, agent: Agent, accessKeyId: string, path = '/'): Promise<number> {
  const { host, port } = server;
  const signer = new Signer({
    digest: nodeDigest,
    ...{ accessKeyId, secretAccessKey: 's', region: 'us-east-1', service: 'dynamodb', nowMs: Date.now() },
  });
  const headers = {
    ...{ host: `${host}:${port}`, 'x-amz-date': signer.dateTime },
    ...{ 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.ListTables' },
  };
  const [method, body] = path === '/' ? ['POST', '{}'] : ['GET', ''];
  const authorization = signer.authorization({
    method,
    url: path,
    headers,
    bodyHash: nodeDigest.sha256(body),
  });
  return new Promise((resolve, reject) => {
    const sent = request(
      { host, port, method, path, agent, headers: { ...headers, authorization } },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode!));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

it('refuses a removed key and admits a new one, on a connection that was open before', async () => {
  const path = join(await newDirectory(), 'keys');
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    chmodSync(`${path}.new`, 0o600);
    renameSync(`${path}.new`, path);
  };
  const profile = (id: string, more = '') =>
    `[${id}]\naws_access_key_id = ${id}\naws_secret_access_key = s\n${more}`;
  write(profile('OLD'));
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const lines: string[] = [];
  const db = await Stator.open({ log: (line) => lines.push(line) });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const server = await db.listen({ port: 0, auth: 'verify', credentialsFile: path });
    expect(await send(server, agent, 'OLD')).toBe(200);
    expect(await send(server, agent, 'OLD', '/_stator/namespaces')).toBe(403);
    expect(await send(server, agent, 'NEW')).toBe(400);
    write(profile('NEW', 'stator_administrator = true\n'));
    now += 1_000;
    expect(await send(server, agent, 'OLD')).toBe(400);
    expect(await send(server, agent, 'NEW')).toBe(200);
    expect(await send(server, agent, 'NEW', '/_stator/namespaces')).toBe(200);
    expect(lines).toContain('The credentials file has changed; its keys are in force.');
    chmodSync(path, 0o644);
    await expect(db.listen({ port: 0, auth: 'verify', credentialsFile: path })).rejects.toThrow('chmod 600');
  } finally {
    agent.destroy();
    await db.close();
  }
});

it('ends a streamed answer when the key that asked for it is removed', async () => {
  const path = join(await newDirectory(), 'keys');
  const write = (id: string) => {
    const text = `[x]\naws_access_key_id = ${id}\naws_secret_access_key = s\n`;
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  write('OLD');
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const db = await Stator.open({ observe: true, log: () => {} });
  const agent = new Agent({ keepAlive: true });
  try {
    const server = await db.listen({ port: 0, auth: 'verify', credentialsFile: path });
    const answered = send(server, agent, 'OLD', '/_stator/live');
    expect(await send(server, agent, 'OLD')).toBe(200);
    write('NEW');
    now += 1_000;
    expect(await answered).toBe(200);
    expect(await send(server, agent, 'OLD')).toBe(400);
  } finally {
    agent.destroy();
    await db.close();
  }
});
