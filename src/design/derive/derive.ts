import { itemLimits } from '../../model/limits.ts';
import type { Claim } from '../certificate/certificate.ts';
import { checkModel } from '../check-model.ts';
import {
  type Design,
  designFormat,
  type IndexDesign,
  type Placement,
  type Plan,
  type TableDesign,
} from '../design.ts';
import { embeddingOf, whyApart } from '../embed/embeddings.ts';
import { withEmbedded } from '../embed/stored-model.ts';
import type { Entity, HandIndex, Model } from '../ir.ts';
import { ModelError, type Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { listPrices, type Prices } from '../prices.ts';
import { certify } from './certify.ts';
import { handTable } from './hand-keys.ts';
import { heatClaims } from './heat-claims.ts';
import { labelSlots } from './label-slots.ts';
import { embeddingReason, indexReason, placementReason, planReason } from './reasons.ts';
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
import { hotItemTroubles, keySizeTroubles, satellitesOf, sizeTroubles } from './satellites.ts';
import { searchTable, type TableSolution } from './table-search.ts';

/** Options of `derive`: prices, and an earlier design whose names are kept. */
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
    ...keySizeTroubles(facts),
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
    .map((name) => bestTable(model, name, byTable.get(name)!, prices, options));
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

/** More children than these are not tried in every combination. */
const embeddedMax = 6;

/**
 * The best table over all ways to embed: fewest copies, local and global indexes, then the least price, then the fewest
 * embedded entities. Every combination is derived by itself, from the model as it would be stored.
 */
function bestTable(
  model: Model,
  name: string,
  entities: readonly Entity[],
  prices: Prices,
  options: DeriveOptions,
): TableDesign {
  const all = entities
    .filter(({ mayEmbed }) => mayEmbed !== undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const kept = all.flatMap((entity) => {
    const why = whyApart(model, entity);
    return why === undefined
      ? []
      : [{ entity: entity.name, reason: `${entity.name} keeps items of its own: ${why}.` }];
  });
  const possible = all.filter((entity) => !kept.some((one) => one.entity === entity.name));
  const tried = possible.slice(0, embeddedMax);
  const found: { readonly table: TableDesign; readonly chosen: readonly Entity[] }[] = [];
  let refused: unknown;
  const impossible: string[][] = [];
  for (let mask = 0; mask < 2 ** tried.length; mask++) {
    const chosen = tried.filter((_, at) => (mask >> at) & 1);
    const stored = withEmbedded(
      model,
      chosen.map((entity) => embeddingOf(model, entity)!),
    );
    const own = stored.entities.filter((one) => (one.table ?? stored.name) === name);
    try {
      const table = deriveTable(new ModelFacts(stored), name, own, prices, options);
      // A copy would have to be written again with everything inside.
      const isCopied = chosen.some(({ population }) =>
        table.placements.some(
          (one) => one.copy !== undefined && population.kind === 'per' && one.entity === population.entity,
        ),
      );
      if (!isCopied) found.push({ table, chosen });
      else impossible.push(chosen.map((entity) => entity.name));
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      refused ??= error;
      impossible.push(chosen.map((entity) => entity.name));
    }
  }
  const [best] = found.sort(
    (a, b) => compareRanks(rankOf(a.table), rankOf(b.table)) || a.chosen.length - b.chosen.length,
  );
  if (best === undefined) throw refused;
  const { table, chosen } = best;
  if (all.length === 0) return table;
  const apart = found.find((one) => one.chosen.length === 0)?.table;
  const embedded = chosen.map((entity) => ({
    ...embeddingOf(model, entity)!,
    reason: embeddingReason(entity, table, apart),
  }));
  const others = found.filter((one) => one !== best);
  return {
    ...table,
    ...(embedded.length === 0 ? {} : { embedded }),
    ...(kept.length === 0 ? {} : { apart: kept }),
    proved: table.proved && others.every((one) => one.table.proved) && possible.length <= embeddedMax,
    certificate: {
      ...table.certificate,
      ...(others.length === 0
        ? {}
        : {
            others: others.map((one) => ({
              embedded: one.chosen.map((entity) => entity.name),
              claims: one.table.certificate.claims,
            })),
          }),
      ...(impossible.length === 0 ? {} : { refused: impossible }),
    },
  };
}

/** What the search minimises, the most important first. */
function rankOf({ placements, indexes, monthly }: TableDesign): number[] {
  return [
    placements.filter(({ copy }) => copy !== undefined).length,
    indexes.filter(({ kind }) => kind === 'local').length,
    indexes.filter(({ kind }) => kind === 'global').length,
    monthly,
  ];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - b[at]!;
    if (Math.abs(difference) > 1e-9 * (1 + Math.abs(b[at]!))) return difference;
  }
  return 0;
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
  if ('unsolved' in solution) throw new ModelError(facts.model.name, refusal(facts.model, solution, prices));
  const blocks = labelSlots(solution, name, previous);
  const placements = blocks.map((block) => placementOf(block, solution));
  const hand = handTable(facts, entities);
  if (hand.troubles.length > 0 && !unjudged) throw new ModelError(facts.model.name, hand.troubles);
  const all = [...placements, ...hand.placements].sort(byEntityAndSlot);
  const slots = [...new Set([...blocks.map(({ slot }) => slot), ...hand.placements.map(({ slot }) => slot)])]
    .filter((slot) => slot !== 'table')
    .sort();
  const claims = certify(facts, solution, prices);
  const indexes = slots.map((slot) => indexOf(slot, blocks, all, claims, hand.indexes.get(slot)));
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
    certificate: { claims, heat: heatClaims(blocks, solution) },
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
  claims: readonly Claim[],
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
    reason: own.length === 0 ? 'The model gives this index by hand.' : indexReason(kind, own, claims),
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
