import type { Slot } from '../certificate/serves.ts';
import { whyNotServed } from '../certificate/serves.ts';
import type { IndexDesign, Placement, Plan } from '../design.ts';
import type { Entity, ReadPattern } from '../ir.ts';
import { templateText } from '../key-pieces.ts';
import { ModelError, type Trouble } from '../model-error.ts';
import type { ModelFacts } from '../model-facts.ts';

export interface HandTable {
  readonly placements: readonly Placement[];
  readonly plans: readonly Plan[];
  readonly indexes: ReadonlyMap<string, { readonly kind: 'global' }>;
}

/** Takes the keys that the model gives by hand, and finds for each pattern the slot that answers it. */
export function handTable(facts: ModelFacts, entities: readonly Entity[]): HandTable {
  const byHand = entities.filter(({ keys }) => keys !== undefined);
  const placements = byHand.flatMap((entity) =>
    entity.keys!.map(
      ({ slot, partition, sort, when }): Placement => ({
        entity: entity.name,
        slot,
        partition,
        sort,
        when,
        shards: partition.reduce(
          (product, piece) => (piece.kind === 'shard' ? product * piece.count : product),
          1,
        ),
        serves: [],
        monthly: 0,
        reason: 'The model gives this key by hand. Derivation only checks that it serves.',
      }),
    ),
  );
  const names = new Set(byHand.map(({ name }) => name));
  const slots = [...new Set(placements.map(({ slot }) => slot))].sort((a, b) =>
    a === 'table' ? -1 : b === 'table' ? 1 : a < b ? -1 : 1,
  );
  const troubles: Trouble[] = [];
  const plans: Plan[] = [];
  for (const pattern of facts.model.reads) {
    if (!pattern.entities.every((name) => names.has(name))) continue;
    const found = planByHand(facts, pattern, slots, placements);
    if ('why' in found)
      troubles.push({
        where: `read ${pattern.name}`,
        rule: 'keys by hand',
        message: found.why,
        fix: 'Change the keys, or leave them to derivation.',
      });
    else plans.push(found.plan);
  }
  if (troubles.length > 0) throw new ModelError(facts.model.name, troubles);
  const served = placements.map((placement) => ({
    ...placement,
    serves: plans
      .filter(({ slot, entities: own }) => slot === placement.slot && own.includes(placement.entity))
      .map(({ pattern }) => pattern),
  }));
  const indexes = new Map(
    slots.filter((slot) => slot !== 'table').map((slot) => [slot, { kind: 'global' as const }]),
  );
  return { placements: served, plans, indexes };
}

function planByHand(
  facts: ModelFacts,
  pattern: ReadPattern,
  slots: readonly string[],
  placements: readonly Placement[],
): { readonly plan: Plan } | { readonly why: string } {
  const reasons: string[] = [];
  for (const name of slots) {
    const inSlot = placements.filter(({ slot }) => slot === name);
    const own = pattern.entities.flatMap((entity) => inSlot.filter((one) => one.entity === entity));
    if (own.length < pattern.entities.length) continue;
    const index: IndexDesign = {
      name,
      kind: 'global',
      partitionKey: `${name}PK`,
      sortKey: `${name}SK`,
      projection: { type: 'ALL' },
      reason: '',
    };
    const slot: Slot = { name, placements: inSlot, ...(name === 'table' ? {} : { index }) };
    const why = whyNotServed(facts, slot, own, pattern);
    if (why !== undefined) {
      reasons.push(`${name}: ${why}`);
      continue;
    }
    const known = new Set([
      ...pattern.by,
      ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
    ]);
    const { partition, sort, shards } = own[0]!;
    const attributes = [...partition, ...sort].flatMap((piece) =>
      piece.kind === 'attribute' ? [piece.attribute] : [],
    );
    const complete = own.length === 1 && attributes.every((one) => known.has(one));
    const [order] = pattern.order;
    const piece = sort.find((one) => one.kind === 'attribute' && one.attribute === order?.attribute);
    const inverted = piece?.kind === 'attribute' && (piece.inverted ?? false);
    return {
      plan: {
        pattern: pattern.name,
        entities: pattern.entities,
        slot: name,
        operation: complete && name === 'table' ? 'GetItem' : 'Query',
        calls: complete ? 1 : shards,
        partition: templateText(partition),
        sort: complete
          ? { kind: 'equals', text: templateText(sort) }
          : { kind: 'prefix', text: templateText(sort) },
        forward: (order?.direction !== 'desc') !== inverted,
        limit: pattern.page,
        filter: [],
        fetch: false,
        reason: 'The keys by hand answer it. Derivation only checks that they do.',
      },
    };
  }
  return { why: reasons.join('; ') || 'no slot holds all of its entities' };
}
