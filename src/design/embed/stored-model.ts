import type { Design } from '../design.ts';
import type {
  Attribute,
  AttributeSkew,
  ChangeStep,
  Entity,
  Model,
  ReadPattern,
  WritePattern,
  WriteStep,
} from '../ir.ts';
import { ModelFacts } from '../model-facts.ts';
import { namesOfPredicate } from '../predicate-logic.ts';
import { type Embedding, embeddedBytes } from './embeddings.ts';

/**
 * The model as a design stores it: entities that lie inside their parents are gone, each parent has an attribute that
 * holds them, and the patterns read and write the parent. Search, checkers, forecasts, prices and emitters work on this
 * model, so that none of them needs to know about embedding. The stored model of a stored model is itself.
 */
export function storedModel(model: Model, design: Design): Model {
  return withEmbedded(
    model,
    design.tables.flatMap(({ embedded = [] }) => embedded),
  );
}

export function withEmbedded(model: Model, embeddings: readonly Embedding[]): Model {
  const present = embeddings.filter(({ entity }) => model.entities.some(({ name }) => name === entity));
  return present.length === 0 ? model : stored(model, present);
}

function stored(model: Model, embeddings: readonly Embedding[]): Model {
  const facts = new ModelFacts(model);
  const byName = new Map(embeddings.map((one) => [one.entity, one]));
  const home = (name: string) => byName.get(name)?.parent ?? name;
  const unique = (names: readonly string[]) => [...new Set(names)];
  const { environment } = model;
  const { tenancy } = environment;
  return {
    ...model,
    entities: model.entities
      .filter(({ name }) => !byName.has(name))
      .map((entity) => parentOf(facts, entity, embeddings)),
    reads: model.reads.map((read) => storedRead(model, read, byName)),
    writes: model.writes.map((write) => storedWrite(model, write, byName)),
    environment: {
      ...environment,
      ...(tenancy === undefined
        ? {}
        : { tenancy: { ...tenancy, except: tenancy.except.filter((name) => !byName.has(name)) } }),
      streams: environment.streams.map((one) => ({ ...one, entities: unique(one.entities.map(home)) })),
    },
  };
}

function parentOf(facts: ModelFacts, entity: Entity, embeddings: readonly Embedding[]): Entity {
  const inside = embeddings.filter(({ parent }) => parent === entity.name);
  if (inside.length === 0) return entity;
  const attributes = inside.map((embedding): Attribute => {
    const child = facts.entity(embedding.entity);
    const isOptional = embedding.entryKey.length === 0;
    return {
      name: embedding.attribute,
      description: `Every ${child.name} of it.`,
      type: { kind: 'map', bytes: embeddedBytes(facts, child, embedding) },
      ...(isOptional ? { optional: true as const } : {}),
    };
  });
  return { ...entity, attributes: [...entity.attributes, ...attributes] };
}

/** The attributes of the parent that a pattern's attributes of the child mean. */
function renamed(model: Model, { parent, link }: Embedding): ReadonlyMap<string, string> {
  const { identity } = model.entities.find(({ name }) => name === parent)!;
  return new Map(link.map((name, at) => [name, identity[at]!]));
}

function storedRead(model: Model, read: ReadPattern, byName: ReadonlyMap<string, Embedding>): ReadPattern {
  const inside = read.entities.flatMap((name) => byName.get(name) ?? []);
  const [first] = inside;
  if (first === undefined) return withoutEntries(model, read, byName);
  const entities = [
    ...new Set([
      ...(read.entities.includes(first.parent) ? [] : [first.parent]),
      ...read.entities.map((name) => byName.get(name)?.parent ?? name),
    ]),
  ];
  const kept = new Set(
    read.entities.flatMap((name) =>
      byName.has(name)
        ? []
        : model.entities.find((one) => one.name === name)!.attributes.map((attribute) => attribute.name),
    ),
  );
  const readsParent = read.entities.includes(first.parent);
  // Attributes of the parent itself are needed if the pattern reads it too, and for what the pattern filters by.
  const own =
    read.needs === undefined
      ? readsParent || entities.length > 1
        ? undefined
        : []
      : [...new Set([...read.needs, ...filterNames(read)])].filter((name) => kept.has(name));
  const needs = own === undefined ? undefined : [...own, ...inside.map(({ attribute }) => attribute)];
  const { needs: _, range: __, returns: ___, ...rest } = read;
  const skew = renamedSkew(read.skew, renamed(model, first));
  if (entities.length > 1)
    return { ...rest, entities, skew, where: [], ...(needs === undefined ? {} : { needs }) };
  return {
    ...rest,
    entities,
    result: 'one',
    by: model.entities.find(({ name }) => name === first.parent)!.identity,
    where: [],
    order: [],
    page: 1,
    returns: 1,
    skew,
    ...(needs === undefined ? {} : { needs }),
    mayDiscard: 0,
    mayFetch: false,
  };
}

/** A pattern that reads parents alone does not get what lies inside, and no index has to hold it for the pattern. */
function withoutEntries(
  model: Model,
  read: ReadPattern,
  byName: ReadonlyMap<string, Embedding>,
): ReadPattern {
  const holds = [...byName.values()].some(({ parent }) => read.entities.includes(parent));
  if (!holds || read.needs !== undefined) return read;
  const entities = model.entities.filter(({ name }) => read.entities.includes(name));
  return { ...read, needs: [...new Set(entities.flatMap((one) => one.attributes.map(({ name }) => name)))] };
}

function filterNames({ by, where, range, order }: ReadPattern): string[] {
  return [
    ...by,
    ...where.flatMap(namesOfPredicate),
    ...(range === undefined ? [] : [range.attribute]),
    ...order.map(({ attribute }) => attribute),
  ];
}

function renamedSkew(
  skew: readonly AttributeSkew[],
  names: ReadonlyMap<string, string>,
): readonly AttributeSkew[] {
  return skew.flatMap((one) => {
    const attribute = names.get(one.attribute);
    return attribute === undefined ? [] : [{ ...one, attribute }];
  });
}

function storedWrite(
  model: Model,
  write: WritePattern,
  byName: ReadonlyMap<string, Embedding>,
): WritePattern {
  if (!write.steps.some(({ entity }) => byName.has(entity))) return write;
  const steps: WriteStep[] = write.steps.filter(({ entity }) => !byName.has(entity));
  const parents = new Set(write.steps.flatMap(({ entity }) => byName.get(entity)?.parent ?? []));
  const skew = [...write.skew];
  for (const parent of parents) {
    const own = write.steps.filter(({ entity }) => byName.get(entity)?.parent === parent);
    const touched = [...new Set(own.map(({ entity }) => byName.get(entity)!))];
    for (const one of touched) skew.push(...renamedSkew(write.skew, renamed(model, one)));
    const isWritten = own.some(({ kind }) => kind !== 'require');
    const at = steps.findIndex(({ entity }) => entity === parent);
    const step = steps[at];
    if (step === undefined) {
      const { identity } = model.entities.find(({ name }) => name === parent)!;
      const base = { entity: parent, count: 1, given: identity, when: [] };
      steps.push(
        isWritten
          ? { ...base, kind: 'change', sets: setsOf(touched), checksVersion: false }
          : { ...base, kind: 'require' },
      );
    } else if (isWritten && step.kind !== 'create' && step.kind !== 'remove') {
      steps[at] = changedToo(step, touched);
    }
  }
  const attributes = new Set(
    steps.flatMap(({ entity }) =>
      model.entities.find(({ name }) => name === entity)!.attributes.map((one) => one.name),
    ),
  );
  const seen = new Set<string>();
  return {
    ...write,
    steps,
    // One item is atomic by itself.
    atomic: write.atomic && steps.reduce((sum, { count }) => sum + count, 0) > 1,
    skew: skew.filter(({ attribute }) => {
      if (seen.has(attribute) || !attributes.has(attribute)) return false;
      seen.add(attribute);
      return true;
    }),
  };
}

function setsOf(touched: readonly Embedding[]) {
  return touched.map(({ attribute }) => ({ attribute }));
}

/** A step on the parent that changes what lies inside as well. */
function changedToo(
  step: Exclude<WriteStep, { kind: 'create' | 'remove' }>,
  touched: readonly Embedding[],
): ChangeStep {
  const { entity, count, given } = step;
  if (step.kind === 'change') return { ...step, sets: [...step.sets, ...setsOf(touched)] };
  return {
    kind: 'change',
    entity,
    count,
    given,
    sets: [...(step.kind === 'count' ? [{ attribute: step.attribute }] : []), ...setsOf(touched)],
    when: step.kind === 'require' ? step.when : [],
    checksVersion: false,
  };
}
