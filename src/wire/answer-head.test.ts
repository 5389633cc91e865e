import { describe, expect, it } from 'vitest';
import { fieldLines, HeadEnd, statusLine } from './answer-head.ts';

describe('the head of an answer', () => {
  it('begins with the status', () => {
    expect(statusLine(200)).toBe('HTTP/1.1 200 OK\r\n');
    expect(statusLine(299)).toBe('HTTP/1.1 299 Unknown\r\n');
  });

  it.each([
    ['X-A', 'a\r\nX-B: b'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0'],
    ['X-A', '\u0100'],
    ['X A', 'a'],
    ['', 'a'],
    ['X-A:', 'a'],
  ])('has no line for %j: %j', (name, value) => {
    expect(() => fieldLines({ [name]: value })).toThrow('cannot be sent as a header');
  });

  it('has the lines of a page, but for those that are not its affair', () => {
    expect(fieldLines({ Connection: 'close', 'X-A': 'a', 'content-length': '7', 'X-B': '' })).toBe(
      'X-A: a\r\nX-B: \r\n',
    );
  });

  it('ends with the date and what becomes of the connection', () => {
    const end = new HeadEnd(65_000);
    const date = String.raw`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n`;
    expect(end.text(true)).toMatch(new RegExp(`^${date}Connection: close\r\n\r\n$`));
    expect(end.text(false)).toMatch(
      new RegExp(`^${date}Connection: keep-alive\r\nKeep-Alive: timeout=65\r\n\r\n$`),
    );
  });
});
