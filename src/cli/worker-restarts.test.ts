import { describe, expect, it } from 'vitest';
import { WorkerRestarts } from './worker-restarts.ts';

describe('the restarts of workers', () => {
  it('come at once after a worker that had served for a while', () => {
    const restarts = new WorkerRestarts();
    for (let i = 0; i < 100; i++) expect(restarts.waitMs(10_000)).toBe(0);
  });

  it('come later and later when workers end soon, and at last not at all', () => {
    const restarts = new WorkerRestarts();
    expect([0, 9_999, 0, 0, 0].map((servedMs) => restarts.waitMs(servedMs))).toEqual([
      100,
      400,
      1_600,
      6_400,
      undefined,
    ]);
    expect(restarts.endedSoon).toBe(5);
  });

  it('begin anew once a worker has served for a while', () => {
    const restarts = new WorkerRestarts();
    for (let i = 0; i < 4; i++) restarts.waitMs(0);
    expect(restarts.waitMs(20_000)).toBe(0);
    expect(restarts.waitMs(0)).toBe(100);
  });
});
