import { exactSum, numberText } from '../exact-number.ts';
import type { ChangeStep, CountStep, CreateStep, Entity, Predicate, RemoveStep, RequireStep } from '../ir.ts';
import { namesOfPredicate } from '../predicate-logic.ts';
import { Invariants, type WhyRefused } from './invariants.ts';
import { attributeNamed } from './key-values.ts';
import { type PlacedEntity, shapeAttribute } from './placed-entity.ts';
import { Expressions, holds } from './predicates.ts';
import { type ItemJson, PatternError } from './requests.ts';
import {
  movedSatellites,
  namesOfPlacement,
  satelliteInputs,
  stillAsRead,
  unchangedCondition,
} from './satellites.ts';
import type { Value, Values } from './values.ts';

/** One action of a write, as TransactWriteItems takes it. Outside of a transaction it is the operation of the same name. */
export interface Action {
  readonly kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck';
  readonly members: Readonly<Record<string, unknown>>;
  /** Present if the action has a condition. */
  readonly whyRefused?: WhyRefused;
}

/** A number to be added instead of a value. */
export interface Addition {
  readonly add: number;
}

export type Argument = Value | Addition | undefined;
/** The values of a call, by attribute. */
export type Arguments = { readonly [attribute: string]: Argument };

export function isAddition(value: Argument): value is Addition {
  return typeof value === 'object' && value !== null && 'add' in value && typeof value.add === 'number';
}

/** What a step needs to be told of the stored item before its keys are known. */
export const needsItem = Symbol('needs the stored item');

export interface SeenItem {
  readonly item: ItemJson;
  /** Its values as they are stored. */
  readonly values: Values;
}

/** The stored item, if it was read: undefined says that it was not, null that there is none. */
export type Seen = SeenItem | null | undefined;

export function createActions(
  where: string,
  placed: PlacedEntity,
  step: CreateStep,
  given: Arguments,
  seen: Seen,
): Action[] | typeof needsItem {
  const { entity, table } = placed;
  const values: Record<string, Value | undefined> = { ...(given as Values) };
  for (const { attribute, value } of step.values) {
    if (values[attribute] !== undefined && values[attribute] !== value)
      throw new PatternError(where, `"${attribute}" of a new ${entity.name} is ${JSON.stringify(value)}`);
    values[attribute] = value;
  }
  if (entity.version !== undefined) values[entity.version] ??= 1;
  const guards = placed.unique;
  // What is replaced may have copies and guards under other values.
  const mayReplace = !step.once && guards.length + placed.copies.length > 0;
  if (mayReplace && seen === undefined) return needsItem;
  if (mayReplace && seen !== null) return replaceActions(where, placed, seen!, values);
  const absent = `attribute_not_exists(${table.partitionKey})`;
  const isNew = step.once || mayReplace;
  const puts: Action[] = [
    {
      kind: 'Put',
      members: { Item: placed.itemOf(where, values), ...(isNew ? { ConditionExpression: absent } : {}) },
      ...(isNew
        ? { whyRefused: new Invariants(placed).absent(step.once ? 'absent' : 'unchanged').whyRefused }
        : {}),
    },
    ...placed.copiesOf(where, values).map((Item): Action => ({ kind: 'Put', members: { Item } })),
  ];
  for (const guard of guards) {
    const Item = placed.guardOf(where, guard, values);
    if (Item !== undefined)
      puts.push({
        kind: 'Put',
        members: { Item, ConditionExpression: absent },
        whyRefused: new Invariants(placed).unique(guard.attribute, values[guard.attribute]).whyRefused,
      });
  }
  return puts;
}

/** Puts an item in place of one that was read, as long as its copies and guards are the ones that were read. */
function replaceActions(where: string, placed: PlacedEntity, seen: SeenItem, values: Values): Action[] {
  const unchanged = unchangedCondition(where, placed, seen, satelliteInputs(placed));
  return [
    { kind: 'Put', members: { Item: placed.itemOf(where, values), ...unchanged.members }, ...unchanged.told },
    ...placed.copiesOf(where, values).map((Item): Action => ({ kind: 'Put', members: { Item } })),
    ...movedSatellites(where, placed, seen.values, values),
  ];
}

/** Writes an item of an older schema version as what its upgrade makes of it. */
export function upgradeActions(where: string, placed: PlacedEntity, seen: SeenItem): Action[] {
  const values = placed.valuesFrom(seen.item, placed.base);
  const names = [shapeAttribute, ...placed.entity.attributes.map(({ name }) => name)];
  const unchanged = unchangedCondition(where, placed, seen, names);
  return [
    { kind: 'Put', members: { Item: placed.itemOf(where, values), ...unchanged.members }, ...unchanged.told },
    ...placed.copiesOf(where, values).map((Item): Action => ({ kind: 'Put', members: { Item } })),
    ...movedSatellites(where, placed, seen.values, values),
  ];
}

/** Refuses an item that must be upgraded before anything is demanded of it or changed in it. */
function demandShape(
  placed: PlacedEntity,
  expressions: Expressions,
  conditions: string[],
  invariants: Invariants,
): void {
  if (placed.upgradesTo === undefined) return;
  const wanted = expressions.json({ N: String(placed.upgradesTo) });
  conditions.push(`${expressions.name(shapeAttribute)} >= ${wanted}`);
  invariants.shape();
}

/** What a change does to attributes: a value, an addition, or null for a removal. */
type Changes = Record<string, Value | Addition>;

function changesOf(
  where: string,
  entity: Entity,
  step: ChangeStep | CountStep,
  given: Arguments,
  mayBeEmpty: boolean,
): Changes {
  if (step.kind === 'count') {
    const by = given[step.attribute];
    return { [step.attribute]: isAddition(by) ? by : { add: by === undefined ? 1 : Number(by) } };
  }
  const changes: Changes = {};
  for (const { attribute, value, removed } of step.sets) {
    const given_ = given[attribute];
    if (removed) changes[attribute] = null;
    else if (value !== undefined) changes[attribute] = value;
    else if (given_ !== undefined) changes[attribute] = given_ as Value | Addition;
  }
  if (Object.keys(changes).length === 0 && !mayBeEmpty)
    throw new PatternError(
      where,
      `it changes nothing: give ${step.sets.map((one) => `"${one.attribute}"`).join(' or ')}`,
    );
  for (const [name, value] of Object.entries(changes))
    if (value === null && attributeNamed(entity, name).optional !== true)
      throw new PatternError(where, `${entity.name} always has "${name}", which cannot be removed`);
  return changes;
}

/** The parts of an update to which others may be added. */
export interface UpdateParts {
  readonly expressions: Expressions;
  readonly conditions: string[];
  readonly sets: string[];
  readonly removes: string[];
  readonly invariants: Invariants;
}

/** What a write does to the entries inside of the item. */
export interface ChangesInside {
  addTo(parts: UpdateParts): void;
  /** The item's values with the entries as they are afterwards. */
  applyTo(values: Values): Values;
}

export function changeActions(
  where: string,
  placed: PlacedEntity,
  step: ChangeStep | CountStep,
  given: Arguments,
  seen: Seen,
  inside?: ChangesInside,
): Action[] | typeof needsItem {
  const { entity, table } = placed;
  const changes = changesOf(where, entity, step, given, inside !== undefined);
  const settled: Record<string, Value> = {};
  for (const name of Object.keys(changes)) placed.refuseCounter(where, name);
  for (const [name, value] of Object.entries(changes)) if (!isAddition(value)) settled[name] = value;
  const expressions = new Expressions(where, entity);
  const conditions = [`attribute_exists(${table.partitionKey})`];
  const when = step.kind === 'change' ? step.when : [];
  const invariants = new Invariants(placed).exists();
  demandShape(placed, expressions, conditions, invariants);
  // What was read as absent and is there now has copies and guards of which nothing is known.
  if (seen === null) {
    conditions.push(`attribute_not_exists(${table.partitionKey})`);
    invariants.absent('unchanged');
  }
  for (const predicate of when) {
    conditions.push(expressions.predicate(predicate));
    invariants.predicate('condition', predicate);
  }
  for (const predicate of transitions(where, entity, when, settled)) {
    conditions.push(expressions.predicate(predicate));
    invariants.predicate('state', predicate);
  }
  const isVersioned = step.kind === 'change' && step.checksVersion;
  if (isVersioned) {
    const version = given[entity.version!];
    if (typeof version !== 'number')
      throw new PatternError(where, `it needs the "${entity.version!}" that the caller has seen`);
    conditions.push(`${expressions.name(entity.version!)} = ${expressions.value(entity.version!, version)}`);
    invariants.version(entity.version!, version);
    settled[entity.version!] = version + 1;
    changes[entity.version!] = version + 1;
  } else if (step.kind === 'change' && entity.version !== undefined && Object.keys(changes).length > 0)
    changes[entity.version] ??= { add: 1 };
  const before = knownBefore(entity, given, changes, when, seen);
  const after = (names: readonly string[]): Values | typeof needsItem =>
    knownAfter(names, changes, settled, before, seen);

  const sets: string[] = [];
  const removes: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const alias = expressions.name(name);
    if (isAddition(value)) sets.push(`${alias} = ${sumOf(alias, value.add, expressions)}`);
    else if (value === null) removes.push(alias);
    else sets.push(`${alias} = ${expressions.value(name, value)}`);
  }
  inside?.addTo({ expressions, conditions, sets, removes, invariants });
  const used = new Set<string>();
  const changed = new Set(Object.keys(changes));
  // Two indexes may stand on the same attributes.
  const keysDone = new Set<string>();
  for (let at = 0; at < placed.indexes.length; at++) {
    if (!placed.carries(0, at)) continue;
    const { placement, index } = placed.indexes[at]!;
    const names = namesOfPlacement(placement);
    if (!names.some((name) => changed.has(name))) continue;
    const keys = index.kind === 'local' ? [index.sortKey] : [index.partitionKey, index.sortKey];
    const isOut = placement.when.some((one) => isSurelyFalse(one, changes, before));
    const values = isOut ? {} : after(names);
    if (values === needsItem) return needsItem;
    // Additions lead from what was read to the new key.
    const isRead = (name: string) => isAddition(changes[name]) || !(changed.has(name) || name in given);
    if (seen)
      for (const name of isOut ? placement.when.flatMap(namesOfPredicate) : names)
        if (isRead(name)) used.add(name);
    const entry = isOut ? undefined : placed.entryKeys(where, values, at);
    for (const name of keys) {
      if (keysDone.has(name)) continue;
      keysDone.add(name);
      const key = entry?.[name];
      if (key === undefined) removes.push(name);
      else sets.push(`${name} = ${expressions.json(key)}`);
    }
  }
  const others = satelliteChanges(where, placed, changes, before, seen, inside);
  if (others === needsItem) return needsItem;
  // Copies and guards that stay away, or as they are, do so for the values that were read.
  const moves = placed.copies.length > 0 || placed.unique.some(({ attribute }) => changed.has(attribute));
  if (seen && moves) for (const name of satelliteInputs(placed)) used.add(name);
  // Nobody may have changed what the new keys were made from: what was read, or what the caller believes.
  const stable = new Set([...entity.identity, ...entity.fixed]);
  for (const [name, value] of Object.entries(given)) {
    if (stable.has(name) || changed.has(name) || isAddition(value) || value === undefined || value === null)
      continue;
    if (!entity.attributes.some((one) => one.name === name)) continue;
    conditions.push(`${expressions.name(name)} = ${expressions.value(name, value)}`);
    invariants.value('expected', name, value);
  }
  if (seen) {
    for (const name of others.length > 0 ? entity.attributes.map((one) => one.name) : used)
      if (!stable.has(name)) conditions.push(stillAsRead(expressions, invariants, seen, name));
  }
  const update: Action = {
    kind: 'Update',
    members: {
      Key: placed.knownKey(where, before),
      UpdateExpression: [
        ...(sets.length === 0 ? [] : [`SET ${sets.join(', ')}`]),
        ...(removes.length === 0 ? [] : [`REMOVE ${removes.join(', ')}`]),
      ].join(' '),
      ConditionExpression: conditions.join(' AND '),
      ...expressions.members,
    },
    whyRefused: invariants.whyRefused,
  };
  return [update, ...others];
}

/** A number that may not be there yet counts from zero. */
export function sumOf(alias: string, by: number, expressions: Expressions): string {
  const zero = expressions.json({ N: '0' });
  return `if_not_exists(${alias}, ${zero}) + ${expressions.json({ N: numberText(by) })}`;
}

/** Only states from which the entity allows the new one. */
export function transitions(
  where: string,
  { states, name }: Entity,
  when: readonly Predicate[],
  settled: Values,
): Predicate[] {
  if (states === undefined) return [];
  const to = settled[states.attribute];
  if (to === undefined) return [];
  const from = Object.keys(states.transitions).filter((state) =>
    states.transitions[state]!.includes(String(to)),
  );
  if (from.length === 0) throw new PatternError(where, `no state of ${name} leads to ${String(to)}`);
  const isStated = when.some(
    (one) =>
      (one.kind === 'equals' && one.attribute === states.attribute && from.includes(String(one.value))) ||
      (one.kind === 'among' &&
        one.attribute === states.attribute &&
        one.values.every((value) => from.includes(value))),
  );
  return isStated ? [] : [{ kind: 'among', attribute: states.attribute, values: from }];
}

/** What is known of the item before the change: what the caller gives, what conditions demand, what was read. */
function knownBefore(
  entity: Entity,
  given: Arguments,
  changes: Changes,
  when: readonly Predicate[],
  seen: Seen,
): Record<string, Value> {
  const known: Record<string, Value> = { ...(seen?.values as Record<string, Value> | undefined) };
  for (const { name } of entity.attributes) {
    const value = given[name];
    if (value !== undefined && !isAddition(value) && !(name in changes)) known[name] = value;
  }
  for (const one of when) if (one.kind === 'equals') known[one.attribute] ??= one.value;
  return known;
}

/** The named attributes after the change, or that the item must be read for them. */
function knownAfter(
  names: readonly string[],
  changes: Changes,
  settled: Readonly<Record<string, Value>>,
  before: Values,
  seen: Seen,
): Values | typeof needsItem {
  const values: Record<string, Value> = {};
  for (const name of names) {
    const change = changes[name];
    if (change === null) continue;
    if (isAddition(change)) {
      if (seen === undefined) return needsItem;
      values[name] = exactSum(before[name] ?? 0, change.add);
    } else if (name in settled) values[name] = settled[name]!;
    else if (before[name] !== undefined) values[name] = before[name]!;
    else if (seen === undefined) return needsItem;
  }
  return values;
}

/** Whether an item cannot be in the slot after the change, whatever else it holds. */
function isSurelyFalse(predicate: Predicate, changes: Changes, before: Values): boolean {
  const names = namesOfPredicate(predicate);
  const values: Record<string, Value> = {};
  for (const name of names) {
    const change = changes[name];
    if (isAddition(change)) return false;
    if (change === undefined && before[name] === undefined) return false;
    const value = change === undefined ? before[name]! : change;
    if (value !== null) values[name] = value;
  }
  return !holds(predicate, values);
}

/** Copies are changed together with their item; guards follow unique values. */
function satelliteChanges(
  where: string,
  placed: PlacedEntity,
  changes: Changes,
  before: Values,
  seen: Seen,
  inside: ChangesInside | undefined,
): Action[] | typeof needsItem {
  const guarded = placed.unique.some(({ attribute }) => attribute in changes);
  if (placed.copies.length === 0 && !guarded) return [];
  if (seen === undefined) return needsItem;
  if (seen === null) return [];
  const after: Record<string, Value | undefined> = { ...(inside?.applyTo(seen.values) ?? seen.values) };
  for (const [name, change] of Object.entries(changes)) {
    if (isAddition(change)) after[name] = exactSum(before[name] ?? 0, change.add);
    else after[name] = change === null ? undefined : change;
  }
  const copies = placed.copiesOf(where, after).map((Item): Action => ({ kind: 'Put', members: { Item } }));
  return [...copies, ...movedSatellites(where, placed, seen.values, after)];
}

export function removeActions(
  where: string,
  placed: PlacedEntity,
  step: RemoveStep,
  given: Arguments,
  seen: Seen,
): Action[] | typeof needsItem {
  const { entity, table } = placed;
  const hasSatellites = placed.copies.length + placed.unique.length > 0;
  if (hasSatellites && seen === undefined) return needsItem;
  const values = { ...(given as Values), ...seen?.values };
  const expressions = new Expressions(where, entity);
  const conditions: string[] = [];
  const invariants = new Invariants(placed);
  if (step.when.length > 0) demandShape(placed, expressions, conditions, invariants);
  for (const one of step.when) {
    conditions.push(expressions.predicate(one));
    invariants.predicate('condition', one);
  }
  // The copies and guards that go with it must be the ones that were read.
  if (hasSatellites && seen === null) {
    conditions.push(`attribute_not_exists(${table.partitionKey})`);
    invariants.absent('unchanged');
  } else if (hasSatellites)
    for (const name of satelliteInputs(placed))
      conditions.push(stillAsRead(expressions, invariants, seen!, name));
  const remove: Action = {
    kind: 'Delete',
    members: {
      Key: placed.knownKey(where, values),
      ...(conditions.length === 0
        ? {}
        : { ConditionExpression: conditions.join(' AND '), ...expressions.members }),
    },
    ...(conditions.length === 0 ? {} : { whyRefused: invariants.whyRefused }),
  };
  if (!hasSatellites || seen === null) return [remove];
  const { partitionKey, sortKey } = table;
  const items = [...placed.copiesOf(where, values), ...placed.guardsOf(where, values)];
  return [
    remove,
    ...items.map(
      (item): Action => ({
        kind: 'Delete',
        members: { Key: { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! } },
      }),
    ),
  ];
}

export function requireAction(
  where: string,
  placed: PlacedEntity,
  step: RequireStep,
  given: Arguments,
  inside?: ChangesInside,
): Action {
  const expressions = new Expressions(where, placed.entity);
  const conditions = [`attribute_exists(${placed.table.partitionKey})`];
  const invariants = new Invariants(placed).exists();
  if (step.when.length > 0) demandShape(placed, expressions, conditions, invariants);
  for (const one of step.when) {
    conditions.push(expressions.predicate(one));
    invariants.predicate('condition', one);
  }
  inside?.addTo({ expressions, conditions, sets: [], removes: [], invariants });
  return {
    kind: 'ConditionCheck',
    members: {
      Key: placed.knownKey(where, given as Values),
      ConditionExpression: conditions.join(' AND '),
      ...expressions.members,
    },
    whyRefused: invariants.whyRefused,
  };
}
