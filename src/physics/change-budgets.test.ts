import { describe, expect, it } from 'vitest';
import {
  type DecreaseBudget,
  decreasesToday,
  isDecrease,
  nextClassChangeMs,
  nextDecreaseMs,
  nextSwitchToOnDemandMs,
  noteDecrease,
} from './change-budgets.ts';

const hour = 3_600_000;
const day = 24 * hour;
const midnight = Date.UTC(2026, 9, 9);

describe('decreases of throughput', () => {
  it('are 27 a day for somebody who never misses a chance', () => {
    let budget: DecreaseBudget = { decreasesThatDay: 0 };
    let accepted = 0;
    for (let ms = midnight; ms < midnight + day; ms += 60_000)
      while (nextDecreaseMs(budget, ms) === undefined) {
        budget = noteDecrease(budget, ms);
        accepted++;
      }
    expect(accepted).toBe(27);
    expect(decreasesToday(budget, midnight + day - 1)).toBe(27);
    expect(decreasesToday(budget, midnight + day)).toBe(0);
  });

  it('come 3,600 seconds after the last one, not at the full hour', () => {
    const last = midnight + 21 * 60_000 + 34_000;
    const budget = { decreasedAt: last, decreasesThatDay: 4 };
    expect(nextDecreaseMs(budget, last + 1)).toBe(last + hour);
    expect(nextDecreaseMs(budget, last + hour - 1)).toBe(last + hour);
    expect(nextDecreaseMs(budget, last + hour)).toBeUndefined();
  });

  it('are free again at midnight UTC', () => {
    const last = midnight + day - 60_000;
    expect(nextDecreaseMs({ decreasedAt: last, decreasesThatDay: 9 }, last + 1)).toBe(midnight + day);
    expect(nextDecreaseMs({ decreasedAt: last, decreasesThatDay: 9 }, midnight + day)).toBeUndefined();
  });

  it.each([
    [10, 10, 10, 10, false],
    [10, 10, 20, 10, false],
    [10, 10, 5, 5, true],
    [10, 10, 5, 20, true],
    [10, 10, 20, 5, true],
  ])('from %i/%i to %i/%i: %s', (read, write, newRead, newWrite, expected) => {
    expect(isDecrease({ read, write }, { read: newRead, write: newWrite })).toBe(expected);
  });
});

describe('other changes', () => {
  it('switch to on-demand four times in any 24 hours', () => {
    const at = [0, 1, 2, 3].map((n) => midnight + n * hour);
    expect(nextSwitchToOnDemandMs(at.slice(0, 3), midnight + 4 * hour)).toBeUndefined();
    expect(nextSwitchToOnDemandMs(at, midnight + 4 * hour)).toBe(midnight + day);
    expect(nextSwitchToOnDemandMs(at, midnight + day)).toBeUndefined();
    expect(nextSwitchToOnDemandMs([...at, midnight + day], midnight + day)).toBe(midnight + hour + day);
  });

  it('change the class twice in 30 days', () => {
    expect(nextClassChangeMs([midnight], midnight + 1)).toBeUndefined();
    expect(nextClassChangeMs([midnight, midnight + 5], midnight + 6)).toBe(midnight + 30 * day);
    expect(nextClassChangeMs([midnight, midnight + 5], midnight + 30 * day)).toBeUndefined();
  });
});
