import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../tests/seeded-random.ts';
import { decodeUtf8, encodeUtf8 } from '../model/values/utf8.ts';
import { chooseSplit } from './choose-split.ts';
import { memoryBounds } from './constants.ts';
import { PositionSample } from './position-sample.ts';

function sampled(accesses: Iterable<readonly [place: number, sort: string, units?: number]>) {
  const sample = new PositionSample(7);
  for (const [place, sort, units = 1] of accesses) sample.note(place, encodeUtf8(sort), 0, units);
  return sample.positions;
}

const random = seededRandom(1);
const many = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

describe('a sample of positions', () => {
  it('is bounded and covers the whole time', () => {
    const positions = sampled(many(100_000, (i) => [i, ''] as const));
    expect(positions.length).toBeLessThanOrEqual(memoryBounds.sampledPositionsMax);
    expect(positions.length).toBeGreaterThanOrEqual(memoryBounds.sampledPositionsMax / 2 - 1);
    expect(positions[0]!.place).toBeLessThan(10_000);
    expect(positions.at(-1)!.place).toBeGreaterThan(90_000);
  });

  it('sees every one of those who take turns', () => {
    const positions = sampled(many(10_000, (i) => [i % 4, ''] as const));
    expect(new Set(positions.map(({ place }) => place)).size).toBe(4);
  });

  it('keeps a bounded part of long sort keys', () => {
    const [first] = sampled([[1, 'x'.repeat(1_000)]]);
    expect(first!.sort.length).toBe(memoryBounds.sampledSortBytesMax);
  });
});

describe('the cut of a hot partition', () => {
  it('divides the observed load, not the range', () => {
    // All the heat is in the lowest tenth of the range.
    const choice = chooseSplit(sampled(many(5_000, () => [random.below(1_000), ''] as const)), false);
    expect('cut' in choice && choice.cut.place).toBeGreaterThan(300);
    expect('cut' in choice && choice.cut.place).toBeLessThan(700);
  });

  it('goes through a collection when its sort keys are accessed at random', () => {
    const accesses = many(
      5_000,
      () => [42, `EVENT#${String(random.below(1_000)).padStart(4, '0')}`] as const,
    );
    const choice = chooseSplit(sampled(accesses), false);
    if (!('cut' in choice)) throw new Error(choice.none);
    expect(choice.cut.place).toBe(42);
    const cut = decodeUtf8(choice.cut.sort);
    expect(cut > 'EVENT#02' && cut < 'EVENT#08').toBe(true);
  });

  it('leaves a collection with local indexes whole', () => {
    const accesses = many(5_000, () => [42, `${random.below(1_000)}`] as const);
    expect(chooseSplit(sampled(accesses), true)).toEqual({ none: 'local indexes' });
    const two = many(5_000, () => [random.pick([42, 50]), `${random.below(1_000)}`] as const);
    const choice = chooseSplit(sampled(two), true);
    expect('cut' in choice && [choice.cut.place, choice.cut.sort.length]).toEqual([50, 0]);
  });

  it('is not made for one item', () => {
    expect(chooseSplit(sampled(many(1_000, () => [42, 'A'] as const)), false)).toEqual({ none: 'one item' });
    expect(chooseSplit(sampled(many(1_000, () => [42, 'A'] as const)), true)).toEqual({ none: 'one item' });
  });

  it.each([
    ['ascending', (i: number) => i],
    ['descending', (i: number) => 99_999 - i],
  ])('is not made for a front of %s sort keys', (_what, order) => {
    const accesses = many(5_000, (i) => [42, String(order(i)).padStart(6, '0')] as const);
    expect(chooseSplit(sampled(accesses), false)).toEqual({ none: 'moving front' });
  });

  it('passes between collections although each has a moving front', () => {
    const accesses = many(6_000, (i) => [random.pick([10, 20]), String(i).padStart(6, '0')] as const);
    const choice = chooseSplit(sampled(accesses), false);
    expect('cut' in choice && [choice.cut.place, choice.cut.sort.length]).toEqual([20, 0]);
  });

  it('isolates a hot item in two steps', () => {
    const load = (from: number, to: number) =>
      sampled(
        many(4_000, () =>
          random.chance(0.6) ? ([500, ''] as const) : ([from + random.below(to - from), ''] as const),
        ),
      );
    const first = chooseSplit(load(0, 1_000), false);
    if (!('cut' in first)) throw new Error(first.none);
    const cutsBelow = first.cut.place <= 500;
    const second = chooseSplit(cutsBelow ? load(first.cut.place, 1_000) : load(0, first.cut.place), false);
    if (!('cut' in second)) throw new Error(second.none);
    const [low, high] = [first.cut.place, second.cut.place].sort((a, b) => a - b);
    // Nothing that was observed lies between the cuts but the item.
    expect(low).toBeLessThanOrEqual(500);
    expect(high).toBeGreaterThan(500);
    expect(high! - low!).toBeLessThan(200);
  });

  it('waits for observations', () => {
    expect(chooseSplit(sampled(many(7, (i) => [(i * 7) % 5, ''] as const)), false)).toEqual({
      none: 'too few observations',
    });
  });
});
