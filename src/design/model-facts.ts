import { numberSize } from '../model/values/item-size.ts';
import { utf8Length } from '../model/values/utf8.ts';
import { spreadCounters } from './check-counters.ts';
import type {
  Attribute,
  AttributeSkew,
  Entity,
  Model,
  Predicate,
  Skew,
  WritePattern,
  WriteStep,
} from './ir.ts';
import { counterOf, followsFrom, siblingsMax, siblingsMean } from './value-sources.ts';

/** Items of one partition value that are few enough to be read in a handful of pages. */
const smallCollectionBytes = 10e6;
/** As many declared values as people still list: a set, closed like a choice. */
const fewValuesMax = 100;
/** How far ahead growth is looked at. */
const growthDays = 3 * 365;

/**
 * Numbers that follow from a model alone: how many instances there are, how many values an attribute has, how large
 * items are, which share of calls the hottest value takes. Solver, checker and reports read the same numbers here.
 */
export class ModelFacts {
  readonly model: Model;
  readonly #entities: ReadonlyMap<string, Entity>;
  readonly #totals = new Map<string, number>();
  readonly #counters = new Map<string, ReadonlySet<string>>();
  readonly #distincts = new Map<Attribute, number>();
  #unique: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(model: Model) {
    this.model = model;
    this.#entities = new Map(model.entities.map((entity) => [entity.name, entity]));
  }

  entity(name: string): Entity {
    return this.#entities.get(name)!;
  }

  attribute(entity: Entity, name: string): Attribute {
    return entity.attributes.find((one) => one.name === name)!;
  }

  /** Attributes of an entity whose value no two instances may share, whichever write says so. */
  uniqueAttributes(entity: string): readonly string[] {
    this.#unique ??= uniqueAttributesOf(this.model);
    return this.#unique.get(entity) ?? [];
  }

  /** Instances in the whole model. */
  total(entity: Entity): number {
    const known = this.#totals.get(entity.name);
    if (known !== undefined) return known;
    const { population } = entity;
    const total =
      population.kind === 'count'
        ? population.count
        : this.total(this.entity(population.entity)) * population.mean;
    this.#totals.set(entity.name, total);
    return total;
  }

  /**
   * Different values of an attribute. A copy has those of its source, through any number of copies and references, and a
   * number that counts the children of one parent has as many as a parent has children.
   */
  distinct(entity: Entity, name: string): number {
    const attribute = this.attribute(entity, name);
    const known = this.#distincts.get(attribute);
    if (known !== undefined) return known;
    const found = this.#countDistinct(entity, attribute);
    this.#distincts.set(attribute, found);
    return found;
  }

  #countDistinct(entity: Entity, attribute: Attribute): number {
    if (attribute.distinct !== undefined) return attribute.distinct;
    const { type, refersTo, copyOf } = attribute;
    if (type.kind === 'choice') return type.values.length;
    if (type.kind === 'flag') return 2;
    const source = refersTo ?? copyOf;
    if (source !== undefined) {
      const values = Math.max(1, this.distinct(this.entity(source.entity), source.attribute));
      return refersTo === undefined ? Math.max(1, Math.min(values, this.total(entity))) : values;
    }
    if (type.kind === 'date') return 365;
    const most = this.#isCounter(entity, attribute.name)
      ? siblingsMax(this, entity)
      : Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(this.total(entity), valuesOf(attribute), most));
  }

  #isCounter(entity: Entity, name: string): boolean {
    return counterOf(entity) === name;
  }

  /** The share of instances for which a predicate holds. */
  holds(entity: Entity, predicate: Predicate): number {
    switch (predicate.kind) {
      case 'equals':
        return this.#shareOfValue(entity, predicate.attribute, String(predicate.value));
      case 'among':
        return Math.min(
          1,
          predicate.values.reduce(
            (sum, value) => sum + this.#shareOfValue(entity, predicate.attribute, value),
            0,
          ),
        );
      default:
        return predicate.share;
    }
  }

  #shareOfValue(entity: Entity, name: string, value: string): number {
    const { type } = this.attribute(entity, name);
    if (type.kind === 'choice') return type.values.find((one) => one.value === value)?.share ?? 0;
    return 1 / this.distinct(entity, name);
  }

  /**
   * The share of calls that fall on the hottest combination of values of `names`, at most: a combination is never hotter
   * than the hottest value of each of its attributes. Attributes in `pinned` have one value in all calls.
   */
  hottestShare(
    entity: Entity,
    names: readonly string[],
    skew: readonly AttributeSkew[],
    pinned: ReadonlySet<string>,
    writing: boolean,
  ): number {
    let least = 1;
    for (const name of names) {
      if (pinned.has(name)) continue;
      const declared = skew.find((one) => one.attribute === name)?.skew;
      least = Math.min(
        least,
        Math.max(
          this.#hottestValue(entity, name, declared, writing),
          // A region is at least as hot as its hottest customer.
          ...skew
            .filter(({ attribute }) => this.#has(entity, attribute) && this.follows(entity, name, attribute))
            .map((one) => this.#hottestValue(entity, one.attribute, one.skew, writing)),
        ),
      );
    }
    return least;
  }

  /**
   * Attributes to which every call of a step gives the same value: constants, and the number of the first child where
   * the call creates the parent as well.
   */
  settledBy({ steps }: WritePattern, step: WriteStep): ReadonlySet<string> {
    if (step.kind === 'change')
      return new Set(step.sets.flatMap(({ attribute, value }) => (value === undefined ? [] : [attribute])));
    if (step.kind !== 'create') return new Set();
    const settled = new Set(step.values.map(({ attribute }) => attribute));
    const entity = this.entity(step.entity);
    const counter = counterOf(entity);
    const parents = entity.identity.flatMap((name) => this.attribute(entity, name).refersTo?.entity ?? []);
    const isFirst = steps.some((one) => one.kind === 'create' && parents.includes(one.entity));
    if (counter !== undefined && isFirst && step.count === 1) settled.add(counter);
    return settled;
  }

  /** Whether all instances with the same `from` have the same value of `name`, because both come from one instance. */
  follows(entity: Entity, name: string, from: string): boolean {
    return followsFrom(this, entity, name, from);
  }

  #has(entity: Entity, name: string): boolean {
    return entity.attributes.some((one) => one.name === name);
  }

  #hottestValue(entity: Entity, name: string, skew: Skew | undefined, writing: boolean): number {
    const { type } = this.attribute(entity, name);
    const values = this.distinct(entity, name);
    if (skew !== undefined) return Math.max(1 / values, hottestOf(skew, values));
    // At a peak all writers write today's date.
    if (type.kind === 'date' && writing) return 1;
    if (type.kind === 'choice') return Math.max(...type.values.map(({ share }) => share));
    // Every parent has a first child, few have a hundredth.
    if (this.#isCounter(entity, name)) return 1 / siblingsMean(this, entity);
    return 1 / values;
  }

  /** Items that a call with these equality attributes and predicates finds, on average. */
  matching(entity: Entity, by: readonly string[], where: readonly Predicate[]): number {
    const byNames = new Set(by);
    if (entity.identity.every((name) => byNames.has(name))) return 1;
    // References tend to imply each other (a project has one tenant): only the most selective of them counts.
    let references = 1;
    let rest = 1;
    for (const name of by) {
      const attribute = this.attribute(entity, name);
      const values = this.distinct(entity, name);
      if (by.some((one) => one !== name && this.follows(entity, name, one))) continue;
      if (attribute.refersTo !== undefined || entity.identity.includes(name))
        references = Math.max(references, values);
      else rest *= values;
    }
    const share = where.reduce((product, predicate) => product * this.holds(entity, predicate), 1);
    return Math.max(0, (this.total(entity) / references / rest) * share);
  }

  /** The most instances that share one value of `names`, for limits on collections. */
  collectionMax(entity: Entity, names: readonly string[]): number {
    const { population } = entity;
    const total = this.total(entity);
    if (names.length === 0) return total;
    if (entity.identity.every((name) => names.includes(name))) return 1;
    const parents = names.map((name) => this.attribute(entity, name).refersTo?.entity);
    if (population.kind === 'per' && parents.includes(population.entity)) return population.max;
    return Math.min(
      total,
      Math.max(1, total / Math.max(...names.map((name) => this.#valuesOfMost(entity, name)))),
    );
  }

  /** As many values as would be even with the most frequent one. */
  #valuesOfMost(entity: Entity, name: string): number {
    return this.#isCounter(entity, name) ? siblingsMean(this, entity) : this.distinct(entity, name);
  }

  /**
   * Whether a table's partition key spreads the entity's items. A key without attributes, or with closed sets only, has
   * few values whatever the traffic of today: that is fine only while each value's items stay few.
   */
  spreads(entity: Entity, names: readonly string[], itemBytes: number): boolean {
    const open = names.some((name) => this.isOpen(entity, name));
    const { population } = entity;
    const values = names.reduce((most, name) => Math.max(most, this.#valuesOfMost(entity, name)), 1);
    const growth = population.kind === 'count' ? (population.growthPerDay * growthDays) / values : 0;
    return open || (this.collectionMax(entity, names) + growth) * itemBytes <= smallCollectionBytes;
  }

  /**
   * Whether an attribute has values for all instances. A closed set has not, a copy of one has not, and numbers of few
   * digits or of the children of one parent have not.
   */
  isOpen(entity: Entity, name: string): boolean {
    const attribute = this.attribute(entity, name);
    const { type, copyOf, distinct } = attribute;
    if (type.kind === 'choice' || type.kind === 'flag' || type.kind === 'date') return false;
    if (distinct !== undefined) return distinct > fewValuesMax || distinct >= this.total(entity);
    if (copyOf !== undefined) return this.isOpen(this.entity(copyOf.entity), copyOf.attribute);
    if (this.#isCounter(entity, name)) return this.distinct(entity, name) >= this.total(entity);
    return valuesOf(attribute) >= this.total(entity);
  }

  /** Mean bytes of a value. */
  valueBytes(attribute: Attribute): number {
    return typeBytes(attribute).mean;
  }

  /** Bytes of an item with the named attributes, or all of them, without keys. */
  attributesBytes(entity: Entity, names?: readonly string[]): number {
    let bytes = 0;
    const counted = this.#counted(entity);
    for (const attribute of entity.attributes) {
      if (counted.has(attribute.name)) continue;
      if (names !== undefined && !names.includes(attribute.name)) continue;
      bytes += utf8Length(attribute.name) + this.valueBytes(attribute);
    }
    return bytes;
  }

  /** Attributes that are counted in items of their own. */
  #counted({ name }: Entity): ReadonlySet<string> {
    let counted = this.#counters.get(name);
    if (counted === undefined) {
      counted = spreadCounters(this.model, name);
      this.#counters.set(name, counted);
    }
    return counted;
  }

  /** The most bytes that the named attributes can have. */
  attributesBytesMax(entity: Entity, names: readonly string[]): number {
    return entity.attributes
      .filter(({ name }) => names.includes(name))
      .reduce((sum, attribute) => sum + utf8Length(attribute.name) + typeBytes(attribute).max, 0);
  }

  /** Bytes of a key with the entity's head, its identity and nothing else, names included. */
  shortKeyBytes(entity: Entity): number {
    const head = utf8Length(entity.name) + 1;
    const identity = entity.identity.reduce((sum, name) => sum + 1 + this.keyBytes(entity, name).mean, 0);
    return utf8Length('PKSK') + 2 * head + identity;
  }

  /** Mean bytes of an item in the table. */
  itemBytes(entity: Entity): number {
    return (
      this.attributesBytes(entity) +
      this.shortKeyBytes(entity) +
      utf8Length('_type') +
      utf8Length(entity.name)
    );
  }

  /** The most that an item can grow to. */
  itemBytesMax(entity: Entity): number {
    return entity.attributes.reduce(
      (sum, attribute) => sum + utf8Length(attribute.name) + typeBytes(attribute).max,
      this.shortKeyBytes(entity),
    );
  }

  /** Mean and largest bytes of an attribute's text inside a key. */
  keyBytes(entity: Entity, name: string): { readonly mean: number; readonly max: number } {
    const { type } = this.attribute(entity, name);
    switch (type.kind) {
      case 'number': {
        const width = type.digits + (type.decimals > 0 ? 1 + type.decimals : 0);
        return { mean: width, max: width };
      }
      case 'time':
        return { mean: 24, max: 24 };
      case 'date':
      case 'epoch':
        return { mean: 10, max: 10 };
      case 'flag':
        return { mean: 1, max: 1 };
      case 'choice': {
        const longest =
          Math.max(...type.values.map(({ value }) => utf8Length(value))) + (type.ordered ? 2 : 0);
        return { mean: longest, max: longest };
      }
      default:
        return typeBytes(this.attribute(entity, name));
    }
  }
}

function uniqueAttributesOf({ writes }: Model): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { steps } of writes) {
    for (const step of steps) {
      if (step.kind !== 'create' || step.unique.length === 0) continue;
      found.set(step.entity, [...new Set([...(found.get(step.entity) ?? []), ...step.unique])]);
    }
  }
  return found;
}

/** How many values the type has room for. */
function valuesOf({ type }: Attribute): number {
  if (type.kind !== 'number') return Number.POSITIVE_INFINITY;
  return 10 ** (type.digits + type.decimals) * (type.signed ? 2 : 1);
}

function typeBytes({ type }: Attribute): { readonly mean: number; readonly max: number } {
  switch (type.kind) {
    case 'number': {
      const bytes = numberSize('9'.repeat(Math.min(38, type.digits + type.decimals)));
      return { mean: bytes, max: bytes };
    }
    case 'time':
      return { mean: 24, max: 24 };
    case 'date':
      return { mean: 10, max: 10 };
    case 'epoch': {
      const bytes = numberSize('1999999999');
      return { mean: bytes, max: bytes };
    }
    case 'flag':
      return { mean: 1, max: 1 };
    case 'choice': {
      const mean = type.values.reduce((sum, { value, share }) => sum + utf8Length(value) * share, 0);
      return { mean: Math.ceil(mean), max: Math.max(...type.values.map(({ value }) => utf8Length(value))) };
    }
    case 'list':
      return {
        mean: 3 + type.count * (type.elementBytes + 1),
        max: 3 + (type.countMax ?? type.count) * (type.elementBytes + 1),
      };
    default:
      return type.bytes;
  }
}

/** The share of the most frequent of so many values. */
function hottestOf(skew: Skew, values: number): number {
  switch (skew.kind) {
    case 'uniform':
      return 1 / values;
    case 'hot':
      return Math.min(1, skew.share / Math.max(1, Math.min(skew.keys, values)));
    case 'zipf':
      return 1 / harmonic(values, skew.exponent);
  }
}

/** The sum of k^-s for k up to n: exact for the first thousand terms, by the integral beyond. */
function harmonic(n: number, s: number): number {
  const exact = Math.min(1_000, Math.ceil(n));
  let sum = 0;
  for (let k = 1; k <= exact; k++) sum += k ** -s;
  if (n <= exact) return sum;
  const [from, to] = [exact + 0.5, n + 0.5];
  return sum + (s === 1 ? Math.log(to / from) : (to ** (1 - s) - from ** (1 - s)) / (1 - s));
}
