import { describe, expect, it } from 'vitest';
import { type ChangeRecord, decodeChange, encodeChange } from './change-record.ts';

const change: ChangeRecord = {
  writtenMicros: 1_794_744_000_123_456,
  epoch: 2 ** 40 + 7,
  region: 3,
  by: 'user',
  before: Uint8Array.of(1, 2, 3),
  after: Uint8Array.of(4, 5),
};

describe('a change record', () => {
  it.each<[string, ChangeRecord]>([
    ['of an item that was changed', change],
    ['of a new item', { ...change, before: undefined }],
    ['of an item that was deleted', { ...change, after: undefined }],
    ['of an item that has expired', { ...change, after: undefined, by: 'ttl' }],
  ])('%s is read as it was written', (_, each) => {
    expect(decodeChange(encodeChange(each))).toEqual(each);
  });

  it('has the bytes that are documented', () => {
    expect([...encodeChange({ ...change, writtenMicros: 258, epoch: 5 })]).toEqual([
      ...[1, 3],
      ...[0, 0, 0, 0, 0, 0, 1, 2],
      ...[0, 0, 0, 0, 0, 0, 0, 5],
      ...[0, 3],
      ...[0, 0, 0, 3],
      ...[1, 2, 3, 4, 5],
    ]);
  });

  it('is refused when it is cut, or of another format', () => {
    const bytes = encodeChange(change);
    for (let length = 0; length < 28; length++) expect(() => decodeChange(bytes.slice(0, length))).toThrow();
    expect(() => decodeChange(bytes.with(0, 2))).toThrow('unknown format');
    expect(() => decodeChange(bytes.with(1, 8))).toThrow('unknown format');
    expect(() => encodeChange({ ...change, before: undefined, after: undefined })).toThrow();
    expect(() => encodeChange({ ...change, epoch: -1 })).toThrow();
  });
});
