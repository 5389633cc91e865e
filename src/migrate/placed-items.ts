import type { PlacedEntity } from '../design/compile/placed-entity.ts';
import {
  type CompiledDesign,
  type CompileOptions,
  compile,
  type ItemJson,
  type ModelVersion,
  migrationKey,
  type Values,
} from '../design/index.ts';

/** Functions that bring older items up to the new version, by entity. */
export type Upgrades = NonNullable<CompileOptions['upgrade']>;

/** An item of a table with what the design says about it. */
export interface PlacedItem {
  readonly placed: PlacedEntity;
  readonly values: Values;
  readonly item: ItemJson;
  /** 0 is the instance's own item, others are copies. */
  readonly which: number;
}

/** Tells which instances the items of a table are of, in the design of one phase. */
export class PlacedItems {
  readonly compiled: CompiledDesign;
  readonly #entities: readonly PlacedEntity[];

  constructor(version: ModelVersion, table: string, upgrade: Upgrades | undefined) {
    this.compiled = compile(version.model, version.design, upgrade === undefined ? {} : { upgrade });
    this.#entities = [...this.compiled.entities.values()].filter((one) => one.table.name === table);
  }

  /** Undefined for guards, counters, records of commands, and whatever else is no instance. */
  read(item: ItemJson): PlacedItem | undefined {
    const type = item._type;
    const { partitionKey } = this.#entities[0]!.table;
    const partition = item[partitionKey];
    if (partition !== undefined && 'S' in partition && partition.S === migrationKey.partition)
      return undefined;
    if (type !== undefined) {
      const placed = this.#entities.find(({ entity }) => 'S' in type && entity.name === type.S);
      return placed === undefined ? undefined : this.#readAs(placed, item);
    }
    // Items that other programs wrote say nothing of their kind; their keys do.
    for (const placed of this.#entities) {
      const read = this.#readAs(placed, item);
      if (read !== undefined) return read;
    }
    return undefined;
  }

  #readAs(placed: PlacedEntity, item: ItemJson): PlacedItem | undefined {
    const { partitionKey, sortKey } = placed.table;
    const isAt = (key: ItemJson | undefined) =>
      key !== undefined &&
      JSON.stringify([key[partitionKey], key[sortKey]]) ===
        JSON.stringify([item[partitionKey], item[sortKey]]);
    for (const placement of [placed.base, ...placed.copies]) {
      try {
        const values = placed.valuesFrom(item, placement);
        if (isAt(placed.keyOf(placed.entity.name, values, placement)))
          return { placed, values, item, which: placement.copy ?? 0 };
      } catch {
        // A value that does not fit this key: the item lies elsewhere.
      }
    }
    return undefined;
  }
}

/** How the partition keys of all guards of a unique attribute begin. */
export function guardPrefix(placed: PlacedEntity, attribute: string): string | undefined {
  return placed.unique.find((one) => one.attribute === attribute)?.key.split('{')[0];
}
