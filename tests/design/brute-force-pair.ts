import { type BlockPricer, itemsFor } from '../../src/design/derive/block-cost.ts';
import type { EntityProblem } from '../../src/design/derive/entity-problem.ts';
import type { ReadPattern } from '../../src/design/ir.ts';
import type { ModelFacts } from '../../src/design/model-facts.ts';
import { readUnits } from '../../src/physics/units.ts';
import {
  asLayout,
  everyPlacement,
  fitsTable,
  followsOrder,
  type NaivePlacement,
  presentIn,
  serves,
} from './brute-force.ts';

interface Side {
  readonly problem: EntityProblem;
  readonly pricer: BlockPricer;
}

/**
 * Two entities that aggregates may tie: every distribution of the patterns over the table and `globals` indexes, every
 * pair of placements in each slot. No copies and no local indexes. Answers the least price, or undefined.
 */
export function bruteForcePair(
  facts: ModelFacts,
  sides: readonly [Side, Side],
  globals: number,
): number | undefined {
  const { reads } = facts.model;
  const names = sides.map(({ problem }) => problem.entity.name);
  const placements = sides.map(({ problem }) =>
    everyPlacement(
      facts,
      problem.entity,
      problem.names,
      problem.atoms.map(({ predicate }) => predicate),
      true,
    ),
  );
  const tables = placements.map((all, at) =>
    all.filter((one) => fitsTable(facts, sides[at]!.problem.entity, one, sides[at]!.pricer.itemBytes)),
  );
  const memo = new Map<string, number | undefined>();

  const slotPrice = (patterns: readonly ReadPattern[], base: boolean): number | undefined => {
    const key = `${base} ${patterns.map(({ name }) => name).join()}`;
    if (memo.has(key)) return memo.get(key);
    const price = priceOf(patterns, base);
    memo.set(key, price);
    return price;
  };

  const priceOf = (patterns: readonly ReadPattern[], base: boolean): number | undefined => {
    const aggregates = patterns.filter(({ entities }) => entities.length > 1);
    const options = sides.map(({ problem, pricer }, at) => {
      const own = patterns.filter(({ entities }) => entities.includes(names[at]!));
      const singles = own.filter(({ entities }) => entities.length === 1);
      if (own.length === 0 && !base) return undefined;
      return (base ? tables : placements)
        [at]!.filter((one) => (aggregates.length > 0 ? one.when.length === 0 : one.headAt === 0))
        .filter((one) =>
          singles.every((pattern) => serves(facts, problem.entity, one, variantOf(problem, pattern))),
        )
        .flatMap((placement) => {
          const variants = own.map((pattern) => variantOf(problem, pattern));
          const cost = pricer.price(base ? 'base' : 'global', asLayout(problem, placement), variants, 1);
          return cost === undefined ? [] : [{ placement, cost: cost.total }];
        });
    });
    if (aggregates.length === 0) {
      return options.reduce<number | undefined>((sum, list) => {
        if (sum === undefined) return undefined;
        if (list === undefined) return sum;
        return list.length === 0 ? undefined : sum + Math.min(...list.map(({ cost }) => cost));
      }, 0);
    }
    let best: number | undefined;
    for (const first of options[0]!) {
      for (const second of options[1]!) {
        const cost = first.cost + second.cost;
        if (best !== undefined && cost >= best) continue;
        if (!agree(first.placement, second.placement)) continue;
        const together = [true, false].some((firstBefore) =>
          aggregates.every((pattern) =>
            servesBoth(pattern, [first.placement, second.placement], firstBefore),
          ),
        );
        if (together) best = cost;
      }
    }
    if (best === undefined) return undefined;
    const units = aggregates.reduce((sum, pattern) => {
      const bytes = sides.reduce(
        (total, { problem, pricer }) =>
          total + itemsFor(problem, pattern, 1) * pricer.bytesForAggregate(base ? 'base' : 'global', pattern),
        0,
      );
      return sum + readUnits(Math.ceil(bytes), pattern.consistency) * pattern.rate.mean;
    }, 0);
    return best + sides[0].pricer.readPrice(units);
  };

  const agree = (a: NaivePlacement, b: NaivePlacement): boolean => {
    if (a.partition.join() !== b.partition.join() || a.headAt !== b.headAt) return false;
    return a.sort
      .slice(0, a.headAt)
      .every(({ name, inverted }, at) => b.sort[at]?.name === name && b.sort[at]?.inverted === inverted);
  };

  const servesBoth = (
    pattern: ReadPattern,
    both: readonly [NaivePlacement, NaivePlacement],
    firstBefore: boolean,
  ): boolean => {
    const known = [
      ...pattern.by,
      ...pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])),
    ];
    const { headAt } = both[0];
    const constant = new Set(known);
    const ordered = [
      ...(pattern.range ? [pattern.range.attribute] : []),
      ...pattern.order.map(({ attribute }) => attribute),
    ].filter((name, at, all) => !constant.has(name) && all.indexOf(name) === at);
    const having = sides.map(({ problem }) =>
      ordered.every((name) => problem.entity.attributes.some((one) => one.name === name)),
    );
    const directions: (string | undefined)[] = [];
    for (const [at, placement] of both.entries()) {
      const { entity } = sides[at]!.problem;
      if (!placement.partition.every((name) => constant.has(name))) return false;
      const rest = known.filter((name) => !placement.partition.includes(name));
      const prefix = placement.sort.slice(0, rest.length).map(({ name }) => name);
      if (rest.length > headAt || !rest.every((name) => prefix.includes(name))) return false;
      if (!presentIn(facts, entity, placement, pattern)) return false;
      if (ordered.length === 0) continue;
      const interleaved = having.every(Boolean);
      if (!interleaved && (having.filter(Boolean).length !== 1 || pattern.range !== undefined)) return false;
      if (interleaved ? rest.length + ordered.length > headAt : rest.length !== headAt) return false;
      if (!interleaved && !having[at]) continue;
      // Interleaved kinds are ordered even where one of them has one item at most.
      const direction = followsOrder(
        facts,
        { ...entity, identity: interleaved ? ['none'] : entity.identity },
        placement,
        pattern,
        rest.length,
      );
      if (direction === undefined) return false;
      directions.push(direction);
      if (!interleaved && direction !== 'either') {
        const childIsFirst = at === 0;
        const parentBefore = childIsFirst ? !firstBefore : firstBefore;
        if (parentBefore !== (direction === 'forward')) return false;
      }
    }
    const definite = new Set(directions.filter((one) => one !== 'either'));
    return definite.size < 2;
  };

  let best: number | undefined;
  const slots: ReadPattern[][] = Array.from({ length: globals + 1 }, () => []);
  const visit = (at: number) => {
    const pattern = reads[at];
    if (pattern !== undefined) {
      for (const [slot, list] of slots.entries()) {
        if (slot > 0 && pattern.consistency === 'strong') continue;
        list.push(pattern);
        visit(at + 1);
        list.pop();
      }
      return;
    }
    let sum = 0;
    for (const [slot, list] of slots.entries()) {
      if (slot > 0 && list.length === 0) continue;
      const price = slotPrice(list, slot === 0);
      if (price === undefined) return;
      sum += price;
    }
    if (best === undefined || sum < best) best = sum;
  };
  visit(0);
  return best;
}

function variantOf(problem: EntityProblem, pattern: ReadPattern) {
  return problem.variants.find((one) => one.pattern.name === pattern.name)!;
}
