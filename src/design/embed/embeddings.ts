import { itemLimits } from '../../model/limits.ts';
import type { EmbeddedEntity } from '../design.ts';
import type { Entity, Model, ReadPattern, WritePattern } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';

/** Where the instances of an entity lie that has no items of its own. */
export type Embedding = Pick<EmbeddedEntity, 'entity' | 'parent' | 'attribute' | 'link' | 'entryKey'>;

/** A map's own bytes, and those of each of its members. */
const mapBytes = 3;
const memberBytes = 1;

/** How an entity that may be embedded lies in its parent; undefined if the model does not allow it. */
export function embeddingOf(model: Model, entity: Entity): Embedding | undefined {
  const { mayEmbed, population, identity } = entity;
  if (mayEmbed === undefined || population.kind !== 'per') return undefined;
  const parent = model.entities.find(({ name }) => name === population.entity);
  if (parent === undefined) return undefined;
  const link = parent.identity.map((name) =>
    identity.find((own) => {
      const refersTo = entity.attributes.find((one) => one.name === own)?.refersTo;
      return refersTo?.entity === parent.name && refersTo.attribute === name;
    }),
  );
  if (link.some((name) => name === undefined)) return undefined;
  const entryKey = identity.filter((name) => !link.includes(name));
  return { entity: entity.name, parent: parent.name, attribute: mayEmbed, link: link as string[], entryKey };
}

/** Why an entity that may be embedded keeps items of its own; undefined if nothing speaks against embedding it. */
export function whyApart(model: Model, entity: Entity): string | undefined {
  const embedding = embeddingOf(model, entity);
  if (embedding === undefined) return 'its identity does not carry the identity of its parent';
  const parent = model.entities.find(({ name }) => name === embedding.parent)!;
  return (
    whyNotInside(model, entity, parent, embedding) ??
    model.reads.map((read) => whyNotRead(model, read, entity, embedding)).find(Boolean) ??
    model.writes.map((write) => whyNotWritten(write, entity, parent)).find(Boolean)
  );
}

function whyNotInside(
  model: Model,
  entity: Entity,
  parent: Entity,
  embedding: Embedding,
): string | undefined {
  const { population, name } = entity;
  if (parent.mayEmbed !== undefined) return `${parent.name} may itself lie inside another entity`;
  if (parent.keys !== undefined) return `${parent.name} is keyed by hand`;
  if (embedding.entryKey.length === 0 && population.kind === 'per' && population.max > 1)
    return 'nothing tells its instances under one parent apart';
  const pointing = model.entities.find(
    (one) =>
      (one.population.kind === 'per' && one.population.entity === name) ||
      one.attributes.some(({ refersTo, copyOf }) => refersTo?.entity === name || copyOf?.entity === name),
  );
  if (pointing !== undefined) return `${pointing.name} refers to it`;
  const tenantless = model.environment.tenancy?.except ?? [];
  if (tenantless.includes(name) !== tenantless.includes(parent.name))
    return `only one of it and ${parent.name} belongs to a tenant`;
  const facts = new ModelFacts(model);
  const siblings = model.entities
    .filter((one) => one.mayEmbed !== undefined && embeddingOf(model, one)?.parent === parent.name)
    .map((one) => embeddedBytes(facts, one, embeddingOf(model, one)!).max);
  const most = siblings.reduce((sum, bytes) => sum + bytes, facts.itemBytesMax(parent));
  if (most > itemLimits.itemBytesMax)
    return `a ${parent.name} with everything that may lie inside could reach ${Math.ceil(most / 1024)} KB, and 400 KB is the limit`;
  return undefined;
}

function whyNotRead(
  model: Model,
  read: ReadPattern,
  { name }: Entity,
  { link, parent }: Embedding,
): string | undefined {
  if (!read.entities.includes(name)) return undefined;
  if (!link.every((one) => read.by.includes(one))) return `${read.name} does not give ${link.join(' and ')}`;
  const kinds = new Set(read.entities.map((one) => homeOf(model, one)));
  if (kinds.size === 1) return undefined;
  const { identity } = model.entities.find((one) => one.name === parent)!;
  const isPlain =
    read.page === 'all' &&
    read.order.length === 0 &&
    read.range === undefined &&
    read.where.length === 0 &&
    read.by.length === link.length &&
    link.every((one, at) => one === identity[at]);
  return isPlain
    ? undefined
    : `${read.name} reads it in an order, a range or pages together with items of other kinds`;
}

function homeOf(model: Model, name: string): string {
  const entity = model.entities.find((one) => one.name === name)!;
  return entity.mayEmbed === undefined ? name : (embeddingOf(model, entity)?.parent ?? name);
}

function whyNotWritten({ name, steps }: WritePattern, entity: Entity, parent: Entity): string | undefined {
  const own = steps.filter((step) => step.entity === entity.name);
  if (steps.some((step) => step.entity === parent.name && step.kind === 'create' && !step.once))
    return `${name} may replace a ${parent.name} with everything inside it`;
  if (own.length === 0) return undefined;
  for (const step of own) {
    if (step.kind === 'create' && step.unique.length > 0)
      return `${name} wants a value of it to be unique among all`;
    if (step.kind === 'count' && step.spread === 'shards') return `${name} spreads its counter`;
  }
  const beside = steps.filter((step) => step.entity === parent.name);
  if (beside.length > 1 || beside.some(({ count }) => count > 1))
    return `${name} writes several items of ${parent.name}`;
  const [step] = beside;
  if (step?.kind === 'create' && own.some(({ kind }) => kind !== 'create'))
    return `${name} creates the ${parent.name} and touches what cannot be inside it yet`;
  if (step?.kind === 'remove' && own.some(({ kind }) => kind !== 'remove'))
    return `${name} removes the ${parent.name} and writes what is inside it`;
  if (step?.kind === 'count' && step.spread === 'shards')
    return `${name} counts on the ${parent.name} in items beside it`;
  return undefined;
}

/** Bytes of the attribute that holds the instances of one parent, its name left out. */
export function embeddedBytes(
  facts: ModelFacts,
  entity: Entity,
  { link, entryKey }: Embedding,
): { readonly mean: number; readonly max: number } {
  const { population } = entity;
  if (population.kind !== 'per') throw new Error(`${entity.name} is counted per nothing`);
  const own = entity.attributes.map(({ name }) => name).filter((name) => !link.includes(name));
  const members = own.length * memberBytes + mapBytes;
  const mean = facts.attributesBytes(entity, own) + members;
  const max = facts.attributesBytesMax(entity, own) + members;
  if (entryKey.length === 0) return { mean: Math.min(1, population.mean) * mean, max };
  const key = (which: 'mean' | 'max') =>
    entryKey.reduce(
      (sum, name) => sum + facts.keyBytes(entity, name)[which],
      entryKey.length - 1 + memberBytes,
    );
  return {
    mean: mapBytes + population.mean * (mean + key('mean')),
    max: mapBytes + population.max * (max + key('max')),
  };
}
