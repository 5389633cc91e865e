import { correctness } from './correctness.ts';
import { evolutionAndRunbooks } from './evolution-and-runbooks.ts';
import { hotKeys } from './hot-keys.ts';
import { indexCost } from './index-cost.ts';
import { inventoryAndKeys } from './inventory-and-keys.ts';
import type { WrongAnswers } from './wrong-answer.ts';

/** By the name of the exercise. */
export const wrongAnswers: WrongAnswers = {
  ...inventoryAndKeys,
  ...hotKeys,
  ...correctness,
  ...indexCost,
  ...evolutionAndRunbooks,
};
