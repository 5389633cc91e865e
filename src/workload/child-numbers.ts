import type { Entity, Model, Values } from '../design/index.ts';
import { ModelFacts } from '../design/model-facts.ts';
import { counterOf, siblingsMean } from '../design/value-sources.ts';
import type { Sample } from './scale-model.ts';
import { Seeded } from './seeded.ts';

/** How an entity's identity numbers the children of one parent. */
interface Numbering {
  readonly attribute: string;
  readonly digits: number;
  /** The attributes that name the parent. */
  readonly parent: readonly string[];
  /** Declared children for each one of the sample. */
  readonly stretch: number;
}

/**
 * Numbers children as their writers do: 1, 2, 3 under each parent. A sample with fewer children than declared has some of
 * their numbers, so that the first is as rare in it as among all.
 */
export class ChildNumbers {
  readonly #seed: number;
  readonly #numberings: ReadonlyMap<string, Numbering>;
  readonly #last = new Map<string, { number: number; children: number }>();

  constructor({ model, whole }: Sample, seed: number) {
    this.#seed = seed;
    this.#numberings = numberingsOf(model, whole);
  }

  /** The attribute and value for another child of the parent that the values name. */
  next(entity: Entity, values: Values, isFilling: boolean): readonly [string, number] | undefined {
    const numbering = this.#numberings.get(entity.name);
    if (numbering === undefined) return undefined;
    const { attribute, digits, parent, stretch } = numbering;
    const key = `${entity.name}\u0000${parent.map((name) => String(values[name])).join('\u0000')}`;
    const { number, children } = this.#last.get(key) ?? { number: 0, children: 0 };
    const random = new Seeded(this.#seed, 'number', key, children);
    const next =
      isFilling && stretch > 1
        ? Math.max(number + 1, 1 + Math.floor((children + random.next()) * stretch))
        : number + 1;
    this.#last.set(key, { number: next, children: children + 1 });
    return [attribute, Math.min(next, 10 ** digits - 1)];
  }
}

function numberingsOf(model: Model, whole: Model): Map<string, Numbering> {
  const found = new Map<string, Numbering>();
  const [present, declared] = [new ModelFacts(model), new ModelFacts(whole)];
  for (const entity of model.entities) {
    const attribute = counterOf(entity);
    if (attribute === undefined) continue;
    const { population, identity, name } = entity;
    const references = identity.filter((one) => present.attribute(entity, one).refersTo !== undefined);
    const own = references.filter(
      (one) =>
        population.kind === 'per' && present.attribute(entity, one).refersTo!.entity === population.entity,
    );
    const { type } = present.attribute(entity, attribute);
    found.set(name, {
      attribute,
      digits: type.kind === 'number' ? type.digits : 1,
      parent: own.length > 0 ? own : references,
      stretch: siblingsMean(declared, declared.entity(name)) / siblingsMean(present, entity),
    });
  }
  return found;
}
