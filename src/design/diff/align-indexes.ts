import { mayMeet, segmentsOf } from '../certificate/serves.ts';
import type { IndexDesign, Placement, TableDesign } from '../design.ts';
import type { Trouble } from '../model-error.ts';
import { covers, movedEntities, placementIn, samePlacement } from './same-placement.ts';

export interface AlignedTable {
  readonly table: TableDesign;
  readonly troubles: readonly Trouble[];
}

/**
 * Gives the indexes of a new design the names that they get beside the old ones. An index that holds the same entries
 * keeps the old name; the service cannot change any other, so that it gets a name that is free. An index that only
 * projects more reads the attributes that the items have already: the service fills it alone.
 */
export function alignIndexes(old: TableDesign, next: TableDesign): AlignedTable {
  const moved = movedEntities(old, next);
  const troubles: Trouble[] = [];
  const pairs = next.indexes
    .flatMap((index) =>
      old.indexes.map((before) => ({ index, before, score: scoreOf(old, next, before, index, moved) })),
    )
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
  const matched = new Map<IndexDesign, IndexDesign>();
  const used = new Set<IndexDesign>();
  for (const { index, before } of pairs) {
    if (matched.has(index) || used.has(before)) continue;
    matched.set(index, before);
    used.add(before);
  }
  const taken = new Set(old.indexes.map(({ name }) => name));
  const renamed = new Map<string, IndexDesign>();
  for (const index of next.indexes) {
    const before = matched.get(index);
    if (before !== undefined && covers(before.projection, index.projection)) {
      renamed.set(index.name, {
        ...index,
        name: before.name,
        ...keysOf(before),
        projection: before.projection,
      });
      continue;
    }
    if (index.kind === 'local') {
      troubles.push({
        where: `table ${next.name}`,
        rule: 'local index',
        message: `local index ${index.name} would have to be added to a table that exists, which the service refuses`,
        fix: 'Declare the index as a global one, or export the table into a new one.',
      });
      renamed.set(index.name, index);
      continue;
    }
    const name = taken.has(index.name) ? freeName(taken) : index.name;
    taken.add(name);
    renamed.set(index.name, {
      ...index,
      name,
      ...(before === undefined ? { partitionKey: `${name}PK`, sortKey: `${name}SK` } : keysOf(before)),
    });
  }
  const slotOf = (slot: string) => renamed.get(slot)?.name ?? slot;
  return {
    table: {
      ...next,
      indexes: next.indexes.map(({ name }) => renamed.get(name)!),
      placements: next.placements.map((one) => ({ ...one, slot: slotOf(one.slot) })),
      plans: next.plans.map((one) => ({ ...one, slot: slotOf(one.slot) })),
    },
    troubles,
  };
}

function keysOf({ partitionKey, sortKey }: IndexDesign) {
  return { partitionKey, sortKey };
}

function freeName(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`GSI${number}`)) number++;
  return `GSI${number}`;
}

/** How many entities have the same entries in both indexes; 0 if the old index cannot stand for the new one. */
function scoreOf(
  old: TableDesign,
  next: TableDesign,
  before: IndexDesign,
  index: IndexDesign,
  moved: ReadonlySet<string>,
): number {
  if (before.kind !== index.kind) return 0;
  let score = 0;
  for (const placement of next.placements.filter(({ slot }) => slot === index.name)) {
    const { entity } = placement;
    // A moved instance has an item at its old and one at its new key; both in one index would be two entries.
    if (index.kind === 'global' && moved.has(entity)) return 0;
    const earlier = placementIn(old, entity, before.name);
    if (earlier === undefined) {
      if (meetsAny(placement, old, before.name)) return 0;
    } else if (samePlacement(earlier, placement)) score++;
    else return 0;
  }
  return score;
}

/** Whether entries of a placement could lie in a partition that readers of the old index read. */
function meetsAny(placement: Placement, old: TableDesign, slot: string): boolean {
  const partition = segmentsOf(placement.partition);
  return old.placements.some(
    (one) => one.slot === slot && mayMeet(partition, segmentsOf(one.partition), true),
  );
}
