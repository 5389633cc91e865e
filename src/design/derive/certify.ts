import { tableLimits } from '../../model/limits.ts';
import type { Claim, Proof, RefutationNode } from '../certificate/certificate.ts';
import type { Model, ReadPattern } from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import type { Prices } from '../prices.ts';
import { BlockEvaluator, subsetsOf } from './block-evaluator.ts';
import { componentsOf } from './component-search.ts';
import { entityProblem } from './entity-problem.ts';
import { familyChoices } from './family-layouts.ts';
import type { FamilyLayout, SlotKind } from './layout.ts';
import type { TableSolution } from './table-search.ts';

/** Trees with more nodes are not written down. */
const nodesMax = 4_000;

/**
 * Proves that a solution's slots are the fewest. Heat is left out, so that a checker needs none of the arithmetic: a
 * refutation without heat holds all the more with it. Where only heat makes the slots necessary, the proof says that
 * the search exhausted the distributions.
 */
export function certify(facts: ModelFacts, solution: TableSolution, prices: Prices): Claim[] {
  const claims: Claim[] = [];
  const { locals, globals, components, designs } = solution;
  const most = { locals: tableLimits.localIndexesMax, globals: tableLimits.globalIndexesMax };
  const prove = (
    room: { copies: number; locals: number; globals: number },
    candidates: readonly (readonly string[])[],
  ) => {
    for (const entities of candidates) {
      const proof = new Refuter(facts, entities, prices).refute(room);
      if (proof !== undefined) return claims.push({ ...room, entities, proof });
    }
    const kind = solution.proved ? 'searched' : 'unproved';
    return claims.push({ ...room, entities: candidates.at(-1) ?? [], proof: { kind } });
  };
  const names = components.map(({ entities }) => entities);
  // One entity usually is enough to show it; a whole component always is.
  const candidates = [...names.flat().map((name) => [name]), ...names.filter((list) => list.length > 1)];
  if (globals > 0) {
    prove({ copies: solution.copies, locals, globals: globals - 1 }, candidates);
  }
  if (locals > 0) prove({ copies: solution.copies, locals: locals - 1, globals: most.globals }, candidates);
  components.forEach(({ entities }, at) => {
    const { copies } = designs[at]!;
    if (copies > 0) prove({ copies: copies - 1, ...most }, [...entities.map((name) => [name]), entities]);
  });
  return claims;
}

interface RefutedRoom {
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
}

/** Tries all distributions of some entities' patterns. Patterns that read other entities as well count for their part. */
class Refuter {
  readonly #facts: ModelFacts;
  readonly #entities: readonly string[];
  readonly #prices: Prices;
  readonly #patterns: readonly ReadPattern[];
  readonly #held = new Map<string, boolean>();

  constructor(facts: ModelFacts, entities: readonly string[], prices: Prices) {
    this.#facts = facts;
    this.#entities = entities;
    this.#prices = prices;
    this.#patterns = facts.model.reads
      .filter((read) => read.entities.some((name) => entities.includes(name)))
      .map((read) => ({ ...read, entities: read.entities.filter((name) => entities.includes(name)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  refute(room: RefutedRoom): Proof | undefined {
    return this.#clique(room) ?? this.#tree(room);
  }

  /** Patterns that pairwise share neither the table nor an index. */
  #clique(room: RefutedRoom): Proof | undefined {
    if (room.copies > 0 || room.locals > 0) return undefined;
    const patterns = this.#patterns;
    const apart = patterns.map((one) =>
      patterns.map(
        (other) =>
          one !== other &&
          !this.#holds('table', [one, other], room) &&
          !this.#holds('global', [one, other], room),
      ),
    );
    const outside = patterns.map((one) => !this.#holds('table', [one], room));
    for (const inTable of [1, 0] as const) {
      const allowed = patterns.map((_, at) => at).filter((at) => inTable === 1 || outside[at]);
      const enough = room.globals + inTable + 1;
      const clique = largestClique(allowed, apart).slice(0, enough);
      if (clique.length === enough) {
        return { kind: 'clique', patterns: clique.map((at) => patterns[at]!.name), inTable };
      }
    }
    return undefined;
  }

  #tree(room: RefutedRoom): Proof | undefined {
    const order = [...this.#patterns].sort(
      (a, b) => Number(b.consistency === 'strong') - Number(a.consistency === 'strong'),
    );
    const slots: ReadPattern[][] = Array.from({ length: Math.min(room.globals, order.length) + 1 }, () => []);
    let nodes = 0;
    const visit = (at: number): RefutationNode | undefined => {
      const pattern = order[at];
      if (pattern === undefined || ++nodes > nodesMax) return undefined;
      const branches: RefutationNode[] = [];
      for (const [slot, patterns] of slots.entries()) {
        if (slot > 1 && slots[slot - 1]!.length === 0) break;
        const together = [...patterns, pattern];
        if (!this.#holds(slot === 0 ? 'table' : 'global', together, room)) {
          branches.push({ full: slot, patterns: together.map(({ name }) => name) });
          continue;
        }
        patterns.push(pattern);
        const below = visit(at + 1);
        patterns.pop();
        if (below === undefined) return undefined;
        branches.push(below);
      }
      return { branches };
    };
    const root = visit(0);
    return root === undefined ? undefined : { kind: 'tree', order: order.map(({ name }) => name), root };
  }

  /** Whether the table with its copies and local indexes, or one global index, can answer all the patterns. */
  #holds(where: 'table' | 'global', patterns: readonly ReadPattern[], room: RefutedRoom): boolean {
    const key = `${where} ${patterns
      .map(({ name }) => name)
      .sort()
      .join()}`;
    let held = this.#held.get(key);
    if (held === undefined) {
      held = this.#canHold(where, patterns, room);
      this.#held.set(key, held);
    }
    return held;
  }

  #canHold(where: 'table' | 'global', patterns: readonly ReadPattern[], room: RefutedRoom): boolean {
    const model: Model = { ...this.#facts.model, reads: patterns };
    const facts = new ModelFacts(model);
    const evaluators = new Map(
      this.#entities.map((name) => [
        name,
        new BlockEvaluator(entityProblem(facts, facts.entity(name)), this.#prices, false),
      ]),
    );
    const touched = this.#entities.filter((name) => patterns.some(({ entities }) => entities.includes(name)));
    const aggregates = patterns.filter(({ entities }) => entities.length > 1);
    return componentsOf(touched, aggregates).every(({ entities, aggregates: own }) => {
      const kind = where === 'table' ? 'base' : 'global';
      if (own.length === 0) {
        return entities.every((name) =>
          where === 'table'
            ? holdsInTable(evaluators.get(name)!, room)
            : holdsInOne(evaluators.get(name)!, kind),
        );
      }
      // Copies and local indexes beside an aggregate are not refuted here.
      if (where === 'table' && (room.copies > 0 || room.locals > 0)) return true;
      return familyChoices(evaluators, entities, own, kind, undefined, true).some(({ layouts }) =>
        entities.every((name) => holdsInOne(evaluators.get(name)!, kind, layouts.get(name))),
      );
    });
  }
}

/** Whether one slot can hold all patterns of an entity, each in one of its variants. */
function holdsInOne(
  evaluator: BlockEvaluator,
  kind: SlotKind,
  family?: FamilyLayout,
  partition?: number,
): boolean {
  const { needs } = evaluator.problem;
  if (kind === 'global' && needs.some(({ strong }) => strong)) return false;
  const visit = (at: number, chosen: readonly number[]): boolean => {
    const need = needs[at];
    const variants = chosen.map((id) => evaluator.problem.variants[id]!);
    const fixed = partition ?? family?.partition;
    if (evaluator.layouts(kind, variants, fixed, family).next().done) return false;
    return need === undefined || need.variants.some(({ id }) => visit(at + 1, [...chosen, id]));
  };
  return visit(0, []);
}

/** Whether the table, with so many copies and local indexes, can hold all patterns of an entity. */
function holdsInTable(evaluator: BlockEvaluator, room: RefutedRoom): boolean {
  const { problem } = evaluator;
  if (room.copies === 0 && room.locals === 0) return holdsInOne(evaluator, 'base');
  const needs = [...problem.needs].sort((a, b) => Number(b.strong) - Number(a.strong));
  const holds = (partition: number | undefined): boolean => {
    const blocks: { readonly kind: SlotKind; ids: number[] }[] = [{ kind: 'base', ids: [] }];
    const fits = ({ kind, ids }: { kind: SlotKind; ids: readonly number[] }) => {
      const variants = ids.map((id) => problem.variants[id]!);
      return !evaluator.layouts(kind, variants, kind === 'copy' ? undefined : partition, undefined).next()
        .done;
    };
    const countOf = (kind: SlotKind) => blocks.filter((block) => block.kind === kind).length;
    const visit = (at: number): boolean => {
      const need = needs[at];
      if (need === undefined) return true;
      return need.variants.some(({ id }) => {
        for (const block of blocks) {
          block.ids.push(id);
          if (fits(block) && visit(at + 1)) return true;
          block.ids.pop();
        }
        for (const kind of ['local', 'copy'] as const) {
          if (countOf(kind) >= (kind === 'copy' ? room.copies : room.locals)) continue;
          if (kind === 'copy' && !need.strong) continue;
          blocks.push({ kind, ids: [id] });
          if (fits(blocks.at(-1)!) && visit(at + 1)) return true;
          blocks.pop();
        }
        return false;
      });
    };
    return fits(blocks[0]!) && visit(0);
  };
  return room.locals === 0 ? holds(undefined) : subsetsOf(problem.baseAllowed).some(holds);
}

function largestClique(nodes: readonly number[], apart: readonly (readonly boolean[])[]): number[] {
  let best: number[] = [];
  const grow = (clique: readonly number[], candidates: readonly number[]) => {
    if (clique.length > best.length) best = [...clique];
    candidates.forEach((node, at) => {
      if (clique.length + candidates.length - at <= best.length) return;
      grow(
        [...clique, node],
        candidates.slice(at + 1).filter((other) => apart[node]![other]),
      );
    });
  };
  grow([], nodes);
  return best;
}
