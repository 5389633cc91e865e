import { type NotServed, type Slot, whyNotServed } from '../certificate/serves.ts';
import type { IndexDesign, Placement, Plan, SortCondition } from '../design.ts';
import type { Entity, HandIndex, Piece, ReadPattern } from '../ir.ts';
import { afterDelimiter, templateText } from '../key-pieces.ts';
import type { Trouble } from '../model-error.ts';
import type { ModelFacts } from '../model-facts.ts';

export interface HandTable {
  readonly placements: readonly Placement[];
  readonly plans: readonly Plan[];
  readonly indexes: ReadonlyMap<string, HandIndex>;
  /** The patterns that the keys do not serve, and why. */
  readonly troubles: readonly Trouble[];
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
        shards: shardsOf(partition),
        serves: [],
        monthly: 0,
        reason: 'The model gives this key by hand. Derivation only checks that it serves.',
      }),
    ),
  );
  const names = new Set(byHand.map(({ name }) => name));
  const slots = handSlots(facts, placements);
  const troubles: Trouble[] = [];
  const plans: Plan[] = [];
  for (const pattern of facts.model.reads) {
    if (!pattern.entities.every((name) => names.has(name))) continue;
    const found = planByHand(facts, pattern, slots);
    if ('plan' in found) plans.push(found.plan);
    else
      troubles.push({
        where: `read ${pattern.name}`,
        rule: 'keys by hand',
        message: found.why.map(({ slot, why }) => `${slot}: ${why.message}`).join('; ') || nowhere,
        fix: 'Change the keys, or leave them to derivation.',
      });
  }
  const served = placements.map((placement) => ({
    ...placement,
    serves: plans
      .filter(({ slot, entities: own }) => slot === placement.slot && own.includes(placement.entity))
      .map(({ pattern }) => pattern),
  }));
  const indexes = new Map(
    slots
      .filter(({ name }) => name !== 'table')
      .map(({ name }): [string, HandIndex] => [name, handIndex(facts, name)]),
  );
  return { placements: served, plans, indexes, troubles };
}

const nowhere = 'no slot holds all of its entities';

function shardsOf(partition: readonly Piece[]): number {
  return partition.reduce((product, piece) => (piece.kind === 'shard' ? product * piece.count : product), 1);
}

function handIndex({ model }: ModelFacts, name: string): HandIndex {
  const declared = model.environment.indexes?.find((one) => one.name === name);
  return declared ?? { name, kind: 'global', projection: { type: 'ALL' } };
}

/** The table first, then the indexes by name. */
function handSlots(facts: ModelFacts, placements: readonly Placement[]): Slot[] {
  const names = [...new Set(placements.map(({ slot }) => slot))].sort((a, b) =>
    a === 'table' ? -1 : b === 'table' ? 1 : a < b ? -1 : 1,
  );
  return names.map((name): Slot => {
    const inSlot = placements.filter(({ slot }) => slot === name);
    if (name === 'table') return { name, placements: inSlot };
    const { kind, projection } = handIndex(facts, name);
    const partitionKey = kind === 'local' ? 'PK' : `${name}PK`;
    const index: IndexDesign = { name, kind, partitionKey, sortKey: `${name}SK`, projection, reason: '' };
    return { name, placements: inSlot, index };
  });
}

type Found = { readonly plan: Plan } | { readonly why: readonly { slot: string; why: NotServed }[] };

function planByHand(facts: ModelFacts, pattern: ReadPattern, slots: readonly Slot[]): Found {
  const reasons: { slot: string; why: NotServed }[] = [];
  for (const slot of slots) {
    const own = pattern.entities.flatMap((entity) =>
      slot.placements.filter((one) => one.entity === entity).slice(0, 1),
    );
    if (own.length < pattern.entities.length) continue;
    const why = whyNotServed(facts, slot, own, pattern);
    if (why === undefined) return { plan: handPlan(pattern, slot.name, own) };
    reasons.push({ slot: slot.name, why });
  }
  return { why: reasons };
}

function handPlan(pattern: ReadPattern, slot: string, own: readonly Placement[]): Plan {
  const known = new Set([
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ]);
  const { partition, sort, shards } = own[0]!;
  const knows = (piece: Piece) =>
    piece.kind === 'constant' || (piece.kind === 'attribute' && known.has(piece.attribute));
  const complete = own.length === 1 && sort.every(knows);
  const computed = partition.every(
    (piece) => piece.kind !== 'shard' || piece.of.every((one) => known.has(one)),
  );
  const [order] = pattern.order;
  const ordered = own
    .flatMap((one) => one.sort)
    .find((one) => one.kind === 'attribute' && one.attribute === order?.attribute);
  const inverted = ordered?.kind === 'attribute' && (ordered.inverted ?? false);
  const keys = new Set([...partition, ...own.flatMap((one) => one.sort)].flatMap(attributesOf));
  const pinned = new Set(own[0]!.when.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])));
  return {
    pattern: pattern.name,
    entities: pattern.entities,
    slot,
    operation: complete && slot === 'table' ? 'GetItem' : 'Query',
    calls: computed && own.length === 1 ? 1 : shards,
    partition: templateText(partition),
    sort: complete
      ? { kind: 'equals', text: templateText(sort) }
      : handCondition(sort, knows, pattern, own.length > 1),
    forward: (order?.direction !== 'desc') !== inverted,
    limit: pattern.page,
    filter: [...known]
      .filter((name) => !keys.has(name) && !pinned.has(name))
      .map((name) => `${name} = :${name}`),
    fetch: false,
    reason: 'The keys by hand answer it. Derivation only checks that they do.',
  };
}

/** What the reader can say of the sort key: the pieces that it knows, then its range. */
function handCondition(
  sort: readonly Piece[],
  knows: (piece: Piece) => boolean,
  { range }: ReadPattern,
  together: boolean,
): SortCondition {
  const first = sort.findIndex((piece) => !knows(piece));
  let length = first < 0 ? sort.length : first;
  // Constants behind the last known value tell kinds apart; a reader of several kinds reads across them.
  while (together && length > 0 && sort[length - 1]!.kind === 'constant') length--;
  const start = templateText(sort.slice(0, length));
  const next = sort[length];
  if (range !== undefined && next?.kind === 'attribute' && next.attribute === range.attribute) {
    if (range.kind === 'prefix') return { kind: 'prefix', text: `${start}{${range.attribute}…` };
    return { kind: 'between', from: `${start}{from}`, to: `${start}{to}${afterDelimiter}` };
  }
  return start === '' ? { kind: 'none' } : { kind: 'prefix', text: start };
}

function attributesOf(piece: Piece): string[] {
  return piece.kind === 'attribute' || piece.kind === 'bucket' ? [piece.attribute] : [];
}
