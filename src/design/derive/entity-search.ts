import {
  type Block,
  type BlockEvaluator,
  isSmallerText,
  priceTolerance,
  subsetsOf,
} from './block-evaluator.ts';
import type { Effort } from './effort.ts';
import type { Need } from './entity-problem.ts';
import type { FamilyLayout, SlotKind } from './layout.ts';

/** A slot in which an aggregate ties this entity to others, with the aggregate's variants for this entity. */
export interface FamilySlot {
  readonly kind: SlotKind;
  /** The number of the index, from 0; the table is always 0. */
  readonly slot: number;
  readonly layout: FamilyLayout;
  readonly variants: readonly number[];
}

/** How many placements an entity may have beside its table key. */
export interface Room {
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
  readonly families: readonly FamilySlot[];
  /** More families are to come. Their shards are not known yet, so heat is left out of the price and of validity. */
  readonly heatless?: boolean;
}

/** Placed blocks; `slot` is set for families, whose slots are tied. */
export interface PlacedBlock {
  readonly block: Block;
  readonly family?: FamilySlot;
}

export interface EntityDesign {
  readonly blocks: readonly PlacedBlock[];
  readonly cost: number;
  readonly text: string;
}

interface Slot {
  readonly kind: SlotKind;
  readonly family?: FamilySlot;
  members: readonly number[];
  block: Block | undefined;
}

/**
 * Distributes an entity's patterns over the table, copies, local and global indexes.
 *
 * Branch and bound: patterns are taken one after the other, strong ones first, and each is tried in every slot that can
 * still hold it. A set of patterns that no placement serves only gets worse by adding to it, and so does its floor, the
 * price with one shard. (The price itself may fall: a pattern that forces more shards can make another one's reads round
 * to fewer units.) Hence a branch ends when a slot cannot hold its patterns, or when the floors so far plus the least
 * that the remaining patterns must cost for reading exceed the best design known. Empty indexes are alike, so only the
 * first is tried.
 * With `anyDesign` the first complete design is returned, which answers whether there is one. When the effort is spent,
 * the best design so far is returned.
 */
export function searchEntity(
  evaluator: BlockEvaluator,
  room: Room,
  anyDesign: boolean,
  effort: Effort,
): EntityDesign | undefined {
  if (room.locals === 0) return searchWithPartition(evaluator, room, anyDesign, effort, undefined, undefined);
  // Local indexes share the table's partition key and its shards, so these are settled first.
  const { problem } = evaluator;
  const asked = problem.variants.reduce((mask, { given, atoms }) => {
    return atoms.reduce((all, at) => all | problem.atoms[at]!.equal, mask | given);
  }, 0);
  const tied = room.families.filter(({ kind }) => kind !== 'global');
  const [family] = tied;
  const same = ({ layout: { partition, shards } }: FamilySlot) =>
    partition === family!.layout.partition && shards === family!.layout.shards;
  if (!tied.every(same)) return undefined;
  const candidates =
    family === undefined
      ? [...new Set([problem.identity | problem.tenant, ...subsetsOf(asked & problem.baseAllowed)])]
      : [family.layout.partition];
  const { shardsMax } = problem.facts.model.environment;
  // More shards make more designs possible and each of them dearer.
  const most = room.heatless ? 1 : shardsMax;
  const fewest = anyDesign ? most : 1;
  let best: EntityDesign | undefined;
  for (const partition of candidates) {
    const alone = (problem.identity & ~partition) === 0;
    const [from, to] =
      family !== undefined ? [family.layout.shards, family.layout.shards] : alone ? [1, 1] : [fewest, most];
    for (let shards = from; shards <= to; shards++) {
      const found = searchWithPartition(evaluator, room, anyDesign, effort, partition, shards, best);
      if (found === undefined) continue;
      if (anyDesign) return found;
      if (best === undefined || isBetterDesign(found, best)) best = found;
    }
  }
  return best;
}

function searchWithPartition(
  evaluator: BlockEvaluator,
  room: Room,
  anyDesign: boolean,
  effort: Effort,
  partition: number | undefined,
  shards: number | undefined,
  known?: EntityDesign,
): EntityDesign | undefined {
  const slots = emptySlots(room);
  const evaluate = ({ kind, family }: Slot, members: readonly number[]) => {
    const tied = kind === 'base' || kind === 'local';
    return evaluator.best(
      kind,
      members,
      tied ? partition : undefined,
      family?.layout,
      tied ? shards : undefined,
      room.heatless,
    );
  };
  for (const slot of slots) {
    if (slot.kind !== 'base' && slot.members.length === 0) continue;
    slot.block = evaluate(slot, slot.members);
    if (slot.block === undefined) return undefined;
  }
  const needs = evaluator.problem.needs
    .filter(({ aggregate }) => !aggregate)
    .sort((a, b) => Number(b.strong) - Number(a.strong));
  const leastReads = needs.map((need) => evaluator.leastRead(need));
  const leastAhead = leastReads.map((_, at) => leastReads.slice(at).reduce((sum, one) => sum + one, 0));
  let best = known;

  const visit = (at: number, floor: number): boolean => {
    if (!effort.step()) return true;
    const need = needs[at];
    if (need === undefined) {
      const design = finish(
        slots,
        slots.reduce((sum, { block }) => sum + (block?.cost.total ?? 0), 0),
      );
      if (best === undefined || isBetterDesign(design, best)) best = design;
      return anyDesign;
    }
    const ahead = leastAhead[at + 1] ?? 0;
    for (const { slot, block, members, raised } of optionsFor(need, floor + ahead)) {
      if (best !== undefined && isDearer(floor + raised + ahead, best.cost)) continue;
      const [oldMembers, oldBlock] = [slot.members, slot.block];
      slot.members = members;
      slot.block = block;
      const stop = visit(at + 1, floor + raised);
      slot.members = oldMembers;
      slot.block = oldBlock;
      if (stop) return true;
    }
    return false;
  };

  const optionsFor = (need: Need, least: number) => {
    const options: {
      slot: Slot;
      block: Block;
      members: readonly number[];
      added: number;
      raised: number;
    }[] = [];
    let newGlobal = false;
    let newLocal = false;
    let newCopy = false;
    for (const slot of slots) {
      const { kind } = slot;
      if (need.strong && kind === 'global') continue;
      const empty = slot.block === undefined;
      if (empty && kind === 'global') {
        if (newGlobal) continue;
        newGlobal = true;
      }
      if (empty && kind === 'local') {
        if (newLocal) continue;
        newLocal = true;
      }
      if (empty && kind === 'copy') {
        if (newCopy || !need.strong) continue;
        newCopy = true;
      }
      for (const { id, fetch } of need.variants) {
        if (fetch && kind !== 'global' && kind !== 'local') continue;
        const members = insert(slot.members, id);
        const block = evaluate(slot, members);
        if (block === undefined) continue;
        const added = block.cost.total - (slot.block?.cost.total ?? 0);
        const raised = block.floor - (slot.block?.floor ?? 0);
        if (best !== undefined && isDearer(least + raised, best.cost)) continue;
        options.push({ slot, block, members, added, raised });
      }
    }
    return options.sort((a, b) => a.added - b.added);
  };

  visit(
    0,
    slots.reduce((sum, { block }) => sum + (block?.floor ?? 0), 0),
  );
  return best;
}

function emptySlots({ copies, locals, globals, families }: Room): Slot[] {
  const slots: Slot[] = [];
  const push = (kind: SlotKind, count: number) => {
    const tied = families.filter((family) => family.kind === kind);
    for (const family of tied) slots.push({ kind, family, members: family.variants, block: undefined });
    for (let at = tied.length; at < count; at++) slots.push({ kind, members: [], block: undefined });
  };
  push('base', 1);
  push('copy', copies);
  push('local', locals);
  push('global', globals);
  return slots;
}

/** Variant ids stay sorted, so that a set of patterns has one name. */
function insert(members: readonly number[], id: number): number[] {
  return [...members, id].sort((a, b) => a - b);
}

function finish(slots: readonly Slot[], cost: number): EntityDesign {
  const blocks = slots.flatMap(({ block, family }): PlacedBlock[] =>
    block === undefined ? [] : [family === undefined ? { block } : { block, family }],
  );
  const texts = blocks.map(
    ({ block }) => `${block.kind}:${block.text}[${block.variants.map(({ id }) => id).join()}]`,
  );
  return { blocks, cost, text: texts.sort().join(' ') };
}

function isDearer(a: number, b: number): boolean {
  return a > b + priceTolerance * (1 + b);
}

function isBetterDesign(a: EntityDesign, b: EntityDesign): boolean {
  if (isDearer(a.cost, b.cost)) return false;
  if (isDearer(b.cost, a.cost)) return true;
  if (a.blocks.length !== b.blocks.length) return a.blocks.length < b.blocks.length;
  if (shardsOf(a) !== shardsOf(b)) return shardsOf(a) < shardsOf(b);
  const heat = heatOf(a) - heatOf(b);
  if (Math.abs(heat) > priceTolerance * heatOf(b)) return heat < 0;
  return isSmallerText(a.text, b.text);
}

function heatOf({ blocks }: EntityDesign): number {
  return Math.max(...blocks.map(({ block }) => block.cost.heat));
}

function shardsOf({ blocks }: EntityDesign): number {
  return blocks.reduce((sum, { block }) => sum + block.cost.shards, 0);
}
