import { describe, expect, it } from 'vitest';
import { HeadReader, keepsAlive, type RequestHead } from '../../src/wire/request-head.ts';
import { RequestParser } from '../../src/wire/request-parser.ts';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../seeded-random.ts';
import { type Reading, ReferenceParser, type Understood } from './reference-parser.ts';

interface OurReading extends Reading {
  /** Where each request ended, or rather the portion in which it did. */
  readonly ends: readonly number[];
}

/** One for all connections, as a server has it. */
const heads = new HeadReader();

/** What our parser makes of the same bytes, in portions that end anywhere and that all come in the same buffer. */
function read(bytes: Buffer, cuts: readonly number[]): OurReading {
  const parser = new RequestParser(heads);
  const requests: Understood[] = [];
  const ends: number[] = [];
  let body: Buffer[] = [];
  let from = 0;
  const shared = Buffer.alloc(bytes.length);
  for (const to of [...cuts, bytes.length]) {
    parser.keep();
    bytes.copy(shared.fill('!'), 0, from, to);
    parser.push(shared.subarray(0, to - from));
    from = to;
    for (let found = parser.next(); found !== 'hungry'; found = parser.next()) {
      if (found === 'malformed') return { requests, ends, isClean: false };
      if (found === 'head') body = [];
      else if (found === 'piece') body.push(Buffer.from(parser.piece));
      else {
        requests.push(understood(parser.head, body));
        ends.push(to);
        // What follows the last request of a connection is nobody's business.
        if (!keepsAlive(parser.head)) return { requests, ends, isClean: true };
      }
    }
  }
  return { requests, ends, isClean: parser.isIdle };
}

function understood(head: RequestHead, body: readonly Buffer[]): Understood {
  return {
    method: head.method,
    url: head.url,
    version: head.isOld ? '1.0' : '1.1',
    headers: head.fields.raw,
    body: Buffer.concat(body).toString('latin1'),
    keepsAlive: keepsAlive(head),
  };
}

function byteByByte(bytes: Buffer): OurReading {
  return read(
    bytes,
    Array.from(bytes, (_, index) => index),
  );
}

function randomCuts(random: SeededRandom, length: number): number[] {
  const count = random.pick([0, 1, 2, 5, length]);
  return Array.from({ length: count }, () => random.below(length + 1)).sort((a, b) => a - b);
}

const methods = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE'];
const targets = ['/', '/a/b?c=d', '/%20', '*', 'http://localhost:8000', 'http://localhost/a?b'];
const names = ['X-Amz-Target', 'x-amz-date', 'Accept', 'CONTENT-TYPE', "!#$%&'*+-.^_`|~09aZ", 'Connection'];
const values = [
  '',
  'a',
  ' padded\t',
  'a, b',
  'keep-alive',
  '\u00e4\u00ff',
  'a\tb',
  '"quoted"',
  ':',
  'x'.repeat(300),
];
const bodies = ['', '{}', '{"a":"b"}', '\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'x'.repeat(2000)];

/** A request that nobody may refuse. */
function validRequest(random: SeededRandom): string {
  const isOld = random.chance(0.1);
  const lines = [`${random.pick(methods)} ${random.pick(targets)} HTTP/1.${isOld ? 0 : 1}`];
  const add = (name: string, value: string) =>
    lines.push(`${name}:${random.pick(['', ' ', ' \t '])}${value}${random.pick(['', '', ' '])}`);
  if (!isOld || random.chance(0.5))
    add(random.pick(['Host', 'host']), random.pick(['x', 'localhost:8000', '']));
  for (let count = random.below(6); count > 0; count--) add(random.pick(names), random.pick(values));
  let body = random.pick(bodies);
  if (!isOld && random.chance(0.4)) {
    add('Transfer-Encoding', random.pick(['chunked', 'Chunked']));
    body = inChunks(random, body);
  } else if (body !== '' || random.chance(0.5)) {
    add(random.pick(['Content-Length', 'content-length']), `${random.pick(['', '', '00'])}${body.length}`);
  }
  // An old client that does not ask to stay ends the connection, and with it what can be compared.
  if (isOld) add('Connection', 'keep-alive');
  return `${random.pick(['', '', '', '\r\n'])}${lines.join('\r\n')}\r\n\r\n${body}`;
}

function inChunks(random: SeededRandom, body: string): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const size = 1 + random.below(Math.min(body.length - at, 500));
    const digits = size.toString(16).padStart(random.pick([1, 4]), '0');
    text += `${random.chance(0.5) ? digits : digits.toUpperCase()}${random.pick(['', '', ';a=b', ';c="d e"'])}\r\n`;
    text += `${body.slice(at, at + size)}\r\n`;
    at += size;
  }
  return `${text}0\r\n${random.pick(['', '', 'Trailer: x\r\n'])}\r\n`;
}

/** What has a meaning to one parser or another. */
const spices = [
  ...[
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '0',
    '1',
    'a',
    '\x7f',
    '\x80',
    '\xff',
    '\x0b',
  ],
  ...['HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'GET ', ' / HTTP/1.1\r\n', 'Host: x\r\n', 'Host: y\r\n'],
  ...['Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Content-Length: +1\r\n', 'Content-Length: 1, 1\r\n'],
  ...[
    'Transfer-Encoding: chunked\r\n',
    'Transfer-Encoding: identity\r\n',
    'Transfer-Encoding: gzip, chunked\r\n',
  ],
  ...[
    'Transfer-Encoding : chunked\r\n',
    'Transfer-Encoding:\x0bchunked\r\n',
    'Transfer-Encoding: chunked, x\r\n',
  ],
  ...[
    ' folded\r\n',
    '0\r\n\r\n',
    '0\r\n',
    '5\r\nabcde\r\n',
    'fffffffffffffffff\r\n',
    '0x5\r\n',
    '-1\r\n',
    '5 \r\n',
  ],
];

function mutated(random: SeededRandom, text: string): string {
  let result = text;
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(result.length + 1);
    const until = Math.min(result.length, at + random.below(8));
    const spice = random.pick(spices);
    const middle = random.pick([spice, '', result.slice(at, until) + result.slice(at, until)]);
    result = result.slice(0, at) + middle + result.slice(random.chance(0.5) ? at : until);
  }
  return result;
}

/** The address that Node leaves before a path. */
function withoutAddress(request: Understood): Understood {
  const url = request.url.replace(/^https?:\/\/[^/?#]+/i, '');
  return { ...request, url: url.startsWith('/') || url === '*' ? url : `/${url}` };
}

/** RFC 9110 allows a tab wherever it allows a blank around a value; Node does not after those it goes by itself. */
const tabAfterFraming = /^(?:content-length|transfer-encoding|connection):[^\r\n]*\t *\r$/im;

/** The bytes of each request that we found, and what is left. */
function portions(bytes: Buffer, ends: readonly number[]): Buffer[] {
  return [0, ...ends].map((from, index) => bytes.subarray(from, ends[index] ?? bytes.length));
}

describe('the parser of requests', () => {
  const validSeeds = testSeeds('parser, valid requests');
  it.each(validSeeds)(
    'finds the same in valid requests as Node does, however they are cut, %i',
    async (seed) => {
      const random = seededRandom(seed);
      const reference = new ReferenceParser();
      for (let index = rounds(1500); index > 0; index--) {
        const texts = Array.from({ length: 1 + random.below(3) }, () => validRequest(random));
        const bytes = Buffer.from(texts.join(''), 'latin1');
        const ours = read(bytes, randomCuts(random, bytes.length));
        const nodes = await reference.read([bytes]);
        const expected = { requests: nodes.requests.map(withoutAddress), isClean: true };
        expect(ours, JSON.stringify(texts)).toMatchObject(expected);
        expect(ours.requests).toHaveLength(texts.length);
      }
    },
  );

  const mutatedSeeds = testSeeds('parser, mutated requests');
  it.each(mutatedSeeds)('never finds in any bytes what Node does not, %i', async (seed) => {
    const random = seededRandom(seed);
    const reference = new ReferenceParser();
    let refused = 0;
    const cases = rounds(2000);
    for (let index = 0; index < cases; index++) {
      const texts = Array.from({ length: 1 + random.below(3) }, () => validRequest(random));
      const text = mutated(random, texts.join(''));
      if (tabAfterFraming.test(text)) continue;
      const bytes = Buffer.from(text, 'latin1');
      const { requests, isClean, ends } = byteByByte(bytes);
      expect(read(bytes, randomCuts(random, bytes.length)), JSON.stringify(text)).toMatchObject({
        requests,
        isClean,
      });
      const nodes = await reference.read(portions(bytes, ends));
      const same = nodes.requests.slice(0, requests.length).map(withoutAddress);
      expect(requests, JSON.stringify(text)).toEqual(same);
      if (!isClean) refused++;
      else if (requests.at(-1)?.keepsAlive !== false) {
        expect(nodes.isClean, JSON.stringify(text)).toBe(true);
        expect(nodes.requests, JSON.stringify(text)).toHaveLength(requests.length);
      }
    }
    // The mutations must leave enough of either kind to be worth anything.
    expect(refused).toBeGreaterThan(cases / 10);
    expect(cases - refused).toBeGreaterThan(cases / 10);
  });
});
