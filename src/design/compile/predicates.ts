import type { Entity, Predicate } from '../ir.ts';
import { attributeNamed } from './key-values.ts';
import type { AttributeJson } from './requests.ts';
import { toJson, type Value, type Values } from './values.ts';

/** Whether a predicate holds of an instance. */
export function holds(predicate: Predicate, values: Values): boolean {
  switch (predicate.kind) {
    case 'equals':
      return values[predicate.attribute] === predicate.value;
    case 'among':
      return predicate.values.includes(values[predicate.attribute] as string);
    case 'exists': {
      const value = values[predicate.attribute];
      return value !== undefined && value !== null;
    }
    case 'compare': {
      const left = values[predicate.left];
      const right = 'value' in predicate.right ? predicate.right.value : values[predicate.right.attribute];
      if (left === undefined || left === null || right === undefined || right === null) return false;
      const [a, b] =
        typeof left === 'string' && typeof right === 'string' ? [left, right] : [Number(left), Number(right)];
      switch (predicate.operator) {
        case '<':
          return a < b;
        case '<=':
          return a <= b;
        case '>':
          return a > b;
        case '>=':
          return a >= b;
      }
    }
  }
}

/** Collects the names and values of one expression. */
export class Expressions {
  readonly #where: string;
  readonly #entity: Entity;
  readonly #outer: Expressions | undefined;
  readonly #path: string;
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, AttributeJson> = {};
  #count = 0;
  #isNamed = false;

  /** With `outer`, the expressions of an entry at `path` inside of an item that has expressions of its own. */
  constructor(where: string, entity: Entity, outer?: Expressions, path = '') {
    this.#where = where;
    this.#entity = entity;
    this.#outer = outer;
    this.#path = path;
  }

  name(attribute: string): string {
    return this.#outer === undefined ? this.alias(attribute) : `${this.#path}.${this.alias(attribute)}`;
  }

  /** One part of a path. */
  alias(attribute: string): string {
    if (this.#outer !== undefined) return this.#outer.alias(attribute);
    this.#isNamed = true;
    // Names may be reserved words or hold any character.
    let alias = /^[A-Za-z]\w*$/.test(attribute) ? `#${attribute}` : `#n${this.#count++}`;
    // A numbered name may be one that an attribute has.
    while ((this.#names[alias] ?? attribute) !== attribute) alias = `#n${this.#count++}`;
    this.#names[alias] = attribute;
    return alias;
  }

  value(attribute: string, value: Value): string {
    return this.json(toJson(this.#where, attributeNamed(this.#entity, attribute), value));
  }

  json(value: AttributeJson): string {
    if (this.#outer !== undefined) return this.#outer.json(value);
    const alias = `:v${this.#count++}`;
    this.#values[alias] = value;
    return alias;
  }

  predicate(predicate: Predicate): string {
    switch (predicate.kind) {
      case 'equals':
        return `${this.name(predicate.attribute)} = ${this.value(predicate.attribute, predicate.value)}`;
      case 'among': {
        const values = predicate.values.map((one) => this.value(predicate.attribute, one));
        return `${this.name(predicate.attribute)} IN (${values.join(', ')})`;
      }
      case 'exists':
        return `attribute_exists(${this.name(predicate.attribute)})`;
      case 'compare': {
        const right =
          'value' in predicate.right
            ? this.json({ N: String(predicate.right.value) })
            : this.name(predicate.right.attribute);
        return `${this.name(predicate.left)} ${predicate.operator} ${right}`;
      }
    }
  }

  /** The members of a request that go with its expressions. */
  get members(): Readonly<Record<string, unknown>> {
    const members: Record<string, unknown> = {};
    if (this.#isNamed) members.ExpressionAttributeNames = this.#names;
    if (Object.keys(this.#values).length > 0) members.ExpressionAttributeValues = this.#values;
    return members;
  }
}
