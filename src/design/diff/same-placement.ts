import type { Placement, Projection, TableDesign } from '../design.ts';

/** Whether two placements put an item under the same key in the same cases. */
export function samePlacement(a: Placement | undefined, b: Placement | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return JSON.stringify([a.partition, a.sort, a.when]) === JSON.stringify([b.partition, b.sort, b.when]);
}

export function basePlacement(table: TableDesign, entity: string): Placement | undefined {
  return table.placements.find(
    (one) => one.entity === entity && one.slot === 'table' && one.copy === undefined,
  );
}

export function copyPlacements(table: TableDesign, entity: string): Placement[] {
  return table.placements.filter((one) => one.entity === entity && one.copy !== undefined);
}

export function indexPlacements(table: TableDesign, entity: string): Placement[] {
  return table.placements.filter((one) => one.entity === entity && one.slot !== 'table');
}

export function placementIn(table: TableDesign, entity: string, slot: string): Placement | undefined {
  return indexPlacements(table, entity).find((one) => one.slot === slot);
}

/** Entities of both versions whose own item lies under another key. */
export function movedEntities(old: TableDesign, next: TableDesign): Set<string> {
  return new Set(
    next.entities.filter(
      (name) =>
        old.entities.includes(name) && !samePlacement(basePlacement(old, name), basePlacement(next, name)),
    ),
  );
}

/** Whether whatever is read from one projection can be read from the other. */
export function covers(projection: Projection, wanted: Projection): boolean {
  if (projection.type === 'ALL' || wanted.type === 'KEYS_ONLY') return true;
  if (wanted.type === 'ALL') return false;
  return projection.type === 'INCLUDE' && wanted.names.every((name) => projection.names.includes(name));
}
