import { describe, expect, it } from 'vitest';
import { historyMinutes, LoadHistory } from './load-history.ts';
import { RecentRate } from './recent-rate.ts';
import { type Verdict, VerdictLog } from './verdict.ts';

describe('a history of load', () => {
  it('has the last hour, and adds up what belongs to one minute', () => {
    const history = new LoadHistory();
    for (let minute = 0; minute < 200; minute++) {
      history.add(minute, minute, 1, 0, 0);
      history.add(minute, 0, 1, 2, 3);
    }
    const found = history.until(199);
    expect(found).toHaveLength(historyMinutes);
    expect(found[0]).toEqual({
      minute: 140,
      readUnits: 140,
      writeUnits: 2,
      refusedReads: 2,
      refusedWrites: 3,
    });
    expect(found.at(-1)!.minute).toBe(199);
  });

  it('leaves out gaps and what a clock that was set back makes the future', () => {
    const history = new LoadHistory();
    for (const minute of [100, 130, 500_000]) history.add(minute, 1, 0, 0, 0);
    expect(history.until(130).map(({ minute }) => minute)).toEqual([100, 130]);
    expect(history.until(165).map(({ minute }) => minute)).toEqual([130]);
    expect(history.until(500_000).map(({ minute }) => minute)).toEqual([500_000]);
  });
});

describe('a recent rate', () => {
  it('is that of about the last second', () => {
    const rate = new RecentRate();
    for (let ms = 0; ms < 5_000; ms += 2) rate.add(ms, 1);
    expect(rate.perSecond(5_000)).toBe(500);
    expect(rate.perSecond(5_900)).toBeCloseTo(50);
    expect(rate.perSecond(7_000)).toBe(0);
    rate.add(100, 3);
    expect(rate.perSecond(100)).toBe(3);
  });
});

describe('a log of verdicts', () => {
  it('keeps the newest, oldest first', () => {
    const log = new VerdictLog(3);
    for (let count = 0; count < 8; count++) log.add({ count } as Verdict);
    expect(log.list().map(({ count }) => count)).toEqual([5, 6, 7]);
    expect(log.list(({ count }) => count > 5).map(({ count }) => count)).toEqual([6, 7]);
    log.clear();
    expect(log.list()).toEqual([]);
  });
});
