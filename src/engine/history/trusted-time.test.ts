import { expect, it } from 'vitest';
import { nextTrusted, type TrustedTimeRecord } from './trusted-time.ts';

const dayMs = 86_400_000;
const day = (n: number) => n * dayMs;

function after(...times: readonly number[]): TrustedTimeRecord {
  let known: TrustedTimeRecord | undefined;
  for (const time of times) known = nextTrusted(known, time);
  return known!;
}

it('follows a clock that goes on, and never goes back', () => {
  expect(after(day(10))).toEqual({ ms: day(10) });
  expect(after(day(10), day(10.5), day(11.5)).ms).toBe(day(11.5));
  expect(after(day(10), day(9)).ms).toBe(day(10));
});

it('believes a clock that is days ahead when it has gone on for another day', () => {
  expect(after(day(10), day(1_000))).toEqual({ ms: day(10), jumpedToMs: day(1_000) });
  expect(after(day(10), day(1_000), day(1_000.9)).ms).toBe(day(10));
  expect(after(day(10), day(1_000), day(1_001))).toEqual({ ms: day(1_001) });
});

it('forgets a jump when the clock is set right', () => {
  expect(after(day(10), day(1_000), day(10.1))).toEqual({ ms: day(10.1) });
  expect(after(day(10), day(1_000), day(500)).jumpedToMs).toBe(day(500));
});

it('believes one time after the other of a store that is opened every ten days', () => {
  expect(after(day(10), day(20), day(30), day(40))).toEqual({ ms: day(30), jumpedToMs: day(40) });
});
