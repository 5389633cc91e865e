import { tableLimits } from '../../model/limits.ts';
import type { Entity, ReadPattern } from '../ir.ts';
import type { ModelFacts } from '../model-facts.ts';
import type { Prices } from '../prices.ts';
import { BlockEvaluator } from './block-evaluator.ts';
import { type Component, type ComponentDesign, ComponentSearch, componentsOf } from './component-search.ts';
import { Effort } from './effort.ts';
import { type EntityProblem, entityProblem } from './entity-problem.ts';

/** What the search found for one table: slots first, then the price. */
export interface TableSolution {
  readonly components: readonly Component[];
  readonly designs: readonly ComponentDesign[];
  readonly copies: number;
  readonly locals: number;
  readonly globals: number;
  readonly cost: number;
  /** The least price for each number of global indexes from the minimum up, as long as it falls. */
  readonly frontier: readonly { readonly globals: number; readonly cost: number }[];
  /** Every search ended by itself. */
  readonly proved: boolean;
  readonly problems: ReadonlyMap<string, EntityProblem>;
  readonly evaluators: ReadonlyMap<string, BlockEvaluator>;
}

/** A component that no design serves, or, with `cut`, for which none was found before the effort was spent. */
export interface Unsolved {
  readonly unsolved: Component;
  readonly cut: boolean;
}

const copiesMax = 3;
/** More indexes than this beyond the minimum are not priced. */
const frontierSteps = 3;

/**
 * Finds the design of one table: fewest copies, then fewest local indexes, then fewest global ones, then the least
 * price. Copies and local indexes come first because they exist only where strong reads leave no other way.
 */
export function searchTable(
  facts: ModelFacts,
  entities: readonly Entity[],
  prices: Prices,
  effort = new Effort(),
): TableSolution | Unsolved {
  const slots = fewestSlots(facts, entities, prices, effort);
  if ('unsolved' in slots) return slots;
  const { components, problems, searchesWith, copies, locals, globals, found } = slots;
  const { search, evaluators } = searchesWith(locals > 0);
  const designsFor = (count: number) =>
    components.map((_, at) => search(at, { copiesMax: copies[at]!, locals, globals: count }, false));
  const costOf = (designs: readonly ComponentDesign[]) => designs.reduce((sum, { cost }) => sum + cost, 0);
  // A search that was cut short may end without any design; then the one that showed the room to be enough stands.
  const designs = designsFor(globals).map((design, at) => design ?? found[at]!);
  const frontier = [{ globals, cost: costOf(designs) }];
  for (let count = globals + 1; count <= Math.min(globals + frontierSteps, globalsMax); count++) {
    const more = designsFor(count).map((design, at) => design ?? designs[at]!);
    if (costOf(more) >= frontier.at(-1)!.cost * (1 - 1e-9)) break;
    frontier.push({ globals: count, cost: costOf(more) });
  }
  return {
    components,
    designs,
    copies: designs.reduce((sum, one) => sum + one.copies, 0),
    locals,
    globals,
    cost: frontier[0]!.cost,
    frontier,
    proved: !effort.cut,
    problems,
    evaluators,
  };
}

const globalsMax = tableLimits.globalIndexesMax;

/** The room that the design of one table needs, without prices. */
export function fewestSlots(facts: ModelFacts, entities: readonly Entity[], prices: Prices, effort: Effort) {
  const names = entities.map(({ name }) => name).sort();
  const aggregates = facts.model.reads
    .filter((read) => read.entities.length > 1 && read.entities.every((name) => names.includes(name)))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const components = componentsOf(names, aggregates);
  const problems = new Map(names.map((name) => [name, entityProblem(facts, facts.entity(name))]));
  const searchesWith = searchers(components, problems, prices, effort);
  const unsolved = (component: Component): Unsolved => ({ unsolved: component, cut: effort.cut });
  const copies: number[] = [];
  let locals = 0;
  for (const [at, component] of components.entries()) {
    const least = leastCopiesAndLocals(searchesWith, at, patternsOf(facts, component).length);
    if (least === undefined) return unsolved(component);
    copies.push(least.copies);
    locals = Math.max(locals, least.locals);
  }
  // Another component's local indexes put this one under the 10 GB limit; then it may need more of them itself.
  const { search } = searchesWith(locals > 0);
  const found: ComponentDesign[] = [];
  let globals = 0;
  for (const [at, component] of components.entries()) {
    const room = { copiesMax: copies[at]!, locals };
    let design: ComponentDesign | undefined;
    for (let count = 0; count <= globalsMax && design === undefined; count++) {
      design = search(at, { ...room, globals: count }, true);
      if (design !== undefined) globals = Math.max(globals, count);
    }
    if (design === undefined) return unsolved(component);
    found.push(design);
  }
  return { components, problems, searchesWith, copies, locals, globals, found };
}

function searchers(
  components: readonly Component[],
  problems: ReadonlyMap<string, EntityProblem>,
  prices: Prices,
  effort: Effort,
) {
  const made = new Map<boolean, ReturnType<typeof make>>();
  const make = (tableHasLocals: boolean) => {
    const evaluators = new Map(
      [...problems].map(([name, problem]) => [
        name,
        new BlockEvaluator(problem, prices, tableHasLocals, effort),
      ]),
    );
    const searches = components.map((component) => new ComponentSearch(component, evaluators, effort));
    const search = (at: number, room: Parameters<ComponentSearch['search']>[0], anyDesign: boolean) =>
      searches[at]!.search(room, anyDesign);
    return { evaluators, search };
  };
  return (tableHasLocals: boolean) => {
    if (!made.has(tableHasLocals)) made.set(tableHasLocals, make(tableHasLocals));
    return made.get(tableHasLocals)!;
  };
}

function leastCopiesAndLocals(
  searchesWith: ReturnType<typeof searchers>,
  at: number,
  patterns: number,
): { copies: number; locals: number } | undefined {
  const globals = Math.min(patterns, globalsMax);
  // If even the most room is too little, the steps towards it need no look.
  const most = [0, tableLimits.localIndexesMax].some((locals) => {
    return searchesWith(locals > 0).search(at, { copiesMax, locals, globals }, true) !== undefined;
  });
  if (!most) return undefined;
  for (let copies = 0; copies <= copiesMax; copies++) {
    for (let locals = 0; locals <= tableLimits.localIndexesMax; locals++) {
      const { search } = searchesWith(locals > 0);
      if (search(at, { copiesMax: copies, locals, globals }, true) !== undefined) return { copies, locals };
    }
  }
  return undefined;
}

function patternsOf(facts: ModelFacts, { entities }: Component): ReadPattern[] {
  return facts.model.reads.filter((read) => read.entities.some((name) => entities.includes(name)));
}
