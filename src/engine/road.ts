import type { DynamoError } from '../model/errors.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { Consumed } from './consumed.ts';
import type { Charge } from './events.ts';
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
  /** What all actions of a transaction consumed, which are charged together or not at all. */
  chargeTogether(charges: readonly Charge[]): void;
  /** A write that an index had no capacity for, on its final outcome. */
  countThrottle(throttle: IndexThrottle): void;
  /** Tells whether an index has room for a write; asked inside `decide`, so it only looks. */
  readonly indexRefusal: IndexRefusal | undefined;
}

/** Answers a throttle when an index has no capacity left at the key of its entry, and undefined when it has. */
export type IndexRefusal = (
  table: Table,
  index: TableIndex,
  entryKey: Uint8Array,
) => IndexThrottle | undefined;

/**
 * A write that an index has no capacity for. It is found inside `decide`, which may run more than once, so that finding
 * it counts nothing: the final outcome is told to the road.
 */
export class IndexThrottle {
  readonly error: DynamoError;
  readonly table: Table;
  readonly index: TableIndex;
  readonly entryKey: Uint8Array;
  /** Why, as a number of the physical model. */
  readonly code: number;

  constructor(error: DynamoError, table: Table, index: TableIndex, entryKey: Uint8Array, code = 0) {
    this.error = error;
    this.table = table;
    this.index = index;
    this.entryKey = entryKey;
    this.code = code;
  }
}

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
  /** The size of an item to put. */
  readonly putBytes?: number | undefined;
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

/** A touch of one item, or of the start of a range. Most touches are never asked for their attributes. */
class ItemTouch implements Touch {
  readonly access: 'read' | 'write';
  readonly table: Table;
  readonly index: TableIndex | undefined;
  readonly key: Uint8Array;
  readonly putBytes: number | undefined;
  readonly #attributes: Item | (() => Item | undefined) | undefined;

  constructor(
    access: 'read' | 'write',
    table: Table,
    key: Uint8Array,
    attributes: Item | (() => Item | undefined) | undefined,
    index: TableIndex | undefined,
    putBytes: number | undefined,
  ) {
    this.access = access;
    this.table = table;
    this.key = key;
    this.#attributes = attributes;
    this.index = index;
    this.putBytes = putBytes;
  }

  get scope(): Scope {
    return this.table.scope;
  }

  get tableName(): string {
    return this.table.name;
  }

  get attributes(): Item | undefined {
    return typeof this.#attributes === 'function' ? this.#attributes() : this.#attributes;
  }

  get shard(): undefined {
    return undefined;
  }
}

/** A touch of one item. `attributes` may be a function, which is called when somebody asks for them. */
export function itemTouch(
  access: 'read' | 'write',
  table: Table,
  key: Uint8Array,
  attributes: Item | (() => Item | undefined) | undefined,
  index?: TableIndex,
  putBytes?: number,
): Touch {
  return new ItemTouch(access, table, key, attributes, index, putBytes);
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
    chargeTogether: (charges) => road.chargeTogether(charges),
    countThrottle: (throttle) => road.countThrottle(throttle),
    indexRefusal: road.indexRefusal,
  };
}

/** A road that lets everything pass and charges nobody, for looks at tables that are no requests by themselves. */
export const openRoad: Road = {
  pass: () => undefined,
  charge: () => {},
  chargeTogether: () => {},
  countThrottle: () => {},
  indexRefusal: undefined,
};
