import { tableLimits } from '../../model/limits.ts';
import type { Prices } from '../prices.ts';
import { type BlockCost, BlockPricer } from './block-cost.ts';
import type { Effort } from './effort.ts';
import { type EntityProblem, type Need, namesOf, type Variant } from './entity-problem.ts';
import {
  type FamilyLayout,
  impliedAttributes,
  knownUnder,
  type Layout,
  layoutFor,
  type SlotKind,
} from './layout.ts';

/** The best placement for a set of patterns in one slot. */
export interface Block {
  readonly kind: SlotKind;
  readonly variants: readonly Variant[];
  readonly layout: Layout;
  readonly cost: BlockCost;
  /** The least that any placement of these patterns, alone or with more of them, can cost. */
  readonly floor: number;
  /** The placement as text. Equally dear placements are told apart by their heat, then by the smaller text. */
  readonly text: string;
}

/** Answers, for one entity, the cheapest placement that serves a set of variants in a slot of some kind. Remembers. */
export class BlockEvaluator {
  readonly problem: EntityProblem;
  readonly pricer: BlockPricer;
  readonly tableHasLocals: boolean;
  readonly #known = new Map<string, Block | undefined>();
  readonly #leastReads = new Map<Need, number>();

  readonly #effort: Effort | undefined;

  constructor(problem: EntityProblem, prices: Prices, tableHasLocals: boolean, effort?: Effort) {
    this.#effort = effort;
    this.problem = problem;
    this.pricer = new BlockPricer(problem, prices);
    this.tableHasLocals = tableHasLocals;
  }

  /**
   * `partition` and `shards` are given where local indexes tie them to the table's, `family` where an aggregate ties
   * more. `heatless` prices as if one shard always were enough: a lower bound for what families settle later.
   */
  best(
    kind: SlotKind,
    variants: readonly number[],
    partition?: number,
    family?: FamilyLayout,
    shards?: number,
    heatless = false,
  ): Block | undefined {
    const tied = family === undefined ? '' : familyText(family);
    const key = `${kind}|${variants.join()}|${partition ?? ''}|${shards ?? ''}|${tied}|${heatless}`;
    if (this.#known.has(key)) return this.#known.get(key);
    const chosen = variants.map((id) => this.problem.variants[id]!);
    const settled = family?.shards ?? (heatless ? 1 : undefined);
    const found = this.#search(kind, chosen, partition ?? family?.partition, family, settled, shards);
    this.#known.set(key, found);
    return found;
  }

  #search(
    kind: SlotKind,
    variants: readonly Variant[],
    fixed: number | undefined,
    family: FamilyLayout | undefined,
    settled: number | undefined,
    shards: number | undefined,
  ): Block | undefined {
    let best: Omit<Block, 'floor'> | undefined;
    let floor = Number.POSITIVE_INFINITY;
    for (const layout of this.layouts(kind, variants, fixed, family)) {
      this.#effort?.spend(1);
      const cost = this.pricer.price(kind, layout, variants, settled, shards);
      if (cost === undefined) continue;
      floor = Math.min(floor, cost.floor);
      const text = layoutText(this.problem, layout);
      const block = { kind, variants, layout, cost, text };
      if (best === undefined || isBetter(block, best)) best = block;
    }
    return best && { ...best, floor };
  }

  /** The least that reading for this pattern can cost a month, wherever it is read. */
  leastRead(need: Need): number {
    const known = this.#leastReads.get(need);
    if (known !== undefined) return known;
    let least = Number.POSITIVE_INFINITY;
    for (const variant of need.variants) {
      for (const kind of ['base', 'local', 'global', 'copy'] as const) {
        if ((need.strong && kind === 'global') || (variant.fetch && (kind === 'base' || kind === 'copy')))
          continue;
        for (const layout of this.layouts(kind, [variant], undefined, undefined)) {
          least = Math.min(least, this.pricer.price(kind, layout, [variant], 1)?.reads ?? least);
        }
      }
    }
    const found = least === Number.POSITIVE_INFINITY ? 0 : least;
    this.#leastReads.set(need, found);
    return found;
  }

  /** Every placement that serves the variants, but for the order of attributes that no variant can tell. */
  *layouts(
    kind: SlotKind,
    variants: readonly Variant[],
    fixed: number | undefined,
    family: FamilyLayout | undefined,
  ): Generator<Layout> {
    const { problem } = this;
    const inTable = kind === 'base' || kind === 'copy';
    if (variants.length === 0) {
      // Nobody reads here. The identity is the best spread, unless one instance alone is too hot for a partition.
      for (const partition of fixed === undefined ? subsetsOf(spread(problem)) : [fixed]) {
        const layout = layoutFor(problem, kind, [], partition, 0, family);
        if (layout !== undefined && this.#collectionFits(kind, layout)) yield layout;
      }
      return;
    }
    const sparse =
      inTable || family !== undefined ? 0 : variants.reduce((mask, { implied }) => mask & implied, -1);
    for (const predicate of subsetsOf(sparse & ((1 << problem.atoms.length) - 1))) {
      let common = inTable ? problem.baseAllowed : -1;
      for (const variant of variants) common &= knownUnder(problem, variant, predicate) ?? 0;
      common &= ~impliedAttributes(problem, predicate);
      for (const partition of fixed === undefined ? subsetsOf(common) : [fixed]) {
        if (fixed !== undefined && impliedAttributes(problem, predicate) & fixed) continue;
        const layout = layoutFor(problem, kind, variants, partition, predicate, family);
        if (layout !== undefined && this.#collectionFits(kind, layout)) yield layout;
      }
    }
  }

  /**
   * A table's partition key has many values. In a table with local indexes, items and entries of one partition value
   * stay under 10 GB.
   */
  #collectionFits(kind: SlotKind, layout: Layout): boolean {
    if (kind === 'global') return true;
    const { entity, facts } = this.problem;
    if (!facts.spreads(entity, namesOf(this.problem, layout.partition), this.pricer.itemBytes)) return false;
    if (!this.tableHasLocals) return true;
    const items = facts.collectionMax(entity, namesOf(this.problem, layout.partition));
    return items * this.pricer.itemBytes * 2 <= tableLimits.itemCollectionBytesMax;
  }
}

/** Of many attributes only the identity's and the tenant's are tried where nobody reads: others spread no further. */
function spread({ baseAllowed, identity, tenant }: EntityProblem): number {
  const few = 10;
  return bitCount(baseAllowed) <= few ? baseAllowed : baseAllowed & (identity | tenant);
}

export function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** All subsets of a bit set, the empty one first. */
export function subsetsOf(mask: number): number[] {
  const found: number[] = [];
  let subset = 0;
  do {
    found.push(subset);
    subset = (subset - mask) & mask;
  } while (subset !== 0);
  return found;
}

/** Prices closer than this are the same. */
export const priceTolerance = 1e-9;

function isBetter(a: Omit<Block, 'floor'>, b: Omit<Block, 'floor'>): boolean {
  const difference = a.cost.total - b.cost.total;
  if (Math.abs(difference) > priceTolerance * (1 + b.cost.total)) return difference < 0;
  const heat = a.cost.heat - b.cost.heat;
  if (Math.abs(heat) > priceTolerance * b.cost.heat) return heat < 0;
  // Without any traffic a constant costs nothing today, but it collects everything under one value.
  const [spreadA, spreadB] = [a.layout.partition !== 0, b.layout.partition !== 0];
  if (spreadA !== spreadB) return spreadA;
  return isSmallerText(a.text, b.text);
}

export function isSmallerText(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

function layoutText(problem: EntityProblem, layout: Layout): string {
  const names = (bits: readonly { bit: number; inverted: boolean }[]) =>
    bits.map(({ bit, inverted }) => `${inverted ? '-' : ''}${problem.names[31 - Math.clz32(bit)]}`).join('#');
  const when = problem.atoms.flatMap(({ attributes }, at) =>
    (layout.predicate >> at) & 1 ? [attributes.join()] : [],
  );
  return `${namesOf(problem, layout.partition).join('#')}/${names(layout.sort)}?${when.join('&')}@${layout.headAt}`;
}

export function familyText({ partition, prefix, shards, flipped }: FamilyLayout): string {
  const pieces = prefix.map(({ bit, inverted }) => (inverted ? -bit : bit)).join('.');
  return `${partition};${pieces};${shards};${flipped ?? ''}`;
}
