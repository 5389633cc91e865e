import { describe, expect, it } from 'vitest';
import { compareBytes } from '../values/bytes.ts';
import { partOf, partStart } from './hash-segments.ts';

const lowest = new Uint8Array(16);
const highest = new Uint8Array(16).fill(0xff);

/** The hash just below another. */
function before(hash: Uint8Array): Uint8Array {
  const bytes = hash.slice();
  for (let i = bytes.length - 1; ; i--) {
    bytes[i]!--;
    if (hash[i] !== 0) return bytes;
  }
}

describe('parts of the hash space', () => {
  it.each([1, 2, 3, 4, 7, 10, 4_096, 999_983, 1_000_000])('%i are disjoint and complete', (parts) => {
    expect(partStart(0, parts)).toEqual(lowest);
    expect(partStart(parts, parts)).toBeUndefined();
    expect(partOf(lowest, parts)).toBe(0);
    expect(partOf(highest, parts)).toBe(parts - 1);
    const looked = new Set([1, 2, 3, parts >> 1, parts - 2, parts - 1]);
    for (const part of looked) {
      if (part < 1 || part >= parts) continue;
      const start = partStart(part, parts)!;
      expect(partOf(start, parts)).toBe(part);
      expect(partOf(before(start), parts)).toBe(part - 1);
      expect(compareBytes(partStart(part - 1, parts)!, start)).toBeLessThan(0);
    }
  });
});
