import { describe, expect, it } from 'vitest';
import { ReceivedBody } from './received-body.ts';

const bytes = (...values: readonly number[]) => Uint8Array.from(values);

describe('a received body', () => {
  it('is the piece itself where there is one', () => {
    const body = new ReceivedBody();
    expect(body.bytes).toHaveLength(0);
    const piece = bytes(1, 2, 3);
    body.add(piece);
    expect(body.bytes).toBe(piece);
  });

  it('is put together from many, without a change to the first', () => {
    const body = new ReceivedBody();
    const whole = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);
    const first = whole.slice(0, 10);
    body.add(first);
    for (let at = 10; at < whole.length; at++) body.add(whole.subarray(at, at + 1));
    expect(body.length).toBe(1000);
    expect(Buffer.compare(body.bytes, whole)).toBe(0);
    expect(first).toEqual(whole.slice(0, 10));
  });

  it('stays what it was when the pieces change that it was to keep', () => {
    const body = new ReceivedBody();
    body.keep();
    const shared = bytes(1, 2, 3);
    body.add(shared);
    body.keep();
    shared.set([4, 5, 6]);
    expect([...body.bytes]).toEqual([1, 2, 3]);
    body.add(shared);
    body.keep();
    shared.fill(7);
    expect([...body.bytes]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('can be dropped and begun anew', () => {
    const body = new ReceivedBody();
    body.add(bytes(1));
    body.add(bytes(2));
    body.drop();
    expect(body.length).toBe(0);
    body.add(bytes());
    body.add(bytes(3));
    expect([...body.bytes]).toEqual([3]);
  });
});
