import type { Attribute, Entity, Model } from '../ir.ts';
import type { Trouble } from '../model-error.ts';
import type { Change } from './migration-plan.ts';

export interface ModelChanges {
  readonly changes: readonly Change[];
  readonly troubles: readonly Trouble[];
  readonly warnings: readonly string[];
}

/** What differs between two models, entity by entity and pattern by pattern. */
export function diffModels(from: Model, to: Model): ModelChanges {
  const changes: Change[] = [];
  const troubles: Trouble[] = [];
  const warnings: string[] = [];
  const named = <T extends { readonly name: string }>(all: readonly T[], name: string) =>
    all.find((one) => one.name === name);
  for (const entity of to.entities) {
    const before = named(from.entities, entity.name);
    if (before === undefined) {
      changes.push(added('entity', entity.name, `no item of ${entity.name} exists yet`));
      continue;
    }
    diffEntity(before, entity, changes, troubles, warnings);
  }
  for (const { name } of from.entities) {
    if (named(to.entities, name) !== undefined) continue;
    changes.push({
      ...{ change: 'removed', what: 'entity', name, additive: false },
      text: `nothing reads or writes ${name} any more; its items stay`,
    });
    warnings.push(
      `The items of ${name} stay in the table: the new model does not know their keys. Export what must be kept, then delete them.`,
    );
  }
  const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const [oldPatterns, newPatterns] = [
    [...from.reads, ...from.writes],
    [...to.reads, ...to.writes],
  ];
  for (const pattern of newPatterns) {
    const before = named<(typeof newPatterns)[number]>(oldPatterns, pattern.name);
    if (before === undefined)
      changes.push(added('pattern', pattern.name, pattern.description ?? 'a new pattern'));
    else if (!isSame(before, pattern))
      changes.push({
        ...{ change: 'changed', what: 'pattern', name: pattern.name, additive: true },
        text: `differs in ${differing(before, pattern).join(', ')}`,
      });
  }
  for (const { name } of oldPatterns)
    if (named<(typeof newPatterns)[number]>(newPatterns, name) === undefined)
      changes.push({
        ...{ change: 'removed', what: 'pattern', name, additive: false },
        text: 'programs that call it must be gone before the migration ends',
      });
  return { changes, troubles, warnings };
}

function added(what: Change['what'], name: string, text: string): Change {
  return { change: 'added', what, name, additive: true, text };
}

function differing(a: object, b: object): string[] {
  const [one, other] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

function diffEntity(
  before: Entity,
  after: Entity,
  changes: Change[],
  troubles: Trouble[],
  warnings: string[],
): void {
  const { name } = after;
  if (before.identity.join() !== after.identity.join())
    troubles.push({
      where: `entity ${name}`,
      rule: 'identity',
      message: `its identity was ${before.identity.join(', ')} and would be ${after.identity.join(', ')}, so that no old item has its new name`,
      fix: 'Give the entity of the new identity another name, and fill it by a program that knows how they belong together.',
    });
  for (const attribute of after.attributes) {
    const old = before.attributes.find((one) => one.name === attribute.name);
    const label = `${name}.${attribute.name}`;
    if (old === undefined) {
      const isOptional = attribute.optional === true;
      changes.push({
        ...{ change: 'added', what: 'attribute', name: label, additive: isOptional },
        text: isOptional ? 'older items lack it' : 'needed, and older items lack it',
      });
      if (!isOptional)
        warnings.push(
          `Items of ${name} that exist lack "${attribute.name}". Give the typed client and the runner an upgrade function that fills it, or declare it optional.`,
        );
    } else diffAttribute(label, old, attribute, before, after, changes, warnings);
  }
  for (const { name: gone } of before.attributes)
    if (!after.attributes.some((one) => one.name === gone)) {
      changes.push({
        ...{ change: 'removed', what: 'attribute', name: `${name}.${gone}`, additive: false },
        text: 'new items lack it; older ones keep it',
      });
      warnings.push(`Programs of the old model miss "${gone}" in items of ${name} that the new one writes.`);
    }
  if (after.schemaVersion !== before.schemaVersion)
    changes.push({
      ...{ change: 'changed', what: 'entity', name, additive: true },
      text: `schema version ${before.schemaVersion ?? 'none'} → ${after.schemaVersion ?? 'none'}; items of the old one are upgraded when they are read`,
    });
}

function diffAttribute(
  label: string,
  old: Attribute,
  attribute: Attribute,
  before: Entity,
  after: Entity,
  changes: Change[],
  warnings: string[],
): void {
  if (old.type.kind !== attribute.type.kind) {
    changes.push({
      ...{ change: 'changed', what: 'attribute', name: label, additive: false },
      text: `${old.type.kind} → ${attribute.type.kind}`,
    });
    if (after.schemaVersion === before.schemaVersion)
      warnings.push(
        `${label} changes its type, and items do not tell which they have. Raise the schemaVersion of ${after.name} and give an upgrade function.`,
      );
  } else if (old.optional === true && attribute.optional !== true) {
    changes.push({
      ...{ change: 'changed', what: 'attribute', name: label, additive: false },
      text: 'was optional and is needed',
    });
    warnings.push(
      `Items of ${after.name} may lack "${attribute.name}", which is needed from now on. Give an upgrade function.`,
    );
  } else if (old.optional !== true && attribute.optional === true)
    changes.push({
      ...{ change: 'changed', what: 'attribute', name: label, additive: false },
      text: 'was needed and is optional; programs of the old model may meet items without it',
    });
}
