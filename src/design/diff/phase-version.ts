import type { Placement, Plan, TableDesign } from '../design.ts';
import type { Model, ReadPattern } from '../ir.ts';
import type { MigrationPlan, ModelVersion, Phase } from './migration-plan.ts';
import {
  basePlacement,
  copyPlacements,
  indexPlacements,
  movedEntities,
  placementIn,
  samePlacement,
} from './same-placement.ts';

/** The number of the item that an instance has under its other key while it moves. */
export const movingCopy = 200;
/** Copies of the version that readers do not use yet, or no longer, are counted from here. */
const otherCopies = 100;

/**
 * What programs of the new model read and write in a phase. It is a design as any other, in which what the other
 * version needs are further placements: an item under the key of the other version is a copy.
 */
export function phaseVersion({ from, to }: Pick<MigrationPlan, 'from' | 'to'>, phase: Phase): ModelVersion {
  if (phase === 'done') return to;
  const readsNew = phase === 'flipped';
  const patterns = new Map<string, { readonly pattern: ReadPattern; readonly plan: Plan }>();
  const tables = to.design.tables.map((next): TableDesign => {
    const old = from.design.tables.find(({ name }) => name === next.name);
    if (old === undefined) {
      for (const plan of next.plans)
        patterns.set(plan.pattern, { pattern: readNamed(to.model, plan.pattern)!, plan });
      return next;
    }
    const moved = movedEntities(old, next);
    const placements = next.entities.flatMap((entity) => placementsOf(entity, old, next, phase));
    const plans = next.plans.flatMap((plan): Plan[] => {
      const pattern = readNamed(to.model, plan.pattern)!;
      const chosen = readsNew ? { pattern, plan } : earlierPlan(from.model, to.model, old, next, moved, plan);
      if (chosen === undefined) return [];
      patterns.set(plan.pattern, chosen);
      return [chosen.plan];
    });
    const indexes = [
      ...next.indexes,
      ...old.indexes.filter(({ name }) => !next.indexes.some((one) => one.name === name)),
    ];
    const satellites =
      phase === 'before'
        ? [
            ...old.satellites.filter(({ entity }) => entity === undefined || next.entities.includes(entity)),
            ...next.satellites.filter(
              ({ entity, kind }) =>
                kind === 'counter' || (entity !== undefined && !old.entities.includes(entity)),
            ),
          ]
        : [
            ...next.satellites,
            ...old.satellites.filter(({ entity }) => entity === undefined || next.entities.includes(entity)),
          ];
    const seen = new Set<string>();
    return {
      ...next,
      indexes,
      placements,
      plans,
      satellites: satellites.filter(({ kind, entity, attribute }) => {
        const name = `${kind} ${entity} ${attribute}`;
        return !seen.has(name) && seen.add(name);
      }),
    };
  });
  return {
    model: { ...to.model, reads: to.model.reads.flatMap(({ name }) => patterns.get(name)?.pattern ?? []) },
    design: { ...to.design, tables },
  };
}

function readNamed({ reads }: Model, name: string): ReadPattern | undefined {
  return reads.find((one) => one.name === name);
}

/** Where the items and entries of an entity lie in a phase before the last. */
function placementsOf(entity: string, old: TableDesign, next: TableDesign, phase: Phase): Placement[] {
  const [before, after] = [basePlacement(old, entity), basePlacement(next, entity)!];
  if (before === undefined) return next.placements.filter((one) => one.entity === entity);
  const moves = !samePlacement(before, after);
  const [oldCopies, newCopies] = [copyPlacements(old, entity), copyPlacements(next, entity)];
  if (phase === 'before') return [before, ...oldCopies, ...indexPlacements(old, entity)];
  const readsNew = phase === 'flipped';
  const [own, ownCopies, other, otherItems] = readsNew
    ? [after, newCopies, before, oldCopies]
    : [before, oldCopies, after, newCopies];
  const further = otherItems
    .filter((one) => !ownCopies.some((kept) => samePlacement(kept, one)))
    .map((one): Placement => ({ ...one, copy: otherCopies + one.copy!, mark: one.copy! }));
  const moving: Placement[] = moves ? [{ ...other, copy: movingCopy, mark: 0 }] : [];
  return [own, ...ownCopies, ...further, ...moving, ...entriesOf(entity, old, next, moves, readsNew)];
}

function entriesOf(
  entity: string,
  old: TableDesign,
  next: TableDesign,
  moves: boolean,
  readsNew: boolean,
): Placement[] {
  const [own, other] = readsNew ? [next, old] : [old, next];
  const isKept = (slot: string) =>
    samePlacement(placementIn(old, entity, slot), placementIn(next, entity, slot));
  return [
    // An index that stays has local entries beside both items of an instance that moves.
    ...indexPlacements(own, entity).map((one) =>
      moves && isKept(one.slot) ? { ...one, carriers: [0, movingCopy] } : one,
    ),
    ...indexPlacements(other, entity)
      .filter((one) => !isKept(one.slot))
      .map((one) => (moves ? { ...one, carriers: [movingCopy] } : one)),
  ];
}

/** How a pattern is read before the flip: by its new plan if that needs nothing from the migration, else by its old one. */
function earlierPlan(
  oldModel: Model,
  newModel: Model,
  old: TableDesign,
  next: TableDesign,
  moved: ReadonlySet<string>,
  plan: Plan,
): { readonly pattern: ReadPattern; readonly plan: Plan } | undefined {
  const pattern = readNamed(newModel, plan.pattern)!;
  const ready = readyPlan(old, next, moved, plan);
  if (ready !== undefined) return { pattern, plan: ready };
  const before = readNamed(oldModel, plan.pattern);
  const earlier = old.plans.find((one) => one.pattern === plan.pattern);
  if (before === undefined || earlier === undefined) return undefined;
  const known = new Set([...next.entities, ...(next.embedded ?? []).map(({ entity }) => entity)]);
  // A caller of the new model must be able to give what the old plan asks for.
  const isAlike =
    before.result === pattern.result &&
    JSON.stringify([before.by, before.range]) === JSON.stringify([pattern.by, pattern.range]) &&
    before.entities.every((name) => known.has(name));
  return isAlike ? { pattern: before, plan: earlier } : undefined;
}

function readyPlan(
  old: TableDesign,
  next: TableDesign,
  moved: ReadonlySet<string>,
  plan: Plan,
): Plan | undefined {
  const { slot, copy, entities } = plan;
  if (slot !== 'table') {
    if (!old.indexes.some(({ name }) => name === slot)) return undefined;
    const isThere = (entity: string) =>
      !old.entities.includes(entity) ||
      samePlacement(placementIn(old, entity, slot), placementIn(next, entity, slot));
    return entities.every(isThere) ? plan : undefined;
  }
  if (copy === undefined) return entities.some((entity) => moved.has(entity)) ? undefined : plan;
  const [entity] = entities;
  const wanted = copyPlacements(next, entity!).find((one) => one.copy === copy);
  const kept = copyPlacements(old, entity!).find((one) => samePlacement(one, wanted));
  return kept === undefined ? undefined : { ...plan, copy: kept.copy! };
}
