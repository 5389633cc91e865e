import { describe, expect, it } from 'vitest';
import { RequestParser } from './request-parser.ts';

interface Seen {
  readonly requests: readonly { method: string; url: string; body: string }[];
  readonly last: 'idle' | 'unfinished' | 'malformed';
}

function readAll(...portions: readonly string[]): Seen {
  const parser = new RequestParser();
  const requests: { method: string; url: string; body: string }[] = [];
  let body = '';
  for (const portion of portions) {
    parser.push(Buffer.from(portion, 'latin1'));
    for (let found = parser.next(); found !== 'hungry'; found = parser.next()) {
      if (found === 'malformed') return { requests, last: 'malformed' };
      if (found === 'head') body = '';
      if (found === 'piece') body += Buffer.from(parser.piece).toString('latin1');
      if (found === 'end') requests.push({ method: parser.head.method, url: parser.head.url, body });
    }
  }
  return { requests, last: parser.isIdle ? 'idle' : 'unfinished' };
}

const bare = (line: string) => `${line}\r\nHost: x\r\n\r\n`;
const withFields = (...lines: readonly string[]) =>
  `POST / HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`;
const chunked = withFields('Transfer-Encoding: chunked');

describe('a request line', () => {
  it.each([
    ['GET /a?b HTTP/1.1', '/a?b'],
    ['OPTIONS * HTTP/1.1', '*'],
    ['GET http://example.com:8000/a?b HTTP/1.1', '/a?b'],
    ['GET HTTPS://example.com HTTP/1.1', '/'],
    ['GET http://example.com?a HTTP/1.1', '/?a'],
  ])('%s is for %s', (line, url) => {
    expect(readAll(bare(line))).toMatchObject({ requests: [{ url }], last: 'idle' });
  });

  it.each([
    'GET /',
    'GET / HTTP/1.1 ',
    'GET  / HTTP/1.1',
    'GET HTTP/1.1',
    'GET /a b HTTP/1.1',
    'GET /\u00e4 HTTP/1.1',
    'GET /\x7f HTTP/1.1',
    'GET a HTTP/1.1',
    'GET http:/// HTTP/1.1',
    'GET / HTTP/0.9',
    'GET / HTTP/1.2',
    'GET / HTTP/2.0',
    'GET / http/1.1',
    'get / HTTP/1.1',
    'NONSENSE / HTTP/1.1',
    'CONNECT example.com:443 HTTP/1.1',
    ' GET / HTTP/1.1',
    '\nGET / HTTP/1.1',
  ])('%j is refused', (line) => {
    expect(readAll(bare(line))).toEqual({ requests: [], last: 'malformed' });
    // The parser refuses the line as soon as it is complete.
    expect(readAll(`${line}\r\n`).last).toBe('malformed');
  });

  it('may follow empty lines, also torn ones', () => {
    const request = bare('GET / HTTP/1.1');
    expect(readAll(`\r\n\r\n${request}\r\n${request}`)).toMatchObject({ requests: [{}, {}], last: 'idle' });
    expect(readAll('\r', '\n\r', `\n${request}`)).toMatchObject({ requests: [{}], last: 'idle' });
  });
});

describe('fields', () => {
  it.each([
    ['a folded line', 'X-A: a\r\n b'],
    ['a line without a colon', 'X-A'],
    ['a line without a name', ': a'],
    ['a blank before the colon', 'X-A : a'],
    ['a line feed alone', 'X-A: a\nX-B: b'],
    ['a carriage return alone', 'X-A: a\rX-B: b'],
    ['a NUL', 'X-A: a\0b'],
    ['a DEL', 'X-A: a\x7fb'],
    ['a second Host', 'Host: y'],
    ['a second length', 'Content-Length: 0\r\ncontent-length: 0'],
    ['an empty length', 'Content-Length:'],
    ['a length with a sign', 'Content-Length: +1'],
    ['a length with a fraction', 'Content-Length: 1.0'],
    ['a list of lengths', 'Content-Length: 1, 1'],
    ['a length beyond all numbers', 'Content-Length: 9999999999999999'],
    ['a length and chunks', 'Content-Length: 0\r\nTransfer-Encoding: chunked'],
    ['two encodings', 'Transfer-Encoding: gzip, chunked'],
    ['chunks twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['another encoding', 'Transfer-Encoding: identity'],
    ['too many fields', 'a:\r\n'.repeat(1000).trimEnd()],
  ])('are refused for %s', (_, lines) => {
    expect(readAll(withFields(lines))).toEqual({ requests: [], last: 'malformed' });
  });

  it('need no Host in HTTP/1.0 but do in HTTP/1.1, and know no chunks there', () => {
    expect(readAll('GET / HTTP/1.0\r\n\r\n').last).toBe('idle');
    expect(readAll('GET / HTTP/1.1\r\n\r\n').last).toBe('malformed');
    expect(readAll(chunked.replace('1.1', '1.0')).last).toBe('malformed');
  });

  it('lose the blanks around their values and nothing else', () => {
    const parser = new RequestParser();
    parser.push(Buffer.from(withFields('A: \t b\tc \t', 'B:', 'C:\u00e4'), 'latin1'));
    expect(parser.next()).toBe('head');
    expect(parser.head.fields.raw).toEqual(['Host', 'x', 'A', 'b\tc', 'B', '', 'C', '\u00e4']);
  });

  it('may have no more bytes than the limits, however they arrive', () => {
    const large = (length: number) =>
      withFields(`X-A: ${'x'.repeat(length - 'Host: x\r\nX-A: \r\n'.length)}`);
    expect(readAll(large(16_384)).last).toBe('idle');
    expect(readAll(large(16_385)).last).toBe('malformed');
    const endless = ['GET / HTTP/1.1\r\nX-A: ', ...Array.from({ length: 40 }, () => 'x'.repeat(1000))];
    expect(readAll(...endless).last).toBe('malformed');
  });
});

describe('a body', () => {
  it('has the length that was announced, and the next request follows at once', () => {
    const request = `${withFields('Content-Length: 3')}abc`;
    expect(readAll(`${request}${request}`)).toMatchObject({ requests: [{ body: 'abc' }, { body: 'abc' }] });
    expect(readAll(request.slice(0, -2), 'b', 'c')).toMatchObject({
      requests: [{ body: 'abc' }],
      last: 'idle',
    });
    expect(readAll(request.slice(0, -1)).last).toBe('unfinished');
  });

  it.each([
    ['0\r\n\r\n', ''],
    ['3\r\nabc\r\n0\r\n\r\n', 'abc'],
    ['0003;a;b=c;d="e;f"\r\nabc\r\n00\r\nX: y\r\n\r\n', 'abc'],
    ['1\r\na\r\n2\r\nbc\r\n0\r\n\r\n', 'abc'],
  ])('comes in chunks: %j', (chunks, body) => {
    expect(readAll(chunked + chunks)).toEqual({
      requests: [{ method: 'POST', url: '/', body }],
      last: 'idle',
    });
    expect(readAll(chunked, ...chunks)).toMatchObject({ requests: [{ body }], last: 'idle' });
  });

  it.each([
    '\r\n',
    'x\r\n',
    '-1\r\n',
    '0x1\r\n',
    '3 \r\nabc',
    '3\nabc',
    '3\r\nabcd',
    '3\r\nabc\n',
    '3\r\nabc\rx',
    '12345678901234\r\n',
    `3;${'x'.repeat(17_000)}`,
    `0\r\nX: ${'x'.repeat(17_000)}`,
    '0\r\nX : y\r\n\r\n',
    '0\r\nContent-Length: 3\r\n\r\n',
    '3;\r\nabc',
    '3;"a"\r\nabc',
  ])('in chunks is refused: %j', (chunks) => {
    expect(readAll(chunked + chunks)).toEqual({ requests: [], last: 'malformed' });
  });

  it('may not hide any number of extensions', () => {
    const chunk = `1;${'x'.repeat(100)}\r\na\r\n`;
    expect(readAll(chunked + chunk.repeat(100)).last).toBe('unfinished');
    expect(readAll(chunked + chunk.repeat(200)).last).toBe('malformed');
  });
});

describe('what is not HTTP', () => {
  it.each(['\x16\x03\x01\x02\x00', 'GET / HTTP/1.1\nHost: x\n\n', '\n', 'nonsense\r\n'])(
    'is refused before its end: %j',
    (text) => {
      expect(readAll(text).last).toBe('malformed');
      expect(readAll(...text).last).toBe('malformed');
    },
  );

  it('stays refused', () => {
    const parser = new RequestParser();
    parser.push(Buffer.from('\0'));
    expect(parser.next()).toBe('malformed');
    parser.push(Buffer.from(bare('GET / HTTP/1.1')));
    expect(parser.next()).toBe('malformed');
    expect(parser.isInBody).toBe(false);
  });
});
