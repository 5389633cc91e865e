import { describe, expect, it } from 'vitest';
import {
  endingSequenceNumber,
  placeInShard,
  recordSequenceNumber,
  startingSequenceNumber,
} from './sequence-number.ts';
import type { Shard } from './shards.ts';

const parent: Shard = {
  id: 'shardId-00000001794744000000-57410d01',
  number: 1,
  bucket: 1,
  after: 7,
  through: 9,
  openedAt: 0,
};
const child: Shard = { ...parent, number: 5, after: 9, through: 9 };
const { through: _, ...open } = parent;
const grandchild: Shard = { ...open, number: 9, after: 9 };

const inBucket = (bucket: number, generation = 0) => ({ bucket, generation });

/** A shard of a bucket that bucket 1 was split into. */
const split: Shard = { ...open, number: 12, bucket: 7, generation: 1, turn: 0, after: 0 };

describe('sequence numbers', () => {
  it('grow from the beginning of a shard over its records to its end, and on into its children', () => {
    const numbers = [
      startingSequenceNumber(parent),
      recordSequenceNumber(inBucket(1), 8),
      recordSequenceNumber(inBucket(1), 9),
      endingSequenceNumber(parent),
      startingSequenceNumber(child),
      endingSequenceNumber(child),
      startingSequenceNumber(grandchild),
      recordSequenceNumber(inBucket(1), 10),
      recordSequenceNumber(inBucket(1), Number.MAX_SAFE_INTEGER),
    ];
    for (const number of numbers) expect(number).toMatch(/^\d{21,40}$/);
    expect([...numbers].sort()).toEqual(numbers);
    numbers.push(startingSequenceNumber(split), recordSequenceNumber(inBucket(7, 1), 1));
    numbers.push(recordSequenceNumber(inBucket(9, 9), 1), recordSequenceNumber(inBucket(300, 10), 1));
    for (const number of numbers) expect(number).toMatch(/^\d{21,40}$/);
    expect(numbers.map(BigInt).every((number, i, all) => i === 0 || number >= all[i - 1]!)).toBe(true);
  });

  it('are found in their shard and in no other', () => {
    expect(placeInShard(recordSequenceNumber(inBucket(1), 8), parent)).toEqual({
      position: 8,
      isRecord: true,
    });
    expect(placeInShard(startingSequenceNumber(parent), parent)).toEqual({ position: 7, isRecord: false });
    expect(placeInShard(endingSequenceNumber(parent), parent)).toEqual({ position: 9, isRecord: false });
    expect(placeInShard(recordSequenceNumber(inBucket(1), 10), grandchild)).toEqual({
      position: 10,
      isRecord: true,
    });
    expect(placeInShard(recordSequenceNumber(inBucket(7, 1), 3), split)).toEqual({
      position: 3,
      isRecord: true,
    });
    expect(placeInShard(recordSequenceNumber(inBucket(7), 3), split)).toBeUndefined();
    expect(placeInShard(recordSequenceNumber(inBucket(7, 1), 8), { ...parent, bucket: 7 })).toBeUndefined();
    for (const number of [
      recordSequenceNumber(inBucket(1), 7),
      recordSequenceNumber(inBucket(1), 10),
      recordSequenceNumber(inBucket(2), 8),
      startingSequenceNumber(child),
      '1'.repeat(25),
      'x'.repeat(26),
    ])
      expect(placeInShard(number, parent), number).toBeUndefined();
  });
});
