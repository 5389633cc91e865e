import type { AttributeJson, ItemJson } from '../design/index.ts';
import { utf8Length } from '../model/values/utf8.ts';

/** A text that is equal for equal values, whatever the order in which sets and maps list theirs. */
export function imageOf(value: AttributeJson | undefined): string {
  return value === undefined ? '' : JSON.stringify(canonical(value));
}

function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, one]): [string, unknown] =>
      (name === 'SS' || name === 'NS') && Array.isArray(one)
        ? [name, [...(one as string[])].sort()]
        : [name, canonical(one)],
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether an item has the attributes of another, whatever else it has. */
export function hasAll(found: ItemJson | undefined, wanted: ItemJson): boolean {
  if (found === undefined) return false;
  return Object.entries(wanted).every(([name, value]) => imageOf(found[name]) === imageOf(value));
}

const unitBytes = 1_024;

/** About how many units a write of an item takes, before the service tells exactly. */
export function writeUnitsOf(item: ItemJson): number {
  const bytes = Object.entries(item).reduce((sum, [name, value]) => sum + name.length + bytesOf(value), 0);
  return Math.max(1, Math.ceil(bytes / unitBytes));
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return utf8Length(value);
  if (value instanceof Uint8Array) return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 0);
}

/** Collects the names and values of an expression about attributes as they were read. */
export class AsRead {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, AttributeJson> = {};
  #count = 0;

  name(attribute: string): string {
    const known = Object.entries(this.#names).find(([, name]) => name === attribute);
    if (known !== undefined) return known[0];
    const alias = `#n${this.#count++}`;
    this.#names[alias] = attribute;
    return alias;
  }

  value(value: AttributeJson): string {
    const alias = `:v${this.#count++}`;
    this.#values[alias] = value;
    return alias;
  }

  /** The attribute is as it was read. */
  still(attribute: string, value: AttributeJson | undefined): string {
    const name = this.name(attribute);
    return value === undefined ? `attribute_not_exists(${name})` : `${name} = ${this.value(value)}`;
  }

  get members(): object {
    return {
      ...(Object.keys(this.#names).length === 0 ? {} : { ExpressionAttributeNames: this.#names }),
      ...(Object.keys(this.#values).length === 0 ? {} : { ExpressionAttributeValues: this.#values }),
    };
  }
}
