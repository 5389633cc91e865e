import type { Entity, Predicate, ReadPattern } from '../ir.ts';
import type { ModelFacts } from '../model-facts.ts';
import { canonical, implies, namesOfPredicate } from '../predicate-logic.ts';
import { invertible, keyable } from '../sort-order.ts';

/**
 * Whether any key templates at all let one slot answer a set of patterns. Written apart from the search, by writing the
 * sort key piece by piece: the next piece must be one that every pattern can accept at that place. Heat is ignored, so
 * a "no" holds whatever the traffic.
 */
export interface Holder {
  readonly facts: ModelFacts;
  readonly kind: 'table' | 'local' | 'global';
}

/** What a pattern still expects of the sort key. */
interface Expectation {
  readonly pattern: ReadPattern;
  /** Equality attributes that must come next, in any order. */
  readonly equal: ReadonlySet<string>;
  /** Then the range and order attributes, one by one. */
  readonly ordered: readonly Ordered[];
  /** The reading direction, once an ordered piece has settled it. */
  readonly forward?: boolean;
}

interface Ordered {
  readonly attribute: string;
  readonly descending?: boolean;
}

interface Candidate {
  readonly pattern: ReadPattern;
  readonly by: readonly string[];
  readonly where: readonly Predicate[];
}

/**
 * One entity, all patterns in one slot; `partition` if a local index ties it to the table's. `others` read the entity in
 * the same slot by aggregates: they expect nothing of the pieces, but every item must be there. Families are not sparse.
 */
export function canHoldAlone(
  holder: Holder,
  entity: Entity,
  patterns: readonly ReadPattern[],
  partition?: readonly string[],
  others: readonly ReadPattern[] = [],
): boolean {
  if (holder.kind === 'global' && patterns.some(({ consistency }) => consistency === 'strong')) return false;
  if (patterns.length === 0 && partition === undefined) {
    return entity.identity.every((name) => usable(holder, entity).includes(name));
  }
  return eachChoice(holder, entity, patterns, [], (candidates) => {
    const predicates = holder.kind === 'table' || others.length > 0 ? [[]] : sublistsOf(heldByAll(patterns));
    return predicates.some((held) => {
      const known = knownOf(candidates, held);
      if (known === undefined) return false;
      const shared = [...(known[0] ?? new Set(usable(holder, entity)))].filter((name) =>
        known.every((set) => set.has(name)),
      );
      const partitions = partition === undefined ? sublistsOf(shared) : [partition];
      return partitions.some((chosen) => {
        if (!chosen.every((name) => known.every((set) => set.has(name)))) return false;
        return (
          partitionFits(holder, entity, chosen) &&
          keyExists(holder, entity, candidates, known, held, chosen, others)
        );
      });
    });
  });
}

/** Tries each pattern exactly, and with everything that its residual filter may remove instead of the key. */
function eachChoice(
  holder: Holder,
  entity: Entity,
  patterns: readonly ReadPattern[],
  chosen: readonly Candidate[],
  test: (candidates: readonly Candidate[]) => boolean,
): boolean {
  const pattern = patterns[chosen.length];
  if (pattern === undefined) return test(chosen);
  const { facts } = holder;
  const parts = [...pattern.by, ...pattern.where];
  const droppable = pattern.mayDiscard > 0 ? sublistsOf(parts) : [[]];
  return droppable.some((dropped) => {
    const kept = dropped.reduce<number>(
      (share, part) =>
        share * (typeof part === 'string' ? 1 / facts.distinct(entity, part) : facts.holds(entity, part)),
      1,
    );
    if (dropped.length > 0 && 1 - kept > pattern.mayDiscard) return false;
    const by = pattern.by.filter((name) => !dropped.includes(name));
    const where = pattern.where.filter((one) => !dropped.includes(one));
    return eachChoice(holder, entity, patterns, [...chosen, { pattern, by, where }], test);
  });
}

/** Predicates that every pattern implies: an index may be sparse by any of them. */
function heldByAll(patterns: readonly ReadPattern[]): Predicate[] {
  const all = new Map(patterns.flatMap(({ where }) => where).map((one) => [canonical(one), one]));
  return [...all.values()].filter((held) =>
    patterns.every(({ where }) => where.some((one) => implies(one, held))),
  );
}

/** The attributes with one value for each pattern; undefined if a predicate is left that only a filter could apply. */
function knownOf(
  candidates: readonly Candidate[],
  held: readonly Predicate[],
): ReadonlySet<string>[] | undefined {
  const pinned = pinnedBy(held);
  const known: ReadonlySet<string>[] = [];
  for (const { by, where } of candidates) {
    const names = new Set(by);
    for (const one of where) {
      if (held.some((each) => implies(each, one))) continue;
      if (one.kind !== 'equals') return undefined;
      names.add(one.attribute);
    }
    for (const name of pinned) names.delete(name);
    known.push(names);
  }
  return known;
}

function pinnedBy(held: readonly Predicate[]): string[] {
  return held.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []));
}

/** Attributes that may stand in a key of this slot. */
export function usable({ facts, kind }: Holder, entity: Entity): string[] {
  return entity.attributes
    .filter((attribute) => keyable(attribute))
    .filter(({ name, optional }) => {
      if (kind !== 'table') return true;
      if (optional || !(entity.identity.includes(name) || entity.fixed.includes(name))) return false;
      return facts.model.writes.every(({ steps }) =>
        steps.every(
          (step) => step.entity !== entity.name || step.kind === 'create' || step.given.includes(name),
        ),
      );
    })
    .map(({ name }) => name);
}

export function partitionFits(
  { facts, kind }: Holder,
  entity: Entity,
  partition: readonly string[],
): boolean {
  const { tenancy } = facts.model.environment;
  const tenant =
    tenancy === undefined || tenancy.except.includes(entity.name) ? undefined : tenancy.attribute;
  if (tenant !== undefined && !partition.includes(tenant)) return false;
  return kind === 'global' || facts.spreads(entity, partition, facts.itemBytes(entity));
}

function keyExists(
  holder: Holder,
  entity: Entity,
  candidates: readonly Candidate[],
  known: readonly ReadonlySet<string>[],
  held: readonly Predicate[],
  partition: readonly string[],
  others: readonly ReadPattern[],
): boolean {
  const pinned = new Set(pinnedBy(held));
  const expectations = candidates.map(({ pattern }, at): Expectation => {
    const equal = new Set([...known[at]!].filter((name) => !partition.includes(name)));
    return {
      pattern,
      equal,
      ordered: orderOf(entity, pattern).filter(({ attribute }) => !pinned.has(attribute)),
    };
  });
  const idle = others.map((pattern): Expectation => ({ pattern, equal: new Set(), ordered: [] }));
  return write(holder, entity, [...expectations, ...idle], [...partition], [...pinned]);
}

/** The range attribute and the order of a pattern for one entity. */
function orderOf(entity: Entity, pattern: ReadPattern): Ordered[] {
  const constant = new Set([
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
  const range = pattern.range?.attribute;
  const single = entity.identity.every((name) => constant.has(name));
  const complete = pattern.order.every(({ attribute }) =>
    entity.attributes.some(({ name }) => name === attribute),
  );
  const ordered: Ordered[] = (single || !complete ? [] : pattern.order)
    .filter(({ attribute }) => !constant.has(attribute))
    .map(({ attribute, direction }) => ({ attribute, descending: direction === 'desc' }));
  if (range !== undefined && ordered[0]?.attribute !== range) ordered.unshift({ attribute: range });
  return ordered;
}

/** Continues the sort key until no pattern expects anything; what remains of the identity ends it. */
function write(
  holder: Holder,
  entity: Entity,
  expectations: readonly Expectation[],
  used: readonly string[],
  pinned: readonly string[],
): boolean {
  const open = expectations.flatMap(({ equal, ordered }) => [
    ...equal,
    ...ordered.slice(0, 1).map((one) => one.attribute),
  ]);
  if (open.length === 0) return ends(holder, entity, expectations, used, pinned);
  const allowed = new Set(usable(holder, entity));
  for (const name of new Set(open)) {
    if (used.includes(name) || !allowed.has(name)) continue;
    const turns = invertible(holder.facts.attribute(entity, name)) ? [false, true] : [false];
    for (const inverted of turns) {
      const after: Expectation[] = [];
      for (const one of expectations) {
        const next = accept(one, name, inverted);
        if (next === undefined) break;
        after.push(next);
      }
      if (after.length < expectations.length) continue;
      if (write(holder, entity, after, [...used, name], pinned)) return true;
    }
  }
  return false;
}

/** What a pattern expects behind this piece; undefined if it cannot be read across it. */
function accept(expectation: Expectation, name: string, inverted: boolean): Expectation | undefined {
  const { equal, ordered, forward } = expectation;
  if (equal.size > 0) {
    if (!equal.has(name)) return undefined;
    return { ...expectation, equal: new Set([...equal].filter((one) => one !== name)) };
  }
  const [first, ...rest] = ordered;
  if (first === undefined) return expectation;
  if (first.attribute !== name) return undefined;
  if (first.descending === undefined) return { ...expectation, ordered: rest };
  const direction = first.descending === inverted;
  if (forward !== undefined && forward !== direction) return undefined;
  return { ...expectation, ordered: rest, forward: direction };
}

function ends(
  holder: Holder,
  entity: Entity,
  expectations: readonly Expectation[],
  used: readonly string[],
  pinned: readonly string[],
): boolean {
  const allowed = new Set(usable(holder, entity));
  const all = [...used, ...entity.identity.filter((name) => !used.includes(name) && !pinned.includes(name))];
  if (!all.every((name) => allowed.has(name))) return false;
  const optional = all.filter((name) => holder.facts.attribute(entity, name).optional);
  return expectations.every(({ pattern }) => {
    const sure = new Set([
      ...pattern.by,
      ...pattern.where.flatMap(namesOfPredicate),
      pattern.range?.attribute,
    ]);
    return optional.every((name) => sure.has(name));
  });
}

export function sublistsOf<T>(values: readonly T[]): T[][] {
  return Array.from({ length: 2 ** values.length }, (_, mask) =>
    values.filter((_one, at) => (mask >> at) & 1),
  );
}
