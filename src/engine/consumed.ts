import type { IndexKind } from '../model/tables/index-kind.ts';
import type { Item } from '../model/values/attribute-value.ts';

/**
 * The capacity units that one request consumed in one table, by arm. The arms are the table itself and each index that
 * was read or written. Reads and writes share the type; the request knows which of the two it is.
 */
export interface Consumed {
  readonly table: number;
  /** The store keys of the first and last item charged to the table's arm. Undefined if nothing was charged to it. */
  readonly first: Uint8Array | undefined;
  readonly last: Uint8Array | undefined;
  /** The indexes that were read or written. */
  readonly indexes: readonly IndexConsumed[];
}

export interface IndexConsumed {
  readonly name: string;
  readonly kind: IndexKind;
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

/** The consumption of one item in its table. */
export function consumedAt(units: number, key: Uint8Array | undefined): Consumed {
  return { table: units, first: key, last: key, indexes: noIndexes };
}

/**
 * Adds up several requests to one table, arm by arm. The sum spans from the first key of the first part to the last key
 * of the last part.
 */
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

export function totalUnits({ table, indexes }: Consumed): number {
  let units = table;
  for (const index of indexes) units += index.units;
  return units;
}
