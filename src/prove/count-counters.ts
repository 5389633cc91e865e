import { labelsOf } from '../design/compile/write-plan.ts';
import { type Answer, isDone, type Values, type WriteArguments, type WritePattern } from '../design/index.ts';
import type { Prover } from './prove-patterns.ts';

/** Why the sum that readers get of a spread counter is not what was added to it; undefined if it is. */
export async function whyMiscounted(
  { compiled, counted, population, send }: Pick<Prover, 'compiled' | 'counted' | 'population' | 'send'>,
  pattern: WritePattern,
  given: WriteArguments,
): Promise<string | undefined> {
  const labels = labelsOf(pattern);
  for (const [at, step] of pattern.steps.entries()) {
    if (step.kind !== 'count' || step.spread !== 'shards') continue;
    const values = given[labels[at]!];
    for (const one of (Array.isArray(values) ? values : [values]) as Values[]) {
      const identity = population.kind(step.entity).identityOf(one);
      const key = `${step.entity}\u0000${step.attribute}\u0000${identity}`;
      const expected = (counted.get(key) ?? 0) + 1;
      counted.set(key, expected);
      let round = compiled.counter(step.entity, step.attribute, one);
      for (;;) {
        const next = round.next((await Promise.all(round.requests.map(send))) as Answer[]);
        if (!isDone(next)) {
          round = next;
          continue;
        }
        if (next.result !== expected)
          return `the counter "${step.attribute}" of ${step.entity} ${identity} reads ${next.result}, and ${expected} was added to it`;
        break;
      }
    }
  }
  return undefined;
}
