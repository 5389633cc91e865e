import { itemLimits } from '../../model/limits.ts';
import { checkModel } from '../check-model.ts';
import {
  type Design,
  designFormat,
  type IndexDesign,
  type Placement,
  type Plan,
  type TableDesign,
} from '../design.ts';
import type { Entity, HandIndex, Model } from '../ir.ts';
import { ModelError, type Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { listPrices, type Prices } from '../prices.ts';
import { certify } from './certify.ts';
import { handTable } from './hand-keys.ts';
import { labelSlots } from './label-slots.ts';
import { indexReason, placementReason, planReason } from './reasons.ts';
import { refusal } from './refuse.ts';
import {
  attributeKeysOf,
  callsOf,
  type LabelledBlock,
  partitionPieces,
  planFor,
  projectionOf,
  sortPieces,
} from './render.ts';
import { hotItemTroubles, satellitesOf, sizeTroubles } from './satellites.ts';
import { searchTable, type TableSolution } from './table-search.ts';

export interface DeriveOptions {
  readonly prices?: Prices;
  /** An earlier design of the model: placements keep their slots where they can. */
  readonly previous?: Design;
  /** Judges nothing by hand: patterns that hand-made keys do not serve get no plan. For checks, which say why. */
  readonly unjudged?: boolean;
}

/**
 * Derives the tables of a model: the fewest copies, local and global indexes that answer every pattern by one bounded
 * plan, and of those designs the cheapest. The same model gives the same design, however its entities and patterns are
 * listed. Throws a ModelError that names the pattern, the rule and the smallest relaxation if there is no design.
 */
export function derive(model: Model, options: DeriveOptions = {}): Design {
  checkModel(model);
  const prices = options.prices ?? listPrices;
  const facts = new ModelFacts(model);
  const early = [
    ...hotItemTroubles(facts),
    ...sizeTroubles(model, itemLimits.itemBytesMax, (entity) => facts.itemBytesMax(entity)),
    ...apartTroubles(facts),
  ];
  if (early.length > 0 && !options.unjudged) throw new ModelError(model.name, early);
  const byTable = new Map<string, Entity[]>();
  for (const entity of model.entities) {
    const name = entity.table ?? model.name;
    byTable.set(name, [...(byTable.get(name) ?? []), entity]);
  }
  const tables = [...byTable.keys()]
    .sort()
    .map((name) => deriveTable(facts, name, byTable.get(name)!, prices, options));
  return {
    format: designFormat,
    model: model.name,
    tables,
    monthly: tables.reduce((sum, { monthly }) => sum + monthly, 0),
  };
}

/** An aggregate is one query, so its entities share a table, and are keyed by hand or derived together. */
function apartTroubles(facts: ModelFacts): Trouble[] {
  return facts.model.reads.flatMap(({ name, entities }): Trouble[] => {
    const members = entities.map((one) => facts.entity(one));
    if (new Set(members.map(({ table }) => table)).size > 1) {
      return [
        {
          where: `read ${name}`,
          rule: 'tables apart',
          message: `${entities.join(', ')} are in different tables, and a query reads one`,
        },
      ];
    }
    if (new Set(members.map(({ keys }) => keys === undefined)).size > 1) {
      return [
        {
          where: `read ${name}`,
          rule: 'keys',
          message: `${entities.join(', ')} are partly keyed by hand`,
          fix: 'Key all of them by hand, or none.',
        },
      ];
    }
    return [];
  });
}

function deriveTable(
  facts: ModelFacts,
  name: string,
  entities: readonly Entity[],
  prices: Prices,
  { previous, unjudged }: DeriveOptions,
): TableDesign {
  const derived = entities.filter(({ keys }) => keys === undefined);
  const solution = searchTable(facts, derived, prices);
  if ('unsolved' in solution)
    throw new ModelError(facts.model.name, refusal(facts.model, solution.unsolved, prices));
  const blocks = labelSlots(solution, name, previous);
  const placements = blocks.map((block) => placementOf(block, solution));
  const hand = handTable(facts, entities);
  if (hand.troubles.length > 0 && !unjudged) throw new ModelError(facts.model.name, hand.troubles);
  const all = [...placements, ...hand.placements].sort(byEntityAndSlot);
  const slots = [...new Set([...blocks.map(({ slot }) => slot), ...hand.placements.map(({ slot }) => slot)])]
    .filter((slot) => slot !== 'table')
    .sort();
  const indexes = slots.map((slot) => indexOf(slot, blocks, all, hand.indexes.get(slot)));
  const plans = [...plansOf(facts, blocks, solution), ...hand.plans].sort((a, b) =>
    a.pattern < b.pattern ? -1 : 1,
  );
  const satellites = satellitesOf(
    facts,
    entities.map((one) => one.name),
    prices,
  );
  const extra = satellites.reduce((sum, { monthly }) => sum + monthly, 0);
  return {
    name,
    entities: entities.map((one) => one.name).sort(),
    partitionKey: 'PK',
    sortKey: 'SK',
    indexes,
    placements: all,
    satellites,
    plans,
    monthly: solution.cost + extra,
    frontier: solution.frontier.map(({ globals, cost }) => ({
      globalIndexes: globals,
      monthly: cost + extra,
    })),
    certificate: certify(facts, solution, prices),
    proved: solution.proved,
  };
}

function byEntityAndSlot(a: Placement, b: Placement): number {
  const key = ({ entity, slot, copy }: Placement) => `${entity} ${slot === 'table' ? '' : slot} ${copy ?? 0}`;
  return key(a) < key(b) ? -1 : 1;
}

function placementOf(block: LabelledBlock, solution: TableSolution): Placement {
  const { problem, block: found, slot, copy, family } = block;
  const { projected, shards, total } = found.cost;
  return {
    entity: problem.entity.name,
    slot,
    ...(copy === undefined ? {} : { copy }),
    partition: partitionPieces(block, solution.problems),
    sort: sortPieces(block),
    when: problem.atoms
      .filter((_, at) => (found.layout.predicate >> at) & 1)
      .map(({ predicate }) => predicate),
    shards,
    ...(family === undefined ? {} : { family: family.members }),
    ...(projected === undefined ? {} : { needs: projected }),
    serves: found.variants.map(({ pattern }) => pattern.name),
    monthly: total,
    reason: placementReason(block),
  };
}

function indexOf(
  slot: string,
  blocks: readonly LabelledBlock[],
  placements: readonly Placement[],
  byHand: HandIndex | undefined,
): IndexDesign {
  const own = blocks.filter((block) => block.slot === slot);
  const kind = byHand?.kind ?? (own.some(({ block }) => block.kind === 'local') ? 'local' : 'global');
  const keys = attributeKeysOf(
    slot,
    placements.filter((one) => one.slot === slot),
  );
  return {
    name: slot,
    kind,
    partitionKey: kind === 'local' ? 'PK' : `${slot}PK`,
    sortKey: `${slot}SK`,
    projection: byHand === undefined ? projectionOf(own) : byHand.projection,
    ...(keys === undefined || kind === 'local' ? {} : { attributeKeys: keys }),
    reason: own.length === 0 ? 'The model gives this index by hand.' : indexReason(kind, own),
  };
}

function plansOf(facts: ModelFacts, blocks: readonly LabelledBlock[], solution: TableSolution): Plan[] {
  return facts.model.reads.flatMap((pattern): Plan[] => {
    const serving = pattern.entities.flatMap((name) =>
      blocks.filter(
        ({ problem, block }) =>
          problem.entity.name === name && block.variants.some((one) => one.pattern.name === pattern.name),
      ),
    );
    const [first] = serving;
    if (first === undefined) return [];
    const variant = first.block.variants.find((one) => one.pattern.name === pattern.name)!;
    const reason = planReason(pattern, first, callsOf(serving, variant));
    return [planFor(pattern, serving, variant, solution.problems, reason)];
  });
}
