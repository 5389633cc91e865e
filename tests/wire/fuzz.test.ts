import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { checkedJson, checkSums, plainBody, type RawResponse } from './raw-connection.ts';
import { authorization, closeAfterEach, post, type StubServer, startStub } from './stub-server.ts';

closeAfterEach();

/** Pieces that have a meaning somewhere between the socket and the operation. */
const spices = [
  '\r\n',
  '\n',
  '\r\n\r\n',
  '\0',
  ' ',
  ':',
  ';',
  ',',
  '=',
  '/',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  '%',
  '%00',
  '__proto__',
  'null',
  '1e999',
  '-',
  '\u00ff',
  'HTTP/1.1',
  'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 99999999999999999999\r\n',
  'Content-Encoding: gzip\r\n',
  'Expect: 100-continue\r\n',
  'Connection: close\r\n',
  'Upgrade: x\r\nConnection: upgrade\r\n',
  'Origin: x\r\n',
  '0\r\n\r\n',
  'ffffffff\r\n',
  'x'.repeat(5000),
  '['.repeat(3000),
];

function randomJson(random: SeededRandom, depth: number): unknown {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -0, 1.5, 1e300, -7]);
    case 3:
      return String.fromCharCode(...Array.from({ length: random.below(8) }, () => random.below(0x10000)));
    case 4:
      return random.pick(spices);
    case 5:
      return Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1));
    default:
      return Object.fromEntries(
        Array.from({ length: random.below(4) }, () => [random.pick(spices), randomJson(random, depth - 1)]),
      );
  }
}

/** A request that is right in form, with members and headers that may not be. */
function randomRequest(random: SeededRandom): Buffer {
  const json = JSON.stringify(random.chance(0.9) ? { Input: randomJson(random, 4) } : randomJson(random, 4));
  const operation = random.pick(['Echo', 'Later', 'Large', 'TagResource', 'Throw', 'Nonsense']);
  const headers: Record<string, string | undefined> = {};
  if (random.chance(0.3))
    headers['Accept-Encoding'] = random.pick(['gzip', 'deflate', '*', 'gzip;q=0', ',;=']);
  if (random.chance(0.1)) headers.Origin = 'https://example.com';
  if (random.chance(0.1))
    headers['Content-Type'] = random.pick([undefined, '', 'application/json', 'text/xml']);
  if (random.chance(0.2)) {
    headers.Authorization = random.pick([
      undefined,
      '',
      'AWS4-',
      mutated(random, Buffer.from(authorization)).toString('latin1'),
    ]);
    // What breaks the framing is for the mutations of whole requests.
    headers.Authorization = headers.Authorization?.replaceAll(/[^\x20-\x7e]/g, '?');
  }
  if (random.chance(0.1)) {
    headers['Content-Encoding'] = 'gzip';
    const packed = gzipSync(json);
    return post(operation, random.chance(0.5) ? packed : mutated(random, packed), headers);
  }
  const body = Buffer.from(json);
  return post(operation, random.chance(0.6) ? body : mutated(random, body), headers);
}

/** One to four bytes, pieces or stretches of `bytes` changed. */
function mutated(random: SeededRandom, bytes: Buffer): Buffer {
  let result = bytes;
  for (let count = 1 + random.below(4); count > 0; count--) {
    const at = random.below(result.length + 1);
    const until = Math.min(result.length, at + random.below(20));
    const spice = Buffer.from(random.pick(spices), 'latin1');
    switch (random.below(6)) {
      case 0:
        result = Buffer.concat([result.subarray(0, at), spice, result.subarray(at)]);
        break;
      case 1:
        result = Buffer.concat([result.subarray(0, at), spice, result.subarray(until)]);
        break;
      case 2:
        result = Buffer.concat([result.subarray(0, at), result.subarray(until)]);
        break;
      case 3:
        result = Buffer.concat([result.subarray(0, until), result.subarray(at)]);
        break;
      case 4:
        result = result.subarray(0, at);
        break;
      default:
        result = Buffer.from(result);
        if (result.length > 0) result[random.below(result.length)] = random.below(256);
    }
  }
  return result;
}

/** An answer of an operation has JSON, id and checksum; one of the protocol is bare or a text. */
function check(response: RawResponse): void {
  const { status, headers, body } = response;
  switch (status) {
    case 200:
    case 500:
      checkSums(response);
      if (headers.has('content-type') && body.length > 0) checkedJson(response);
      else expect(plainBody(response).toString()).toMatch(/^(healthy: .*)?$/);
      break;
    case 400:
      if (body.length > 0) expect(checkedJson(response)).toHaveProperty('__type');
      break;
    case 404:
      checkSums(response);
      break;
    case 100:
    case 408:
    case 413:
    case 417:
      expect(body).toHaveLength(0);
      break;
    default:
      throw new Error(`Unexpected status ${status}`);
  }
}

async function startVictim(): Promise<StubServer> {
  return startStub({
    Throw: () => {
      throw new Error('as told');
    },
  });
}

async function expectAlive(stub: StubServer): Promise<void> {
  const connection = await stub.open();
  connection.write(post('Echo', '{"alive":true}'));
  expect(checkedJson(await connection.response())).toEqual({ Input: { alive: true } });
  connection.socket.destroy();
  await connection.closed;
}

/** What a seed does not explain would be lost with the run. */
async function explained(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

describe('any bytes', () => {
  const seeds = testSeeds('wire fuzz, bytes');
  it.each(seeds)('get well-formed answers or none, and leave the server standing, %i', async (seed) => {
    const random = seededRandom(seed);
    const stub = await startVictim();
    const before = process.memoryUsage();
    const cases = rounds(3000);
    for (let index = 0; index < cases; index++) {
      const bytes = mutated(random, randomRequest(random));
      const connection = await stub.open(true);
      await explained(
        `case ${index}, ${JSON.stringify(bytes.toString('latin1').slice(0, 3000))}`,
        async () => {
          // A torn write now and then, so that the pieces do not end where the parts of the request do.
          const tear = random.chance(0.2) ? random.below(bytes.length + 1) : bytes.length;
          connection.write(bytes.subarray(0, tear));
          connection.write(bytes.subarray(tear));
          connection.socket.end();
          for (
            let answer = await connection.response();
            answer !== undefined;
            answer = await connection.response()
          ) {
            check(answer);
          }
        },
      );
      connection.socket.destroy();
      await connection.closed;
      if (index % 500 === 499) await expectAlive(stub);
    }
    await expectAlive(stub);
    for (const line of stub.logged)
      expect(line).toMatch(
        /^Throw failed, .*Error: as told|^\w+\.\w+ was asked for, which this version|^The body of a request is not what/,
      );
    await expect.poll(() => stub.server.connections).toBe(0);
    const after = process.memoryUsage();
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(512 << 20);
  });
});

describe('any JSON', () => {
  const seeds = testSeeds('wire fuzz, JSON');
  it.each(seeds)('gets one answer each on one connection, in order, %i', async (seed) => {
    const random = seededRandom(seed);
    const stub = await startVictim();
    const connection = await stub.open();
    const cases = rounds(3000);
    for (let index = 0; index < cases; ) {
      const batch = Array.from({ length: 1 + random.below(5) }, () => randomRequest(random));
      connection.write(Buffer.concat(batch));
      for (const request of batch) {
        await explained(
          `case ${index}, ${JSON.stringify(request.toString('latin1').slice(0, 3000))}`,
          async () => {
            const response = await connection.response();
            if (response === undefined) throw new Error('no answer');
            check(response);
          },
        );
        index++;
      }
    }
    await expectAlive(stub);
  });
});
