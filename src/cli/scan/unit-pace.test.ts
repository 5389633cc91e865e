import { expect, it } from 'vitest';
import { type PaceClock, UnitPace } from './unit-pace.ts';

function virtualClock(): PaceClock & { time: number } {
  return {
    time: 0,
    now() {
      return this.time;
    },
    wait(ms) {
      this.time += ms;
      return Promise.resolve();
    },
  };
}

it('keeps several readers within a rate, and close to it', async () => {
  const clock = virtualClock();
  const pace = new UnitPace(50, clock);
  const { signal } = new AbortController();
  let units = 0;
  for (let page = 0; page < 400; page++) {
    await pace.turn(signal);
    const items = pace.pageLimit(4)!;
    const cost = items * 0.5;
    units += cost;
    clock.time += 3;
    pace.charge(cost, items);
    // Never more than one page ahead of what was paid for.
    expect(units).toBeLessThanOrEqual((clock.time / 1_000) * 50 + cost);
  }
  expect(units).toBeGreaterThan((clock.time / 1_000) * 50 * 0.95);
});

it('does not hold anybody without a rate', async () => {
  const clock = virtualClock();
  const pace = new UnitPace(undefined, clock);
  pace.charge(1e9, 1);
  await pace.turn(new AbortController().signal);
  expect([clock.time, pace.pageLimit(4)]).toEqual([0, undefined]);
});
