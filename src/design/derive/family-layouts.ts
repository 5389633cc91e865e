import { partitionCeilings } from '../../physics/partition-use.ts';
import { readUnits } from '../../physics/units.ts';
import type { ReadPattern } from '../ir.ts';
import { itemsFor } from './block-cost.ts';
import { type BlockEvaluator, bitCount, subsetsOf } from './block-evaluator.ts';
import type { Effort } from './effort.ts';
import { namesOf } from './entity-problem.ts';
import { type FamilyLayout, knownUnder, type Layout, mergeCells, type SlotKind } from './layout.ts';

/**
 * A family is a set of entities that aggregates tie to one slot: they share the partition template and the first pieces
 * of the sort template. Behind those pieces stands each entity's head, so that one range holds one kind, or several
 * kinds whose heads are neighbours, or, with the order attribute before the head, several kinds interleaved.
 */
export interface FamilyChoice {
  readonly kind: SlotKind;
  readonly aggregates: readonly ReadPattern[];
  /** The members in the order of their heads. */
  readonly members: readonly string[];
  readonly layouts: ReadonlyMap<string, FamilyLayout>;
  /** Dollars a month for the aggregates' reads. */
  readonly reads: number;
  readonly text: string;
}

/** How an aggregate's order applies to its entities. */
interface AggregateShape {
  readonly pattern: ReadPattern;
  /** The equality attributes. */
  readonly known: readonly string[];
  /** Order attributes that all entities have: the kinds interleave. */
  readonly interleaved: readonly { readonly attribute: string; readonly descending: boolean }[];
  /** The one entity that has the order attributes; the others come first. */
  readonly child?: ChildOrder;
}

interface ChildOrder {
  readonly entity: string;
  readonly descending: boolean;
  /** The pattern finds one child at most: it has no order, and reading is forward. */
  readonly single: boolean;
}

/** Every layout on which the aggregates' entities can agree in one slot of this kind. */
export function familyChoices(
  evaluators: ReadonlyMap<string, BlockEvaluator>,
  members: readonly string[],
  aggregates: readonly ReadPattern[],
  kind: SlotKind,
  effort?: Effort,
  ignoreHeat = false,
): FamilyChoice[] {
  const evaluatorOf = (name: string) => evaluators.get(name)!;
  const shapes: AggregateShape[] = [];
  for (const pattern of aggregates) {
    const shape = shapeOf(evaluators, pattern);
    if (shape === undefined) return [];
    shapes.push(shape);
  }
  const names = [
    ...new Set(
      shapes.flatMap(({ known, interleaved }) => [...known, ...interleaved.map((one) => one.attribute)]),
    ),
  ].sort();
  const maskOf = (list: readonly string[]) =>
    list.reduce((mask, name) => mask | (1 << names.indexOf(name)), 0);
  const inTable = kind === 'base';
  let common = shapes.reduce((mask, { known }) => mask & maskOf(known), -1);
  let allowed = -1;
  for (const member of members) {
    const { problem } = evaluatorOf(member);
    allowed &= maskOf(names.filter((name) => problem.names.includes(name)));
    if (inTable)
      allowed &= maskOf(names.filter((name) => namesOf(problem, problem.baseAllowed).includes(name)));
  }
  common &= allowed;
  const children = new Set(shapes.flatMap(({ child }) => (child === undefined ? [] : [child.entity])));
  const found: FamilyChoice[] = [];
  for (const partition of subsetsOf(common)) {
    let cells: number[] | undefined = [];
    let headAt = 0;
    for (const { known, interleaved } of shapes) {
      const rest = maskOf(known) & ~partition;
      const pieces = interleaved.map(({ attribute }) => maskOf([attribute]));
      cells = cells && mergeCells(cells, [...(rest === 0 ? [] : [rest]), ...pieces]);
      headAt = Math.max(headAt, bitCount(rest) + pieces.length);
    }
    if (cells === undefined || cells.some((cell) => cell & ~allowed)) continue;
    const whole = (pattern: ReadPattern) => pattern.entities.length === members.length;
    const serves = shapes.every(({ pattern, known, interleaved, child }) => {
      if (interleaved.length > 0) return whole(pattern);
      return bitCount(maskOf(known) & ~partition) === headAt || (whole(pattern) && child === undefined);
    });
    if (!serves) continue;
    const inverted = inversionsOf(shapes, evaluators, members);
    if (inverted === undefined) continue;
    const contiguous = shapes
      .filter(({ interleaved }) => interleaved.length === 0)
      .map(({ pattern }) => pattern.entities);
    for (const heads of headOrders(members, contiguous, shapes, evaluators)) {
      for (const prefix of linearOrders(cells)) {
        if (effort !== undefined && !effort.step()) return found;
        found.push(...settle(partition, prefix, heads, inverted));
      }
    }
  }
  return found;

  function settle(
    partition: number,
    prefix: readonly number[],
    { order, flipped }: HeadOrder,
    inverted: ReadonlySet<string>,
  ): FamilyChoice[] {
    const partitionNames = names.filter((_, at) => (partition >> at) & 1);
    const prefixNames = prefix.map((bit) => names[31 - Math.clz32(bit)]!);
    const layoutOf = (member: string, shards: number): FamilyLayout => {
      const { problem } = evaluatorOf(member);
      const bitOf = (name: string) => 1 << problem.names.indexOf(name);
      return {
        partition: partitionNames.reduce((mask, name) => mask | bitOf(name), 0),
        prefix: prefixNames.map((name) => ({ bit: bitOf(name), inverted: inverted.has(name) })),
        shards,
        ...(children.has(member) ? { flipped: flipped.has(member) } : {}),
      };
    };
    const fewest = ignoreHeat ? 1 : shardsNeeded(layoutOf, partitionNames);
    if (fewest === undefined) return [];
    const most = ignoreHeat ? fewest : Math.max(fewest, shardsOfEntries(layoutOf));
    return Array.from({ length: most - fewest + 1 }, (_, more) => fewest + more).map((shards) => ({
      kind,
      aggregates,
      members: order,
      layouts: new Map(members.map((member) => [member, layoutOf(member, shards)])),
      reads: evaluatorOf(members[0]!).pricer.readPrice(
        aggregates.reduce((sum, pattern) => sum + unitsPerRead(pattern, shards) * pattern.rate.mean, 0),
      ),
      text: `${kind} ${partitionNames.join('#')}/${prefixNames.join('#')} ${order.join()} ${[...flipped].join()}`,
    }));
  }

  /**
   * The most shards that the members' entries in one index could need: those of local indexes share the table's shards,
   * and an entry takes up to two writes for each of its item's, which only its whole key tells.
   */
  function shardsOfEntries(layoutOf: (member: string, shards: number) => FamilyLayout): number {
    if (kind !== 'global' && !members.some((member) => evaluatorOf(member).tableHasLocals)) return 1;
    const { headroom, shardsMax } = evaluatorOf(members[0]!).problem.facts.model.environment;
    const alone = members.every(
      (member) => (evaluatorOf(member).problem.identity & ~layoutOf(member, 1).partition) === 0,
    );
    if (alone) return 1;
    const writes = members.reduce((sum, member) => {
      const { pricer } = evaluatorOf(member);
      const { partition } = layoutOf(member, 1);
      return sum + pricer.entryWriteHeatMax({ partition, predicate: 0, sort: [], headAt: 0 });
    }, 0);
    return Math.min(shardsMax, Math.ceil(writes / (headroom * partitionCeilings.write)));
  }

  function unitsPerRead(pattern: ReadPattern, shards: number): number {
    return unitsPerAggregate(evaluators, kind, pattern, shards);
  }

  /**
   * The family's shards: its members' writes together, and every read that could be sent to the partition. That is an
   * upper bound, because which single reads go there is decided later, entity by entity.
   */
  function shardsNeeded(
    layoutOf: (member: string, shards: number) => FamilyLayout,
    partitionNames: readonly string[],
  ): number | undefined {
    const { facts } = evaluatorOf(members[0]!).problem;
    const { headroom, shardsMax } = facts.model.environment;
    const stubs = members.map((member) => {
      const { problem, pricer } = evaluatorOf(member);
      const { partition } = layoutOf(member, 1);
      const layout: Layout = { partition, predicate: 0, sort: [], headAt: 0 };
      const reads = problem.variants.filter((variant) => {
        const known = knownUnder(problem, variant, 0) ?? 0;
        return (
          !variant.aggregate &&
          !variant.fetch &&
          (partition & ~known) === 0 &&
          !(kind === 'global' && variant.strong)
        );
      });
      return { problem, pricer, layout, reads };
    });
    const writesOf = (shards: number) =>
      stubs.reduce(
        (sum, { pricer, layout }) =>
          sum + pricer.writeHeat(kind, layout, pricer.itemBytes, undefined, shards),
        0,
      );
    const alone = stubs.every(({ problem, layout }) => (problem.identity & ~layout.partition) === 0);
    const fewest = Math.max(1, Math.ceil(writesOf(1) / (headroom * partitionCeilings.write)));
    for (let shards = fewest; shards <= (alone ? 1 : shardsMax); shards++) {
      if (writesOf(shards) > headroom * partitionCeilings.write) continue;
      let heat = 0;
      for (const { pricer, layout, reads } of stubs)
        heat += pricer.readHeat(layout, reads, pricer.itemBytes, shards);
      for (const pattern of aggregates) {
        const { entity } = evaluatorOf(pattern.entities[0]!).problem;
        const pinned = new Set(
          pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
        );
        const share = facts.hottestShare(entity, partitionNames, pattern.skew, pinned, false);
        heat += (unitsPerRead(pattern, shards) / shards) * pattern.rate.peak * share;
      }
      if (heat <= headroom * partitionCeilings.read) return shards;
    }
    return undefined;
  }
}

/** Read units of one call of an aggregate, over all shards. */
export function unitsPerAggregate(
  evaluators: ReadonlyMap<string, BlockEvaluator>,
  kind: SlotKind,
  pattern: ReadPattern,
  shards: number,
): number {
  let bytes = 0;
  for (const name of pattern.entities) {
    const { problem, pricer } = evaluators.get(name)!;
    bytes += itemsFor(problem, pattern, shards) * pricer.bytesForAggregate(kind, pattern);
  }
  return shards * readUnits(Math.ceil(bytes), pattern.consistency);
}

function shapeOf(
  evaluators: ReadonlyMap<string, BlockEvaluator>,
  pattern: ReadPattern,
): AggregateShape | undefined {
  if (pattern.where.some(({ kind }) => kind !== 'equals')) return undefined;
  const known = [
    ...pattern.by,
    ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
  ];
  const wanted = [
    ...(pattern.range === undefined
      ? []
      : [{ attribute: pattern.range.attribute, direction: 'asc' as const }]),
    ...pattern.order,
  ];
  const order = wanted
    .filter(
      ({ attribute }, at) =>
        !known.includes(attribute) && wanted.findLastIndex((one) => one.attribute === attribute) === at,
    )
    .map(({ attribute, direction }) => ({ attribute, descending: direction === 'desc' }));
  if (order.length === 0) return { pattern, known, interleaved: [] };
  const having = pattern.entities.filter((name) => {
    const { entity } = evaluators.get(name)!.problem;
    return order.every(({ attribute }) => entity.attributes.some((one) => one.name === attribute));
  });
  if (having.length === pattern.entities.length) return { pattern, known, interleaved: order };
  if (having.length !== 1 || pattern.range !== undefined) return undefined;
  const [entity] = having;
  const single = evaluators.get(entity!)!.problem.entity.identity.every((name) => known.includes(name));
  return {
    pattern,
    known,
    interleaved: [],
    child: { entity: entity!, descending: order[0]!.descending, single },
  };
}

/** The interleaved order attributes to invert, fewest first; undefined if the directions cannot be reconciled. */
function inversionsOf(
  shapes: readonly AggregateShape[],
  evaluators: ReadonlyMap<string, BlockEvaluator>,
  members: readonly string[],
): ReadonlySet<string> | undefined {
  const attributes = [
    ...new Set(shapes.flatMap(({ interleaved }) => interleaved.map(({ attribute }) => attribute))),
  ].sort();
  const all = subsetsOf((1 << attributes.length) - 1).sort((a, b) => bitCount(a) - bitCount(b) || a - b);
  for (const chosen of all) {
    const inverted = new Set(attributes.filter((_, at) => (chosen >> at) & 1));
    const possible = members.every((member) => {
      const { problem } = evaluators.get(member)!;
      const invertible = namesOf(problem, problem.invertible);
      return [...inverted].every((name) => invertible.includes(name));
    });
    const agree = shapes.every(
      ({ interleaved }) =>
        new Set(interleaved.map(({ attribute, descending }) => descending !== inverted.has(attribute))).size <
        2,
    );
    if (possible && agree) return inverted;
  }
  return undefined;
}

interface HeadOrder {
  readonly order: readonly string[];
  /** Children whose first ordered piece is inverted. */
  readonly flipped: ReadonlySet<string>;
}

const membersMax = 8;

/**
 * Orders of the heads in which the kinds of each aggregate are neighbours, and in which a parent comes before its ordered
 * children in the direction of reading: one order for each way of inverting the children's pieces.
 */
function headOrders(
  members: readonly string[],
  contiguous: readonly (readonly string[])[],
  shapes: readonly AggregateShape[],
  evaluators: ReadonlyMap<string, BlockEvaluator>,
): HeadOrder[] {
  const children = [
    ...new Set(shapes.flatMap(({ child }) => (child === undefined ? [] : [child.entity]))),
  ].sort();
  const sorted = [...members].sort();
  const orders = members.length > membersMax ? [sorted] : permutationsOf(sorted);
  const turns = subsetsOf((1 << children.length) - 1).sort((a, b) => bitCount(a) - bitCount(b) || a - b);
  const all: HeadOrder[] = [];
  for (const turn of turns) {
    const flipped = new Set(children.filter((_, at) => (turn >> at) & 1));
    const turnable = [...flipped].every((name) => evaluators.get(name)!.problem.invertible !== 0);
    if (!turnable) continue;
    const found = orders.find(
      (order) =>
        contiguous.every((set) => isInterval(order, set)) &&
        shapes.every(({ pattern, child }) => {
          if (child === undefined) return true;
          const forward = child.single || child.descending === flipped.has(child.entity);
          const place = order.indexOf(child.entity);
          const parents = pattern.entities.filter((name) => name !== child.entity);
          return parents.every((name) => order.indexOf(name) < place === forward);
        }),
    );
    if (found !== undefined) all.push({ order: found, flipped });
  }
  return all;
}

function isInterval(order: readonly string[], set: readonly string[]): boolean {
  const places = set.map((name) => order.indexOf(name));
  return Math.max(...places) - Math.min(...places) === set.length - 1;
}

function linearOrders(cells: readonly number[]): number[][] {
  let orders: number[][] = [[]];
  for (const cell of cells) {
    const bits: number[] = [];
    for (let rest = cell; rest !== 0; rest &= rest - 1) bits.push(rest & -rest);
    orders = orders.flatMap((order) => permutationsOf(bits).map((one) => [...order, ...one]));
  }
  return orders;
}

function permutationsOf<T>(values: readonly T[]): T[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((value, at) =>
    permutationsOf([...values.slice(0, at), ...values.slice(at + 1)]).map((rest) => [value, ...rest]),
  );
}
