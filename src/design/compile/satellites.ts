import type { Placement } from '../design.ts';
import { namesOfPredicate } from '../predicate-logic.ts';
import { Invariants } from './invariants.ts';
import { namesOfPiece } from './key-values.ts';
import type { PlacedEntity } from './placed-entity.ts';
import { Expressions } from './predicates.ts';
import type { ItemJson } from './requests.ts';
import type { Values } from './values.ts';
import type { Action, SeenItem } from './write-actions.ts';

/** The attributes that decide where an instance's copies and guards lie. */
export function satelliteInputs(placed: PlacedEntity): string[] {
  return [
    ...new Set([
      ...placed.unique.map(({ attribute }) => attribute),
      ...placed.copies.flatMap(namesOfPlacement),
    ]),
  ];
}

/** A condition that an item is still there, with attributes as they were read. */
export function unchangedCondition(
  where: string,
  placed: PlacedEntity,
  seen: SeenItem,
  names: readonly string[],
) {
  const expressions = new Expressions(where, placed.entity);
  const invariants = new Invariants(placed).exists('unchanged');
  const conditions = [
    `attribute_exists(${placed.table.partitionKey})`,
    ...names.map((name) => stillAsRead(expressions, invariants, seen, name)),
  ];
  return {
    members: { ConditionExpression: conditions.join(' AND '), ...expressions.members },
    told: { whyRefused: invariants.whyRefused },
  };
}

export function stillAsRead(
  expressions: Expressions,
  invariants: Invariants,
  seen: SeenItem,
  name: string,
): string {
  const alias = expressions.name(name);
  const value = seen.item[name];
  invariants.value('unchanged', name, seen.values[name]);
  return value === undefined ? `attribute_not_exists(${alias})` : `${alias} = ${expressions.json(value)}`;
}

/** Copies and guards that lie elsewhere after a change; those that stay are put by the caller or left alone. */
export function movedSatellites(
  where: string,
  placed: PlacedEntity,
  before: Values,
  after: Values,
): Action[] {
  const { partitionKey, sortKey } = placed.table;
  const keyOf = (item: ItemJson): ItemJson => ({
    [partitionKey]: item[partitionKey]!,
    [sortKey]: item[sortKey]!,
  });
  const kept = new Set(placed.copiesOf(where, after).map((item) => JSON.stringify(keyOf(item))));
  const gone = placed.copiesOf(where, before).filter((item) => !kept.has(JSON.stringify(keyOf(item))));
  const actions = gone.map((item): Action => ({ kind: 'Delete', members: { Key: keyOf(item) } }));
  for (const guard of placed.unique) {
    if (before[guard.attribute] === after[guard.attribute]) continue;
    const old = placed.guardOf(where, guard, before);
    const Item = placed.guardOf(where, guard, after);
    if (old !== undefined) actions.push({ kind: 'Delete', members: { Key: keyOf(old) } });
    if (Item !== undefined)
      actions.push({
        kind: 'Put',
        members: { Item, ConditionExpression: `attribute_not_exists(${partitionKey})` },
        whyRefused: new Invariants(placed).unique(guard.attribute, after[guard.attribute]).whyRefused,
      });
  }
  return actions;
}

export function namesOfPlacement({ partition, sort, when }: Placement): string[] {
  return [...new Set([...[...partition, ...sort].flatMap(namesOfPiece), ...when.flatMap(namesOfPredicate)])];
}
