import type { Predicate } from '../ir.ts';
import { canonical } from '../predicate-logic.ts';
import type { PlacedEntity } from './placed-entity.ts';
import { holds } from './predicates.ts';
import type { ItemJson } from './requests.ts';
import type { Values } from './values.ts';

/**
 * What a write demands of an item: that it is not there yet, that it is, a condition of the pattern, a state that leads
 * to the new one, the version that the caller has seen, a value that nobody else has, attributes as the caller or an
 * earlier read saw them, today's schema version, a command that was not run before.
 */
export type InvariantKind =
  | 'absent'
  | 'exists'
  | 'condition'
  | 'state'
  | 'version'
  | 'unique'
  | 'expected'
  | 'unchanged'
  | 'shape'
  | 'command';

/** A rule that a write pattern keeps, in words, with the entity that it is about. */
export interface Invariant {
  readonly kind: InvariantKind;
  readonly entity: string;
  /** In words, for the caller. */
  readonly text: string;
}

/** Tells from the item that refused a write which of its invariants do not hold. */
export type WhyRefused = (found: ItemJson | undefined) => readonly Invariant[];

/** Collects the invariants of one item while its condition is written. */
export class Invariants {
  readonly #placed: PlacedEntity;
  readonly #all: {
    readonly invariant: Invariant;
    readonly holds: (found: Values | undefined, item: ItemJson | undefined) => boolean;
  }[] = [];

  constructor(placed: PlacedEntity) {
    this.#placed = placed;
  }

  exists(kind: 'exists' | 'unchanged' = 'exists'): this {
    const { name } = this.#placed.entity;
    return this.#add(kind, `the ${name} must exist`, (found) => found !== undefined);
  }

  absent(kind: 'absent' | 'unchanged' = 'absent'): this {
    const { name } = this.#placed.entity;
    return this.#add(kind, `the ${name} must not exist yet`, (found) => found === undefined);
  }

  /** The item has today's shape. */
  shape(): this {
    const { name } = this.#placed.entity;
    return this.#add(
      'shape',
      `the ${name} must have today's schema version`,
      (_, item) => item === undefined || !this.#placed.isOlder(item),
    );
  }

  predicate(kind: 'condition' | 'state', one: Predicate): this {
    const text = `${this.#placed.entity.name} must have ${canonical(one)}`;
    return this.#add(kind, text, (found) => found === undefined || holds(one, found));
  }

  version(name: string, seen: number): this {
    const text = `"${name}" of ${this.#placed.entity.name} must still be ${seen}`;
    return this.#add('version', text, (found) => found === undefined || Number(found[name]) === seen);
  }

  value(kind: 'expected' | 'unchanged', name: string, value: Values[string]): this {
    const text = `"${name}" of ${this.#placed.entity.name} must still be ${JSON.stringify(value ?? null)}`;
    const wanted = JSON.stringify(value ?? null);
    return this.#add(
      kind,
      text,
      (found) => found === undefined || JSON.stringify(found[name] ?? null) === wanted,
    );
  }

  unique(attribute: string, value: Values[string]): this {
    const { name } = this.#placed.entity;
    const text = `"${attribute}" of ${name} must be unique, and another has ${JSON.stringify(value)}`;
    return this.#add('unique', text, () => false);
  }

  /** An invariant of an entry inside of the item. */
  inside(invariant: Invariant, holds: (found: Values | undefined) => boolean): this {
    this.#all.push({ invariant, holds });
    return this;
  }

  #add(
    kind: InvariantKind,
    text: string,
    check: (found: Values | undefined, item: ItemJson | undefined) => boolean,
  ): this {
    this.#all.push({ invariant: { kind, entity: this.#placed.entity.name, text }, holds: check });
    return this;
  }

  get whyRefused(): WhyRefused {
    return (item) => {
      const found = item === undefined ? undefined : this.#placed.valuesFrom(item, this.#placed.base);
      const broken = this.#all.filter((one) => !one.holds(found, item));
      return (broken.length === 0 ? this.#all : broken).map(({ invariant }) => invariant);
    };
  }
}
