import { expect, it } from 'vitest';
import { StopSignals } from './stop-signals.ts';

it('takes two signals at once for one, as npm and a terminal send them together, and obeys a later one', () => {
  let now = 0;
  const exits: number[] = [];
  const signals = new StopSignals({ nowMs: () => now, exit: (code) => exits.push(code) });
  try {
    expect(signals.asked.aborted).toBe(false);
    process.emit('SIGINT', 'SIGINT');
    now = 499;
    process.emit('SIGINT', 'SIGINT');
    expect([signals.asked.reason, exits]).toEqual(['SIGINT', []]);
    now = 500;
    process.emit('SIGTERM', 'SIGTERM');
    process.emit('SIGINT', 'SIGINT');
    expect(exits).toEqual([143, 130]);
  } finally {
    signals.release();
  }
});
