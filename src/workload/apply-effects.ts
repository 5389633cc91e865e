import type { Effect } from './calls.ts';
import type { Population } from './population.ts';

/** Applies what a call did to the instances. */
export function applyEffects(population: Population, effects: readonly Effect[]): void {
  for (const effect of effects) {
    const kind = population.kind(effect.entity);
    if (effect.kind === 'put') kind.put(effect.values);
    else if (effect.kind === 'remove') kind.remove(effect.of);
    else {
      const instance = kind.find(effect.of);
      if (instance === undefined) continue;
      for (const [name, value] of Object.entries(effect.sets)) {
        if (value === undefined) delete instance[name];
        else instance[name] = value;
      }
    }
  }
}
