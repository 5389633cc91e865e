import { spreadCounters } from '../design/check-counters.ts';
import { holds } from '../design/compile/predicates.ts';
import type { Attribute, Entity, Model, Predicate, Value, Values } from '../design/index.ts';
import { canonical } from '../design/predicate-logic.ts';
import { ChildNumbers } from './child-numbers.ts';
import { drawCount, drawValue, type Era, timeText, token } from './draw-value.ts';
import type { Sample } from './scale-model.ts';
import { hashText, mix, Seeded } from './seeded.ts';
import { isPooled, pooledValue } from './value-pool.ts';

/** All instances of one entity, as whoever knows everything holds them. */
export class Kind {
  readonly entity: Entity;
  /** Instances by number. A removed one leaves a hole. */
  readonly instances: (Record<string, Value> | undefined)[] = [];
  readonly #byIdentity = new Map<string, number>();
  readonly #holes: number[] = [];
  /** The next number for a new identity. */
  fresh = 0;
  present = 0;

  constructor(entity: Entity) {
    this.entity = entity;
  }

  identityOf(values: Values): string {
    const { identity } = this.entity;
    if (identity.length === 1) return String(values[identity[0]!]);
    return identity.map((name) => String(values[name])).join('\u0000');
  }

  /** Whether it was new. */
  put(values: Record<string, Value>): boolean {
    const identity = this.identityOf(values);
    const known = this.#byIdentity.get(identity);
    if (known !== undefined) {
      this.instances[known] = values;
      return false;
    }
    this.#byIdentity.set(identity, this.instances.length);
    this.instances.push(values);
    this.present++;
    return true;
  }

  find(values: Values): Record<string, Value> | undefined {
    const at = this.#byIdentity.get(this.identityOf(values));
    return at === undefined ? undefined : this.instances[at];
  }

  remove(values: Values): void {
    const identity = this.identityOf(values);
    const at = this.#byIdentity.get(identity);
    if (at === undefined) return;
    this.#byIdentity.delete(identity);
    this.instances[at] = undefined;
    this.#holes.push(at);
    this.present--;
  }

  /** Any instance, or one near the drawn number if that is gone. */
  at(drawn: number): Record<string, Value> | undefined {
    const { length } = this.instances;
    for (let tries = 0; tries < length; tries++) {
      const found = this.instances[(drawn + tries) % length];
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Multiples of it, cut to their fractions, fill the unit interval as evenly as any sequence. */
const goldenRatio = 0.618033988749895;

export interface PopulationOptions {
  readonly seed: number;
  readonly era: Era;
}

/**
 * Instances of every entity, drawn from the declared populations, sizes and shares. Each depends on the seed, its entity
 * and its number alone.
 */
export class Population {
  readonly model: Model;
  readonly sample: Sample;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly seed: number;
  readonly era: Era;
  readonly #facts: ReadonlyMap<string, EntityFacts>;
  readonly #numbers: ChildNumbers;
  #isFilling = false;

  constructor(sample: Sample, { seed, era }: PopulationOptions) {
    this.sample = sample;
    this.model = sample.model;
    this.seed = seed;
    this.era = era;
    this.kinds = new Map(this.model.entities.map((entity) => [entity.name, new Kind(entity)]));
    this.#numbers = new ChildNumbers(sample, seed);
    this.#facts = new Map(this.model.entities.map((entity) => [entity.name, factsOf(this.model, entity)]));
  }

  kind(name: string): Kind {
    return this.kinds.get(name)!;
  }

  /** Draws everything, parents before children. Calls `each` with every instance. */
  fill(each?: (entity: string, values: Values) => void): void {
    this.#isFilling = true;
    for (const entity of parentsFirst(this.model)) {
      const kind = this.kind(entity.name);
      const { population } = entity;
      const add = (parent: Values | undefined, ordinal: number) => {
        // A second try with another number, where two draws meet in one identity.
        for (let tries = 0; tries < 8; tries++) {
          const values = this.draw(entity, kind.fresh++, parent, ordinal);
          if (kind.find(values) !== undefined) continue;
          kind.put(values);
          each?.(entity.name, values);
          return;
        }
      };
      if (population.kind === 'count') {
        for (let at = 0; at < population.count; at++) add(undefined, at);
        continue;
      }
      const parents = this.kind(population.entity).instances;
      const counts = new Seeded(this.seed, 'children', entity.name);
      const start = counts.next();
      for (const [number, parent] of parents.entries()) {
        // Evenly spread ranks: every sample has the declared mean, so that forecasts of two samples agree.
        const count = drawCount(counts, population, (start + number * goldenRatio) % 1);
        for (let at = 0; at < count; at++) add(parent!, at);
      }
      // A sample always has something to read.
      if (kind.present === 0 && parents.length > 0) add(parents[0]!, 0);
    }
    this.#isFilling = false;
  }

  /**
   * One instance. `parent` is the one that it belongs to, `ordinal` its number among its siblings, `known` values that
   * are not drawn, and `pick` chooses the instances that it refers to beside its parent.
   */
  draw(
    entity: Entity,
    number: number,
    parent: Values | undefined,
    ordinal: number,
    known: Values = {},
    pick?: (attribute: Attribute, kind: Kind) => Values | undefined,
  ): Record<string, Value> {
    const random = new Seeded(this.seed, entity.name, number);
    const facts = this.#facts.get(entity.name)!;
    const values: Record<string, Value> = {};
    const referred = new Map<string, Values>();
    for (const attribute of entity.attributes) {
      const { name, optional, refersTo } = attribute;
      const given = known[name];
      if (given !== undefined && given !== null) {
        values[name] = given;
        continue;
      }
      if (facts.counted.has(name)) continue;
      if (optional === true && !random.chance(facts.presence.get(name) ?? 0.8)) continue;
      if (refersTo === undefined) {
        values[name] = this.#own(random, entity, attribute, number, ordinal);
        continue;
      }
      const isParent = facts.parentAttributes.has(name);
      // What the parent refers to as well, such as its tenant, is the same for the child.
      const inherited = isParent || !facts.inherited.has(name) ? undefined : parent?.[name];
      if (inherited !== undefined && inherited !== null) {
        values[name] = inherited;
        continue;
      }
      const target =
        (isParent ? parent : undefined) ??
        pick?.(attribute, this.kind(refersTo.entity)) ??
        referred.get(`${refersTo.entity} ${name}`) ??
        this.#sibling(random, entity, attribute, parent, ordinal);
      referred.set(`${refersTo.entity} ${name}`, target ?? {});
      if (!referred.has(refersTo.entity) && target !== undefined) referred.set(refersTo.entity, target);
      values[name] = target?.[refersTo.attribute] ?? drawValue(random, attribute, this.era);
    }
    for (const { name, copyOf } of entity.attributes) {
      if (copyOf === undefined) continue;
      const source = referred.get(copyOf.entity) ?? this.#referred(entity, values, copyOf.entity);
      const value = source?.[copyOf.attribute];
      if (value !== undefined && value !== null && known[name] === undefined) values[name] = value;
    }
    const [counter, next] = this.#numbers.next(entity, values, this.#isFilling) ?? [];
    if (counter !== undefined && known[counter] === undefined) values[counter] = next!;
    for (const predicate of facts.comparisons) this.#compare(random, entity, predicate, values, known);
    return values;
  }

  /** The instance of another entity that references lead to, directly or through further instances. */
  #referred(entity: Entity, values: Values, target: string, seen = new Set<string>()): Values | undefined {
    seen.add(entity.name);
    const names = new Set(entity.attributes.flatMap(({ refersTo }) => refersTo?.entity ?? []));
    const named = [...names].flatMap((name) => {
      const kind = this.kind(name);
      const identity = kind.entity.identity.map((one) => {
        const own = entity.attributes.find(
          ({ refersTo }) => refersTo?.entity === name && refersTo.attribute === one,
        );
        return [one, own === undefined ? undefined : values[own.name]] as const;
      });
      const found = kind.find(Object.fromEntries(identity));
      return found === undefined ? [] : [[kind.entity, found] as const];
    });
    for (const [one, found] of named) if (one.name === target) return found;
    for (const [one, found] of named) {
      const further = seen.has(one.name) ? undefined : this.#referred(one, found, target, seen);
      if (further !== undefined) return further;
    }
    return undefined;
  }

  /** An instance that is referred to beside the parent: siblings refer to different ones. */
  #sibling(
    random: Seeded,
    entity: Entity,
    { name, refersTo }: Attribute,
    parent: Values | undefined,
    ordinal: number,
  ): Values | undefined {
    const kind = this.kind(refersTo!.entity);
    const { length } = kind.instances;
    if (length === 0) return undefined;
    if (!entity.identity.includes(name)) return kind.at(random.below(length));
    const start = mix(hashText(parent === undefined ? name : JSON.stringify(parent))) >>> 0;
    return kind.at((start + ordinal) % length);
  }

  #own(random: Seeded, entity: Entity, attribute: Attribute, number: number, ordinal: number): Value {
    const { name, type, distinct } = attribute;
    const { era } = this;
    const isIdentity = entity.identity.includes(name);
    if (isPooled(attribute)) return pooledValue(attribute, random.below(Math.max(1, distinct!)), era);
    // What no two instances may share has its number in it.
    if (!isIdentity && this.#facts.get(entity.name)!.unique.has(name) && type.kind === 'text') {
      const drawn = drawValue(random, attribute, era) as string;
      const mark = `${number.toString(36)}`;
      const at = drawn.indexOf('@');
      return at < 0
        ? `${drawn.slice(0, Math.max(1, drawn.length - mark.length))}${mark}`
        : `${drawn.slice(0, Math.max(1, at - mark.length))}${mark}${drawn.slice(at)}`;
    }
    if (name === entity.ttl) {
      // Items that are there already have lived for a part of their time.
      const days = entity.keepDays;
      const seconds = days === undefined ? random.between(30, 90) * 86_400 : random.between(1, days * 86_400);
      return Math.floor(era.nowMs / 1000) + seconds;
    }
    if (name === entity.version) return 1;
    if (!isIdentity) {
      // A flag that may be absent says something only when it is there.
      if (type.kind === 'flag' && attribute.optional === true) return true;
      return drawValue(random, attribute, era);
    }
    switch (type.kind) {
      case 'id':
        return idOf(entity, attribute, number);
      case 'number':
        return (ordinal + 1) % 10 ** type.digits;
      case 'time':
        return timeText(era.nowMs - random.below(era.days * 86_400_000) + ordinal);
      case 'date':
        return timeText(era.nowMs - (ordinal % 3_650) * 86_400_000).slice(0, 10);
      case 'epoch':
        return Math.floor(era.nowMs / 1000) - ordinal;
      case 'path':
      case 'text': {
        const drawn = drawValue(random, attribute, era) as string;
        return `${drawn.slice(0, Math.max(1, drawn.length - 5))}${type.kind === 'path' ? '/' : '-'}${number.toString(36)}`;
      }
      default:
        return drawValue(random, attribute, era);
    }
  }

  /** Lets a comparison hold as often as the model says. */
  #compare(
    random: Seeded,
    entity: Entity,
    predicate: Extract<Predicate, { kind: 'compare' }>,
    values: Record<string, Value>,
    known: Values,
  ): void {
    const { left, right, operator, share } = predicate;
    const wanted = random.chance(share);
    if (known[left] !== undefined || holds(predicate, values) === wanted) return;
    const attribute = entity.attributes.find(({ name }) => name === left)!;
    if (attribute.type.kind !== 'number') return;
    const largest = 10 ** Math.min(attribute.type.digits, 9) - 1;
    const limit = 'value' in right ? right.value : Number(values[right.attribute] ?? 0);
    const below = operator.startsWith('<') === wanted;
    const edge = (operator.length === 2) === wanted ? 0 : 1;
    const drawn = below
      ? random.between(0, Math.max(0, limit - edge))
      : random.between(Math.min(limit + edge, largest), largest);
    values[left] = drawn;
  }
}

/** The identity of the instance with a number, in the sample or not; undefined if it is not an id. */
export function identityToken(entity: Entity, name: string, number: number): string | undefined {
  const attribute = entity.attributes.find((one) => one.name === name);
  return attribute?.type.kind === 'id' && attribute.distinct === undefined && attribute.refersTo === undefined
    ? idOf(entity, attribute, number)
    : undefined;
}

function idOf(entity: Entity, { name, type }: Attribute, number: number): string {
  return token(hashText(`${entity.name}.${name}`), number, (type as { bytes: { mean: number } }).bytes.mean);
}

interface EntityFacts {
  /** How often an optional attribute is there, where a pattern says so. */
  readonly presence: ReadonlyMap<string, number>;
  readonly comparisons: readonly Extract<Predicate, { kind: 'compare' }>[];
  /** The attributes that name the parent by which the entity is counted. */
  readonly parentAttributes: ReadonlySet<string>;
  /** References that the parent has under the same name. */
  readonly inherited: ReadonlySet<string>;
  /** Attributes whose values no two instances may share. */
  readonly unique: ReadonlySet<string>;
  /** Attributes that are counted in items of their own. */
  readonly counted: ReadonlySet<string>;
}

function factsOf(model: Model, entity: Entity): EntityFacts {
  const presence = new Map<string, number>();
  const comparisons = new Map<string, Extract<Predicate, { kind: 'compare' }>>();
  const steps = model.writes.flatMap((write) => write.steps.filter((step) => step.entity === entity.name));
  const predicates = [
    ...model.reads.filter(({ entities }) => entities.includes(entity.name)).flatMap(({ where }) => where),
    ...steps.flatMap((step) => ('when' in step ? step.when : [])),
  ];
  for (const one of predicates) {
    if (one.kind === 'exists') presence.set(one.attribute, one.share);
    if (one.kind === 'compare') comparisons.set(canonical(one), one);
  }
  const { population } = entity;
  const refers = entity.attributes.filter(
    ({ refersTo }) => population.kind === 'per' && refersTo?.entity === population.entity,
  );
  // Of several references to the parent's kind, such as the two ends of an edge, the first is the parent.
  const attributes = new Map<string, string>();
  for (const { name, refersTo } of refers)
    if (!attributes.has(refersTo!.attribute)) attributes.set(refersTo!.attribute, name);
  const parent =
    population.kind === 'per' ? model.entities.find(({ name }) => name === population.entity) : undefined;
  const inherited = entity.attributes.filter(({ name, refersTo }) =>
    parent?.attributes.some((one) => one.name === name && one.refersTo?.entity === refersTo?.entity),
  );
  return {
    presence,
    comparisons: [...comparisons.values()],
    parentAttributes: new Set(attributes.values()),
    inherited: new Set(inherited.map(({ name }) => name)),
    counted: spreadCounters(model, entity.name),
    unique: new Set(steps.flatMap((step) => (step.kind === 'create' ? step.unique : []))),
  };
}

/** Entities such that whatever one is counted by or refers to comes before it, as far as that is possible. */
function parentsFirst({ entities }: Model): Entity[] {
  const sorted: Entity[] = [];
  const visiting = new Set<string>();
  const visit = (entity: Entity) => {
    if (sorted.includes(entity) || visiting.has(entity.name)) return;
    visiting.add(entity.name);
    const names = [
      ...(entity.population.kind === 'per' ? [entity.population.entity] : []),
      ...entity.attributes.flatMap(({ refersTo }) => refersTo?.entity ?? []),
    ];
    for (const name of names) {
      const target = entities.find((one) => one.name === name);
      if (target !== undefined) visit(target);
    }
    sorted.push(entity);
  };
  for (const entity of entities) visit(entity);
  return sorted;
}
