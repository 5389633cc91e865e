import type { Item } from '../model/values/attribute-value.ts';

/**
 * The capacity units that one request took from one table, by arm: the table itself, and each index that was read or
 * written. Reads and writes share the type; the request knows which of the two it is.
 */
export interface Consumed {
  readonly table: number;
  /** The store keys of the first and last item that the table's arm was charged for; undefined when it was not. */
  readonly first: Uint8Array | undefined;
  readonly last: Uint8Array | undefined;
  /** An index that was not touched is absent. */
  readonly indexes: readonly IndexConsumed[];
}

export interface IndexConsumed {
  readonly name: string;
  readonly kind: 'local' | 'global';
  readonly units: number;
  /** The store keys of the first and last entry that was read or written. */
  readonly first: Uint8Array | undefined;
  readonly last: Uint8Array | undefined;
  /** Of a write that moved the entry: the units of removing it at `first`. The rest put it at `last`. */
  readonly unitsAtFirst?: number;
  /** An entry that was written, for who wants to name its key. */
  readonly entry?: Item;
}

const noIndexes: readonly IndexConsumed[] = [];

/** The units of one item in its table. */
export function consumedAt(units: number, key: Uint8Array | undefined): Consumed {
  return { table: units, first: key, last: key, indexes: noIndexes };
}

/** The sum over several requests to one table, arm by arm; it reaches from the first key of the first to the last. */
export function sumConsumed(parts: readonly Consumed[]): Consumed {
  if (parts.length === 1) return parts[0]!;
  const indexes = new Map<string, IndexConsumed>();
  let table = 0;
  for (const part of parts) {
    table += part.table;
    for (const index of part.indexes) {
      const sum = indexes.get(index.name);
      indexes.set(
        index.name,
        sum === undefined ? index : { ...sum, units: sum.units + index.units, last: index.last },
      );
    }
  }
  return { table, first: parts[0]?.first, last: parts.at(-1)?.last, indexes: [...indexes.values()] };
}

/** The units of all arms together. */
export function totalUnits({ table, indexes }: Consumed): number {
  let units = table;
  for (const index of indexes) units += index.units;
  return units;
}
