import { describe, expect, it } from 'vitest';
import { AnswerReader } from '../../benchmarks/http/answer-reader.ts';
import { type CaseName, caseNames, cases, expectAnswer } from '../../benchmarks/http/cases.ts';
import { Orders } from '../../benchmarks/http/items.ts';
import { RequestPool, someOf } from '../../benchmarks/http/request-pool.ts';
import { summarise } from '../../benchmarks/profile-summary.ts';
import { atLeast, atMost, isMet } from '../../benchmarks/suite.ts';

const orders = new Orders(200, 1);

describe('what the benchmarks are made of', () => {
  it('a bar is met or not, and neither without a figure', () => {
    expect(isMet(atLeast('x', 2, 2))).toBe(true);
    expect(isMet(atLeast('x', 1.99, 2))).toBe(false);
    expect(isMet(atMost('x', 2, 2))).toBe(true);
    expect(isMet(atMost('x', 2.01, 2))).toBe(false);
    expect(isMet(atMost('x', null, 2))).toBe(null);
  });

  it.each(caseNames)('an answer of %s is compared in full', (name) => {
    const right = cases[name].answer(orders, 7);
    expect(() => expectAnswer(name, orders, 7, JSON.stringify(right))).not.toThrow();
    const wrong = JSON.stringify({ ...right, More: 1 });
    expect(() => expectAnswer(name, orders, 7, wrong)).toThrow('was answered with');
  });

  it('takes items in any version, but not with anything else in them', () => {
    const answer = (item: object) => JSON.stringify({ Item: item });
    expect(() => expectAnswer('get', orders, 7, answer(orders.item(7, 5)))).not.toThrow();
    const other = { ...orders.item(7, 5), note: { S: 'another' } };
    expect(() => expectAnswer('get', orders, 7, answer(other))).toThrow('was answered with');
    expect(() => expectAnswer('get', orders, 7, answer(orders.item(8, 0)))).toThrow('was answered with');
  });

  it('an order has about 300 bytes, whatever its version', () => {
    const lengths = [0, 1, 9].map((version) => JSON.stringify(orders.item(123, version)).length);
    expect(new Set(lengths).size).toBe(1);
    expect(lengths[0]).toBeGreaterThan(270);
    expect(lengths[0]).toBeLessThan(400);
  });

  it.each<CaseName>(['put', 'update', 'transact'])('a %s never writes what is there', (name) => {
    const pool = new RequestPool(name, orders, 8000, 1);
    pool.prepare();
    const versions = new Map<number, string>();
    for (let turn = 0; turn < 1_000; turn++) {
      const version = /"(10\d\d)"/.exec(pool.request(turn).toString())![1]!;
      expect(versions.get(pool.index(turn))).not.toBe(version);
      versions.set(pool.index(turn), version);
    }
  });

  it('a transaction is sent with a token of its own every time', () => {
    const pool = new RequestPool('transact', orders, 8000, 1);
    pool.prepare();
    const tokens = Array.from(
      { length: 500 },
      (_, turn) => /"ClientRequestToken":"(.+?)"/.exec(pool.request(turn).toString())![1],
    );
    expect(new Set(tokens).size).toBe(500);
  });

  it('chooses different items in an order that follows from the seed', () => {
    expect(new Set(someOf(100, 100, 3)).size).toBe(100);
    expect([...someOf(100, 10, 3)]).toEqual([...someOf(100, 10, 3)]);
    expect([...someOf(100, 10, 3)]).not.toEqual([...someOf(100, 10, 4)]);
  });

  it('reads answers however they are cut', () => {
    const text =
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc' +
      'HTTP/1.1 400 Bad\r\ntransfer-encoding: chunked\r\n\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n';
    for (let cut = 1; cut < text.length; cut++) {
      const seen: string[] = [];
      const reader = new AnswerReader((status, body) => seen.push(`${status} ${body.toString()}`));
      reader.push(Buffer.from(text.slice(0, cut)));
      reader.push(Buffer.from(text.slice(cut)));
      expect(seen).toEqual(['200 abc', '400 def']);
    }
  });

  it('adds up the time of functions and files, and leaves waiting out', () => {
    const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
      id,
      callFrame: { functionName, url, lineNumber: 9 },
      children,
    });
    const map = 'file:///x/dist/storage/map.js';
    const summary = summarise({
      // `get` calls itself once, and then the kernel.
      nodes: [
        node(1, '(idle)', ''),
        node(2, 'get', map, [3]),
        node(3, 'get', map, [4]),
        node(4, 'writev', ''),
      ],
      samples: [1, 2, 4, 3],
      timeDeltas: [5_000, 1_000, 1_000, 2_000],
    });
    expect(summary).toEqual({
      busyMs: 4,
      functions: [
        { name: 'get  storage/map.js:10', percent: 75 },
        { name: 'writev', percent: 25 },
      ],
      files: [
        { name: 'storage/map.js', percent: 75 },
        { name: '(native)', percent: 25 },
      ],
      whole: [
        { name: 'get  storage/map.js:10', percent: 100 },
        { name: 'writev', percent: 25 },
      ],
    });
  });
});
