import { transactionFactor } from '../physics/units.ts';
import type { WritePattern, WriteStep } from './ir.ts';
import type { ModelFacts } from './model-facts.ts';

/**
 * What a write costs beyond its own item. The client sends a write in a transaction, which is charged twice, not only
 * where the model asks for one: a remembered command, a token, a condition on an item that is not written, and a guard
 * of a unique value need one as well.
 */
export function writeFactor(
  facts: ModelFacts,
  { atomic, idempotency }: WritePattern,
  step: WriteStep,
): number {
  const isTransaction =
    atomic || idempotency !== undefined || step.kind === 'require' || guardWrites(facts, step) > 0;
  return isTransaction ? transactionFactor : 1;
}

/**
 * Guards of unique values that one call of a step writes: a new instance puts its guard and a removed one deletes it; a
 * new value does both. Which write declared the value unique does not matter.
 */
export function guardWrites(facts: ModelFacts, step: WriteStep, attribute?: string): number {
  const names = facts.uniqueAttributes(step.entity);
  let writes = 0;
  for (const name of names) if (attribute === undefined || name === attribute) writes += guardsOf(step, name);
  return writes * step.count;
}

function guardsOf(step: WriteStep, name: string): number {
  switch (step.kind) {
    case 'create':
    case 'remove':
      return 1;
    case 'change':
      return step.sets.some(({ attribute }) => attribute === name) ? 2 : 0;
    case 'count':
      return step.attribute === name && step.spread !== 'shards' ? 2 : 0;
    case 'require':
      return 0;
  }
}
