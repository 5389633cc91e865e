import type { DynamoError } from '../model/errors.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { Consumed } from './consumed.ts';
import type { Scope } from './store-keys.ts';
import type { Table, TableIndex } from './tables/table-record.ts';

/**
 * The stages of a request: `shape → plan → authorize → faults → admit → run → meter → tell`.
 *
 * Planning ends all validation and lists the touches of the request. The engine then asks the road to let the touches
 * pass, runs the plan, and charges the road for the consumed units. If a table has changed, the engine plans again, but
 * neither asks nor charges the road a second time.
 */
export interface Road {
  /**
   * Authorizes, injects faults and admits, in this order. Undefined lets all touches pass. `touches` is called only if
   * a stage needs the touches; for most requests no stage does.
   */
  pass(touches: () => readonly Touch[]): Refusals | undefined;
  /** Charges the consumption of the final outcome. `access` says whether the units are read or write units. */
  charge(table: Table, access: 'read' | 'write', consumed: Consumed): void;
  /** Tells whether an index has capacity for a write. It runs inside `decide`, so it must not change state. */
  readonly indexRefusal: IndexRefusal | undefined;
}

/** Returns an error if the index has no capacity left at the key of the entry. */
export type IndexRefusal = (table: Table, index: TableIndex, entryKey: Uint8Array) => DynamoError | undefined;

/** One item, range, table or shard that a planned request is about to read, write or administer. */
export interface Touch {
  readonly access: 'read' | 'write' | 'control' | 'stream';
  readonly scope: Scope;
  /** The table name. Empty for a request that names no table. */
  readonly tableName: string;
  /** The cached table, for touches of the data plane. */
  readonly table: Table | undefined;
  /** The index that is read. A write has none here: `decide` finds out which indexes it changes. */
  readonly index: TableIndex | undefined;
  /** The store key of the item, or the start of the range that is read. */
  readonly key: Uint8Array | undefined;
  /** The key attributes. For an item to put, all its attributes. */
  readonly attributes: Item | undefined;
  /** The shard of a stream. */
  readonly shard: number | undefined;
}

/** The errors of the touches that may not pass, by position. */
export class Refusals {
  readonly each: readonly (DynamoError | undefined)[];
  /** The first error. Operations that cannot fail in part fail with it. */
  readonly first: DynamoError;
  /** Whether the whole request fails, even if the operation could fail in part. */
  readonly isWhole: boolean;

  constructor(each: readonly (DynamoError | undefined)[], isWhole: boolean) {
    const first = each.find((error) => error !== undefined);
    if (first === undefined) throw new Error('refusals without an error');
    this.each = each;
    this.first = first;
    this.isWhole = isWhole;
  }
}

export function itemTouch(
  access: 'read' | 'write',
  table: Table,
  key: Uint8Array,
  attributes: Item | undefined,
  index?: TableIndex,
): Touch {
  return {
    access,
    scope: table.scope,
    tableName: table.name,
    table,
    index,
    key,
    attributes,
    shard: undefined,
  };
}

/** The touch of a request that administers a table, or that names no table at all. */
export function controlTouch(scope: Scope, tableName = ''): Touch {
  return { access: 'control', scope, tableName, ...nothingTouched };
}

/** The touch of a table's stream, or of one shard. */
export function streamTouch(scope: Scope, tableName: string, shard: number | undefined): Touch {
  return { access: 'stream', scope, tableName, ...nothingTouched, shard };
}

const nothingTouched = {
  table: undefined,
  index: undefined,
  key: undefined,
  attributes: undefined,
  shard: undefined,
} as const;

/** The same road for a part of a request whose touches have passed already. */
export function passed(road: Road): Road {
  return {
    pass: () => undefined,
    charge: (table, access, consumed) => road.charge(table, access, consumed),
    indexRefusal: road.indexRefusal,
  };
}

/** A road that lets everything pass and charges nobody. Used for table look-ups that are not requests. */
export const openRoad: Road = { pass: () => undefined, charge: () => {}, indexRefusal: undefined };
