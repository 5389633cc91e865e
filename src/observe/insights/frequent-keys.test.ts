import { describe, expect, it } from 'vitest';
import { FrequentKeys } from './frequent-keys.ts';

describe('frequent keys', () => {
  it.each([1, 2, 3, 4])('stay within their stated error (seed %i)', (seed) => {
    const random = sequence(seed);
    const size = 64;
    const keys = new FrequentKeys(size);
    const exact = new Map<string, number>();
    let total = 0;
    for (let i = 0; i < 200_000; i++) {
      // A few keys are hot and the rest come once or twice.
      const key =
        random() < 0.3 ? `hot${Math.floor(random() ** 3 * 20)}` : `cold${Math.floor(random() * 1e6)}`;
      const weight = random() < 0.5 ? 1 : Math.floor(random() * 10) / 2;
      keys.add(key, weight);
      exact.set(key, (exact.get(key) ?? 0) + weight);
      total += weight;
    }
    expect(keys.total).toBeCloseTo(total, 3);
    expect(keys.held).toBeLessThanOrEqual(2 * size);
    expect(keys.error).toBeLessThanOrEqual(total / (size + 1));
    const shown = new Map(keys.top(1_000));
    const wrong = [...exact].filter(([key, weight]) => {
      const found = shown.get(key) ?? 0;
      return !(found <= weight + 1e-6 && found + keys.error >= weight - 1e-6);
    });
    expect(wrong).toEqual([]);
    // The heaviest of all is first.
    const heaviest = [...exact].sort(([, a], [, b]) => b - a)[0]![0];
    expect(keys.top(1)[0]![0]).toBe(heaviest);
  });

  it('hold a million keys in the memory of a few', () => {
    const keys = new FrequentKeys(100);
    for (let i = 0; i < 1_000_000; i++) keys.add(`key${i}`, 1);
    expect(keys.held).toBeLessThanOrEqual(200);
    expect(keys.total).toBe(1_000_000);
  });
});

function sequence(seed: number): () => number {
  let state = seed * 104_729;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
