import { describe, expect, it } from 'vitest';
import { nextWave, type Parcel, reached } from './waves.ts';

let position = 0;

function parcel(partitionKey: string, bytes = 10, bucket = 0): Parcel {
  position++;
  const change = {
    writtenMicros: 1,
    epoch: 1,
    region: 0,
    by: 'user',
    before: undefined,
    after: undefined,
  } as const;
  return {
    change: { bucket, generation: 0, position, change },
    record: { partitionKey, data: new Uint8Array(bytes) },
  };
}

const limits = { recordsMax: 3, bytesMax: 100 };

describe('a wave', () => {
  it('has of each item the first change that waits', () => {
    const [a1, a2, b1, a3, c1] = ['a', 'a', 'b', 'a', 'c'].map((key) => parcel(key)) as [
      Parcel,
      Parcel,
      Parcel,
      Parcel,
      Parcel,
    ];
    expect(nextWave([a1, a2, b1, a3, c1], limits)).toEqual([a1, b1, c1]);
    expect(nextWave([a2, a3, c1], limits)).toEqual([a2, c1]);
    expect(nextWave([], limits)).toEqual([]);
  });

  it('is no larger than a request may be, but has at least one', () => {
    const many = ['a', 'b', 'c', 'd'].map((key) => parcel(key));
    expect(nextWave(many, limits)).toEqual(many.slice(0, 3));
    const large = [parcel('a', 60), parcel('b', 60)];
    expect(nextWave(large, limits)).toEqual(large.slice(0, 1));
    expect(nextWave([parcel('a', 500)], limits)).toHaveLength(1);
  });
});

it('a reader has come to just before the first change that waits in each bucket', () => {
  const waiting = [3, 5].map((at) => ({ change: { ...parcel('a', 1, 1).change, position: at } }));
  expect(reached([9, 8, 7, 6], waiting)).toEqual([9, 2, 7, 6]);
  expect(reached([9, 8, 7, 6], [])).toEqual([9, 8, 7, 6]);
});
