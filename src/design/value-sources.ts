import type { Attribute, Entity } from './ir.ts';

/** The numbers of a model that these questions need. */
interface Counts {
  entity(name: string): Entity;
  total(entity: Entity): number;
  distinct(entity: Entity, name: string): number;
}

/**
 * The identity attribute that numbers the children of one parent: 1, 2, 3 under every document, so that as many
 * instances have the number 1 as there are parents with children.
 */
export function counterOf({ identity, attributes }: Entity): string | undefined {
  const own = identity.map((name) => attributes.find((one) => one.name === name)!);
  const numbers = own.filter(
    ({ type, refersTo, copyOf, distinct }) =>
      type.kind === 'number' && refersTo === undefined && copyOf === undefined && distinct === undefined,
  );
  const parents = own.filter(({ refersTo }) => refersTo !== undefined);
  // Beside an identifier of its own, a number is no count of children.
  return numbers.length === 1 && parents.length > 0 && parents.length + 1 === own.length
    ? numbers[0]!.name
    : undefined;
}

/** The children that a parent has on average, where a counter numbers them; at least one. */
export function siblingsMean(counts: Counts, entity: Entity): number {
  const { population } = entity;
  if (population.kind === 'per') return Math.max(1, population.mean);
  return Math.max(1, counts.total(entity) / parentsOf(counts, entity));
}

/** The most children that a parent has. */
export function siblingsMax(counts: Counts, entity: Entity): number {
  const { population } = entity;
  if (population.kind === 'per') return Math.max(1, population.max);
  return Math.max(1, Math.ceil((2 * counts.total(entity)) / parentsOf(counts, entity)));
}

function parentsOf(counts: Counts, entity: Entity): number {
  const references = entity.identity.filter((name) => attributeOf(entity, name)?.refersTo !== undefined);
  return Math.max(1, ...references.map((name) => counts.distinct(entity, name)));
}

/**
 * Whether the value of `name` follows from that of the reference `from`: it is copied from the instance that `from`
 * names, or from one further along that instance's references, or is a reference that the instance has as well.
 */
export function followsFrom(counts: Counts, entity: Entity, name: string, from: string): boolean {
  const reference = attributeOf(entity, from)?.refersTo;
  const attribute = attributeOf(entity, name);
  if (name === from || reference === undefined || attribute === undefined) return false;
  const target = counts.entity(reference.entity);
  const own = target.identity.filter((one) => attributeOf(target, one)?.refersTo === undefined);
  // One part of a longer identity names several instances.
  if (target.identity.length > 1 && (own.length !== 1 || own[0] !== reference.attribute)) return false;
  if (target.identity.length > 1 && counterOf(target) === reference.attribute) return false;
  const { copyOf, refersTo } = attribute;
  if (copyOf !== undefined)
    return reaches(counts, target, copyOf.entity) && !refersBeside(entity, copyOf.entity, from);
  if (refersTo === undefined) return false;
  return (
    refersTo.entity === target.name ||
    target.attributes.some((one) => one.name === name && one.refersTo?.entity === refersTo.entity)
  );
}

/** Whether another reference than `from` leads to the entity directly. */
function refersBeside({ attributes }: Entity, target: string, from: string): boolean {
  const own = attributes.find(({ name }) => name === from)?.refersTo?.entity;
  return own !== target && attributes.some(({ refersTo }) => refersTo?.entity === target);
}

/** Whether references lead from one entity to another. */
function reaches(counts: Counts, entity: Entity, target: string, seen = new Set<string>()): boolean {
  if (entity.name === target) return true;
  seen.add(entity.name);
  return entity.attributes.some(
    ({ refersTo }) =>
      refersTo !== undefined &&
      !seen.has(refersTo.entity) &&
      reaches(counts, counts.entity(refersTo.entity), target, seen),
  );
}

function attributeOf({ attributes }: Entity, name: string): Attribute | undefined {
  return attributes.find((one) => one.name === name);
}
