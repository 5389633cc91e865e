import { vi } from 'vitest';
import { ConditionWork } from '../src/expressions/condition-work.ts';
import { Slices } from '../src/model/slices.ts';

/** The most steps between two turns of the event loop while something runs, and all of its steps. */
export async function heldFor(run: () => Promise<unknown>): Promise<{ most: number; total: number }> {
  let [now, most, total] = [0, 0, 0];
  const spend = Slices.prototype.spend;
  const spy = vi.spyOn(Slices.prototype, 'spend').mockImplementation(function (this: Slices, steps: number) {
    total += steps;
    now += steps;
    most = Math.max(most, now);
    return spend.call(this, steps);
  });
  let isDone = false;
  const tick = () => {
    now = 0;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    await run();
  } finally {
    isDone = true;
    spy.mockRestore();
  }
  return { most, total };
}

/** The most steps of evaluating conditions between two turns of the event loop, wherever they are evaluated. */
export async function evaluatedFor(run: () => Promise<unknown>): Promise<{ most: number; total: number }> {
  let [now, most, total] = [0, 0, 0];
  const { note } = ConditionWork.prototype;
  const spy = vi.spyOn(ConditionWork.prototype, 'note').mockImplementation(function (
    this: ConditionWork,
    part: object,
    result: boolean,
    before: number,
  ) {
    const steps = this.steps - before;
    total += steps;
    now += steps;
    most = Math.max(most, now);
    note.call(this, part, result, before);
  });
  let isDone = false;
  const tick = () => {
    now = 0;
    if (!isDone) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    await run();
  } finally {
    isDone = true;
    spy.mockRestore();
  }
  return { most, total };
}
