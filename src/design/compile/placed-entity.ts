import type { IndexDesign, Placement, Satellite, TableDesign } from '../design.ts';
import { decimalOf, plainNumber } from '../exact-number.ts';
import type { Entity } from '../ir.ts';
import { freeCharacters } from '../key-characters.ts';
import { readTemplate, templateValue } from './key-values.ts';
import { holds } from './predicates.ts';
import { type AttributeJson, type ItemJson, PatternError } from './requests.ts';
import { fromJson, toJson, type Value, type Values, valuesOfItem } from './values.ts';

/** Tells the kinds of items apart. */
export const typeAttribute = '_type';
/** The number of the item's shape, where the entity declares one. */
export const shapeAttribute = '_shape';
/** Which of several items of one instance this is. */
const copyAttribute = '_copy';

/** Makes an instance of today's shape from all attributes of an item of an older one. */
export type Upgrade = (old: Values, schemaVersion: number) => Values;

/** An entity with everything that a table holds of it. */
export class PlacedEntity {
  readonly entity: Entity;
  readonly table: TableDesign;
  readonly base: Placement;
  readonly copies: readonly Placement[];
  readonly indexes: readonly { readonly placement: Placement; readonly index: IndexDesign }[];
  readonly unique: readonly Satellite[];
  readonly counters: readonly Satellite[];

  readonly #upgrade: Upgrade | undefined;

  constructor(entity: Entity, table: TableDesign, upgrade?: Upgrade) {
    this.entity = entity;
    this.#upgrade = upgrade;
    this.table = table;
    const own = table.placements.filter((one) => one.entity === entity.name);
    this.base = own.find(({ slot, copy }) => slot === 'table' && copy === undefined)!;
    this.copies = own.filter(({ copy }) => copy !== undefined);
    this.indexes = own
      .filter(({ slot }) => slot !== 'table')
      .map((placement) => ({ placement, index: table.indexes.find(({ name }) => name === placement.slot)! }));
    const satellites = table.satellites.filter((one) => one.entity === entity.name);
    this.unique = satellites.filter(({ kind }) => kind === 'unique');
    this.counters = satellites.filter(({ kind }) => kind === 'counter');
  }

  /** The key of the instance's item, or of one of its copies; undefined if there is no such copy. */
  keyOf(where: string, values: Values, placement: Placement = this.base): ItemJson | undefined {
    const partition = templateValue(where, this.entity, placement.partition, values);
    const sort = templateValue(where, this.entity, placement.sort, values);
    if (partition === undefined || sort === undefined) return undefined;
    return { [this.table.partitionKey]: { S: partition }, [this.table.sortKey]: { S: sort } };
  }

  /** The key, from a caller who must know enough for it. */
  knownKey(where: string, values: Values): ItemJson {
    const key = this.keyOf(where, values);
    if (key !== undefined) return key;
    const names = [...this.base.partition, ...this.base.sort].flatMap((piece) =>
      piece.kind === 'attribute' || piece.kind === 'bucket'
        ? [piece.attribute]
        : piece.kind === 'shard'
          ? piece.of
          : [],
    );
    const missing = [...new Set(names)].filter((name) => values[name] === undefined || values[name] === null);
    throw new PatternError(
      where,
      `the key of ${this.entity.name} needs ${missing.map((one) => `"${one}"`).join(', ')}`,
    );
  }

  /** The key attributes that place the instance in an index; undefined if it is not in there. */
  entryKeys(where: string, values: Values, at: number): ItemJson | undefined {
    const { placement, index } = this.indexes[at]!;
    if (!placement.when.every((one) => holds(one, values))) return undefined;
    const partition = templateValue(where, this.entity, placement.partition, values);
    const sort = templateValue(where, this.entity, placement.sort, values);
    if (partition === undefined || sort === undefined) return undefined;
    // A local index has the table's partition key.
    if (index.kind === 'local') return { [index.sortKey]: { S: sort } };
    return { [index.partitionKey]: { S: partition }, [index.sortKey]: { S: sort } };
  }

  /** The whole item of an instance. */
  itemOf(where: string, values: Values): ItemJson {
    return this.#addEntries(
      this.#addAttributes({ ...this.knownKey(where, values) }, where, values),
      where,
      values,
      0,
    );
  }

  /** Whether an item of the instance carries the key attributes of an index; 0 is its own item, others are copies. */
  carries(item: number, at: number): boolean {
    const { carriers } = this.indexes[at]!.placement;
    return carriers === undefined ? item === 0 : carriers.includes(item);
  }

  #addEntries(
    item: Record<string, AttributeJson>,
    where: string,
    values: Values,
    which: number,
  ): Record<string, AttributeJson> {
    for (let at = 0; at < this.indexes.length; at++) {
      if (!this.carries(which, at)) continue;
      const keys = this.entryKeys(where, values, at);
      for (const name in keys) item[name] = keys[name]!;
    }
    return item;
  }

  /** The items that repeat an instance under other keys. */
  copiesOf(where: string, values: Values): ItemJson[] {
    return this.copies.flatMap((placement): ItemJson[] => {
      if (!placement.when.every((one) => holds(one, values))) return [];
      const item = this.copyOf(where, values, placement);
      return item === undefined ? [] : [item];
    });
  }

  /** One item that repeats an instance; undefined if a value of its key is missing. */
  copyOf(where: string, values: Values, placement: Placement): ItemJson | undefined {
    const key = this.keyOf(where, values, placement);
    if (key === undefined) return undefined;
    const item: Record<string, AttributeJson> = { ...key, ...this.attributesOf(where, values) };
    const mark = placement.mark ?? placement.copy!;
    if (mark > 0) item[copyAttribute] = { N: String(mark) };
    return this.#addEntries(item, where, values, placement.copy!);
  }

  /** The item that guards a unique value. */
  guardOf(where: string, satellite: Satellite, values: Values): ItemJson | undefined {
    const value = values[satellite.attribute];
    if (value === undefined || value === null) return undefined;
    const { type } = this.entity.attributes.find((one) => one.name === satellite.attribute)!;
    const decimal = type.kind === 'number' ? decimalOf(value) : undefined;
    // 1.50 and 1.5 are one number, and half of a surrogate pair is stored as another character.
    const guarded = String(decimal === undefined ? value : plainNumber(decimal.units, decimal.decimals));
    if (!freeCharacters.test(guarded))
      throw new PatternError(
        where,
        `"${satellite.attribute}" must be a text of whole characters below U+10FFFF that is not empty, because it is unique`,
      );
    return {
      [this.table.partitionKey]: { S: satellite.key.replace(`{${satellite.attribute}}`, () => guarded) },
      [this.table.sortKey]: { S: 'UNIQUE' },
      [typeAttribute]: { S: 'Unique' },
      ...Object.fromEntries(
        this.entity.identity.flatMap((name) => {
          const attribute = this.entity.attributes.find((one) => one.name === name)!;
          return values[name] === undefined ? [] : [[name, toJson(where, attribute, values[name]!)]];
        }),
      ),
    };
  }

  /** The items that guard all unique values of an instance. */
  guardsOf(where: string, values: Values): ItemJson[] {
    return this.unique
      .map((satellite) => this.guardOf(where, satellite, values))
      .filter((item) => item !== undefined);
  }

  attributesOf(where: string, values: Values): Record<string, AttributeJson> {
    return this.#addAttributes({}, where, values);
  }

  #addAttributes(
    item: Record<string, AttributeJson>,
    where: string,
    values: Values,
  ): Record<string, AttributeJson> {
    item[typeAttribute] = { S: this.entity.name };
    const { schemaVersion, attributes } = this.entity;
    if (schemaVersion !== undefined) item[shapeAttribute] = { N: String(schemaVersion) };
    let known = 0;
    for (const attribute of attributes) {
      const value = values[attribute.name];
      if (attribute.name in values) known++;
      if (value !== undefined && value !== null) this.refuseCounter(where, attribute.name);
      if (value === undefined || value === null) {
        if (attribute.optional === true) continue;
        throw new PatternError(where, `${this.entity.name} needs "${attribute.name}"`);
      }
      item[attribute.name] = toJson(where, attribute, value);
    }
    if (known < Object.keys(values).length) this.#refuseUnknown(where, values);
    return item;
  }

  /** A spread counter lies beside the item: a value in the item would be read by nobody. */
  refuseCounter(where: string, name: string): void {
    for (const { attribute } of this.counters)
      if (attribute === name)
        throw new PatternError(
          where,
          `"${name}" of ${this.entity.name} is counted in items of its own; only a pattern that adds to it writes it`,
        );
  }

  #refuseUnknown(where: string, values: Values): void {
    for (const name of Object.keys(values))
      if (!this.entity.attributes.some((one) => one.name === name))
        throw new PatternError(where, `${this.entity.name} has no attribute "${name}"`);
  }

  /** The number of today's shape, if items of older ones are upgraded. */
  get upgradesTo(): number | undefined {
    return this.#upgrade === undefined ? undefined : this.entity.schemaVersion;
  }

  /** Whether an item has an older shape, from which it can be upgraded. */
  isOlder(item: ItemJson): boolean {
    return this.upgradesTo !== undefined && shapeOf(item) < this.upgradesTo;
  }

  /** The values of an item whose shape is older than the entity's; undefined if it is not. */
  #upgraded(item: ItemJson, placement: Placement): Record<string, Value> | undefined {
    if (!this.isOlder(item)) return undefined;
    // Entries that lack attributes cannot tell their shape.
    const index = this.indexes.find((one) => one.placement === placement)?.index;
    if (item[shapeAttribute] === undefined && index !== undefined && index.projection.type !== 'ALL')
      return undefined;
    const old = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, fromJson(value)]));
    const made = this.#upgrade!(old, shapeOf(item));
    const values: Record<string, Value> = {};
    for (const { name } of this.entity.attributes) {
      const value = made[name];
      if (value !== undefined && value !== null) values[name] = value;
    }
    return values;
  }

  /** An instance from an item, or from the entry of an index; what only the keys tell is read from them. */
  valuesFrom(item: ItemJson, placement: Placement): Record<string, Value> {
    return this.#completed(
      this.#upgraded(item, placement) ?? valuesOfItem(this.entity, item),
      item,
      placement,
    );
  }

  /** The values as they are stored, whatever the shape. */
  storedValues(item: ItemJson): Record<string, Value> {
    return this.#completed(valuesOfItem(this.entity, item), item, this.base);
  }

  #completed(values: Record<string, Value>, item: ItemJson, placement: Placement): Record<string, Value> {
    const { table, entity } = this;
    // Items from before the counter was spread have a number that no longer counts.
    for (const { attribute } of this.counters) delete values[attribute!];
    const read = (pieces: Placement['partition'], name: string) => {
      const text = item[name];
      if (text === undefined || !('S' in text)) return;
      for (const [attribute, value] of Object.entries(readTemplate(entity, pieces, text.S) ?? {}))
        values[attribute] ??= value;
    };
    if (Object.keys(values).length === entity.attributes.length) return values;
    const own = placement.copy === undefined ? this.base : placement;
    read(own.partition, table.partitionKey);
    read(own.sort, table.sortKey);
    const index = this.indexes.find((one) => one.placement === placement)?.index;
    if (index !== undefined) {
      read(placement.partition, index.partitionKey);
      read(placement.sort, index.sortKey);
    }
    for (const one of placement.when) if (one.kind === 'equals') values[one.attribute] ??= one.value;
    return values;
  }
}

function shapeOf(item: ItemJson): number {
  const shape = item[shapeAttribute];
  return shape !== undefined && 'N' in shape ? Number(shape.N) : 0;
}
