import type { Entity, Value, WritePattern } from '../design/index.ts';
import { identityToken, type Population } from './population.ts';
import type { Seeded } from './seeded.ts';

/**
 * Identities of instances that a new one may refer to although they are declared only and not in the sample: two hundred
 * sampled users have soon all liked a hot post, the declared millions have not. The call names them without reading them.
 * Left as they are: the parent, what the parent refers to as well, what a skew chooses and what the call touches.
 */
export function drawOutsideSample(
  population: Population,
  random: Seeded,
  pattern: WritePattern,
  entity: Entity,
  touched: readonly { readonly entity: string }[],
): Record<string, Value> {
  const drawn: Record<string, Value> = {};
  const parent =
    entity.population.kind === 'per' ? population.kind(entity.population.entity).entity : undefined;
  for (const { name, refersTo } of entity.attributes) {
    if (refersTo === undefined || !entity.identity.includes(name) || refersTo.entity === parent?.name)
      continue;
    if (parent?.attributes.some((one) => one.name === name)) continue;
    if (pattern.skew.some(({ attribute }) => attribute === name)) continue;
    if (touched.some((one) => one.entity === refersTo.entity)) continue;
    const target = population.kind(refersTo.entity);
    const unseen = Math.floor(population.sample.declared.get(refersTo.entity) ?? 0) - target.fresh;
    if (unseen <= 0 || target.entity.identity.join() !== refersTo.attribute) continue;
    const value = identityToken(target.entity, refersTo.attribute, target.fresh + random.below(unseen));
    if (value !== undefined) drawn[name] = value;
  }
  return drawn;
}
