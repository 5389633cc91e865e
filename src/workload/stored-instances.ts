import type { CompiledDesign, EmbeddedEntity, Values } from '../design/index.ts';
import type { Population } from './population.ts';

/** The instances of a population that have items, each with the values of those that lie inside of it. */
export function* storedInstances(
  compiled: CompiledDesign,
  population: Population,
): Generator<readonly [entity: string, values: Values]> {
  const embedded = compiled.design.tables.flatMap((table) => table.embedded ?? []);
  const inside = embedded.filter(({ entity }) => population.kinds.has(entity));
  const children = new Map(inside.map((one) => [one.entity, childrenByParent(population, one)]));
  for (const [name, kind] of population.kinds) {
    if (children.has(name)) continue;
    const own = inside.filter(({ parent }) => parent === name);
    for (const values of kind.instances) {
      if (values === undefined) continue;
      if (own.length === 0) {
        yield [name, values];
        continue;
      }
      const identity = kind.identityOf(values);
      const held = own.map(({ entity }) => [entity, children.get(entity)!.get(identity) ?? []] as const);
      yield [name, compiled.inside(name, values, Object.fromEntries(held))];
    }
  }
}

/** The instances that lie inside others, by the identity of the item around them. */
function childrenByParent(
  population: Population,
  { entity, parent, link }: EmbeddedEntity,
): Map<string, Values[]> {
  const around = population.kind(parent);
  const found = new Map<string, Values[]>();
  for (const values of population.kind(entity).instances) {
    if (values === undefined) continue;
    const identity = around.entity.identity.map((name, at) => [name, values[link[at]!]]);
    const key = around.identityOf(Object.fromEntries(identity));
    const known = found.get(key);
    if (known === undefined) found.set(key, [values]);
    else known.push(values);
  }
  return found;
}
