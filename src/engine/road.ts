import type { DynamoError } from '../model/errors.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { Consumed } from './consumed.ts';
import type { Scope } from './store-keys.ts';
import type { Table, TableIndex } from './tables/table-record.ts';

/**
 * The road of a request through the engine: `shape → plan → authorize → faults → admit → run → meter → tell`.
 *
 * Planning ends all validation and names what the request touches. The engine then asks the road to let the touches
 * pass, runs the plan, and charges the road with what was consumed. When a table has changed and the plan is made
 * again, the road is neither asked nor charged a second time.
 */
export interface Road {
  /**
   * Authorizes, injects faults and admits. Undefined lets all touches pass. `touches` is called only if somebody looks
   * at them, since most requests meet nobody who does.
   */
  pass(touches: () => readonly Touch[]): Refusals | undefined;
  /** What the final outcome consumed; `access` tells whether the units are read or write units. */
  charge(table: Table, access: 'read' | 'write', consumed: Consumed): void;
  /** Tells whether an index has room for a write; asked inside `decide`, so it only looks. */
  readonly indexRefusal: IndexRefusal | undefined;
}

/** The error of a write for which an index has no capacity left at the key of its entry, or undefined. */
export type IndexRefusal = (table: Table, index: TableIndex, entryKey: Uint8Array) => DynamoError | undefined;

/** One thing that a planned request is about to read, write or administer. */
export interface Touch {
  readonly access: 'read' | 'write' | 'control' | 'stream';
  readonly scope: Scope;
  /** Empty for a request that names no table. */
  readonly tableName: string;
  /** The table as it is known, for touches of the data plane. */
  readonly table: Table | undefined;
  /** The index that is read. A write names none: which indexes it maintains is known only inside `decide`. */
  readonly index: TableIndex | undefined;
  /** The store key of the item, or of the start of the range that is read. */
  readonly key: Uint8Array | undefined;
  /** The attributes of the key, and for an item to put all its attributes. */
  readonly attributes: Item | undefined;
  /** The shard of a stream. */
  readonly shard: string | undefined;
}

/** The touches that may not pass, by their positions. */
export class Refusals {
  readonly each: readonly (DynamoError | undefined)[];
  /** The error of the request as a whole, for operations that do not fail in part. */
  readonly first: DynamoError;
  /** Whether the whole request is refused, also where an operation could fail in part. */
  readonly isWhole: boolean;

  constructor(each: readonly (DynamoError | undefined)[], isWhole: boolean) {
    const first = each.find((error) => error !== undefined);
    if (first === undefined) throw new Error('refusals without an error');
    this.each = each;
    this.first = first;
    this.isWhole = isWhole;
  }
}

/** A touch of one item. */
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

/** A touch of a request that administers a table, or of one that names no table at all. */
export function controlTouch(scope: Scope, tableName = ''): Touch {
  return { access: 'control', scope, tableName, ...nothingTouched };
}

/** A touch of a table's stream, or of one of its shards. */
export function streamTouch(scope: Scope, tableName: string, shard: string | undefined): Touch {
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

/** A road that lets everything pass and charges nobody, for looks at tables that are no requests by themselves. */
export const openRoad: Road = { pass: () => undefined, charge: () => {}, indexRefusal: undefined };
