import type { AttributeSkew, Entity, Value } from '../design/index.ts';
import { ModelFacts } from '../design/model-facts.ts';
import { type KeyDistribution, KeyPicker } from './key-distribution.ts';
import type { Population } from './population.ts';
import type { Seeded } from './seeded.ts';
import { isPooled, pooledValue, sourceOf } from './value-pool.ts';

/** Other distributions of keys than the declared ones, by pattern and attribute. */
export type KeyOverrides = Readonly<Record<string, Readonly<Record<string, KeyDistribution>>>>;

/** Draws by the skews that patterns declare, over as many values as an attribute has among all instances. */
export class SkewedValues {
  readonly #population: Population;
  readonly #random: Seeded;
  readonly #overrides: KeyOverrides;
  readonly #whole: ModelFacts;
  readonly #pickers = new Map<string, KeyPicker>();

  constructor(population: Population, random: Seeded, overrides: KeyOverrides) {
    this.#population = population;
    this.#random = random;
    this.#overrides = overrides;
    this.#whole = new ModelFacts(population.sample.whole);
  }

  /** A value of an attribute with a declared number of values, or of a copy; undefined for all others. */
  value(pattern: string, entity: Entity, name: string, skew: readonly AttributeSkew[]): Value | undefined {
    const { distinct, copyOf, refersTo } = entity.attributes.find((one) => one.name === name)!;
    if (refersTo !== undefined || (distinct === undefined && copyOf === undefined)) return undefined;
    const picker = this.picker(pattern, entity, name, skew);
    if (picker === undefined) return undefined;
    const population = this.#population;
    const source = sourceOf((one) => population.kind(one).entity, entity, name);
    const { attribute } = source;
    if (isPooled(attribute))
      return pooledValue(attribute, picker.pick(this.#random, attribute.distinct!), population.era);
    const target = attribute.refersTo ?? { entity: source.entity.name, attribute: attribute.name };
    const kind = population.kind(target.entity);
    const instance = kind.at(picker.pick(this.#random, kind.instances.length));
    return instance?.[target.attribute] ?? undefined;
  }

  picker(
    pattern: string,
    entity: Entity,
    name: string,
    skew: readonly AttributeSkew[],
  ): KeyPicker | undefined {
    const key = `${pattern} ${entity.name} ${name}`;
    const known = this.#pickers.get(key);
    if (known !== undefined) return known;
    const distribution: KeyDistribution | undefined =
      this.#overrides[pattern]?.[name] ?? skew.find(({ attribute }) => attribute === name)?.skew;
    if (distribution === undefined) return undefined;
    const { refersTo, distinct, copyOf } = entity.attributes.find((one) => one.name === name)!;
    const isOfFew = refersTo === undefined && (distinct !== undefined || copyOf !== undefined);
    const declared = isOfFew
      ? this.#whole.distinct(this.#whole.entity(entity.name), name)
      : this.#population.sample.declared.get(refersTo?.entity ?? entity.name);
    const picker = new KeyPicker(distribution, declared ?? 1);
    this.#pickers.set(key, picker);
    return picker;
  }
}
