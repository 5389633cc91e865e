import type { EmbeddedEntity } from '../design.ts';
import type { Entity, WriteStep } from '../ir.ts';
import { delimiter } from '../key-pieces.ts';
import { attributeNamed, valueText } from './key-values.ts';
import { Expressions, holds } from './predicates.ts';
import { type ItemJson, PatternError } from './requests.ts';
import { toJson, type Value, type Values } from './values.ts';
import { type Arguments, isAddition, sumOf, transitions, type UpdateParts } from './write-actions.ts';

/** An entity whose instances are entries inside of its parent's items. */
export interface EntryKind {
  readonly entity: Entity;
  readonly parent: Entity;
  readonly embedded: EmbeddedEntity;
}

/** What a write does to one entry. */
export interface EntryChange {
  readonly kind: EntryKind;
  readonly step: WriteStep;
  readonly given: Arguments;
}

/** The identity of the parent's item, by the parent's own names. */
export function parentIdentity(where: string, { parent, embedded }: EntryKind, given: Values): Values {
  return Object.fromEntries(
    embedded.link.map((name, at) => {
      const value = given[name];
      if (value === undefined || value === null)
        throw new PatternError(where, `${embedded.entity} lies inside a ${parent.name} and needs "${name}"`);
      return [parent.identity[at]!, value];
    }),
  );
}

/** The name of an entry in its map; undefined if the attribute holds the one instance itself. */
function entryName(where: string, { entity, embedded }: EntryKind, given: Values): string | undefined {
  if (embedded.entryKey.length === 0) return undefined;
  const parts = embedded.entryKey.map((name) => {
    const text = valueText(where, attributeNamed(entity, name), given[name]);
    if (text === undefined) throw new PatternError(where, `an entry of ${entity.name} needs "${name}"`);
    return text;
  });
  return parts.join(delimiter);
}

/** The attributes of an entry; those that name the parent are the parent's own. */
function entryJson(where: string, { entity, embedded }: EntryKind, values: Values): ItemJson {
  const members: Record<string, ItemJson[string]> = {};
  for (const attribute of entity.attributes) {
    if (embedded.link.includes(attribute.name)) continue;
    const value = values[attribute.name];
    if (value !== undefined && value !== null) members[attribute.name] = toJson(where, attribute, value);
    else if (attribute.optional !== true)
      throw new PatternError(where, `${entity.name} needs "${attribute.name}"`);
  }
  for (const name of Object.keys(values))
    if (!entity.attributes.some((one) => one.name === name))
      throw new PatternError(where, `${entity.name} has no attribute "${name}"`);
  return members;
}

/** The parent's attributes with the instances that lie inside, for an item that is put whole. */
export function withEntries(
  where: string,
  kinds: readonly EntryKind[],
  parent: Values,
  entries: readonly { readonly kind: EntryKind; readonly values: Values }[],
): Values {
  const result: Record<string, Value | undefined> = { ...parent };
  for (const kind of kinds) {
    const { embedded, entity } = kind;
    const own = entries.filter((one) => one.kind === kind);
    if (embedded.entryKey.length === 0) {
      if (own.length > 1) throw new PatternError(where, `an item holds one ${entity.name} at most`);
      const [one] = own;
      if (one !== undefined) result[embedded.attribute] = plainEntry(where, kind, one.values);
      continue;
    }
    const map: Record<string, Value> = {
      ...(result[embedded.attribute] as { readonly [name: string]: Value }),
    };
    for (const { values } of own) {
      const name = entryName(where, kind, values)!;
      if (name in map)
        throw new PatternError(where, `two instances of ${entity.name} have the same identity`);
      map[name] = plainEntry(where, kind, values);
    }
    result[embedded.attribute] = map;
  }
  return result;
}

function plainEntry(where: string, kind: EntryKind, values: Values): { readonly [name: string]: Value } {
  // Checked and typed as it will be stored.
  entryJson(where, kind, values);
  const { entity, embedded } = kind;
  return Object.fromEntries(
    entity.attributes.flatMap(({ name }) => {
      const value = values[name];
      return embedded.link.includes(name) || value === undefined || value === null ? [] : [[name, value]];
    }),
  );
}

/** The instances of a kind inside of a parent's values. */
export function entriesOf({ embedded, entity, parent }: EntryKind, values: Values): Record<string, Value>[] {
  const held = values[embedded.attribute] as { readonly [name: string]: Value } | undefined | null;
  if (held === undefined || held === null) return [];
  const link = Object.fromEntries(
    embedded.link.map((name, at) => [name, values[parent.identity[at]!] as Value]),
  );
  const entries = embedded.entryKey.length === 0 ? [held] : Object.values(held);
  return entries.map((entry) => {
    const found: Record<string, Value> = { ...link };
    for (const { name } of entity.attributes) {
      const value = (entry as { readonly [name: string]: Value })[name];
      if (value !== undefined) found[name] = value;
    }
    return found;
  });
}

/** Adds a change of one entry to the update, or the check, of the item around it. */
export function changeEntry(where: string, { kind, step, given }: EntryChange, parts: UpdateParts): void {
  const { entity, embedded } = kind;
  const { conditions, sets, removes, invariants } = parts;
  const name = entryName(where, kind, given as Values);
  const outer = parts.expressions;
  const path = [embedded.attribute, ...(name === undefined ? [] : [name])]
    .map((one) => outer.alias(one))
    .join('.');
  const inner = new Expressions(where, entity, outer, path);
  const entryIn = (found: Values | undefined): Values | undefined => {
    const held = found?.[embedded.attribute] as { readonly [name: string]: Value } | undefined;
    return (name === undefined ? held : held?.[name]) as Values | undefined;
  };
  const demand = (
    which: 'exists' | 'absent' | 'condition' | 'state' | 'version' | 'expected',
    text: string,
    isHeld: (entry: Values | undefined) => boolean,
  ) => invariants.inside({ kind: which, entity: entity.name, text }, (found) => isHeld(entryIn(found)));
  const exists = () => {
    conditions.push(`attribute_exists(${path})`);
    demand('exists', `the ${entity.name} must exist`, (entry) => entry !== undefined);
  };
  const when = (
    predicates: readonly Parameters<typeof inner.predicate>[0][],
    which: 'condition' | 'state',
  ) => {
    for (const one of predicates) {
      conditions.push(inner.predicate(one));
      demand(
        which,
        `${entity.name} must be in the right state`,
        (entry) => entry === undefined || holds(one, entry),
      );
    }
  };
  switch (step.kind) {
    case 'create': {
      const values = newEntry({ kind, step, given });
      sets.push(`${path} = ${outer.json({ M: entryJson(where, kind, values) })}`);
      if (!step.once) return;
      conditions.push(`attribute_not_exists(${path})`);
      demand('absent', `the ${entity.name} must not exist yet`, (entry) => entry === undefined);
      return;
    }
    case 'remove':
      removes.push(path);
      if (step.when.length > 0) exists();
      when(step.when, 'condition');
      return;
    case 'require':
      exists();
      when(step.when, 'condition');
      return;
    case 'count': {
      exists();
      const by = given[step.attribute];
      const amount = isAddition(by) ? by.add : by === undefined ? 1 : Number(by);
      const counted = inner.name(step.attribute);
      sets.push(`${counted} = ${sumOf(counted, amount, outer)}`);
      return;
    }
    case 'change': {
      exists();
      const settled: Record<string, Value> = {};
      const changed = new Set<string>();
      for (const { attribute, value, removed } of step.sets) {
        const argument = given[attribute];
        const target = inner.name(attribute);
        if (removed || argument === null) removes.push(target);
        else if (value !== undefined || !isAddition(argument)) {
          const wanted = value ?? (argument as Value | undefined);
          if (wanted === undefined) continue;
          settled[attribute] = wanted;
          sets.push(`${target} = ${inner.value(attribute, wanted)}`);
        } else sets.push(`${target} = ${sumOf(target, argument.add, outer)}`);
        changed.add(attribute);
      }
      if (changed.size === 0)
        throw new PatternError(
          where,
          `it changes nothing: give ${step.sets.map((one) => `"${one.attribute}"`).join(' or ')}`,
        );
      when(step.when, 'condition');
      when(transitions(where, entity, step.when, settled), 'state');
      if (step.checksVersion) {
        const version = entity.version!;
        const seen = given[version];
        if (typeof seen !== 'number')
          throw new PatternError(where, `it needs the "${version}" that the caller has seen`);
        conditions.push(`${inner.name(version)} = ${inner.value(version, seen)}`);
        demand(
          'version',
          `"${version}" of ${entity.name} must still be ${seen}`,
          (entry) => entry === undefined || Number(entry[version]) === seen,
        );
        sets.push(`${inner.name(version)} = ${inner.value(version, seen + 1)}`);
        changed.add(version);
      } else if (entity.version !== undefined && !changed.has(entity.version)) {
        const target = inner.name(entity.version);
        sets.push(`${target} = ${sumOf(target, 1, outer)}`);
        changed.add(entity.version);
      }
      // What else the caller gives is what it believes of the entry.
      const stable = new Set([...entity.identity, ...entity.fixed]);
      for (const [attribute, value] of Object.entries(given)) {
        if (stable.has(attribute) || changed.has(attribute) || value === undefined || value === null)
          continue;
        if (isAddition(value) || !entity.attributes.some((one) => one.name === attribute)) continue;
        conditions.push(`${inner.name(attribute)} = ${inner.value(attribute, value)}`);
        demand(
          'expected',
          `"${attribute}" of ${entity.name} must still be ${JSON.stringify(value)}`,
          (entry) =>
            entry === undefined || JSON.stringify(entry[attribute] ?? null) === JSON.stringify(value),
        );
      }
    }
  }
}

/** The values of an entry that is created. */
export function newEntry({ kind, step, given }: EntryChange): Values {
  const fixed = step.kind === 'create' ? step.values : [];
  const { version } = kind.entity;
  return {
    ...(version === undefined ? {} : { [version]: 1 }),
    ...(given as Values),
    ...Object.fromEntries(fixed.map(({ attribute, value }) => [attribute, value])),
  };
}

/** The values of a parent's item as they are when one of its entries was changed. */
export function withChangedEntry(where: string, change: EntryChange, values: Values): Values {
  const { kind, step, given } = change;
  const { embedded } = kind;
  if (step.kind === 'require') return values;
  const name = entryName(where, kind, given as Values);
  const held = values[embedded.attribute] as { readonly [name: string]: Value } | null | undefined;
  const before = (name === undefined ? held : held?.[name]) as Values | null | undefined;
  const after = step.kind === 'remove' ? undefined : changedEntry(where, change, before ?? {});
  if (name === undefined) return { ...values, [embedded.attribute]: after as Value | undefined };
  const { [name]: _, ...others } = held ?? {};
  const map = after === undefined ? others : { ...others, [name]: after as Value };
  return { ...values, [embedded.attribute]: map };
}

function changedEntry(where: string, { kind, step, given }: EntryChange, before: Values): Values {
  if (step.kind === 'create') return plainEntry(where, kind, newEntry({ kind, step, given }));
  const { version } = kind.entity;
  const after: Record<string, Value | undefined> = { ...before };
  const plus = (name: string, by: number) => Number(before[name] ?? 0) + by;
  if (step.kind === 'count') {
    const by = given[step.attribute];
    after[step.attribute] = plus(step.attribute, isAddition(by) ? by.add : Number(by ?? 1));
  }
  if (step.kind !== 'change') return after;
  for (const { attribute, value, removed } of step.sets) {
    const argument = given[attribute];
    if (removed || argument === null) delete after[attribute];
    else if (value !== undefined) after[attribute] = value;
    else if (isAddition(argument)) after[attribute] = plus(attribute, argument.add);
    else if (argument !== undefined) after[attribute] = argument;
  }
  const isGiven = step.sets.some((one) => one.attribute === version && given[version] !== undefined);
  if (version !== undefined && (step.checksVersion || !isGiven)) after[version] = plus(version, 1);
  return after;
}
