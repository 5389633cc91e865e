import { describe, expect, it, vi } from 'vitest';
import { BodyBudget, underPressure } from './body-budget.ts';
import { BodyLease } from './body-lease.ts';

const MB = 1024 * 1024;
const limits = { connectionsMax: 10, arrivingBytesMax: 8 * MB, workingBytesMax: 8 * MB };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('the budget of arriving bodies', () => {
  it('lets bodies in while there is room, and then in their order', () => {
    const budget = new BodyBudget(limits);
    const [second, third] = [vi.fn(), vi.fn()];
    expect(budget.reserve(4 * MB, vi.fn())).toBe(true);
    expect(budget.reserve(3 * MB, second)).toBeTypeOf('function');
    // A smaller one would fit, but comes later.
    expect(budget.reserve(1 * MB, third)).toBeTypeOf('function');
    expect(budget.pressure).toBe(1);
    budget.release(4 * MB);
    expect([second, third].map((run) => run.mock.calls.length)).toEqual([1, 1]);
    expect(budget.arriving).toBe(4 * MB);
    expect(budget.pressure).toBe(0.5);
  });

  it('keeps a quarter for small bodies', () => {
    const budget = new BodyBudget(limits);
    expect(budget.reserve(6 * MB, vi.fn())).toBe(true);
    expect(budget.reserve(65 * 1024, vi.fn())).toBeTypeOf('function');
    for (let i = 0; i < 32; i++) expect(budget.reserve(64 * 1024, vi.fn())).toBe(true);
    expect(budget.reserve(64 * 1024, vi.fn())).toBeTypeOf('function');
    expect(budget.arriving).toBe(8 * MB);
  });

  it('lets a body in alone that is larger than the budget', () => {
    const budget = new BodyBudget(limits);
    expect(budget.reserve(16 * MB, vi.fn())).toBe(true);
    expect(budget.reserve(1, vi.fn())).toBeTypeOf('function');
  });

  it('refuses what would wait behind too many', () => {
    const budget = new BodyBudget(limits);
    budget.reserve(16 * MB, vi.fn());
    const found = Array.from({ length: 257 }, () => budget.reserve(MB, vi.fn()));
    expect(found.at(-2)).toBeTypeOf('function');
    expect(found.at(-1)).toBeUndefined();
  });

  it('lets in those behind one that gives up', () => {
    const budget = new BodyBudget(limits);
    budget.reserve(4 * MB, vi.fn());
    const cancel = budget.reserve(4 * MB, vi.fn()) as () => void;
    const behind = vi.fn();
    budget.reserve(2 * MB, behind);
    cancel();
    expect(behind).toHaveBeenCalledOnce();
  });
});

describe('the budget of work', () => {
  it('begins waiting work in its order, one piece in a turn', async () => {
    const budget = new BodyBudget(limits);
    const order: string[] = [];
    expect(budget.begin(8 * MB)).toBe(true);
    expect(budget.begin(6 * MB)).toBe(false);
    budget.beginLater(6 * MB, () => {
      order.push('first');
      budget.end(6 * MB);
    });
    budget.beginLater(1 * MB, () => order.push('second'));
    expect(budget.begin(100_000)).toBe(true);
    budget.end(8 * MB);
    expect(order).toEqual([]);
    await nextTurn();
    expect(order).toEqual(['first']);
    await nextTurn();
    expect(order).toEqual(['first', 'second']);
    expect(budget.working).toBe(1 * MB + 100_000);
  });
});

describe('the lease of a body', () => {
  it('gives everything back, once', async () => {
    const budget = new BodyBudget(limits);
    const lease = new BodyLease(budget);
    lease.reserve(5 * MB, vi.fn(), vi.fn());
    const waiting = new BodyLease(budget);
    expect(waiting.reserve(5 * MB, vi.fn(), vi.fn())).toBe(true);
    expect(waiting.isWaiting).toBe(true);
    waiting.end();
    expect(lease.begin(4 * MB)).toBe(true);
    expect([budget.arriving, budget.working]).toEqual([0, 4 * MB]);
    lease.end();
    lease.end();
    expect([budget.arriving, budget.working, budget.pressure]).toEqual([0, 0, 0]);
  });
});

describe('a time limit', () => {
  it.each([
    [0, 60_000],
    [0.5, 60_000],
    [0.75, 31_000],
    [1, 2_000],
  ])('under pressure %d is %d ms', (pressure, ms) => {
    expect(underPressure(60_000, 2_000, pressure)).toBe(ms);
    expect(underPressure(50, 2_000, pressure)).toBe(50);
  });
});
