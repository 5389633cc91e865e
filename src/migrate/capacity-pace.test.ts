import { expect, it } from 'vitest';
import { CapacityPace } from './capacity-pace.ts';

const { signal } = new AbortController();

/** Time passes only where somebody waits. */
function clock() {
  return {
    time: 0,
    now() {
      return this.time;
    },
    async wait(ms: number) {
      this.time += ms;
    },
    random: () => 0.5,
  };
}

it('keeps within the rate, and uses 95 % of it and more', async () => {
  const surroundings = clock();
  const pace = new CapacityPace(100, surroundings);
  for (let call = 0; call < 2_000; call++) {
    await pace.take(1, signal);
    surroundings.time += call % 7;
    pace.settle(1, call % 3 === 0 ? 2 : 1);
    expect(pace.used).toBeLessThanOrEqual((surroundings.time / 1_000) * 100 + 102);
  }
  expect(pace.used).toBeGreaterThan((surroundings.time / 1_000) * 100 * 0.95);
});

it('slows down for throttles, once for all that come together, and finds back to its rate', async () => {
  const surroundings = clock();
  const pace = new CapacityPace(100, surroundings);
  await pace.take(1, signal);
  for (let call = 0; call < 10; call++) pace.throttled();
  expect(pace.rate).toBe(60);
  surroundings.time += 1_500;
  pace.throttled();
  expect(pace.rate).toBe(36);
  for (let second = 0; second < 20; second++) {
    surroundings.time += 1_000;
    await pace.take(1, signal);
  }
  expect(pace.rate).toBe(100);
});

it('never stops altogether', () => {
  const surroundings = clock();
  const pace = new CapacityPace(100, surroundings);
  for (let second = 0; second < 60; second++) {
    surroundings.time += 1_001;
    pace.throttled();
  }
  expect(pace.rate).toBe(5);
});
