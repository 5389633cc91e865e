import type { Design } from '../design.ts';
import { isSmallerText } from './block-evaluator.ts';
import type { FamilySlot } from './entity-search.ts';
import type { LabelledBlock } from './render.ts';
import type { TableSolution } from './table-search.ts';

/**
 * Gives every block of a solution its slot. Families have their numbers already; the other blocks of an entity may take
 * any index that the entity does not use yet. Blocks of an earlier design go first, and where they were; the others go
 * where they add the fewest names to the index's projection, because a projected name is stored for every entity in the
 * index.
 */
export function labelSlots(
  solution: TableSolution,
  table: string,
  previous: Design | undefined,
): LabelledBlock[] {
  const labelled: LabelledBlock[] = [];
  const projected = new Map<string, Set<string> | 'all'>();
  const before = previous?.tables.find(({ name }) => name === table)?.placements ?? [];
  const place = (block: LabelledBlock) => {
    labelled.push(block);
    const names = projected.get(block.slot);
    if (block.block.cost.projected === undefined) projected.set(block.slot, 'all');
    else if (names !== 'all')
      projected.set(block.slot, new Set([...(names ?? []), ...block.block.cost.projected]));
  };
  const waiting: Omit<LabelledBlock, 'slot'>[] = [];
  for (const { designs, families } of solution.designs) {
    for (const [name, { blocks }] of designs) {
      const problem = solution.problems.get(name)!;
      const familyOf = (tied: FamilySlot | undefined) =>
        tied &&
        families.find(
          ({ choice, slot }) =>
            slot === tied.slot && choice.kind === tied.kind && choice.members.includes(name),
        )?.choice;
      // The family that shares the table's partitions: the table's own, or that of a local index.
      const baseFamily =
        familyOf(blocks.find(({ block }) => block.kind === 'base')?.family) ??
        familyOf(blocks.find(({ block, family }) => block.kind === 'local' && family !== undefined)?.family);
      let copy = 0;
      for (const { block, family: tied } of blocks) {
        const family = familyOf(tied);
        const common = {
          problem,
          block,
          ...(family === undefined ? {} : { family }),
          ...(baseFamily === undefined || block.kind === 'global' || block.kind === 'copy'
            ? {}
            : { baseFamily }),
        };
        if (block.kind === 'base') place({ ...common, slot: 'table' });
        else if (block.kind === 'copy') place({ ...common, slot: 'table', copy: ++copy });
        else if (tied !== undefined) place({ ...common, slot: slotName(block.kind, tied.slot) });
        else waiting.push(common);
      }
    }
  }
  const earlierSlot = ({ problem, block }: Omit<LabelledBlock, 'slot'>): EarlierSlot => {
    const patterns = new Set(block.variants.map(({ pattern }) => pattern.name));
    let best: EarlierSlot = { slot: undefined, shared: 0 };
    for (const { entity, slot, serves } of before) {
      if (entity !== problem.entity.name || slot === 'table') continue;
      const both = serves.filter((name) => patterns.has(name)).length;
      const shared = both / (patterns.size + serves.length - both);
      if (shared > best.shared) best = { slot, shared };
    }
    return best;
  };
  const queue = waiting.map((one) => ({
    one,
    earlier: earlierSlot(one),
    text: `${one.problem.entity.name} ${one.block.text}`,
  }));
  queue.sort((a, b) => b.earlier.shared - a.earlier.shared || compareTexts(a.text, b.text));
  for (const { one, earlier } of queue) {
    const { problem, block } = one;
    const kind = block.kind as 'local' | 'global';
    const taken = labelled.filter((other) => other.problem === problem).map(({ slot }) => slot);
    const count = kind === 'local' ? solution.locals : solution.globals;
    const free = Array.from({ length: count }, (_, at) => slotName(kind, at)).filter(
      (slot) => !taken.includes(slot),
    );
    const costOf = (slot: string) => {
      if (slot === earlier.slot) return -1;
      const names = projected.get(slot);
      if (block.cost.projected === undefined) return names === 'all' ? 0 : 100;
      if (names === 'all') return 50;
      return block.cost.projected.filter((name) => !names?.has(name)).length;
    };
    const [slot] = free.sort((a, b) => costOf(a) - costOf(b) || compareTexts(a, b));
    place({ ...one, slot: slot! });
  }
  return labelled;
}

/** Where an earlier design answered the same patterns, and how many of all of them the two have in common. */
interface EarlierSlot {
  readonly slot: string | undefined;
  readonly shared: number;
}

function slotName(kind: 'local' | 'global' | string, at: number): string {
  return `${kind === 'local' ? 'LSI' : 'GSI'}${at + 1}`;
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : isSmallerText(a, b) ? -1 : 1;
}
