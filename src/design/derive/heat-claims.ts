import { partitionCeilings } from '../../physics/partition-use.ts';
import type { HeatClaim, HeatLine } from '../certificate/certificate.ts';
import { namesOf } from './entity-problem.ts';
import { unitsPerAggregate } from './family-layouts.ts';
import type { LabelledBlock } from './render.ts';
import type { TableSolution } from './table-search.ts';

/** Writes down the heat of every placement as the search computed it. */
export function heatClaims(blocks: readonly LabelledBlock[], solution: TableSolution): HeatClaim[] {
  return blocks
    .map((labelled): HeatClaim => {
      const { problem, block, slot, copy } = labelled;
      const { pricer } = solution.evaluators.get(problem.entity.name)!;
      const { writes, reads } = pricer.heatLines(block.kind, block.layout, block.variants, block.cost);
      const all = [...reads, ...aggregateLines(labelled, solution)];
      const { headroom } = problem.facts.model.environment;
      return {
        entity: problem.entity.name,
        slot,
        ...(copy === undefined ? {} : { copy }),
        writes,
        reads: all,
        demand: { write: demandOf(writes), read: demandOf(all) },
        ceiling: { write: headroom * partitionCeilings.write, read: headroom * partitionCeilings.read },
        shards: block.cost.shards,
      };
    })
    .sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

/** An aggregate is one call, so it counts once: for the first of its entities. */
function aggregateLines({ problem, block, family }: LabelledBlock, solution: TableSolution): HeatLine[] {
  const { entity, facts } = problem;
  const own = (family?.aggregates ?? []).filter(({ entities }) => entities[0] === entity.name);
  return own.map((pattern) => {
    const pinned = new Set(pattern.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : [])));
    const names = namesOf(problem, block.layout.partition);
    return {
      pattern: pattern.name,
      units: unitsPerAggregate(solution.evaluators, block.kind, pattern, block.cost.shards),
      peak: pattern.rate.peak,
      share: facts.hottestShare(entity, names, pattern.skew, pinned, false),
    };
  });
}

function demandOf(lines: readonly HeatLine[]): number {
  return lines.reduce((sum, { units, peak, share }) => sum + units * peak * share, 0);
}

function textOf({ entity, slot, copy }: HeatClaim): string {
  return `${entity} ${slot === 'table' ? '' : slot} ${copy ?? 0}`;
}
