import { expect, it } from 'vitest';
import { Slices, stepsPerSlice } from './slices.ts';

it('lets one piece of waiting work go on in each turn', async () => {
  let turn = 0;
  const slices = new Slices(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    turn++;
  });
  const steps = new Map<number, number>();
  const work = async () => {
    for (let pieces = 0; pieces < 3; pieces++) {
      await slices.spend(stepsPerSlice);
      steps.set(turn, (steps.get(turn) ?? 0) + stepsPerSlice);
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  expect([...steps.values()]).toEqual(Array(60).fill(stepsPerSlice));
});

it('lets short work pass while the slice lasts', () => {
  const slices = new Slices(() => Promise.resolve());
  expect(slices.spend(stepsPerSlice - 1)).toBeUndefined();
  expect(slices.spend(1)).toBeInstanceOf(Promise);
});
