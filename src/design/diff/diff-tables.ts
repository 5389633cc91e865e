import type { Placement, TableDesign } from '../design.ts';
import { storedModel } from '../embed/stored-model.ts';
import type { Predicate } from '../ir.ts';
import { templateText } from '../key-pieces.ts';
import type { Trouble } from '../model-error.ts';
import { ModelFacts } from '../model-facts.ts';
import { canonical } from '../predicate-logic.ts';
import type { Change, EntityCleanup, EntityWork, MigrationPlan } from './migration-plan.ts';
import { movingCopy, phaseVersion } from './phase-version.ts';
import {
  basePlacement,
  copyPlacements,
  indexPlacements,
  movedEntities,
  placementIn,
  samePlacement,
} from './same-placement.ts';

/** What changes in a table that both versions have. */
export interface TableDiff {
  readonly table: string;
  /** Programs of the two versions write different items. */
  readonly differs: boolean;
  readonly createdIndexes: readonly string[];
  readonly deletedIndexes: readonly string[];
  readonly work: readonly EntityWork[];
  readonly cleanup: readonly EntityCleanup[];
  readonly changes: readonly Change[];
  readonly troubles: readonly Trouble[];
  readonly warnings: readonly string[];
}

export function diffTable(
  old: TableDesign,
  next: TableDesign,
  versions: Pick<MigrationPlan, 'from' | 'to'>,
): TableDiff {
  const changes: Change[] = [];
  const warnings: string[] = [];
  const createdIndexes = namesMissing(next, old);
  const deletedIndexes = namesMissing(old, next);
  for (const name of createdIndexes) {
    const { reason } = next.indexes.find((one) => one.name === name)!;
    changes.push({ change: 'added', what: 'index', name, additive: true, text: reason });
  }
  for (const name of deletedIndexes)
    changes.push({
      ...{ change: 'removed', what: 'index', name, additive: false },
      text: 'nothing reads it after the flip; deleted at the end',
    });
  const both = next.entities.filter((name) => old.entities.includes(name));
  const work = both.flatMap((entity) => workOf(entity, old, next, versions, changes));
  const cleanup = both.flatMap((entity) => cleanupOf(entity, next, versions));
  for (const counter of next.satellites.filter(({ kind }) => kind === 'counter')) {
    const before = old.satellites.find(
      ({ kind, entity, attribute }) =>
        kind === 'counter' && entity === counter.entity && attribute === counter.attribute,
    );
    const name = `${counter.entity}.${counter.attribute}`;
    if (before === undefined) {
      changes.push({
        change: 'added',
        what: 'counter',
        name,
        additive: true,
        text: `spread over ${counter.shards} items`,
      });
      const entity = versions.from.model.entities.find((one) => one.name === counter.entity);
      if (entity?.attributes.some((one) => one.name === counter.attribute))
        warnings.push(
          `The counter of ${name} begins at 0; what items counted so far stays in their own attribute. Add it once, when all writers use the counter.`,
        );
    } else if (before.shards !== counter.shards) {
      changes.push({
        change: 'changed',
        what: 'counter',
        name,
        additive: before.shards < counter.shards,
        text: `spread over ${before.shards} → ${counter.shards} items`,
      });
      warnings.push(
        before.shards < counter.shards
          ? `Programs of the old model do not see what newer ones count in the ${counter.shards - before.shards} new items of ${name}.`
          : `Readers of the new model do not see ${before.shards - counter.shards} of the items of ${name}; add their sum to one that stays.`,
      );
    }
  }
  return {
    table: next.name,
    differs: createdIndexes.length + deletedIndexes.length + work.length + cleanup.length > 0,
    ...{ createdIndexes, deletedIndexes, work, cleanup, changes, warnings },
    troubles: tableTroubles(old, next, createdIndexes.length),
  };
}

function namesMissing(a: TableDesign, b: TableDesign): string[] {
  return a.indexes.filter(({ name }) => !b.indexes.some((one) => one.name === name)).map(({ name }) => name);
}

function tableTroubles(old: TableDesign, next: TableDesign, created: number): Trouble[] {
  const where = `table ${next.name}`;
  const troubles: Trouble[] = [];
  if (old.partitionKey !== next.partitionKey || old.sortKey !== next.sortKey)
    troubles.push({
      where,
      rule: 'key attributes',
      message: `its keys are ${old.partitionKey} and ${old.sortKey} and would be ${next.partitionKey} and ${next.sortKey}, which the service cannot change`,
      fix: 'Export the table into a new one.',
    });
  const insideOf = ({ embedded = [] }: TableDesign, entity: string) =>
    embedded.find((one) => one.entity === entity)?.parent;
  const children = [...(old.embedded ?? []), ...(next.embedded ?? [])].map(({ entity }) => entity);
  for (const entity of new Set(children)) {
    const [before, after] = [insideOf(old, entity), insideOf(next, entity)];
    const isNew = (table: TableDesign) =>
      insideOf(table, entity) === undefined && !table.entities.includes(entity);
    if (before === after || isNew(old) || isNew(next)) continue;
    const place = (parent: string | undefined) =>
      parent === undefined ? 'items of its own' : `items of ${parent}`;
    troubles.push({
      where: `entity ${entity}`,
      rule: 'embedding',
      message: `it would move from ${place(before)} to ${place(after)}, which no single write of an item can do`,
      fix: 'Give the entity another name in the new model, and fill it by a program that reads the old one.',
    });
  }
  const globals = old.indexes.filter(({ kind }) => kind === 'global').length + created;
  if (globals > 20)
    troubles.push({
      where,
      rule: 'indexes',
      message: `${globals} global indexes would exist at the same time, and a table has 20 at most`,
      fix: 'Migrate in two parts, so that old indexes go before the last new ones come.',
    });
  return troubles;
}

function key({ partition, sort }: Placement): string {
  return `${templateText(partition)} / ${templateText(sort) || '#'}`;
}

function workOf(
  entity: string,
  old: TableDesign,
  next: TableDesign,
  versions: Pick<MigrationPlan, 'from' | 'to'>,
  changes: Change[],
): EntityWork[] {
  const [before, after] = [basePlacement(old, entity)!, basePlacement(next, entity)!];
  const moves = movedEntities(old, next).has(entity);
  if (moves)
    changes.push({
      ...{ change: 'changed', what: 'key', name: entity, additive: false },
      text: `${key(before)} → ${key(after)}`,
    });
  const table = phaseVersion(versions, 'dual-write').design.tables.find(({ name }) => name === next.name)!;
  const copies = copyPlacements(table, entity).filter(({ copy }) => copy! > 100);
  for (const one of copies)
    if (one.copy !== movingCopy)
      changes.push({
        change: 'added',
        what: 'copy',
        name: `${entity} ${one.mark}`,
        additive: true,
        text: `also under ${key(one)}`,
      });
  // What the old version has under the same attributes needs no write.
  const attributesOf = (tables: TableDesign, slot: string) => {
    const index = tables.indexes.find(({ name }) => name === slot)!;
    return `${index.partitionKey} ${index.sortKey}`;
  };
  const slots = indexPlacements(next, entity).filter((one) => {
    if (samePlacement(placementIn(old, entity, one.slot), one)) return false;
    const isThere = indexPlacements(old, entity).some(
      (earlier) =>
        samePlacement(earlier, one) && attributesOf(old, earlier.slot) === attributesOf(next, one.slot),
    );
    if (!old.indexes.some(({ name }) => name === one.slot)) return !isThere;
    changes.push({
      change: 'added',
      what: 'key',
      name: `${entity} in ${one.slot}`,
      additive: true,
      text: key(one),
    });
    return !isThere;
  });
  const guards = next.satellites.filter(
    (one) =>
      one.kind === 'unique' &&
      one.entity === entity &&
      !old.satellites.some(
        ({ kind, entity: of, attribute }) =>
          kind === 'unique' && of === entity && attribute === one.attribute,
      ),
  );
  for (const { attribute } of guards)
    changes.push({
      ...{ change: 'added', what: 'unique', name: `${entity}.${attribute}`, additive: false },
      text: 'values that several items have stop the backfill and are listed',
    });
  // Entries of an item that moves come with its new item.
  const inPlace = moves ? [] : slots;
  if (inPlace.length + copies.length + guards.length === 0) return [];
  const facts = new ModelFacts(storedModel(versions.to.model, versions.to.design));
  const known = facts.entity(entity);
  const isWhole = copies.length + guards.length > 0;
  const share = (when: readonly Predicate[]) =>
    when.reduce((product, predicate) => product * facts.holds(known, predicate), 1);
  const shares = [...inPlace, ...copies].map(({ when }) => share(when));
  const needs = [
    ...inPlace.map((one) => `key attributes of ${one.slot}${whenText(one)}`),
    ...copies.map(
      (one) => `${one.copy === movingCopy ? 'its item' : 'a copy'} under ${key(one)}${whenText(one)}`,
    ),
    ...guards.map(({ attribute }) => `a guard of "${attribute}"`),
  ];
  const condition = isWhole
    ? 'the old item still exists and the new one does not, or is as it was read'
    : `attribute_not_exists(${next.indexes.find(({ name }) => name === inPlace[0]!.slot)!.partitionKey}) or as it was read, and what the key is made of is unchanged`;
  return [
    {
      ...{ entity, moves, condition },
      slots: inPlace.map(({ slot }) => slot),
      copies: copies.map(({ copy }) => copy!),
      unique: guards.map(({ attribute }) => attribute),
      needs: needs.join('; '),
      items: Math.round(facts.total(known) * (guards.length > 0 ? 1 : Math.max(...shares))),
    },
  ];
}

function whenText({ when }: Placement): string {
  return when.length === 0 ? '' : ` while ${when.map(canonical).join(' and ')}`;
}

function cleanupOf(
  entity: string,
  next: TableDesign,
  versions: Pick<MigrationPlan, 'from' | 'to'>,
): EntityCleanup[] {
  const flipped = phaseVersion(versions, 'flipped').design.tables.find(({ name }) => name === next.name)!;
  return cleanupBetween(entity, flipped, next);
}

/** What a phase has of an entity and another design has not. */
export function cleanupBetween(entity: string, phase: TableDesign, kept: TableDesign): EntityCleanup[] {
  const keptCopies = [basePlacement(kept, entity), ...copyPlacements(kept, entity)];
  const own = [basePlacement(phase, entity)!, ...copyPlacements(phase, entity)];
  const copies = own
    .filter((one) => !keptCopies.some((other) => samePlacement(one, other)))
    .map(({ copy }) => copy ?? 0);
  const namesIn = (table: TableDesign, slots: readonly string[]) =>
    slots.flatMap((slot) => {
      const { kind, partitionKey, sortKey } = table.indexes.find(({ name }) => name === slot)!;
      return kind === 'local' ? [sortKey] : [partitionKey, sortKey];
    });
  const keptNames = new Set(
    namesIn(
      kept,
      indexPlacements(kept, entity).map(({ slot }) => slot),
    ),
  );
  // Items that go take their attributes along.
  const isCarried = ({ carriers = [0] }: Placement) => carriers.some((one) => !copies.includes(one));
  const slots = indexPlacements(phase, entity)
    .filter(isCarried)
    .map(({ slot }) => slot);
  const attributes = [...new Set(namesIn(phase, slots))].filter((name) => !keptNames.has(name));
  const unique = phase.satellites
    .filter(
      ({ kind, entity: of, attribute }) =>
        kind === 'unique' &&
        of === entity &&
        !kept.satellites.some((one) => one.kind === kind && one.entity === of && one.attribute === attribute),
    )
    .map(({ attribute }) => attribute);
  if (copies.length + attributes.length + unique.length === 0) return [];
  return [{ entity, attributes, copies, unique }];
}
