import type { AttributeValue, Item } from '../../data/items.ts';
import { allIndexes, type KeyNames, keyNames, type TableDescription } from '../../data/tables.ts';

/** Attributes in which libraries and people write what kind of thing an item is, the most telling first. */
const typeAttributes = [
  '__edb_e__',
  '_et',
  '_type',
  '__typename',
  'entityType',
  'entity',
  'type',
  'Type',
  'kind',
];

export interface Entity {
  readonly name: string;
  /** One of eight; the name stands beside it. */
  readonly colour: number;
  /** The attribute that told it, or undefined if the key did. */
  readonly by: string | undefined;
}

/**
 * Recognises the entity types of a table: by an attribute that says it, else by the prefix of the sort key or of the
 * partition key (`ORDER#2026…` is an ORDER). It remembers what it has seen, so that a type keeps its colour and its
 * columns while one scrolls.
 */
export class Entities {
  readonly #keys: KeyNames;
  readonly #hidden: ReadonlySet<string>;
  readonly #seen = new Map<string, Entity>();
  readonly #columns = new Map<string, Map<string, number>>();

  constructor(table: TableDescription) {
    this.#keys = keyNames(table);
    this.#hidden = new Set([
      ...table.KeySchema.map(({ AttributeName }) => AttributeName),
      ...allIndexes(table).flatMap(({ KeySchema }) => KeySchema.map(({ AttributeName }) => AttributeName)),
    ]);
  }

  of(item: Item): Entity {
    const [name, by] = this.#nameOf(item);
    let entity = this.#seen.get(name);
    if (entity === undefined) {
      entity = { name, colour: this.#seen.size % 8, by };
      this.#seen.set(name, entity);
    }
    return entity;
  }

  /** Notes the attributes of an item, so that its type has columns of its own. */
  note(item: Item): void {
    const { name, by } = this.of(item);
    let columns = this.#columns.get(name);
    if (columns === undefined) {
      columns = new Map();
      this.#columns.set(name, columns);
    }
    const keyText = [this.#keys.hash, this.#keys.range].map((key) => textOf(item.get(key ?? ''))).join(' ');
    for (const [attribute, value] of item) {
      if (this.#hidden.has(attribute) || attribute === by) continue;
      const weight = weightOf(value, keyText);
      columns.set(attribute, (columns.get(attribute) ?? 0) + weight);
    }
  }

  /** The attributes of a type that are worth a column, the most frequent first. What only repeats the key fills no space. */
  columnsOf(name: string, most: number): readonly string[] {
    const sorted = [...(this.#columns.get(name) ?? [])].sort(([, a], [, b]) => b - a);
    const least = (sorted[0]?.[1] ?? 0) * 0.35;
    return sorted
      .filter(([, weight], at) => at < columnsLeast || weight > least)
      .slice(0, most)
      .map(([attribute]) => attribute);
  }

  /** The attributes of all types together, for rows of one grid. */
  allColumns(most: number): readonly string[] {
    const all = new Map<string, number>();
    for (const columns of this.#columns.values())
      for (const [attribute, weight] of columns) all.set(attribute, (all.get(attribute) ?? 0) + weight);
    return [...all]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(([attribute]) => attribute);
  }

  #nameOf(item: Item): readonly [string, string | undefined] {
    for (const attribute of typeAttributes) {
      const value = item.get(attribute);
      if (
        value !== undefined &&
        'S' in value &&
        /^[\p{L}_][\p{L}\p{N}_ .:-]{0,39}$/u.test(value.S) &&
        !this.#hidden.has(attribute)
      )
        return [value.S, attribute];
    }
    const { hash, range } = this.#keys;
    for (const key of range === undefined ? [hash] : [range, hash]) {
      const value = item.get(key);
      const prefix = value !== undefined && 'S' in value ? prefixOf(value.S) : undefined;
      if (prefix !== undefined) return [prefix, undefined];
    }
    return ['item', undefined];
  }
}

/** `ORDER` of `ORDER#2026-06-01`, `PROFILE` of `PROFILE`; nothing of a text that is no label. */
function prefixOf(text: string): string | undefined {
  const found = /^(\p{L}[\p{L}_-]{0,39})(?=[#:|/@]|$)/u.exec(text)?.[1];
  if (found === undefined) return undefined;
  // A whole key that is not written as a label is an id or a word of somebody's.
  return found === text && found !== found.toUpperCase() ? undefined : found;
}

/** How much a value says in a row: documents say little, and what the key says already says nothing new. */
/** So many columns are filled with whatever there is. */
const columnsLeast = 3;

function weightOf(value: AttributeValue, keyText: string): number {
  if ('M' in value || 'L' in value || 'B' in value) return 0.2;
  const text = textOf(value);
  if (text.length > 3 && keyText.includes(text)) return 0.3;
  // A number that the key holds padded, as in LINE#001.
  if ('N' in value && keyText.slice(keyText.lastIndexOf('#') + 1).replace(/^0+/, '') === text) return 0.3;
  return text.length > 16 ? 0.7 : 1;
}

function textOf(value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  return 'S' in value ? value.S.slice(0, 200) : 'N' in value ? value.N : '';
}

/** The colour of the n-th kind of thing. */
export function entityColour(at: number): string {
  return `var(--entity-${at % 8})`;
}
