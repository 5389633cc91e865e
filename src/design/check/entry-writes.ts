import type { Placement } from '../design.ts';
import type { Entity, Predicate, WriteStep } from '../ir.ts';
import type { ModelFacts } from '../model-facts.ts';
import { excludes, implies, namesOfPredicate } from '../predicate-logic.ts';
import { guardWrites } from '../write-charges.ts';

/** Attributes that stand in a placement's keys. */
export function keyNames({ partition, sort }: Pick<Placement, 'partition' | 'sort'>): string[] {
  return [...partition, ...sort].flatMap((piece) =>
    piece.kind === 'constant' ? [] : piece.kind === 'shard' ? piece.of : [piece.attribute],
  );
}

/** Attributes that a step sets; the value where every call sets the same one. */
export function changedBy(entity: Entity, step: WriteStep): Map<string, Predicate | undefined> {
  const changed = new Map<string, Predicate | undefined>();
  if (step.kind === 'change') {
    for (const { attribute, value } of step.sets)
      changed.set(attribute, value === undefined ? undefined : { kind: 'equals', attribute, value });
    if (entity.version !== undefined) changed.set(entity.version, undefined);
  }
  if (step.kind === 'count') changed.set(step.attribute, undefined);
  return changed;
}

/**
 * Attributes that a write must read before it can tell an index entry's new key: those of the key, and of the predicate
 * that keeps the entry there, which the caller does not give.
 */
export function unknownTo(entity: Entity, step: WriteStep, placement: Placement): string[] {
  if (step.kind !== 'change' && step.kind !== 'count') return [];
  const changed = changedBy(entity, step);
  const keys = new Set(keyNames(placement));
  const held = new Set(placement.when.flatMap(namesOfPredicate));
  const moves = [...changed.keys()].some((name) => keys.has(name) || held.has(name));
  if (!moves) return [];
  const when = step.kind === 'count' ? [] : step.when;
  const removesForSure =
    step.kind === 'change' &&
    placement.when.some((one) => one.kind === 'equals' && leaves(step, one.attribute, one.value));
  if (removesForSure) return [];
  // A number that is added to is known only after the write.
  const known = new Set([
    ...step.given,
    ...(step.kind === 'change' ? step.sets.map(({ attribute }) => attribute) : []),
    ...when.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
  return [...new Set([...keys, ...held])].filter((name) => !known.has(name)).sort();
}

/** Whether the change removes the attribute or gives it another value, so that the entry goes, whatever its key was. */
function leaves(step: Extract<WriteStep, { kind: 'change' }>, name: string, value: unknown): boolean {
  return step.sets.some(
    (one) =>
      one.attribute === name && (one.removed === true || (one.value !== undefined && one.value !== value)),
  );
}

/** Whether a write reads the item first: only the item tells its copies, its guards, or the new key of an entry. */
export function readsItem(facts: ModelFacts, placements: readonly Placement[], step: WriteStep): boolean {
  const entity = facts.entity(step.entity);
  const own = placements.filter((one) => one.entity === entity.name);
  const hasCopies = own.some(({ copy }) => copy !== undefined);
  switch (step.kind) {
    case 'require':
      return false;
    case 'create':
      return !step.once && (hasCopies || facts.uniqueAttributes(entity.name).length > 0);
    case 'remove':
      return hasCopies || facts.uniqueAttributes(entity.name).length > 0;
    default:
      if (step.kind === 'count' && step.spread === 'shards') return false;
      return (
        hasCopies ||
        guardWrites(facts, step) > 0 ||
        own.some((one) => one.slot !== 'table' && unknownTo(entity, step, one).length > 0)
      );
  }
}

/** How many writes of an index entry one item's step causes on average: two if the entry moves. */
export function entryWrites(
  facts: ModelFacts,
  placement: Placement,
  step: WriteStep,
  projected: readonly string[] | undefined,
): number {
  if (step.kind === 'require') return 0;
  const entity = facts.entity(placement.entity);
  const share = (known: readonly Predicate[], one: Predicate) => chance(facts, entity, known, one);
  if (step.kind === 'create') {
    const values: Predicate[] = step.values.map((one) => ({ kind: 'equals', ...one }));
    return placement.when.reduce((product, one) => product * share(values, one), 1);
  }
  const changed = changedBy(entity, step);
  const when = step.kind === 'count' ? [] : step.when;
  const before = placement.when.reduce((product, one) => product * share(when, one), 1);
  if (step.kind === 'remove') return before;
  const touchesKey = keyNames(placement).some((name) => changed.has(name));
  const touchesEntry = touchesKey || (projected?.some((name) => changed.has(name)) ?? changed.size > 0);
  const staying = touchesKey ? 2 : touchesEntry ? 1 : 0;
  const moved = placement.when.some((one) => namesOfPredicate(one).some((name) => changed.has(name)));
  if (!moved) return before * staying;
  const after = placement.when.reduce((product, one) => {
    const set = namesOfPredicate(one).filter((name) => changed.has(name));
    const values = set.flatMap((name) => [changed.get(name)].filter((value) => value !== undefined));
    return product * share(set.length === 0 ? when : values, one);
  }, 1);
  return before * (1 - after) + (1 - before) * after + before * after * staying;
}

function chance(facts: ModelFacts, entity: Entity, known: readonly Predicate[], one: Predicate): number {
  if (known.some((given) => implies(given, one))) return 1;
  return known.some((given) => excludes(given, one)) ? 0 : facts.holds(entity, one);
}
