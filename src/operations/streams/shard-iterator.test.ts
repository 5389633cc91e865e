import { describe, expect, it } from 'vitest';
import { newHash16 } from '../../hash16.ts';
import { arnOfIterator, formatIterator, readIterator } from './shard-iterator.ts';

const h16 = newHash16();
const arn = `arn:aws:dynamodb:us-east-1:000000000000:table/${'t'.repeat(255)}/stream/2026-11-15T07:33:00.123`;
const storageId = '0011223344556677';
const iterator = {
  shardNumber: 12,
  after: Number.MAX_SAFE_INTEGER,
  fromHorizon: true,
  issuedAt: 1_794_744_000_000,
};

describe('a shard iterator', () => {
  it('is read as it was issued, and is short enough for any client', () => {
    const text = formatIterator(arn, storageId, iterator, h16);
    expect(text.length).toBeLessThanOrEqual(2_048);
    expect(arnOfIterator(text)).toBe(arn);
    expect(readIterator(text, storageId, h16)).toEqual(iterator);
  });

  it('is refused when anything in it was changed, and by another table', () => {
    const text = formatIterator(arn, storageId, iterator, h16);
    expect(readIterator(text, '0011223344556678', h16)).toBeUndefined();
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === 'A' ? 'B' : 'A';
      const changed = text.slice(0, i) + other + text.slice(i + 1);
      expect(readIterator(changed, storageId, h16), changed).toBeUndefined();
    }
    for (let length = 0; length < text.length; length += 7)
      expect(readIterator(text.slice(0, length), storageId, h16)).toBeUndefined();
    expect(readIterator(`${arn}|1|`, storageId, h16)).toBeUndefined();
    expect(arnOfIterator('anything')).toBeUndefined();
  });
});
