import { counterTroubles } from './check-counters.ts';
import { freshnessTroubles } from './check-freshness.ts';
import { predicateTroubles, rateTroubles, stepValueTroubles, typeTroubles } from './check-values.ts';
import {
  type Attribute,
  type AttributeRef,
  type AttributeSkew,
  type Entity,
  type Model,
  modelFormat,
  type ReadPattern,
  type WritePattern,
  type WriteStep,
} from './ir.ts';
import { ModelError, type Trouble } from './model-error.ts';
import { namesOfPredicate } from './predicate-logic.ts';
import { keyable, unsortable } from './sort-order.ts';

/**
 * Refuses a model that names what it does not have or contradicts itself. The language's types catch most of this at
 * compile time; JSON and imported models are caught here.
 */
export function checkModel(model: Model): Model {
  const { format, name } = (model ?? {}) as Partial<Model>;
  if (format !== modelFormat) {
    const message = `it is no model: its format is ${JSON.stringify(format) ?? 'missing'}, not "${modelFormat}"`;
    const fix = "Give what model(…) answers: a module's default export, not the module.";
    throw new ModelError(name ?? 'unnamed', [{ where: '/', rule: 'format', message, fix }]);
  }
  const troubles = troublesOf(model);
  if (troubles.length > 0) throw new ModelError(model.name, troubles);
  return model;
}

/** Finds what is wrong with a model before a design can be derived. */
export function troublesOf(model: Model): Trouble[] {
  const troubles: Trouble[] = [];
  const entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  const heads = new Map<string, string>();
  for (const entity of model.entities) {
    const head = entity.name.toUpperCase();
    const where = `entity ${entity.name}`;
    if (heads.has(head)) troubles.push({ where, rule: 'names', message: 'another entity has the same name' });
    heads.set(head, entity.name);
    troubles.push(...entityTroubles(entity, entities));
  }
  const names = new Set<string>();
  for (const { name } of [...model.reads, ...model.writes]) {
    if (names.has(name))
      troubles.push({ where: name, rule: 'names', message: 'two patterns have this name' });
    names.add(name);
  }
  for (const read of model.reads) troubles.push(...readTroubles(read, entities));
  for (const write of model.writes) troubles.push(...writeTroubles(write, entities));
  troubles.push(...counterTroubles(model));
  troubles.push(...environmentTroubles(model, entities));
  return troubles;
}

type Entities = ReadonlyMap<string, Entity>;

function entityTroubles(entity: Entity, entities: Entities): Trouble[] {
  const troubles: Trouble[] = [];
  const where = `entity ${entity.name}`;
  const report = (rule: string, message: string, fix?: string) =>
    troubles.push({ where, rule, message, ...(fix === undefined ? {} : { fix }) });
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(entity.name))
    report('names', 'an entity name has letters and digits only');
  const attributes = new Map(entity.attributes.map((attribute) => [attribute.name, attribute]));
  if (attributes.size < entity.attributes.length) report('names', 'two attributes have the same name');
  if (entity.identity.length === 0)
    report('identity', 'it has no identity', 'Name the attributes that tell instances apart.');
  for (const name of entity.identity) {
    const attribute = attributes.get(name);
    if (attribute === undefined) report('names', `the identity names "${name}", which it does not have`);
    else if (attribute.optional) report('identity', `"${name}" is optional and cannot identify`);
    else if (!keyable(attribute))
      report('identity', `"${name}" is a ${attribute.type.kind} and cannot stand in a key`);
  }
  const roles = [
    ...entity.fixed.map((name) => ['its fixed attributes name', name] as const),
    ['its TTL names', entity.ttl],
    ['its version names', entity.version],
    ['its states name', entity.states?.attribute],
  ] as const;
  for (const [role, name] of roles) {
    if (name !== undefined && !attributes.has(name))
      report('names', `${role} "${name}", which it does not have`, `Declare "${name}" as an attribute.`);
  }
  if (entity.ttl !== undefined && attributes.get(entity.ttl)?.type.kind !== 'epoch') {
    report(
      'ttl',
      `TTL reads seconds since 1970, but "${entity.ttl}" is something else`,
      'Declare it with epoch().',
    );
  }
  if (entity.keepDays !== undefined && entity.ttl === undefined)
    report('ttl', 'it is kept for some days, but no attribute says when it expires', 'Name one with ttl.');
  for (const attribute of entity.attributes) troubles.push(...attributeTroubles(where, attribute, entities));
  typeTroubles(entity, report);
  const { population } = entity;
  if (population.kind === 'per') {
    if (!entities.has(population.entity))
      report('names', `its population counts per "${population.entity}", which is no entity`);
    else if (parentsOf(entity, entities).includes(entity.name))
      report('population', 'its population is counted per itself');
    if (population.max < population.mean) report('population', 'the maximum is less than the mean');
  }
  troubles.push(...stateTroubles(where, entity));
  troubles.push(...embeddingTroubles(where, entity, entities));
  for (const placement of entity.keys ?? []) {
    for (const piece of [...placement.partition, ...placement.sort]) {
      const named = piece.kind === 'constant' ? [] : piece.kind === 'shard' ? piece.of : [piece.attribute];
      for (const name of named) {
        if (!attributes.has(name))
          report('names', `its key in ${placement.slot} names "${name}", which it does not have`);
      }
    }
  }
  if (entity.keys !== undefined && !entity.keys.some(({ slot }) => slot === 'table')) {
    report('keys', 'it has keys by hand, but none for the table');
  }
  return troubles;
}

/** What contradicts lying inside another item, whatever the patterns are. */
function embeddingTroubles(where: string, entity: Entity, entities: Entities): Trouble[] {
  const { mayEmbed, population, ttl, keys, schemaVersion } = entity;
  if (mayEmbed === undefined) return [];
  const rule = 'embedding';
  const parent = population.kind === 'per' ? entities.get(population.entity) : undefined;
  if (parent === undefined) {
    const message = 'it may be embedded, but it is counted per no entity that could hold it';
    return [{ where, rule, message, fix: 'Count it per its parent: per(parent, { mean, max }).' }];
  }
  const troubles: Trouble[] = [];
  const report = (message: string, fix: string) => troubles.push({ where, rule, message, fix });
  const carries = parent.identity.every((name) =>
    entity.identity.some((own) => {
      const refersTo = attributeOf(entity, own)?.refersTo;
      return refersTo?.entity === parent.name && refersTo.attribute === name;
    }),
  );
  if (!carries)
    report(
      `it may be embedded in ${parent.name}, but its identity does not carry ${parent.identity.join(' and ')}`,
      `Take of(${parent.name}) into its identity.`,
    );
  const twins = [...entities.values()].filter(
    (one) =>
      one.mayEmbed === mayEmbed && one.population.kind === 'per' && one.population.entity === parent.name,
  );
  if (attributeOf(parent, mayEmbed) !== undefined || twins.length > 1)
    report(
      `${parent.name} has another "${mayEmbed}"`,
      'Choose another name for the attribute that holds it.',
    );
  if (ttl !== undefined) report('it expires, and TTL removes items only', 'Leave out ttl or mayEmbed.');
  if (keys !== undefined) report('it may be embedded and has keys by hand', 'Leave out one of them.');
  if (schemaVersion !== undefined)
    report('the number of its shape is written into items only', 'Leave out schemaVersion or mayEmbed.');
  if (entity.table !== parent.table)
    report(`its table is not that of ${parent.name}`, 'Leave out table or mayEmbed.');
  return troubles;
}

function attributeTroubles(where: string, attribute: Attribute, entities: Entities): Trouble[] {
  const troubles: Trouble[] = [];
  const { type, refersTo, copyOf, name } = attribute;
  if (name === '') troubles.push({ where, rule: 'names', message: 'an attribute has no name' });
  for (const ref of [refersTo, copyOf]) {
    if (ref === undefined) continue;
    const target = entities.get(ref.entity);
    if (target === undefined || !target.attributes.some((one) => one.name === ref.attribute)) {
      const message = `"${name}" refers to ${ref.entity}.${ref.attribute}, which the model does not have`;
      troubles.push({ where, rule: 'names', message });
    }
  }
  if (copiesItself(attribute, entities)) {
    const message = `"${name}" is copied from itself by way of other copies`;
    troubles.push({ where, rule: 'contradiction', message });
  }
  if (type.kind === 'choice') {
    const total = type.values.reduce((sum, { share }) => sum + share, 0);
    if (Math.abs(total - 1) > 1e-6) {
      const message = `the shares of "${name}" add up to ${Number(total.toFixed(4))}, not to 1`;
      troubles.push({ where, rule: 'shares', message });
    }
  }
  if (type.kind === 'list' && type.countMax === undefined) {
    troubles.push({
      where,
      rule: 'unbounded list',
      message: `"${name}" grows without bound, and an item ends at 400 KB`,
      fix: 'Make each element an item of its own under the same partition key (adjacency list), or give the list a maximum.',
    });
  }
  return troubles;
}

/** Copies of copies end at an attribute with values of its own. */
function copiesItself(attribute: Attribute, entities: Entities): boolean {
  const seen = new Set<Attribute>();
  let at: Attribute | undefined = attribute;
  while (at !== undefined && !seen.has(at)) {
    seen.add(at);
    const source: AttributeRef | undefined = at.refersTo ?? at.copyOf;
    const entity: Entity | undefined = source && entities.get(source.entity);
    at = entity && attributeOf(entity, source!.attribute);
  }
  return at !== undefined;
}

function stateTroubles(where: string, { states, attributes }: Entity): Trouble[] {
  if (states === undefined) return [];
  const type = attributes.find(({ name }) => name === states.attribute)?.type;
  if (type?.kind !== 'choice') {
    return [{ where, rule: 'states', message: `"${states.attribute}" is no choice and cannot have states` }];
  }
  const known = new Set(type.values.map(({ value }) => value));
  return Object.entries(states.transitions)
    .flatMap(([from, to]) => [from, ...to])
    .filter((state) => !known.has(state))
    .map((state) => ({ where, rule: 'states', message: `"${state}" is no value of "${states.attribute}"` }));
}

function parentsOf(entity: Entity, entities: Entities): string[] {
  const found: string[] = [];
  let one: Entity | undefined = entity;
  while (one?.population.kind === 'per' && !found.includes(one.population.entity)) {
    found.push(one.population.entity);
    one = entities.get(one.population.entity);
  }
  return found;
}

function readTroubles(read: ReadPattern, entities: Entities): Trouble[] {
  const troubles: Trouble[] = [];
  const where = `read ${read.name}`;
  const report = (rule: string, message: string, fix?: string) =>
    troubles.push({ where, rule, message, ...(fix === undefined ? {} : { fix }) });
  const members = read.entities.map((name) => entities.get(name));
  if (members.length === 0) report('names', 'it reads no entity');
  if (members.some((member) => member === undefined)) {
    report('names', `it reads ${read.entities.join(', ')}, and not all of them are entities`);
    return troubles;
  }
  const found = members as Entity[];
  const inAll = (name: string) => found.every((member) => attributeOf(member, name) !== undefined);
  const inAny = (name: string) => found.some((member) => attributeOf(member, name) !== undefined);
  const named = [
    ...read.by,
    ...read.where.flatMap(namesOfPredicate),
    ...(read.range ? [read.range.attribute] : []),
  ];
  for (const name of named) {
    if (!inAll(name)) report('names', `"${name}" is not an attribute of ${read.entities.join(' and ')}`);
  }
  for (const name of [...read.order.map(({ attribute }) => attribute), ...(read.needs ?? [])]) {
    if (!inAny(name)) report('names', `"${name}" is not an attribute of ${read.entities.join(' or ')}`);
  }
  for (const name of read.by) {
    const bad = found
      .map((member) => attributeOf(member, name))
      .find((one) => one !== undefined && !keyable(one));
    if (bad !== undefined) report('keys', `"${name}" is a ${bad.type.kind} and cannot stand in a key`);
  }
  for (const name of new Set([...named, ...read.order.map(({ attribute }) => attribute)])) {
    const types = found.map((member) => attributeOf(member, name)).filter((one) => one !== undefined);
    if (new Set(types.map(keyForm)).size > 1) {
      report(
        'types',
        `"${name}" has different types in ${read.entities.join(' and ')}, so their keys do not compare`,
      );
    }
  }
  const fixedNames = read.where.flatMap((one) => (one.kind === 'equals' ? [one.attribute] : []));
  for (const name of fixedNames.filter((one) => read.by.includes(one))) {
    report(
      'contradiction',
      `"${name}" is given by the caller and fixed by the pattern`,
      `Take it out of "by" or of "where".`,
    );
  }
  const known = new Set([...read.by, ...fixedNames]);
  if (read.range !== undefined && known.has(read.range.attribute)) {
    report('contradiction', `"${read.range.attribute}" has one value and a range`);
  }
  for (const { attribute } of [...(read.range ? [read.range] : []), ...read.order]) {
    if (known.has(attribute)) continue;
    const problems = new Set(
      found.flatMap((member) =>
        [attributeOf(member, attribute)].flatMap((one) => (one ? [unsortable(one)] : [])),
      ),
    );
    for (const problem of problems) if (problem !== undefined) report('order', problem);
  }
  if (
    read.range !== undefined &&
    read.order.length > 0 &&
    read.order[0]!.attribute !== read.range.attribute
  ) {
    report(
      'range and order',
      `it has a range on "${read.range.attribute}" but wants the order of "${read.order[0]!.attribute}"; one key gives either`,
      `Order by "${read.range.attribute}" first, or sort the page in the caller.`,
    );
  }
  if (read.page !== 'all' && !(read.page >= 1)) report('page', 'a page holds at least one item');
  for (const member of found) predicateTroubles(member, read.where, report);
  reportSkew(read.skew, found, report);
  rateTroubles(read.rate, read.frequency, report);
  freshnessTroubles(read, found, report);
  return troubles;
}

function writeTroubles(write: WritePattern, entities: Entities): Trouble[] {
  const where = `write ${write.name}`;
  const troubles = write.steps.flatMap((step) => stepTroubles(where, step, entities));
  if (write.steps.length === 0) troubles.push({ where, rule: 'names', message: 'it has no steps' });
  const items = write.steps.reduce((sum, { count }) => sum + count, 0);
  if (write.atomic && items > 100) {
    troubles.push({
      where,
      rule: 'transaction size',
      message: `${items} items do not fit a transaction of 100`,
    });
  }
  const report = (rule: string, message: string) => troubles.push({ where, rule, message });
  const found = write.steps.flatMap(({ entity }) => entities.get(entity) ?? []);
  if (found.length === write.steps.length) reportSkew(write.skew, found, report);
  rateTroubles(write.rate, write.frequency, report);
  return troubles;
}

function reportSkew(
  skew: readonly AttributeSkew[],
  found: readonly Entity[],
  report: (rule: string, message: string) => void,
): void {
  for (const { attribute } of skew) {
    if (!found.some((one) => attributeOf(one, attribute) !== undefined))
      report(
        'names',
        `its skew names "${attribute}", which is not an attribute of ${found.map(({ name }) => name).join(' or ')}`,
      );
  }
}

function stepTroubles(where: string, step: WriteStep, entities: Entities): Trouble[] {
  const entity = entities.get(step.entity);
  if (entity === undefined) return [{ where, rule: 'names', message: `"${step.entity}" is no entity` }];
  const troubles: Trouble[] = [];
  const report = (rule: string, message: string, fix?: string) =>
    troubles.push({ where, rule, message, ...(fix === undefined ? {} : { fix }) });
  for (const name of namesOfStep(step)) {
    if (attributeOf(entity, name) === undefined) report('names', `${entity.name} has no attribute "${name}"`);
  }
  stepValueTroubles(entity, step, report);
  if (step.kind === 'create') return troubles;
  const missing = entity.identity.filter((name) => !step.given.includes(name));
  if (missing.length > 0) {
    report(
      'write address',
      `it gives ${step.given.join(', ') || 'nothing'}, which does not name one ${entity.name}`,
      `Give ${missing.join(', ')} as well.`,
    );
  }
  if (step.kind !== 'change') return troubles;
  for (const { attribute } of step.sets) {
    if (entity.identity.includes(attribute) || entity.fixed.includes(attribute)) {
      report('contradiction', `it changes "${attribute}", which ${entity.name} says never changes`);
    }
  }
  if (step.checksVersion && entity.version === undefined) {
    report('version', `it checks the version, but ${entity.name} declares no version attribute`);
  }
  return [...troubles, ...transitionTroubles(where, step, entity)];
}

/** A change with a known state before and after must be a transition that the entity allows. */
function transitionTroubles(
  where: string,
  step: Extract<WriteStep, { kind: 'change' }>,
  entity: Entity,
): Trouble[] {
  const { states } = entity;
  const to = step.sets.find(({ attribute }) => attribute === states?.attribute)?.value;
  if (states === undefined || to === undefined) return [];
  const from = step.when.flatMap((one) => {
    if (one.kind === 'equals' && one.attribute === states.attribute) return [String(one.value)];
    return one.kind === 'among' && one.attribute === states.attribute ? one.values : [];
  });
  if (from.length === 0 && !Object.values(states.transitions).some((ends) => ends.includes(String(to)))) {
    const message = `it moves "${states.attribute}" to ${String(to)}, and no state of ${entity.name} leads there`;
    return [{ where, rule: 'states', message }];
  }
  return from
    .filter((state) => !states.transitions[state]?.includes(String(to)))
    .map((state) => ({
      where,
      rule: 'states',
      message: `it moves "${states.attribute}" from ${state} to ${String(to)}, which ${entity.name} does not allow`,
    }));
}

function environmentTroubles({ environment }: Model, entities: Entities): Trouble[] {
  const where = 'environment';
  const troubles: Trouble[] = [];
  const { tenancy } = environment;
  if (tenancy !== undefined) {
    for (const entity of entities.values()) {
      if (tenancy.except.includes(entity.name)) continue;
      const attribute = attributeOf(entity, tenancy.attribute);
      if (attribute === undefined || attribute.optional) {
        troubles.push({
          where: `entity ${entity.name}`,
          rule: 'tenancy',
          message: `it always needs "${tenancy.attribute}", which leads every partition key`,
          fix: `Add the attribute, or list ${entity.name} under the tenancy's exceptions.`,
        });
      }
    }
  }
  for (const { name, projection } of environment.indexes ?? []) {
    if (projection.type === 'INCLUDE' && !Array.isArray(projection.names))
      troubles.push({ where, rule: 'indexes', message: `index ${name} includes attributes but names none` });
  }
  for (const consumer of environment.streams) {
    for (const name of consumer.entities) {
      if (!entities.has(name))
        troubles.push({
          where,
          rule: 'names',
          message: `stream consumer ${consumer.name} reads "${name}", which is no entity`,
        });
    }
  }
  if (!(environment.headroom > 0 && environment.headroom <= 1)) {
    troubles.push({ where, rule: 'headroom', message: 'headroom is a share between 0 and 1' });
  }
  return troubles;
}

function namesOfStep(step: WriteStep): string[] {
  switch (step.kind) {
    case 'create':
      return [...step.unique, ...step.values.map(({ attribute }) => attribute)];
    case 'change':
      return [
        ...step.given,
        ...step.sets.map(({ attribute }) => attribute),
        ...step.when.flatMap(namesOfPredicate),
      ];
    case 'count':
      return [...step.given, step.attribute];
    case 'remove':
    case 'require':
      return [...step.given, ...step.when.flatMap(namesOfPredicate)];
  }
}

/** What decides how a value is written into a key. */
function keyForm({ type }: Attribute): string {
  if (type.kind === 'number') return `number ${type.digits} ${type.decimals}`;
  if (type.kind === 'choice')
    return `choice ${type.ordered ? type.values.map(({ value }) => value).join() : ''}`;
  if (type.kind === 'text') return `text ${type.plain}`;
  return type.kind;
}

function attributeOf(entity: Entity, name: string): Attribute | undefined {
  return entity.attributes.find((attribute) => attribute.name === name);
}
