import { describe, expect, it } from 'vitest';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { noSortKey, type Position, partPlace, placesEnd } from '../../physics/place.ts';
import {
  bucketName,
  bucketsAt,
  freshLayout,
  isOpenBucket,
  type LogBucket,
  type LogLayout,
  LogPlaces,
  openBuckets,
  openBucketsMax,
  splitLayout,
  unnotedLayout,
} from './log-layout.ts';

const storageId = '0011223344556677';
const equalParts = (count: number): Position[] =>
  Array.from({ length: count }, (_, i) => ({ place: partPlace(i, count), sort: noSortKey }));

describe('the buckets of a log', () => {
  it('begin where the partitions do, and stay while these are the same', () => {
    const one = freshLayout([], equalParts(1), 3);
    expect(one).toEqual([{ number: 0, place: 0, since: 3, generation: 0 }]);
    expect(freshLayout(one, equalParts(1), 9)).toBe(one);
    expect(splitLayout(one, equalParts(1), 9)).toBe(one);
    expect(freshLayout([], equalParts(4), 0)).toEqual(unnotedLayout);
  });

  it('are split into new ones, which come after them in every way', () => {
    const before = freshLayout([], equalParts(2), 1);
    const after = splitLayout(before, equalParts(4), 7);
    expect(after.map(({ number, until }) => [number, until])).toEqual([
      [0, 7],
      [1, 7],
      [2, undefined],
      [3, undefined],
      [4, undefined],
      [5, undefined],
    ]);
    expect(openBuckets(after).map(({ parent, generation, since }) => [parent, generation, since])).toEqual([
      [0, 1, 7],
      [0, 1, 7],
      [1, 1, 7],
      [1, 1, 7],
    ]);
    expect(bucketsAt(after, 6).map(({ number }) => number)).toEqual([0, 1]);
    expect(bucketsAt(after, 7).map(({ number }) => number)).toEqual([2, 3, 4, 5]);
  });

  it('begin anew where the partitions are others and nobody follows', () => {
    const layout = freshLayout(unnotedLayout, equalParts(1), 5);
    expect(openBuckets(layout)).toEqual([{ number: 4, place: 0, since: 5, generation: 1 }]);
    expect(bucketsAt(layout, 4)).toHaveLength(4);
  });

  it('are bounded, however many partitions there are', () => {
    const layout = freshLayout([], equalParts(1_000), 1);
    expect(openBuckets(layout)).toHaveLength(openBucketsMax);
    expect(splitLayout(layout, equalParts(2_000), 2)).toBe(layout);
    const grown = splitLayout(freshLayout([], equalParts(100), 1), equalParts(1_000), 2);
    expect(openBuckets(grown)).toHaveLength(openBucketsMax);
  });

  it('have names that are documented and differ', () => {
    const names = [0, 3, 254, 255, 256, 511, 512].map((number) =>
      Buffer.from(bucketName(storageId, number)).toString('hex').slice(storageId.length),
    );
    expect(names).toEqual(['00', '03', 'fe', 'ff00ff', 'ff0100', 'ff01ff', 'ff0200']);
  });
});

describe('random splits', () => {
  const seeds = testSeeds('log layouts');
  it.each(seeds)('give every key one bucket at every epoch, and each bucket to one partition, %i', (seed) => {
    const random = seededRandom(seed);
    for (let round = 0; round < rounds(3); round++) {
      let starts = equalParts(1 + random.below(4));
      let layout = random.chance(0.3) ? unnotedLayout : freshLayout([], starts, 1);
      const keys = Array.from({ length: 16 }, () => randomKey(random));
      const history = [layout];
      for (let epoch = 2; epoch < 12; epoch++) {
        starts = [...starts, positionOf(random.pick(keys), random.chance(0.5))].sort(byPosition);
        layout = splitLayout(layout, starts, epoch);
        history.push(layout);
        expectWhole(layout, starts);
        for (const key of keys) {
          // By a search of our own: the last start that is not behind the key.
          const position = positionOf(key, true);
          const own = openBuckets(layout).findLast((bucket) => byPosition(startOf(bucket), position) <= 0)!;
          const places = new LogPlaces(storageId, openBuckets(layout));
          expect(places.bucketFor(key, 0)).toBe(own);
          expect(places.nameFor(key, 0)).toEqual(bucketName(storageId, own.number));
          // What was so at an earlier epoch can still be told.
          for (const [i, earlier] of history.entries()) {
            const then = new LogPlaces(storageId, bucketsAt(layout, i + 1)).bucketFor(key, 0).number;
            expect(then).toBe(new LogPlaces(storageId, openBuckets(earlier)).bucketFor(key, 0).number);
          }
        }
      }
    }
  });
});

function expectWhole(layout: LogLayout, starts: readonly Position[]): void {
  const open = openBuckets(layout);
  expect(startOf(open[0]!)).toEqual({ place: 0, sort: noSortKey });
  for (const [i, bucket] of open.entries()) {
    const next = open[i + 1];
    const inside = starts.filter(
      (start) =>
        byPosition(startOf(bucket), start) < 0 &&
        (next === undefined || byPosition(start, startOf(next)) < 0),
    );
    expect(inside).toEqual([]);
  }
  for (const { parent, since, generation } of layout) {
    if (parent === undefined) continue;
    const found = layout.find(({ number }) => number === parent)!;
    expect(isOpenBucket(found)).toBe(false);
    expect([found.until, found.generation + 1]).toEqual([since, generation]);
  }
}

/** 16 bytes of hash, of few different places, and a short sort key. */
function randomKey(random: SeededRandom): Uint8Array {
  const key = new Uint8Array(16 + random.below(4));
  key[0] = random.below(8) * 32;
  for (let i = 16; i < key.length; i++) key[i] = random.below(256);
  return key;
}

function positionOf(key: Uint8Array, withSort: boolean): Position {
  return { place: (key[0]! / 256) * placesEnd, sort: withSort ? key.slice(16) : noSortKey };
}

function startOf({ place, sort = '' }: LogBucket): Position {
  return { place, sort: Uint8Array.from(Buffer.from(sort, 'hex')) };
}

function byPosition(a: Position, b: Position): number {
  return a.place - b.place || Buffer.compare(a.sort, b.sort);
}
