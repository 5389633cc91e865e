import type { BlockPricer } from '../../src/design/derive/block-cost.ts';
import type { EntityProblem, Variant } from '../../src/design/derive/entity-problem.ts';
import type { SlotKind } from '../../src/design/derive/layout.ts';
import type { Entity, Predicate, ReadPattern } from '../../src/design/ir.ts';
import type { ModelFacts } from '../../src/design/model-facts.ts';
import { canonical, implies, namesOfPredicate } from '../../src/design/predicate-logic.ts';
import { invertible } from '../../src/design/sort-order.ts';

/**
 * The derivation once more, without any cleverness: every placement is written down, every distribution of patterns is
 * tried, and whether a placement serves a pattern is read off the rules. Only prices come from the solver's side.
 */
export interface Outcome {
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
  readonly cost: number;
}

export interface NaivePlacement {
  readonly partition: readonly string[];
  readonly sort: readonly { readonly name: string; readonly inverted: boolean }[];
  readonly when: readonly Predicate[];
  readonly headAt: number;
}

export function everyPlacement(
  facts: ModelFacts,
  entity: Entity,
  names: readonly string[],
  predicates: readonly Predicate[],
  withHeads: boolean,
): NaivePlacement[] {
  const found: NaivePlacement[] = [];
  for (const partition of sublists(names)) {
    const rest = names.filter((name) => !partition.includes(name));
    for (const order of sublists(rest).flatMap(orders)) {
      const turnable = order.filter((name) => invertible(facts.attribute(entity, name)));
      for (const inverted of sublists(turnable)) {
        const sort = order.map((name) => ({ name, inverted: inverted.includes(name) }));
        for (const when of sublists(predicates)) {
          const pinned = when.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []));
          if ([...partition, ...order].some((name) => pinned.includes(name))) continue;
          if (
            !entity.identity.every(
              (name) => partition.includes(name) || order.includes(name) || pinned.includes(name),
            )
          )
            continue;
          for (let headAt = 0; headAt <= (withHeads ? order.length : 0); headAt++) {
            found.push({ partition, sort, when, headAt });
          }
        }
      }
    }
  }
  return found;
}

/** Whether the table key may look like this: it holds what never changes, is always there and every write gives. */
export function fitsTable(
  facts: ModelFacts,
  entity: Entity,
  { partition, sort, when }: NaivePlacement,
  itemBytes: number,
): boolean {
  if (when.length > 0 || !facts.spreads(entity, partition, itemBytes)) return false;
  return [...partition, ...sort.map(({ name }) => name)].every((name) => {
    if (facts.attribute(entity, name).optional) return false;
    if (!entity.identity.includes(name) && !entity.fixed.includes(name)) return false;
    return facts.model.writes.every(({ steps }) =>
      steps.every(
        (step) => step.entity !== entity.name || step.kind === 'create' || step.given.includes(name),
      ),
    );
  });
}

export function serves(
  facts: ModelFacts,
  entity: Entity,
  placement: NaivePlacement,
  variant: Variant,
): boolean {
  const { pattern } = variant;
  const by = pattern.by.filter((name) => !variant.filterBy.includes(name));
  const where = pattern.where.filter((one) => !variant.filter.includes(one));
  if (!placement.when.every((one) => pattern.where.some((own) => implies(own, one)))) return false;
  const known = new Set(by);
  for (const one of where) {
    if (placement.when.some((held) => implies(held, one))) continue;
    if (one.kind !== 'equals') return false;
    known.add(one.attribute);
  }
  if (!placement.partition.every((name) => known.has(name))) return false;
  const rest = [...known].filter((name) => !placement.partition.includes(name));
  const prefix = placement.sort.slice(0, rest.length).map(({ name }) => name);
  if (prefix.length < rest.length || !rest.every((name) => prefix.includes(name))) return false;
  if (placement.headAt > rest.length) return false;
  if (!presentIn(facts, entity, placement, pattern)) return false;
  return followsOrder(facts, entity, placement, pattern, rest.length) !== undefined;
}

/** An item is in the slot only if it has the attributes of its key; the pattern must not ask for others. */
export function presentIn(
  facts: ModelFacts,
  entity: Entity,
  placement: NaivePlacement,
  pattern: ReadPattern,
): boolean {
  const sure = new Set([...pattern.by, ...pattern.where.flatMap(namesOfPredicate), pattern.range?.attribute]);
  return [...placement.partition, ...placement.sort.map(({ name }) => name)].every(
    (name) => facts.attribute(entity, name).optional !== true || sure.has(name),
  );
}

/** The direction in which reading from position `at` gives the pattern's order; undefined if neither does. */
export function followsOrder(
  facts: ModelFacts,
  entity: Entity,
  placement: NaivePlacement,
  pattern: ReadPattern,
  at: number,
): 'either' | 'forward' | 'backward' | undefined {
  const constant = new Set([
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
  const wanted: { name: string; direction?: 'asc' | 'desc' }[] = pattern.order
    .filter(({ attribute }) => !constant.has(attribute))
    .filter(({ attribute }) => entity.attributes.some(({ name }) => name === attribute))
    .map(({ attribute, direction }) => ({ name: attribute, direction }));
  if (entity.identity.every((name) => constant.has(name))) wanted.length = 0;
  const range = pattern.range?.attribute;
  if (range !== undefined && wanted[0]?.name !== range) wanted.unshift({ name: range });
  let direction: 'either' | 'forward' | 'backward' = 'either';
  for (const [step, { name, direction: asked }] of wanted.entries()) {
    const piece = placement.sort[at + step];
    if (piece?.name !== name) return undefined;
    if (asked === undefined) continue;
    const needed = (asked === 'asc') !== piece.inverted ? 'forward' : 'backward';
    if (direction !== 'either' && direction !== needed) return undefined;
    direction = needed;
  }
  void facts;
  return direction;
}

/** The best distribution of one entity's patterns over table, copies, local and global indexes. */
export function bruteForceEntity(
  facts: ModelFacts,
  problem: EntityProblem,
  pricer: BlockPricer,
): Outcome | undefined {
  const { entity } = problem;
  const placements = everyPlacement(
    facts,
    entity,
    problem.names,
    problem.atoms.map(({ predicate }) => predicate),
    false,
  );
  // Placements with the same price are one candidate with several sets of served variants.
  const candidates = new Map<string, { placement: NaivePlacement; served: Set<number>; table: boolean }>();
  for (const placement of placements) {
    let served = 0;
    for (const variant of problem.variants)
      if (serves(facts, entity, placement, variant)) served |= 1 << variant.id;
    const key = [
      ...placement.partition,
      '/',
      ...placement.sort.map(({ name }) => name).sort(),
      '?',
      ...placement.when.map(canonical),
    ].join();
    if (!candidates.has(key)) {
      candidates.set(key, {
        placement,
        served: new Set(),
        table: fitsTable(facts, entity, placement, pricer.itemBytes),
      });
    }
    candidates.get(key)!.served.add(served);
  }
  const prices = new Map<string, number | undefined>();
  const priceOf = (
    kind: SlotKind,
    ids: readonly number[],
    partition?: string,
    tied?: number,
  ): number | undefined => {
    const memo = `${kind} ${ids.join()} ${partition} ${tied}`;
    if (prices.has(memo)) return prices.get(memo);
    const mask = ids.reduce((sum, id) => sum | (1 << id), 0);
    let best: number | undefined;
    for (const { placement, served, table } of candidates.values()) {
      if ((kind === 'base' || kind === 'copy') && !table) continue;
      if (partition !== undefined && placement.partition.join() !== partition) continue;
      if (![...served].some((one) => (one & mask) === mask)) continue;
      const cost = pricer.price(
        kind,
        asLayout(problem, placement),
        ids.map((id) => problem.variants[id]!),
        undefined,
        tied,
      );
      if (cost !== undefined && (best === undefined || cost.total < best)) best = cost.total;
    }
    prices.set(memo, best);
    return best;
  };
  const partitions = [
    ...new Set(
      [...candidates.values()]
        .filter(({ table }) => table)
        .map(({ placement }) => placement.partition.join()),
    ),
  ];
  let best: Outcome | undefined;
  const blocks: { kind: SlotKind; ids: number[] }[] = [{ kind: 'base', ids: [] }];
  const visit = (at: number) => {
    const need = problem.needs[at];
    if (need !== undefined) {
      for (const { id, fetch } of need.variants) {
        for (const block of blocks) {
          if (need.strong && block.kind === 'global') continue;
          if (fetch && (block.kind === 'base' || block.kind === 'copy')) continue;
          block.ids.push(id);
          visit(at + 1);
          block.ids.pop();
        }
        for (const kind of ['copy', 'local', 'global'] as const) {
          if ((need.strong && kind === 'global') || (fetch && kind === 'copy')) continue;
          blocks.push({ kind, ids: [id] });
          visit(at + 1);
          blocks.pop();
        }
      }
      return;
    }
    // A copy exists for a strong read.
    if (blocks.some(({ kind, ids }) => kind === 'copy' && !ids.some((id) => problem.variants[id]!.strong)))
      return;
    const countOf = (kind: SlotKind) => blocks.filter((block) => block.kind === kind).length;
    const [copies, locals, globals] = [countOf('copy'), countOf('local'), countOf('global')];
    if (copies > 3 || locals > 5) return;
    const counts = Array.from({ length: facts.model.environment.shardsMax }, (_, at) => at + 1);
    const ties =
      locals > 0 ? partitions.flatMap((partition) => counts.map((shards) => ({ partition, shards }))) : [{}];
    for (const tie of ties as { partition?: string; shards?: number }[]) {
      let cost = 0;
      for (const { kind, ids } of blocks) {
        const { partition, shards } = kind === 'base' || kind === 'local' ? tie : {};
        cost +=
          priceOf(
            kind,
            [...ids].sort((a, b) => a - b),
            partition,
            shards,
          ) ?? Number.POSITIVE_INFINITY;
      }
      if (cost === Number.POSITIVE_INFINITY) continue;
      const outcome = { copies, locals, globals, cost };
      if (best === undefined || isBetter(outcome, best)) best = outcome;
    }
  };
  visit(0);
  return best;
}

function isBetter(a: Outcome, b: Outcome): boolean {
  if (a.copies !== b.copies) return a.copies < b.copies;
  if (a.locals !== b.locals) return a.locals < b.locals;
  if (a.globals !== b.globals) return a.globals < b.globals;
  return a.cost < b.cost;
}

export function asLayout(problem: EntityProblem, { partition, sort, when, headAt }: NaivePlacement) {
  const bit = (name: string) => 1 << problem.names.indexOf(name);
  const held = when.map(canonical);
  return {
    partition: partition.reduce((mask, name) => mask | bit(name), 0),
    predicate: problem.atoms.reduce(
      (mask, atom, at) => (held.includes(canonical(atom.predicate)) ? mask | (1 << at) : mask),
      0,
    ),
    sort: sort.map(({ name, inverted }) => ({ bit: bit(name), inverted })),
    headAt,
  };
}

export function sublists<T>(values: readonly T[]): T[][] {
  return Array.from({ length: 1 << values.length }, (_, mask) =>
    values.filter((_one, at) => (mask >> at) & 1),
  );
}

export function orders<T>(values: readonly T[]): T[][] {
  if (values.length < 2) return [[...values]];
  return values.flatMap((value, at) => orders(values.toSpliced(at, 1)).map((rest) => [value, ...rest]));
}
