import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Signer } from '../../src/kit/signer.ts';
import { verifiedDoor } from '../../src/wire/authenticate.ts';
import { credentialLookup } from '../../src/wire/credentials.ts';
import { nodeDigest } from '../../src/wire/node-digest.ts';
import { WireWork } from '../../src/wire/wire-work.ts';
import { runChild } from '../run-child.ts';
import { deferred } from './deferred.ts';
import { checkedJson, RawConnection } from './raw-connection.ts';
import { closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

const MB = 1024 * 1024;
const nowMs = Date.UTC(2026, 10, 15, 12);
const key = { accessKeyId: 'AKID', secretAccessKey: 'shh' };
/** Sixteen megabytes of empty objects, which no request has. */
const bomb = gzipSync(Buffer.from(`{"a":[${'{},'.repeat((16 * MB - 10) / 3)}0]}`));

function startVerified(limits = {}) {
  const work = new WireWork();
  const authenticate = verifiedDoor(credentialLookup([key]), () => nowMs, work);
  return startStub({}, { authenticate, work, limits });
}

/** The headers of a request that is signed; its body may be another one. */
function signed(
  body: string | Uint8Array,
  change: { readonly key?: typeof key; readonly service?: string } = {},
) {
  const service = change.service ?? 'dynamodb';
  const signer = new Signer({
    digest: nodeDigest,
    ...(change.key ?? key),
    region: 'us-east-1',
    service,
    nowMs,
  });
  const headers = {
    host: 'localhost',
    'x-amz-date': signer.dateTime,
    'x-amz-target': 'DynamoDB_20120810.Echo',
  };
  return {
    Authorization: signer.authorization({
      method: 'POST',
      url: '/',
      headers,
      bodyHash: nodeDigest.sha256(body),
    }),
  };
}

const unknown = { ...key, accessKeyId: 'OTHER' };

describe('where signatures are verified, a request is refused from its head alone', () => {
  it.each([
    ['an unknown key', signed('', { key: unknown }), 'UnrecognizedClientException'],
    ['another service', signed('', { service: 'sqs' }), 'InvalidSignatureException'],
    ['no signature', { Authorization: undefined }, 'MissingAuthenticationTokenException'],
    ['an old date', { ...signed(''), 'X-Amz-Date': '20261114T120000Z' }, 'InvalidSignatureException'],
    ['an unsigned header', { ...signed(''), 'X-Amz-More': 'x' }, 'InvalidSignatureException'],
    ['a header that is there twice', { ...signed(''), 'x-amz-date': 'x' }, 'InvalidSignatureException'],
    [
      'no operation',
      { ...signed(''), 'X-Amz-Target': 'DynamoDB_20120810.None' },
      'UnknownOperationException',
    ],
  ])('for %s', async (_, headers, name) => {
    const stub = await startVerified();
    const connection = await stub.open();
    connection.write(post('Echo', '', { ...headers, 'Content-Length': '10000000' }));
    const response = await connection.response();
    expect(checkedJson(response).__type).toMatch(name);
    expect(response?.headers.get('connection')).toBe('close');
    connection.socket.end();
    await connection.closed;
    expect([stub.server.budget.arriving, stub.server.work.bytesHashed]).toEqual([0, 0]);
  });

  it('and a short rest of it is dropped', async () => {
    const stub = await startVerified();
    const connection = await stub.open();
    connection.write(post('Echo', '', { ...signed('', { key: unknown }), 'Content-Length': '1000' }));
    expect((await connection.response())?.headers.get('connection')).toBe('keep-alive');
    connection.write(Buffer.alloc(1000));
    connection.write(post('Echo', '{"A":1}', signed('{"A":1}')));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
  });

  it('and a client that asks is not told to go on', async () => {
    const stub = await startVerified();
    const connection = await stub.open();
    const asks = { 'Content-Length': '10', Expect: '100-continue' };
    connection.write(post('Echo', '', { ...signed('', { key: unknown }), ...asks }));
    expect((await connection.response())?.status).toBe(400);
    await connection.closed;
    const known = await stub.open();
    known.write(post('Echo', '', { ...signed('{"A":"123"}'), ...asks, 'Content-Length': '11' }));
    expect((await known.response())?.status).toBe(100);
    known.write('{"A":"123"}');
    expect(checkedJson(await known.response())).toEqual({ Input: { A: '123' } });
  });
});

describe('a body whose signature is wrong', () => {
  it('is hashed, and neither inflated nor parsed', async () => {
    const stub = await startVerified();
    const connection = await stub.open();
    connection.write(post('Echo', bomb, { ...signed('{}'), 'Content-Encoding': 'gzip' }));
    expect(checkedJson(await connection.response()).__type).toMatch('InvalidSignatureException');
    const { work } = stub.server;
    expect(work).toMatchObject({ bytesHashed: bomb.length, bytesInflated: 0, jsonBytesParsed: 0 });
    const body = gzipSync('{"A":1}');
    connection.write(post('Echo', body, { ...signed(body), 'Content-Encoding': 'gzip' }));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
    expect(work).toMatchObject({ bytesInflated: 7, jsonBytesParsed: 7 });
  });
});

describe('bodies in flight', () => {
  const long = { 'Content-Length': String(16 * MB) };

  it('take no more than their budget, and small ones pass', async () => {
    const stub = await startStub();
    const connections = await Promise.all(Array.from({ length: 60 }, () => stub.open()));
    for (const connection of connections) {
      connection.write(post('Echo', '', long));
      connection.write(Buffer.alloc(MB, ' '));
    }
    await expect.poll(() => stub.server.budget.arriving).toBe(48 * MB);
    const small = await stub.open();
    small.write(post('Echo', '{"A":1}').subarray(0, -2));
    await expect.poll(() => stub.server.budget.arriving).toBe(48 * MB + 7);
    small.write('1}');
    expect(checkedJson(await small.response())).toEqual({ Input: { A: 1 } });
    expect(stub.server.budget.arrivingPeak).toBeLessThanOrEqual(64 * MB);
    for (const connection of connections) connection.socket.resetAndDestroy();
    await expect.poll(() => stub.server.connections).toBe(1);
    expect([stub.server.budget.arriving, stub.server.budget.held]).toEqual([0, 0]);
  });

  it('wait for room, with a length or in chunks, and are served in the end', async () => {
    const stub = await startStub({}, { limits: { arrivingBytesMax: 24 * MB } });
    const [first, second, third] = await Promise.all([stub.open(), stub.open(), stub.open()]);
    const body = '{"A":1}'.padEnd(12 * MB);
    first.write(post('Echo', body).subarray(0, 1000));
    await expect.poll(() => stub.server.budget.arriving).toBe(12 * MB);
    second.write(post('Echo', '', { 'Content-Length': String(12 * MB), Expect: '100-continue' }));
    const chunked = { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' };
    third.write(post('Echo', '', chunked));
    third.write(`200000\r\n${'{"A":3}'.padEnd(2 * MB)}\r\n0\r\n\r\n`);
    await expect.poll(() => stub.server.budget.arriving).toBe(12 * MB + 64 * 1024);
    first.write(post('Echo', body).subarray(1000));
    expect(checkedJson(await first.response())).toEqual({ Input: { A: 1 } });
    expect((await second.response())?.status).toBe(100);
    second.write('{"A":2}'.padEnd(12 * MB));
    expect(checkedJson(await second.response())).toEqual({ Input: { A: 2 } });
    expect(checkedJson(await third.response())).toEqual({ Input: { A: 3 } });
    expect([stub.server.budget.arriving, stub.server.budget.working]).toEqual([0, 0]);
  });

  it('are cut off when they stand still and others wait', async () => {
    const stub = await startStub({}, { limits: { arrivingBytesMax: 4 * MB }, timeoutCheckMs: 50 });
    const [idle, waiting] = await Promise.all([stub.open(), stub.open()]);
    idle.write(post('Echo', '', { 'Content-Length': String(3 * MB) }));
    await expect.poll(() => stub.server.budget.arriving).toBe(3 * MB);
    waiting.write(post('Echo', '{"A":1}'.padEnd(2 * MB)));
    expect((await idle.response())?.status).toBe(408);
    expect(checkedJson(await waiting.response())).toEqual({ Input: { A: 1 } });
  });

  it('hold their room until they are answered', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise }, { limits: { workingBytesMax: 8 * MB } });
    const [first, second] = await Promise.all([stub.open(), stub.open()]);
    first.write(post('Held', '{}'.padEnd(MB)));
    await expect.poll(() => stub.server.budget.working).toBe(8 * MB);
    second.write(post('Echo', '{"A":1}'.padEnd(MB)));
    await expect.poll(() => stub.server.budget.arriving).toBe(MB);
    held.resolve({});
    expect(checkedJson(await first.response())).toEqual({});
    expect(checkedJson(await second.response())).toEqual({ Input: { A: 1 } });
    expect([stub.server.budget.arriving, stub.server.budget.working]).toEqual([0, 0]);
  });
});

describe('connections', () => {
  it('beyond the limit are told so', async () => {
    const stub = await startStub({}, { limits: { connectionsMax: 2 } });
    const held = [await stub.open(), await stub.open()];
    const refused = await RawConnection.open(stub.port);
    refused.write(post('Echo'));
    const response = await refused.response();
    expect([response?.status, response?.body.toString()]).toEqual([
      503,
      expect.stringContaining('too many connections'),
    ]);
    await refused.closed;
    held[0]!.socket.destroy();
    await expect.poll(() => stub.server.connections).toBe(1);
    const accepted = await stub.open();
    accepted.write(post('Echo'));
    expect(checkedJson(await accepted.response())).toEqual({ Input: {} });
  });
});

describe('a server with a heap of 256 MB', () => {
  it('survives bodies that would be trees of hundreds of megabytes', async () => {
    const flags = ['--max-old-space-size=256'];
    const child = runChild(new URL('./serve-counts.ts', import.meta.url), [], [], flags);
    try {
      const port = Number(await child.until((line) => /^\d+$/.test(line)));
      const connections = await Promise.all([1, 2].map(() => RawConnection.open(port)));
      const compressed = { 'Content-Encoding': 'gzip' };
      for (const connection of connections) connection.write(post('Count', bomb, compressed));
      for (const connection of connections)
        expect(checkedJson(await connection.response()).__type).toMatch('SerializationException');
      // As dense as stored values can be, and as long as a body may be.
      const legal = gzipSync(Buffer.from(`{"a":[${'{"S":""},'.repeat((16 * MB - 10) / 9)}0]}`));
      connections[0]!.write(post('Count', legal, compressed));
      expect(checkedJson(await connections[0]!.response())).toEqual({ Count: 1_864_135 });
      for (const connection of connections) connection.socket.destroy();
    } finally {
      child.process.kill();
      await child.ended;
    }
  }, 60_000);
});
