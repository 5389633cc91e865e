import { describe, expect, it } from 'vitest';
import { deferred } from './deferred.ts';
import { checkedJson, checkSums } from './raw-connection.ts';
import { closeAfterEach, post, startStub } from './stub-server.ts';

closeAfterEach();

const unknownOperation = '{"__type":"com.amazon.coral.service#UnknownOperationException"}';

describe('an exchange', () => {
  it('answers on a connection that stays open', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    for (const operation of ['Echo', 'Later', 'Echo']) {
      connection.write(post(operation, '{"A":"ö"}'));
      const response = await connection.response();
      expect(checkedJson(response)).toEqual({ Input: { A: 'ö' } });
      expect(response).toMatchObject({ status: 200, version: '1.1' });
      expect(response?.headers.get('content-type')).toBe('application/x-amz-json-1.0');
      expect(response?.headers.get('connection')).toBe('keep-alive');
    }
  });

  it('answers pipelined requests in their order', async () => {
    const held = deferred<object>();
    const stub = await startStub({ Held: () => held.promise });
    const connection = await stub.open();
    const numbered = Array.from({ length: 20 }, (_, index) => post('Echo', `{"N":${index}}`));
    connection.write(Buffer.concat([post('Held'), ...numbered, post('Later', '{"N":20}')]));
    // Another client is not held up, and by then the pipelined requests are long read.
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    held.resolve({ N: -1 });
    expect(checkedJson(await connection.response())).toEqual({ N: -1 });
    for (let index = 0; index <= 20; index++) {
      expect(checkedJson(await connection.response())).toEqual({ Input: { N: index } });
    }
  });

  it('puts together a request that arrives byte by byte', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    for (const byte of post('Echo', '{"A":1}')) connection.write(Uint8Array.of(byte));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
  });

  it('reads a body in chunks', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const head = post('Echo', '', { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' });
    connection.write(
      Buffer.concat([head, Buffer.from('5\r\n{"A":\r\n2;extension=1\r\n1}\r\n0\r\nTrailer: x\r\n\r\n')]),
    );
    connection.write(post('Echo', '{"A":2}'));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 2 } });
  });

  it('sends an empty body with its length and checksum', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('TagResource'));
    const response = await connection.response();
    expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(response?.headers.get('content-length')).toBe('0');
    checkSums(response!);
  });

  it('serves clients of HTTP/1.0 and hangs up, unless they ask to stay', async () => {
    const stub = await startStub();
    const asOld = (request: Buffer) =>
      Buffer.from(request.toString('latin1').replace('HTTP/1.1', 'HTTP/1.0'), 'latin1');
    const connection = await stub.open();
    connection.write(asOld(post('Echo', '{}', { Connection: 'keep-alive' })));
    checkedJson(await connection.response());
    connection.write(asOld(post('Echo')));
    expect((await connection.response())?.headers.get('connection')).toBe('close');
    await connection.closed;
  });

  it('answers a client that has closed its own side', async () => {
    const held = deferred<object>();
    const called = deferred<void>();
    const stub = await startStub({
      Held: () => {
        called.resolve();
        return held.promise;
      },
    });
    const connection = await stub.open(true);
    connection.write(Buffer.concat([post('Echo', '{"N":1}'), post('Held')]));
    connection.socket.end();
    expect(checkedJson(await connection.response())).toEqual({ Input: { N: 1 } });
    await called.promise;
    held.resolve({ N: 2 });
    expect(checkedJson(await connection.response())).toEqual({ N: 2 });
    expect(await connection.response()).toBeUndefined();
    await connection.closed;
  });

  it('tells a client that asks first to go on', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const request = post('Echo', '{"A":1}', { Expect: '100-continue' });
    connection.write(request.subarray(0, -7));
    expect(await connection.response()).toMatchObject({ status: 100 });
    connection.write(request.subarray(-7));
    expect(checkedJson(await connection.response())).toEqual({ Input: { A: 1 } });
  });

  it('takes the first of repeated headers', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    const twice = post('Echo')
      .toString('latin1')
      .replace('\r\n\r\n', '\r\nX-Amz-Target: DynamoDB_20120810.Large\r\n\r\n');
    connection.write(twice);
    expect(checkedJson(await connection.response())).toEqual({ Input: {} });
  });

  it('survives an operation that throws, and logs where', async () => {
    const stub = await startStub({
      Throw: () => {
        throw new Error('broken');
      },
      Reject: () => Promise.reject(new TypeError('broken too')),
    });
    const connection = await stub.open();
    for (const operation of ['Throw', 'Reject']) {
      connection.write(post(operation));
      const response = await connection.response();
      expect(response?.status).toBe(500);
      expect(checkedJson(response)).toEqual({
        __type: 'com.amazonaws.dynamodb.v20120810#InternalServerError',
        message: 'Internal server error',
      });
    }
    expect(stub.logged).toHaveLength(2);
    expect(stub.logged[0]).toMatch(
      /^Throw failed, request [0-9A-Z]{52}: Error: broken\n +at .*http\.test\.ts/,
    );
    expect(stub.logged[1]).toMatch(/^Reject failed, request [0-9A-Z]{52}: TypeError: broken too\n +at /);
  });

  it('drops a client that leaves before its answer', async () => {
    const held = deferred<object>();
    const called = deferred<void>();
    const stub = await startStub({
      Held: () => {
        called.resolve();
        return held.promise;
      },
    });
    const connection = await stub.open();
    connection.write(post('Held'));
    await called.promise;
    connection.socket.resetAndDestroy();
    await connection.closed;
    held.resolve({});
    const other = await stub.open();
    other.write(post('Echo'));
    checkedJson(await other.response());
    expect(stub.logged).toEqual([]);
  });
});

describe('what is not an operation', () => {
  it('is healthy', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const response = (await connection.response())!;
    expect(response.status).toBe(200);
    expect(response.body.toString()).toBe('healthy: dynamodb.us-east-1.amazonaws.com ');
    // The checksum that the service itself was seen to send for this text.
    expect(response.headers.get('x-amz-crc32')).toBe('3128867991');
    checkSums(response);
  });

  it.each([
    ['GET /elsewhere', ''],
    ['PUT /', ''],
    ['DELETE /', ''],
    ['PATCH /', '{}'],
    ['OPTIONS /', ''],
    ['GET /_stator/health', ''],
    ['POST /_stator/reset', '{}'],
  ])('answers %s with 404', async (line, body) => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const response = (await connection.response())!;
    expect(response.status).toBe(404);
    expect(response.body.toString()).toBe('<UnknownOperationException/>\n');
    expect(response.headers.get('x-amz-crc32')).toBe('3552371480');
    checkSums(response);
  });

  it.each([undefined, 'text/plain', 'application/x-amz-json-1.1'])(
    'answers a body of type %s with 404',
    async (contentType) => {
      const stub = await startStub();
      const connection = await stub.open();
      connection.write(post('Echo', 'hi', { 'Content-Type': contentType }));
      const response = (await connection.response())!;
      expect(response.status).toBe(404);
      expect(response.body.toString()).toBe('<UnknownOperationException/>\n');
    },
  );

  it('answers HEAD without a body', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write('HEAD / HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await connection.response(true)).toMatchObject({ status: 404 });
    connection.write(post('Echo'));
    checkedJson(await connection.response());
  });

  it('answers an unknown operation, and JSON that is none, with the checksums the service was seen to send', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Nonsense'));
    const unknown = (await connection.response())!;
    expect(unknown.body.toString()).toBe(unknownOperation);
    expect(unknown.headers.get('x-amz-crc32')).toBe('1368724161');
    connection.write(post('Nonsense', 'hi'));
    const unparsable = (await connection.response())!;
    expect(unparsable.body.toString()).toBe('{"__type":"com.amazon.coral.service#SerializationException"}');
    expect(unparsable.headers.get('x-amz-crc32')).toBe('3948637019');
  });

  it('refuses bytes that are not UTF-8', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(post('Echo', Buffer.from('7b2241223a22ff227d', 'hex')));
    expect(checkedJson(await connection.response())).toEqual({
      __type: 'com.amazon.coral.service#SerializationException',
    });
  });
});

describe('a request from another origin', () => {
  const exposed = 'x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date';

  it('is answered for any origin, also with an error', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    for (const operation of ['Echo', 'Nonsense']) {
      connection.write(post(operation, '{}', { Origin: 'https://example.com' }));
      const headers = (await connection.response())?.headers;
      expect(headers?.get('access-control-allow-origin')).toBe('*');
      expect(headers?.get('access-control-expose-headers')).toBe(exposed);
    }
    connection.write(post('Echo'));
    const headers = (await connection.response())?.headers;
    expect(headers?.has('access-control-allow-origin')).toBe(false);
    expect(headers?.has('access-control-expose-headers')).toBe(false);
  });

  it('is allowed what it asks for', async () => {
    const stub = await startStub();
    const connection = await stub.open();
    connection.write(
      'OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: y\r\nAccess-Control-Request-Headers: a, b, c\r\nAccess-Control-Request-Method: d\r\n\r\n',
    );
    const response = (await connection.response())!;
    expect(response).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toBe('a, b, c');
    expect(response.headers.get('access-control-allow-methods')).toBe('d');
    expect(response.headers.get('access-control-max-age')).toBe('172800');
    expect(response.headers.get('access-control-expose-headers')).toBe(exposed);
    checkSums(response);
  });
});
