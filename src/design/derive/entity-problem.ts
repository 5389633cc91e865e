import type { Entity, Predicate, ReadPattern, WritePattern, WriteStep } from '../ir.ts';
import type { ModelFacts } from '../model-facts.ts';
import { canonical, implies, namesOfPredicate } from '../predicate-logic.ts';
import { invertible, keyable } from '../sort-order.ts';

/**
 * One entity as the search sees it: its key attributes as bits, its predicates as bits, and what each read pattern asks
 * of a placement. Bits follow the sorted names, so that the order of the model file cannot matter.
 */
export interface EntityProblem {
  readonly entity: Entity;
  readonly facts: ModelFacts;
  /** The attributes that may stand in a key, sorted by name; bit i stands for names[i]. */
  readonly names: readonly string[];
  readonly identity: number;
  /** The attributes that may stand in a table key: always there, never changing, given by every write. */
  readonly baseAllowed: number;
  readonly optional: number;
  readonly invertible: number;
  /** The tenant's bit, which must be in every partition, or 0. */
  readonly tenant: number;
  /** All fixed predicates of the entity's patterns. */
  readonly atoms: readonly Atom[];
  readonly needs: readonly Need[];
  readonly variants: readonly Variant[];
  readonly steps: readonly StepOfEntity[];
}

export interface Atom {
  readonly predicate: Predicate;
  /** The attribute's bit, if the predicate gives it one value. */
  readonly equal: number;
  /** The atoms that imply this one, itself among them. */
  readonly impliers: number;
  readonly share: number;
  readonly attributes: readonly string[];
}

/** What one read pattern asks of this entity. */
export interface Need {
  readonly pattern: ReadPattern;
  readonly strong: boolean;
  /** The pattern reads several entities. */
  readonly aggregate: boolean;
  /** Ways to answer it: exactly, with a residual filter, with a fetch behind an index. At least one. */
  readonly variants: readonly Variant[];
}

export interface Variant {
  readonly id: number;
  readonly pattern: ReadPattern;
  readonly strong: boolean;
  readonly aggregate: boolean;
  /** Attributes whose values the caller gives, and the key must find. */
  readonly given: number;
  /** The caller gives the whole identity, in part perhaps to the filter, and so can compute the item's shard. */
  readonly namesItem: boolean;
  /** The pattern's own predicates, which the key or the slot's predicate must make true. */
  readonly atoms: readonly number[];
  /** Every atom of the entity that the pattern's predicates imply. */
  readonly implied: number;
  /** Attributes that every item asked for has. */
  readonly present: number;
  /** What must follow the equality prefix in the sort key. */
  readonly tail: readonly TailPiece[];
  /** What a residual filter removes instead of the key. */
  readonly filter: readonly Predicate[];
  readonly filterBy: readonly string[];
  /** Items read for each item wanted. */
  readonly readFactor: number;
  /** The slot only finds keys; a second call fetches the items. */
  readonly fetch: boolean;
}

export interface TailPiece {
  readonly bit: number;
  readonly descending: boolean;
}

export interface StepOfEntity {
  readonly write: WritePattern;
  readonly step: WriteStep;
}

/** Bit sets are 32-bit integers. */
const keyAttributesMax = 30;

export function entityProblem(facts: ModelFacts, entity: Entity): EntityProblem {
  const { model } = facts;
  const patterns = model.reads
    .filter((read) => read.entities.includes(entity.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const steps = model.writes
    .flatMap((write) => write.steps.map((step) => ({ write, step })))
    .filter(({ step }) => step.entity === entity.name);
  const tenancy = model.environment.tenancy;
  const tenantName =
    tenancy === undefined || tenancy.except.includes(entity.name) ? undefined : tenancy.attribute;
  const used = new Set([...entity.identity, ...(tenantName === undefined ? [] : [tenantName])]);
  for (const read of patterns) {
    for (const name of read.by) used.add(name);
    for (const one of read.where) if (one.kind === 'equals') used.add(one.attribute);
    if (read.range !== undefined) used.add(read.range.attribute);
    for (const { attribute } of read.order) used.add(attribute);
  }
  const attributes = entity.attributes.filter((one) => used.has(one.name) && keyable(one));
  const names = attributes.map(({ name }) => name).sort();
  if (names.length > keyAttributesMax) {
    throw new RangeError(
      `${entity.name} uses ${names.length} attributes in keys; ${keyAttributesMax} is the most`,
    );
  }
  const bitOf = (name: string): number => {
    const at = names.indexOf(name);
    return at < 0 ? 0 : 1 << at;
  };
  const maskOf = (list: readonly string[]) => list.reduce((mask, name) => mask | bitOf(name), 0);
  const maskWhere = (test: (name: string) => boolean) => maskOf(names.filter(test));
  const optional = maskWhere((name) => facts.attribute(entity, name).optional === true);
  let baseAllowed = maskOf([...entity.identity, ...entity.fixed]) & ~optional;
  for (const { step } of steps) if (step.kind !== 'create') baseAllowed &= maskOf(step.given);

  const atoms = atomsOf(facts, entity, patterns, bitOf);
  const variants: Variant[] = [];
  const needs = patterns.map((pattern): Need => {
    const found = variantsOf(pattern);
    variants.push(...found);
    const { strong, aggregate } = found[0]!;
    return { pattern, strong, aggregate, variants: found };
  });
  return {
    entity,
    facts,
    names,
    identity: maskOf(entity.identity),
    baseAllowed,
    optional,
    invertible: maskWhere((name) => invertible(facts.attribute(entity, name))),
    tenant: tenantName === undefined ? 0 : bitOf(tenantName),
    atoms,
    needs,
    variants,
    steps,
  };

  function variantsOf(pattern: ReadPattern): Variant[] {
    const droppable: readonly Droppable[] =
      pattern.mayDiscard > 0 && pattern.entities.length === 1
        ? [
            ...pattern.by.map((name) => ({ name, share: 1 / facts.distinct(entity, name) })),
            ...pattern.where.map((predicate) => ({ predicate, share: facts.holds(entity, predicate) })),
          ]
        : [];
    const found: Omit<Variant, 'id'>[] = [];
    for (let chosen = 0; chosen < 1 << droppable.length; chosen++) {
      const dropped = droppable.filter((_, at) => (chosen >> at) & 1);
      const kept = dropped.reduce((product, { share }) => product * share, 1);
      if (dropped.length > 0 && 1 - kept > pattern.mayDiscard) continue;
      const plain = variant(pattern, dropped, 1 / kept);
      found.push(plain);
      if (pattern.mayFetch && pattern.entities.length === 1) found.push({ ...plain, fetch: true });
    }
    return found.map((one, at) => ({ ...one, id: variants.length + at }));
  }

  function variant(
    pattern: ReadPattern,
    dropped: readonly Droppable[],
    readFactor: number,
  ): Omit<Variant, 'id'> {
    const by = pattern.by.filter((name) => !dropped.some((one) => one.name === name));
    const where = pattern.where.filter((predicate) => !dropped.some((one) => one.predicate === predicate));
    const own = where.map((one) => atoms.findIndex((atom) => canonical(atom.predicate) === canonical(one)));
    let implied = 0;
    atoms.forEach((atom, at) => {
      if (pattern.where.some((one) => implies(one, atom.predicate))) implied |= 1 << at;
    });
    const oneValue = maskOf([
      ...pattern.by,
      ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
    ]);
    const range = pattern.range === undefined ? [] : [pattern.range.attribute];
    return {
      pattern,
      strong: pattern.consistency === 'strong',
      aggregate: pattern.entities.length > 1,
      given: maskOf(by),
      namesItem: (maskOf(entity.identity) & ~maskOf(pattern.by)) === 0,
      atoms: own,
      implied,
      present: maskOf([...pattern.by, ...range, ...pattern.where.flatMap(namesOfPredicate)]),
      tail: tailOf(pattern, oneValue),
      filter: dropped.flatMap(({ predicate }) => (predicate === undefined ? [] : [predicate])),
      filterBy: dropped.flatMap(({ name }) => (name === undefined ? [] : [name])),
      readFactor,
      fetch: false,
    };
  }

  /** The range attribute, then the order; attributes with one value order nothing, and one item needs no order. */
  function tailOf(pattern: ReadPattern, oneValue: number): TailPiece[] {
    const tail: TailPiece[] = [];
    const [first] = pattern.order;
    const { range } = pattern;
    if (range !== undefined) {
      const descending = first?.attribute === range.attribute && first.direction === 'desc';
      tail.push({ bit: bitOf(range.attribute), descending });
    }
    const single = (maskOf(entity.identity) & ~oneValue) === 0;
    // A parent that lacks an order attribute of its children comes before them and has no order of its own.
    const ordered = pattern.order.every(({ attribute }) =>
      entity.attributes.some((one) => one.name === attribute),
    );
    if (!ordered) return tail;
    for (const { attribute, direction } of single ? [] : pattern.order) {
      const bit = bitOf(attribute);
      if (bit === 0 || bit & oneValue || tail.some((piece) => piece.bit === bit)) continue;
      tail.push({ bit, descending: direction === 'desc' });
    }
    return tail;
  }
}

interface Droppable {
  readonly name?: string;
  readonly predicate?: Predicate;
  readonly share: number;
}

function atomsOf(
  facts: ModelFacts,
  entity: Entity,
  patterns: readonly ReadPattern[],
  bitOf: (name: string) => number,
): Atom[] {
  const found = new Map<string, Predicate>();
  for (const { where } of patterns) for (const one of where) found.set(canonical(one), one);
  const predicates = [...found.keys()].sort().map((key) => found.get(key)!);
  return predicates.map((predicate) => ({
    predicate,
    equal: predicate.kind === 'equals' ? bitOf(predicate.attribute) : 0,
    impliers: predicates.reduce((mask, one, at) => (implies(one, predicate) ? mask | (1 << at) : mask), 0),
    share: facts.holds(entity, predicate),
    attributes: namesOfPredicate(predicate),
  }));
}

/** The names of the bits of a mask. */
export function namesOf(problem: EntityProblem, mask: number): string[] {
  return problem.names.filter((_, at) => (mask >> at) & 1);
}
