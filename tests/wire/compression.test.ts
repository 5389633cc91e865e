import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkedJson, plainBody } from './raw-connection.ts';
import { closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

const internalError = {
  __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
  message: 'Internal server error',
};

describe('a compressed request', () => {
  const text = '{"A":"ö"}';
  it.each([
    ['gzip', gzipSync(text)],
    ['GZIP ', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', Buffer.from(text)],
    ['gzip', Buffer.concat([gzipSync(text.slice(0, 4)), gzipSync(''), gzipSync(text.slice(4))])],
    // As on the service (Scylla's test_compressed_request.py).
    ['gzip', Buffer.concat([gzipSync(text), Buffer.from('junk')])],
  ])('is read: %s', async (coding, body) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', body, { 'Content-Encoding': coding }));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 'ö' } });
  });

  it.each([
    ['gzip', Buffer.from(text)],
    ['gzip', Buffer.alloc(0)],
    ['gzip', gzipSync(text).subarray(0, -1)],
    ['gzip', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['garbage', Buffer.from(text)],
    ['gzip, gzip', gzipSync(text)],
  ])('that is none ends in 500: %s', async (coding, body) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', body, { 'Content-Encoding': coding }));
    const response = await connection.response();
    expect(response?.status).toBe(500);
    expect(checkedJson(response)).toEqual(internalError);
    expect(response?.headers.get('content-type')).toBe('application/x-amz-json-1.0');
  });

  it('that is none is logged once, in a line', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    for (const coding of ['gzip', 'gzip', 'deflate', 'garbage']) {
      connection.write(post('Echo', text, { 'Content-Encoding': coding }));
      expect((await connection.response())?.status).toBe(500);
    }
    expect(stub.logged).toEqual([
      expect.stringMatching(/^The body of a request is not what its Content-Encoding says.*$/),
    ]);
  });

  it('may unfold to sixteen megabytes and no more', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const padded = (size: number) => gzipSync(Buffer.from('{"A":1}'.padEnd(size)));
    connection.write(post('Echo', padded(16 << 20), { 'Content-Encoding': 'gzip' }));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
    connection.write(post('Echo', padded((16 << 20) + 1), { 'Content-Encoding': 'gzip' }));
    expect((await connection.response())?.status).toBe(413);
    connection.write(post('Echo', '{"A":2}'));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 2 } });
  });

  it.each(['gzip', 'deflate'])('that would unfold to gigabytes costs little: %s', async (coding) => {
    const stub = await startStub();
    const member =
      coding === 'gzip' ? gzipSync(Buffer.alloc(64 << 20)) : deflateSync(Buffer.alloc(512 << 20));
    // Members follow one another for gzip, so that one small body stands for eight gigabytes.
    const bomb = coding === 'gzip' ? Buffer.concat(Array.from({ length: 128 }, () => member)) : member;
    const before = process.memoryUsage().arrayBuffers;
    const connection = await stub.open();
    connection.write(post('Echo', bomb, { 'Content-Encoding': coding }));
    expect((await connection.response())?.status).toBe(413);
    // What was inflated before the limit may not have been collected yet, but there is a limit.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(128 << 20);
  });
});

describe('a large answer', () => {
  it.each([
    ['gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br, deflate;q=0.5', 'deflate'],
    ['identity', undefined],
    [undefined, undefined],
  ])(
    'to a client that accepts %s is sent as %s, with the checksum of what is sent',
    async (accepted, coding) => {
      const stub = await startStub();
      const connection = await stub.open();
      connection.write(post('Large', '{}', { 'Accept-Encoding': accepted }));
      const response = (await connection.response())!;
      expect(response.headers.get('content-encoding')).toBe(coding);
      expect(checkedJson(response)).toEqual({ Text: 'x'.repeat(5000) });
      if (coding !== undefined) expect(response.body.length).toBeLessThan(500);
    },
  );

  it('begins above four kilobytes of UTF-8', async () => {
    const stub = await startStub({
      Exact: (input) => ({
        T: 'ö'.repeat((input as { pairs: number }).pairs),
        p: (input as { pad: string }).pad,
      }),
    });
    const connection = await stub.open();
    const frame = JSON.stringify({ T: '', p: '' }).length;
    for (const [length, isCompressed] of [
      [4096, false],
      [4097, true],
    ] as const) {
      const pairs = 2000;
      const pad = 'x'.repeat(length - frame - 2 * pairs);
      connection.write(post('Exact', JSON.stringify({ pairs, pad }), { 'Accept-Encoding': 'gzip' }));
      const response = (await connection.response())!;
      expect(response.headers.has('content-encoding')).toBe(isCompressed);
      checkedJson(response);
      expect(plainBody(response)).toHaveLength(length);
    }
  });

  it('heeds only the first Accept-Encoding', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const request = (first: string, second: string) =>
      post('Large')
        .toString('latin1')
        .replace('\r\n\r\n', `\r\nAccept-Encoding: ${first}\r\nAccept-Encoding: ${second}\r\n\r\n`);
    connection.write(request('identity', 'gzip'));
    expect((await connection.response())?.headers.has('content-encoding')).toBe(false);
    connection.write(request('gzip', 'identity'));
    expect((await connection.response())?.headers.get('content-encoding')).toBe('gzip');
  });

  it('keeps its place among pipelined ones', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(Buffer.concat([post('Large', '{}', { 'Accept-Encoding': 'gzip' }), post('Echo')]));
    expect(checkedJson(await connection.response())).toHaveProperty('Text');
    expect(checkedJson(await connection.response())).toHaveProperty('Input');
  });
});
