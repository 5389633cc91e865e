import { describe, expect, it } from 'vitest';
import { timedVerdict } from '../../benchmarks/http/timed-verdict.ts';

describe('the time of a measurement', () => {
  const verdicts = (times: readonly number[]) => {
    const verdict = timedVerdict({ warmUpSeconds: 1, seconds: 2 }, 500);
    return times.map((now, turn) => verdict(turn, now));
  };

  it('begins after the warm-up and ends when it is over', () => {
    expect(verdicts([500, 1_499, 1_500, 3_499, 3_500])).toEqual([
      'unmeasured',
      'unmeasured',
      'measured',
      'measured',
      'stop',
    ]);
  });

  it('measures a request however long the machine stood still before it', () => {
    expect(verdicts([500, 60_000, 61_999, 62_000])).toEqual(['unmeasured', 'measured', 'measured', 'stop']);
    expect(verdicts([60_000, 62_000])).toEqual(['measured', 'stop']);
  });

  it('says the same of a turn whenever it is asked', () => {
    expect(verdicts([1_000, 60_000, 62_000, 60_000, 1_000])).toEqual([
      'unmeasured',
      'measured',
      'stop',
      'measured',
      'unmeasured',
    ]);
  });
});
