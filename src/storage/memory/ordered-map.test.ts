import { describe, expect, it } from 'vitest';
import { rounds, type SeededRandom, seededRandom, testSeeds } from '../../../tests/seeded-random.ts';
import { OrderedMap } from './ordered-map.ts';

describe('an ordered map', () => {
  const seeds = testSeeds('ordered map');
  it.each(seeds)('holds what a sorted plain map holds, and so do all its copies, %i', (seed) => {
    const random = seededRandom(seed);
    const pairs: Pair[] = [{ map: new OrderedMap<number>(), model: new Map() }];
    for (let round = 0; round < rounds(60); round++) {
      const pair = random.pick(pairs);
      if (random.chance(0.2)) {
        const copy = { map: pair.map.copy(), model: new Map(pair.model) };
        if (pairs.length < 4) pairs.push(copy);
        else pairs[random.below(4)] = copy;
      }
      change(pair, random, round);
      for (const each of pairs) expectSame(each, random);
    }
  });

  it.each([
    ['in order', (i: number) => i],
    ['backwards', (i: number) => -i],
    ['in two runs at once', (i: number) => (i % 2) * 100_000 + i],
    ['backwards behind a run', (i: number) => (i < 1_000 ? i : 100_000 - i)],
  ])('takes keys that come %s', (_, place) => {
    const pair: Pair = { map: new OrderedMap<number>(), model: new Map() };
    for (let i = 0; i < 5_000; i++) set(pair, keyOf(place(i)), i);
    expectSame(pair, seededRandom(1));
  });
});

interface Pair {
  readonly map: OrderedMap<number>;
  readonly model: Map<string, number>;
}

/** Puts or removes a run of adjacent keys, ascending or descending, or random keys. */
function change(pair: Pair, random: SeededRandom, round: number): void {
  const start = random.below(3_000);
  const step = random.pick([1, -1, 0]);
  const removes = random.chance(0.4);
  for (let i = random.below(400); i > 0; i--) {
    const key = keyOf(step === 0 ? random.below(3_000) : start + i * step);
    if (removes) expect(pair.map.delete(key)).toBe(pair.model.delete(key));
    else set(pair, key, round);
  }
}

function set({ map, model }: Pair, key: string, value: number): void {
  map.set(key, value);
  model.set(key, value);
}

function expectSame({ map, model }: Pair, random: SeededRandom): void {
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  const [from, to] = [keyOf(random.below(3_000)), keyOf(random.below(3_000))].sort() as [string, string];
  const inside = sorted.filter(([key]) => key >= from && key < to);
  expect(map.size).toBe(model.size);
  expect(visited(map, undefined, undefined, false)).toEqual(sorted);
  expect(visited(map, from, to, false)).toEqual(inside);
  expect(visited(map, from, to, true)).toEqual(inside.reverse());
  expect(map.get(from)).toBe(model.get(from));
}

function visited(
  map: OrderedMap<number>,
  from: string | undefined,
  to: string | undefined,
  reverse: boolean,
) {
  const entries: [string, number][] = [];
  map.visit(from, to, reverse, (value, key) => entries.push([key, value]) > 0);
  return entries;
}

function keyOf(place: number): string {
  return `p${String(place + 1_000_000).padStart(8, '0')}`;
}
