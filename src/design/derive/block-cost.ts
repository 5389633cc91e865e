import { utf8Length } from '../../model/values/utf8.ts';
import { partitionCeilings } from '../../physics/partition-use.ts';
import { itemWriteUnits, readUnits, transactionFactor } from '../../physics/units.ts';
import type { HeatLine } from '../certificate/certificate.ts';
import type { Predicate, ReadPattern } from '../ir.ts';
import { excludes, implies, namesOfPredicate } from '../predicate-logic.ts';
import { type Prices, storageOverheadBytes } from '../prices.ts';
import { writeFactor } from '../write-charges.ts';
import { type EntityProblem, namesOf, type StepOfEntity, type Variant } from './entity-problem.ts';
import { type Layout, maskOfPieces, type SlotKind } from './layout.ts';

/** What a partition of the service takes each second. */

const indexKeyNameBytes = utf8Length('GSI1PKGSI1SK');

/** The price of a placement and how it comes about. */
export interface BlockCost {
  /** Dollars a month, by what causes them. */
  readonly writes: number;
  readonly reads: number;
  readonly storage: number;
  readonly total: number;
  /** What it would cost with one shard: no set that holds this block's patterns costs less in the same layout. */
  readonly floor: number;
  readonly shards: number;
  /** The share of its ceilings that the hottest partition uses at the peak. */
  readonly heat: number;
  readonly entryBytes: number;
  /** Attributes that the slot must hold for its readers; undefined for all. */
  readonly projected: readonly string[] | undefined;
}

/**
 * Prices placements of one entity. The sum over an entity's placements is what the search minimises, so each price
 * depends on its own slot alone: an index entry is sized with the entity's shortest table key and with the attributes
 * that its own readers need. The final forecast adds what slots share (names that other entities project).
 */
export class BlockPricer {
  readonly #problem: EntityProblem;
  readonly #prices: Prices;
  readonly #itemBytes: number;
  readonly #shortKeyBytes: number;
  readonly #shares = new Map<string, number>();

  constructor(problem: EntityProblem, prices: Prices) {
    this.#problem = problem;
    this.#prices = prices;
    const { entity, facts } = problem;
    this.#shortKeyBytes = facts.shortKeyBytes(entity);
    this.#itemBytes = facts.itemBytes(entity);
  }

  /** Bytes of an item in the table. */
  get itemBytes(): number {
    return this.#itemBytes;
  }

  /** Dollars a month for so many read units a second. */
  readPrice(unitsPerSecond: number): number {
    return unitsPerSecond * this.#prices.readUnit * this.#prices.secondsPerMonth;
  }

  /** Bytes that an aggregate reads for one item of this entity. */
  bytesForAggregate(kind: SlotKind, { needs }: ReadPattern): number {
    if (kind === 'base' || needs === undefined) return this.#itemBytes;
    const { entity, facts } = this.#problem;
    return this.#shortKeyBytes + indexKeyNameBytes + facts.attributesBytes(entity, needs);
  }

  /**
   * Undefined if the hottest partition stays too hot whatever the number of shards. `settled` is the number of shards
   * that a family of entities agreed on; aggregates are priced by the family, not here. `tied` is the number that a
   * table and its local indexes share, which is too small if this slot alone needs more.
   */
  price(
    kind: SlotKind,
    layout: Layout,
    variants: readonly Variant[],
    settled?: number,
    tied?: number,
  ): BlockCost | undefined {
    const projected = kind === 'base' || kind === 'copy' ? undefined : this.#projected(variants);
    const entryBytes = this.#entryBytes(kind, layout, projected);
    const own = variants.filter(({ aggregate }) => !aggregate);
    const needed = settled ?? this.#shardsNeeded(kind, layout, own, entryBytes, projected);
    if (needed === undefined) return undefined;
    const count = tied ?? needed;
    if (count < needed) return undefined;
    // A partition of one item cannot be split.
    if (count > 1 && settled === undefined && (this.#problem.identity & ~layout.partition) === 0)
      return undefined;
    const { writeUnit, readUnit, storageGbMonth, gigabyteBytes, secondsPerMonth } = this.#prices;
    let written = 0;
    for (const step of this.#problem.steps) {
      written += this.unitsPerWrite(kind, layout, step, entryBytes, projected) * step.write.rate.mean;
    }
    const readAt = (shards: number) =>
      own.reduce(
        (sum, variant) => sum + this.#unitsPerRead(variant, entryBytes, shards) * variant.pattern.rate.mean,
        0,
      ) *
      readUnit *
      secondsPerMonth;
    const writes = written * writeUnit * secondsPerMonth;
    const reads = readAt(count);
    const { entity, facts } = this.#problem;
    const entries = facts.total(entity) * this.#share(layout);
    const storage = ((entries * (entryBytes + storageOverheadBytes)) / gigabyteBytes) * storageGbMonth;
    const heat =
      this.writeHeat(kind, layout, entryBytes, projected, count) / partitionCeilings.write +
      this.readHeat(layout, own, entryBytes, count) / partitionCeilings.read;
    return {
      writes,
      reads,
      storage,
      total: writes + reads + storage,
      floor:
        writes + (count === 1 || settled !== undefined || tied !== undefined ? reads : readAt(1)) + storage,
      shards: count,
      heat,
      entryBytes,
      projected,
    };
  }

  #projected(variants: readonly Variant[]): readonly string[] | undefined {
    const names = new Set<string>();
    for (const { pattern, fetch, filter, filterBy } of variants) {
      for (const name of [...filterBy, ...filter.flatMap((one) => namesOfPredicate(one))]) names.add(name);
      if (fetch) continue;
      if (pattern.needs === undefined) return undefined;
      for (const name of pattern.needs) names.add(name);
    }
    const { entity } = this.#problem;
    return entity.attributes.map(({ name }) => name).filter((name) => names.has(name));
  }

  #entryBytes(kind: SlotKind, layout: Layout, projected: readonly string[] | undefined): number {
    if (kind === 'base' || kind === 'copy') return this.#itemBytes;
    const { entity, facts } = this.#problem;
    const keys = namesOf(this.#problem, layout.partition | maskOfPieces(layout.sort));
    const keyBytes = keys.reduce((sum, name) => sum + 1 + facts.keyBytes(entity, name).mean, 0);
    const head = utf8Length(entity.name) + 1;
    const attributes = facts.attributesBytes(entity, projected);
    return this.#shortKeyBytes + indexKeyNameBytes + head + keyBytes + attributes;
  }

  #share(layout: Layout): number {
    let share = 1;
    this.#problem.atoms.forEach((atom, at) => {
      if ((layout.predicate >> at) & 1) share *= atom.share;
    });
    return share;
  }

  /** Write units that one call of the pattern takes from the slot because of this step. */
  unitsPerWrite(
    kind: SlotKind,
    layout: Layout,
    { write, step }: StepOfEntity,
    entryBytes: number,
    projected: readonly string[] | undefined,
  ): number {
    const units = itemWriteUnits(entryBytes, entryBytes);
    if (step.kind === 'count' && step.spread === 'shards') return 0;
    const each = writeFactor(this.#problem.facts, write, step);
    if (kind === 'base') return units * step.count * each;
    // A copy is written with its item in one transaction, which makes the item's own write dearer as well.
    if (kind === 'copy') {
      if (step.kind === 'require') return 0;
      return units * step.count * (transactionFactor + transactionFactor - each);
    }
    return units * step.count * this.#entryWrites(layout, { write, step }, projected);
  }

  /** How many writes of an index entry one item's step causes on average. */
  #entryWrites(layout: Layout, { step }: StepOfEntity, projected: readonly string[] | undefined): number {
    if (step.kind === 'require') return 0;
    const { entity, atoms } = this.#problem;
    const inSlot = atoms.filter((_, at) => (layout.predicate >> at) & 1);
    if (step.kind === 'create') {
      const values: Predicate[] = step.values.map((one) => ({ kind: 'equals', ...one }));
      return inSlot.reduce((product, { predicate, share }) => product * chance(values, predicate, share), 1);
    }
    const changed = new Map<string, Predicate | undefined>();
    if (step.kind === 'change') {
      for (const { attribute, value } of step.sets) {
        changed.set(attribute, value === undefined ? undefined : { kind: 'equals', attribute, value });
      }
      if (entity.version !== undefined) changed.set(entity.version, undefined);
    }
    if (step.kind === 'count') changed.set(step.attribute, undefined);
    const when = step.kind === 'count' ? [] : step.when;
    const before = inSlot.reduce(
      (product, { predicate, share }) => product * chance(when, predicate, share),
      1,
    );
    if (step.kind === 'remove') return before;
    const keyNames = namesOf(this.#problem, layout.partition | maskOfPieces(layout.sort));
    const touchesKey = keyNames.some((name) => changed.has(name));
    const touchesEntry =
      touchesKey ||
      (projected === undefined ? changed.size > 0 : projected.some((name) => changed.has(name)));
    const staying = touchesKey ? 2 : touchesEntry ? 1 : 0;
    if (!inSlot.some(({ attributes }) => attributes.some((name) => changed.has(name))))
      return before * staying;
    const after = inSlot.reduce((product, { predicate, share, attributes }) => {
      const set = attributes.filter((name) => changed.has(name));
      if (set.length === 0) return product * chance(when, predicate, share);
      const values = set.flatMap((name) => [changed.get(name)].filter((one) => one !== undefined));
      return product * chance(values, predicate, share);
    }, 1);
    return before * (1 - after) + (1 - before) * after + before * after * staying;
  }

  /** Read units of one call: each shard answers a page of its own. */
  #unitsPerRead(variant: Variant, entryBytes: number, shards: number): number {
    const calls = this.#callsOf(variant, shards);
    const items = this.#itemsOf(variant, calls);
    const found =
      calls * readUnits(Math.ceil(items * variant.readFactor * entryBytes), variant.pattern.consistency);
    if (!variant.fetch) return found;
    const wanted = this.#itemsOf(variant, 1);
    return found + Math.max(1, wanted) * readUnits(this.#itemBytes, 'eventual');
  }

  /** A reader who knows the identity computes the shard; all others gather them. */
  #callsOf(variant: Variant, shards: number): number {
    return variant.namesItem ? 1 : shards;
  }

  #itemsOf({ pattern }: Variant, calls: number): number {
    return itemsFor(this.#problem, pattern, calls);
  }

  /** The fewest shards that keep the hottest partition within its ceilings; undefined if no number does. */
  #shardsNeeded(
    kind: SlotKind,
    layout: Layout,
    variants: readonly Variant[],
    entryBytes: number,
    projected: readonly string[] | undefined,
  ): number | undefined {
    const { headroom, shardsMax } = this.#problem.facts.model.environment;
    const writes = this.writeHeat(kind, layout, entryBytes, projected, 1);
    const alone = (this.#problem.identity & ~layout.partition) === 0;
    const fewest = Math.max(1, Math.ceil(writes / (headroom * partitionCeilings.write)));
    for (let shards = fewest; shards <= (alone ? 1 : shardsMax); shards++) {
      if (
        this.writeHeat(kind, layout, entryBytes, projected, shards) <= headroom * partitionCeilings.write &&
        this.readHeat(layout, variants, entryBytes, shards) <= headroom * partitionCeilings.read
      )
        return shards;
    }
    return undefined;
  }

  /** The demand on the hottest value, pattern by pattern; aggregates are the family's. */
  heatLines(
    kind: SlotKind,
    layout: Layout,
    variants: readonly Variant[],
    { entryBytes, projected, shards }: BlockCost,
  ): { readonly writes: HeatLine[]; readonly reads: HeatLine[] } {
    const writes = this.#problem.steps
      .map((step, at) => ({
        pattern: step.write.name,
        units: this.unitsPerWrite(kind, layout, step, entryBytes, projected),
        peak: step.write.rate.peak,
        ...sharesOf(this.#hottestWrite(layout.partition, step, at), shards, () =>
          this.#hottestWrite(this.#item(layout), step, at),
        ),
      }))
      .filter(({ units }) => units > 0);
    const reads = variants
      .filter(({ aggregate }) => !aggregate)
      .map((variant) => {
        const calls = this.#callsOf(variant, shards);
        const bytes = Math.ceil(this.#itemsOf(variant, calls) * variant.readFactor * entryBytes);
        return {
          pattern: variant.pattern.name,
          units: calls * readUnits(bytes, variant.pattern.consistency),
          peak: variant.pattern.rate.peak,
          ...sharesOf(this.#hottestRead(layout.partition, variant), calls === 1 ? shards : 1, () =>
            this.#hottestRead(this.#item(layout), variant),
          ),
        };
      });
    return { writes, reads };
  }

  /** Write units a second on the hottest shard of the hottest partition value. */
  writeHeat(
    kind: SlotKind,
    layout: Layout,
    entryBytes: number,
    projected: readonly string[] | undefined,
    shards: number,
  ): number {
    let heat = 0;
    this.#problem.steps.forEach((step, at) => {
      const units = this.unitsPerWrite(kind, layout, step, entryBytes, projected);
      if (units === 0) return;
      let share = this.#hottestWrite(layout.partition, step, at) / shards;
      if (shards > 1) share = Math.max(share, this.#hottestWrite(this.#item(layout), step, at));
      heat += units * step.write.rate.peak * share;
    });
    return heat;
  }

  /** Write units a second that the hottest value's entries take at most in an index of this partition. */
  entryWriteHeatMax(layout: Layout): number {
    const { steps, names } = this.#problem;
    const sort = names.map((_, at) => ({ bit: 1 << at, inverted: false }));
    const units = itemWriteUnits(0, this.#entryBytes('local', { ...layout, sort }, undefined));
    return steps.reduce(
      (sum, one, at) =>
        sum +
        2 * units * one.step.count * one.write.rate.peak * this.#hottestWrite(layout.partition, one, at),
      0,
    );
  }

  /** The attributes that tell one item of a partition value from another: its shard follows from them. */
  #item({ partition }: Layout): number {
    return partition | this.#problem.identity;
  }

  /** Read units a second on the hottest shard of the hottest partition value. */
  readHeat(layout: Layout, variants: readonly Variant[], entryBytes: number, shards: number): number {
    let heat = 0;
    for (const variant of variants) {
      const calls = this.#callsOf(variant, shards);
      const units = readUnits(
        Math.ceil(this.#itemsOf(variant, calls) * variant.readFactor * entryBytes),
        variant.pattern.consistency,
      );
      let share = this.#hottestRead(layout.partition, variant) / shards;
      // A reader of one item asks one shard; whoever reads a list asks all of them alike.
      if (calls < shards) share = Math.max(share, this.#hottestRead(this.#item(layout), variant));
      heat += units * calls * variant.pattern.rate.peak * share;
    }
    return heat;
  }

  #hottestWrite(partition: number, { write, step }: StepOfEntity, at: number): number {
    return this.#remembered(`w${at} ${partition}`, () => {
      const { entity, facts } = this.#problem;
      const pinned = facts.settledBy(write, step);
      return facts.hottestShare(entity, namesOf(this.#problem, partition), write.skew, pinned, true);
    });
  }

  #hottestRead(partition: number, { pattern }: Variant): number {
    return this.#remembered(`r${pattern.name} ${partition}`, () => {
      const { entity, facts } = this.#problem;
      const pinned = new Set(pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])));
      return facts.hottestShare(entity, namesOf(this.#problem, partition), pattern.skew, pinned, false);
    });
  }

  #remembered(key: string, compute: () => number): number {
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const value = compute();
    this.#shares.set(key, value);
    return value;
  }
}

/** The share of the hottest value; and that of the hottest item, if it is more than a shard's part. */
function sharesOf(share: number, shards: number, item: () => number): Pick<HeatLine, 'share' | 'item'> {
  if (shards === 1) return { share };
  const hottest = item();
  return hottest > share / shards ? { share, item: hottest } : { share };
}

/** Items of the entity that an ordinary call wants, whatever its page. */
function itemsPerCall({ entity, facts }: EntityProblem, pattern: ReadPattern): number {
  if (pattern.result === 'one') return 1;
  if (pattern.returns !== undefined && pattern.entities.length === 1) return pattern.returns;
  return facts.matching(entity, pattern.by, pattern.where);
}

/** Items that each of so many shards reads for one page. */
export function itemsFor(problem: EntityProblem, pattern: ReadPattern, calls: number): number {
  const all = itemsPerCall(problem, pattern) / calls;
  return pattern.page === 'all' ? all : Math.min(pattern.page, all);
}

/** The chance that a predicate holds, given what is known: certain, impossible, or its share of all instances. */
function chance(known: readonly Predicate[], predicate: Predicate, share: number): number {
  if (known.some((one) => implies(one, predicate))) return 1;
  return known.some((one) => excludes(one, predicate)) ? 0 : share;
}
