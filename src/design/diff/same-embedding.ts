import type { Design } from '../design.ts';
import type { Model } from '../ir.ts';
import type { Trouble } from '../model-error.ts';

/**
 * The new model such that no entity moves into items that exist: a migration moves items and fills indexes, and leaves
 * what lies inside items where it is.
 */
export function withoutNewEmbedding(to: Model, from: Model, old: Design): Model {
  const inside = new Set(embeddedIn(old).map(({ entity }) => entity));
  const existed = new Set(from.entities.map(({ name }) => name));
  return {
    ...to,
    entities: to.entities.map((entity) => {
      const { mayEmbed, population, ...rest } = entity;
      const isNew = population.kind === 'per' && !existed.has(entity.name) && !existed.has(population.entity);
      return mayEmbed === undefined || isNew || inside.has(entity.name) ? entity : { ...rest, population };
    }),
  };
}

/** Entities that the two designs hold in different ways. */
export function embeddingTroubles(from: Model, old: Design, next: Design): Trouble[] {
  const known = (name: string) => from.entities.some((one) => one.name === name);
  const [before, after] = [embeddedIn(old), embeddedIn(next)];
  const placeIn = (all: typeof before, name: string) => {
    const found = all.find(({ entity }) => entity === name);
    return found === undefined ? 'items of its own' : `"${found.attribute}" of ${found.parent}`;
  };
  const placed = new Set(next.tables.flatMap(({ entities }) => entities));
  const names = [
    ...after.filter(({ entity, parent }) => known(entity) || known(parent)),
    ...before.filter(({ entity }) => placed.has(entity)),
  ].map(({ entity }) => entity);
  return [...new Set(names)]
    .filter((name) => placeIn(before, name) !== placeIn(after, name) || !known(name))
    .map((name) => ({
      where: `entity ${name}`,
      rule: 'embedding',
      message: known(name)
        ? `it lies in ${placeIn(before, name)} and would lie in ${placeIn(after, name)}; a migration moves items, not what is inside them`
        : `it would lie in ${placeIn(after, name)}, of which there are items without it`,
      fix: 'Keep it where it is, or give it another name and let a program copy it over.',
    }));
}

function embeddedIn({ tables }: Design) {
  return tables.flatMap(({ embedded = [] }) => embedded);
}
