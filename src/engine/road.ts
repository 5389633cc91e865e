import type { DynamoError } from '../model/errors.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Item } from '../model/values/attribute-value.ts';
import type { Consumed } from './consumed.ts';
import type { Charge } from './events.ts';
import type { Scope } from './store-keys.ts';
import type { Table, TableIndex } from './tables/table-record.ts';

/**
 * The stages of a request: `shape → authorize → plan → faults → admit → run → meter → tell`.
 *
 * Planning ends all validation and lists the touches of the request. The engine then asks the road to let the touches
 * pass, runs the plan, and charges the road for the consumed units. If a table has changed, the engine plans again, but
 * neither passes nor charges the road a second time.
 */
export interface Road {
  /**
   * Injects faults and admits, in this order. Undefined lets all touches pass. `touches` is called only if
   * a stage needs the touches; for most requests no stage does.
   */
  pass(touches: () => readonly Touch[]): Refusals | undefined;
  /**
   * Judges the request again if a table is no longer what the authorizer judged: another table of its name, with other
   * keys or other tags. Asked before every plan, so that no plan on a table runs, and no error about it is answered,
   * under the verdict on another one. Answers the refusal.
   */
  rejudge(tables: readonly (Table | DynamoError)[]): MaybePromise<DynamoError | undefined>;
  /** Charges the consumption of the final outcome. `access` says whether the units are read or write units. */
  charge(table: Table, access: 'read' | 'write', consumed: Consumed): void;
  /** Likewise of several items of one table, which are charged each by itself. */
  chargeEach(table: Table, access: 'read' | 'write', consumed: readonly Consumed[]): void;
  /** What all actions of a transaction consumed, which are charged together or not at all. */
  chargeTogether(charges: readonly Charge[]): void;
  /** A write that an index had no capacity for, on its final outcome. */
  countThrottle(throttle: IndexThrottle): void;
  /** The request repeats a committed transaction. */
  noteReplay?(): void;
  /** A read was answered with an older state. */
  noteStale?(): void;
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
  /** The size of an item to put. */
  readonly putBytes?: number | undefined;
  /** The shard of a stream. */
  readonly shard: number | undefined;
  /** The label of a stream. */
  readonly streamLabel?: string;
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

/** The touch of a request that administers a table, or that names no table at all. */
export function controlTouch(scope: Scope, tableName = ''): Touch {
  return { access: 'control', scope, tableName, ...nothingTouched };
}

/** The touch of a table's stream, or of one shard. */
export function streamTouch(
  scope: Scope,
  tableName: string,
  streamLabel: string,
  shard: number | undefined,
): Touch {
  return { access: 'stream', scope, tableName, ...nothingTouched, shard, streamLabel };
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
    rejudge: (tables) => road.rejudge(tables),
    charge: (table, access, consumed) => road.charge(table, access, consumed),
    chargeEach: (table, access, consumed) => road.chargeEach(table, access, consumed),
    chargeTogether: (charges) => road.chargeTogether(charges),
    countThrottle: (throttle) => road.countThrottle(throttle),
    noteReplay: () => road.noteReplay?.(),
    noteStale: () => road.noteStale?.(),
    indexRefusal: road.indexRefusal,
  };
}

/** A road for looks at the tables of a request, which are no requests by themselves. They need its permission. */
export function looking(road: Road): Road {
  return { ...openRoad, rejudge: (tables) => road.rejudge(tables) };
}

/** A road that lets everything pass and charges nobody, for looks at tables that are no requests by themselves. */
export const openRoad: Road = {
  pass: () => undefined,
  rejudge: () => undefined,
  charge: () => {},
  chargeEach: () => {},
  chargeTogether: () => {},
  countThrottle: () => {},
  indexRefusal: undefined,
};
