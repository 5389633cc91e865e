import { afterEach, describe, expect, it, vi } from 'vitest';
import { Gate } from './gate.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('the gate of a pool', () => {
  it('lets in as many as there is room for, then one for each that leaves, the urgent first', async () => {
    const gate = new Gate(2, 1_000);
    const entered: string[] = [];
    const enter = (name: string, isUrgent = false) => gate.enter(isUrgent).then(() => entered.push(name));
    const all = [enter('a'), enter('b', true), enter('c'), enter('d'), enter('e', true), enter('f', true)];
    for (const expected of ['ab', 'abe', 'abef', 'abefc', 'abefcd']) {
      await vi.waitUntil(() => entered.length === expected.length);
      expect(entered.join('')).toBe(expected);
      gate.leave();
    }
    await Promise.all(all);
    gate.leave();
    await Promise.all([enter('g'), enter('h')]);
    expect(entered.join('')).toBe('abefcdgh');
  });

  it('turns away who has waited too long, and only him', async () => {
    vi.useFakeTimers();
    const gate = new Gate(1, 1_000);
    await gate.enter(false);
    const impatient = expect(gate.enter(true)).rejects.toMatchObject({ trouble: 'unavailable' });
    await vi.advanceTimersByTimeAsync(999);
    const patient = gate.enter(false);
    await vi.advanceTimersByTimeAsync(1);
    await impatient;
    gate.leave();
    await patient;
    expect(vi.getTimerCount()).toBe(0);
  });
});
