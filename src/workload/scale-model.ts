import type { Entity, Model } from '../design/index.ts';
import { ModelFacts } from '../design/model-facts.ts';

export interface Sample {
  /** The model with as many instances as the sample has. Everything else is as declared. */
  readonly model: Model;
  /** The model as it is declared. */
  readonly whole: Model;
  /** How many instances the model declares, and how many of them the sample has, by entity. */
  readonly declared: ReadonlyMap<string, number>;
  readonly present: ReadonlyMap<string, number>;
}

/** Instances of a root that keep uniform traffic from heating single keys. */
const rootsMin = 200;
const smallSetMax = 60;

/**
 * A sample of the declared populations that fits the budget. Children per parent stay as declared while pages need no
 * more; what shrinks first are collections that are longer than any page, then the number of roots.
 */
export function sampleOf(model: Model, budget: number): Sample {
  const full = new ModelFacts(model);
  const pageOf = (name: string) =>
    Math.max(
      4,
      ...model.reads
        .filter(({ entities }) => entities.includes(name))
        .map(({ page, returns }) => (page === 'all' ? (returns ?? 20) : Math.min(page, 100))),
    );
  let meanMax = 2;
  let roots = 1;
  const scaled = (): Model => ({
    ...model,
    entities: model.entities.map((entity): Entity => {
      const { population } = entity;
      if (population.kind === 'count') {
        const count = Math.min(
          population.count,
          Math.max(Math.min(rootsMin, population.count), Math.round(population.count * roots)),
        );
        return { ...entity, population: { ...population, count } };
      }
      const mean = Math.min(population.mean, Math.max(1, meanMax * pageOf(entity.name)));
      const max = Math.min(population.max, Math.max(Math.ceil(mean * 2), 1));
      return { ...entity, population: { ...population, mean, max } };
    }),
  });
  const sizeOf = (one: Model) => {
    const facts = new ModelFacts(one);
    return one.entities.reduce((sum, entity) => sum + facts.total(entity), 0);
  };
  // Collections shrink to one and a half pages, roots to the least; then collections again.
  while (sizeOf(scaled()) > budget && meanMax > 1.5) meanMax = Math.max(1.5, meanMax * 0.8);
  while (sizeOf(scaled()) > budget && roots > 1e-9) roots *= 0.7;
  while (sizeOf(scaled()) > budget && meanMax > 0.02) meanMax *= 0.8;
  const small = scaled();
  const facts = new ModelFacts(small);
  const declared = new Map(model.entities.map((entity) => [entity.name, full.total(entity)]));
  const present = new Map(
    small.entities.map((entity) => [entity.name, Math.max(1, Math.round(facts.total(entity)))]),
  );
  const entities = small.entities.map((entity): Entity => {
    const share = present.get(entity.name)! / Math.max(1, declared.get(entity.name)!);
    return {
      ...entity,
      attributes: entity.attributes.map((attribute) => {
        const { distinct } = attribute;
        if (distinct === undefined || distinct <= smallSetMax) return attribute;
        return { ...attribute, distinct: Math.max(smallSetMax, Math.round(distinct * share)) };
      }),
    };
  });
  return { model: { ...small, entities }, whole: model, declared, present };
}
