import { DynamoError } from '../../model/errors.ts';
import { type Hash16, partitionHash, tableKey } from '../../model/keys/keys.ts';
import type { ItemEncoder } from '../../model/stored/item-encoder.ts';
import type { SentItem } from '../../model/stored/sent-item.ts';
import {
  decodeAttributes,
  decodeItem,
  type ItemHeader,
  nextVersion,
  nextWriteTime,
  readHeader,
} from '../../model/stored/stored-item.ts';
import { keyAttributes, primaryKeyOf } from '../../model/tables/table-schema.ts';
import { equalValues, type Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { changedSize, itemSize } from '../../model/values/item-size.ts';
import { itemWriteUnits } from '../../physics/units.ts';
import type { Decision, Found, Mutation, Unit } from '../../storage/store.ts';
import { appendChange } from '../change-log/append-change.ts';
import type { ChangedBy } from '../change-log/change-record.ts';
import { type Consumed, consumedAt } from '../consumed.ts';
import { expiryEntryKey, expirySecond, type TableExpiry } from '../expiry/expiry-entries.ts';
import { type IndexChange, indexChanges, indexEntryKey } from '../indexes/index-entries.ts';
import type { IndexRefusal } from '../road.ts';
import { collectionCounter } from '../store-keys.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';

/** The one shape of every change to an item: what is there goes in, what shall be there comes out. */
export interface ItemWrite {
  /** The key attributes, checked. */
  readonly key: Item;
  /**
   * Pure: may be called more than once, with what it was given before or with something newer. `beforeBytes` is the size
   * of what is there.
   */
  next(before: Item | undefined, beforeBytes: number): NextItem | DynamoError;
  /** The names of all attributes that `next` looks at, so that nothing needs to be made of others; all unless said. */
  readonly looksAt?: ReadonlySet<string>;
  /**
   * Of a write that leaves the other attributes of what is there as they are: the names of those that may change, all of
   * which it looks at. What `next` answers then has no need of others.
   */
  readonly changes?: ReadonlySet<string>;
  /**
   * The whole of what a write puts there that looks at nothing, where it was encoded already: `next` then answers only the
   * attributes by which it has its places.
   */
  readonly sent?: SentItem;
  /** The size of the item to put, which is charged even if the put is refused. */
  readonly putBytes?: number;
  /** Whose doing it is, for those who follow the table; a request's unless said otherwise. */
  readonly by?: ChangedBy;
}

export interface NextItem {
  readonly item: Item | undefined;
  /** Its size, where it is known already. */
  readonly bytes?: number;
}

export interface WriteOutcome {
  /** Of a write that says what it looks at only that, and the attributes by which the items have their places. */
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The same as they are stored, so that an answer can copy their JSON. */
  readonly storedBefore: Uint8Array | undefined;
  readonly storedAfter: Uint8Array | undefined;
  readonly consumed: Consumed;
  /** The storage id of the table, if its log tells of the change. */
  readonly logged: string | undefined;
  /** What became of the entries of its indexes. */
  readonly indexChanges: readonly IndexChange[];
  /** The item's new time of expiry, where it has got one. */
  readonly expiry: NewExpiry | undefined;
  /** The item collection afterwards; only tables with local indexes have item collections to speak of. */
  readonly collection: ItemCollection | undefined;
}

export interface NewExpiry {
  readonly table: Table;
  readonly expiresMs: number;
  /** The key of its entry. */
  readonly entry: Uint8Array;
}

export interface ItemCollection {
  /** The table's HASH attribute. */
  readonly hashName: string;
  readonly bytes: number;
}

/** A write that its item, or its item collection, forbids. It is charged all the same. */
export class RefusedWrite {
  readonly error: DynamoError;
  readonly consumed: Consumed;

  constructor(error: DynamoError, consumed: Consumed) {
    this.error = error;
    this.consumed = consumed;
  }
}

/** The table is not the one the write was planned for: it was changed or dropped meanwhile. */
export const stale = Symbol('stale table');

/**
 * A write must know whether the old item's entry is in an index that is being filled, and the key of that entry is
 * known only once the item was read: the unit is to be made again, reading that key too.
 */
export class EntryInDoubt {
  readonly key: Uint8Array;

  constructor(key: Uint8Array) {
    this.key = key;
  }
}

/** What the engine's writes have in common. */
export interface WriteSettings {
  readonly h16: Hash16;
  readonly encoder: ItemEncoder;
  readonly nowMicros: number;
  /** How large an item collection may grow in a table with local indexes. */
  readonly collectionBytesMax: number;
  /** Tells whether an index has capacity left for an entry; without it, all have. */
  readonly indexRefusal: IndexRefusal | undefined;
}

/** A write with all that its unit has to read. */
export interface ItemPlan {
  readonly table: Table;
  readonly write: ItemWrite;
  readonly key: Uint8Array;
  /** The counter of the item's collection, in tables with local indexes. */
  readonly collection: Uint8Array | undefined;
  /** The key of the entry that an earlier try was in doubt about. */
  readonly doubt: Uint8Array | undefined;
}

/** What the unit read for one item. */
export interface ItemFound {
  readonly item: Uint8Array | undefined;
  readonly collectionBytes: number | undefined;
  /** The entry that was in doubt, when it is there. */
  readonly doubted: Uint8Array | undefined;
}

/** `key` is where the item lies, for those who know it already. */
export function planItem(
  table: Table,
  write: ItemWrite,
  h16: Hash16,
  doubt?: Uint8Array,
  key = tableKey(table.prefix, primaryKeyOf(table.schema, write.key), h16),
): ItemPlan {
  const collection =
    table.schema.localIndexes.length === 0
      ? undefined
      : collectionCounter(table.prefix, partitionHash(key, table.prefix.length));
  return { table, write, key, collection, doubt };
}

/**
 * The unit that does a write: it reads the item and the table's epoch, and commits item, indexes and counters. The epoch
 * is left out where the table is known to be the one that the write was planned for.
 */
export class WriteUnit implements Unit<WriteResult> {
  readonly reads: readonly Uint8Array[];
  readonly settings: number;
  readonly counters: readonly Uint8Array[];
  readonly #plan: ItemPlan;
  readonly #settings: WriteSettings;
  readonly #isCurrent: boolean;

  constructor(plan: ItemPlan, settings: WriteSettings, isCurrent = false) {
    const { table, key, doubt, collection } = plan;
    const keys = doubt === undefined ? [key] : [key, doubt];
    this.reads = isCurrent ? keys : [table.epochKey, ...keys];
    this.settings = isCurrent ? 0 : 1;
    this.counters = collection === undefined ? noCounters : [collection];
    this.#plan = plan;
    this.#settings = settings;
    this.#isCurrent = isCurrent;
  }

  get guess(): readonly (Uint8Array | undefined)[] {
    const { epochKey, epoch } = this.#plan.table;
    return this.reads.map((key) => (key === epochKey ? epoch : undefined));
  }

  decide({ values, counters }: Found): Decision<WriteResult> {
    const { table, doubt } = this.#plan;
    if (!this.#isCurrent && !sameEpoch(values[0], table.epoch)) return { result: stale, mutations: [] };
    const first = this.#isCurrent ? 0 : 1;
    const doubted = doubt === undefined ? undefined : values[first + 1];
    return decideWrite(
      this.#plan,
      { item: values[first], doubted, collectionBytes: counters[0] },
      this.#settings,
    );
  }
}

const noCounters: readonly Uint8Array[] = [];

export type WriteResult = WriteOutcome | RefusedWrite | DynamoError | EntryInDoubt | typeof stale;

/** What becomes of one item: pure, and without mutations unless the write is done. */
export function decideWrite(
  { table, write, key, collection, doubt }: ItemPlan,
  { item: found, doubted, collectionBytes }: ItemFound,
  { h16, encoder, nowMicros, collectionBytesMax, indexRefusal }: WriteSettings,
): Decision<WriteOutcome | RefusedWrite | DynamoError | EntryInDoubt> {
  const likeness = found && write.sent?.likeness(found);
  const before = found && lookAt(table, write, found, likeness !== undefined);
  if (before !== undefined) assertSameKey(table, before, write.key);
  const previous = found === undefined ? undefined : readHeader(found);
  const beforeBytes = previous?.itemBytes;
  const next = write.next(before, beforeBytes ?? 0);
  if (next instanceof DynamoError) {
    const consumed = consumedAt(itemWriteUnits(beforeBytes, write.putBytes), key);
    return { result: new RefusedWrite(next, consumed), mutations: [] };
  }
  const entry = table.filling && before && indexEntryKey(table, table.filling, before, h16);
  if (entry !== undefined && (doubt === undefined || !equalBytes(entry, doubt)))
    return { result: new EntryInDoubt(entry), mutations: [] };
  const after = next.item;
  const { changes: changing } = write;
  const isChange = before !== undefined && changing !== undefined;
  const afterBytes =
    after && (next.bytes ?? (isChange ? changedSize(before, beforeBytes!, after) : itemSize(after)));
  const header: ItemHeader = {
    encrypted: false,
    tombstone: false,
    itemBytes: afterBytes ?? 0,
    writtenMicros: nextWriteTime(previous, nowMicros),
    region: 0,
    version: nextVersion(previous),
  };
  const stored =
    after &&
    (isChange
      ? encoder.encodeChanged(found!, after, changing, header)
      : (write.sent?.stored(header) ?? encoder.encode(after, header)));
  const changes = indexChanges(
    table,
    before && { item: before, bytes: beforeBytes!, stored: found! },
    after && { item: after, bytes: afterBytes!, stored: stored! },
    { header, h16, encoder, isFilled: doubted !== undefined, isOther: likeness === 'same places' },
  );
  const throttled = indexRefusal && throttledIndex(table, changes, indexRefusal);
  if (throttled !== undefined) return { result: throttled, mutations: [] };
  const mutations: Mutation[] = [];
  if (stored !== undefined) mutations.push({ kind: 'put', key, value: stored });
  else if (before !== undefined) mutations.push({ kind: 'delete', key });
  const changeRecord = appendChange(table, key, found, stored, header, write.by);
  if (changeRecord !== undefined) mutations.push(changeRecord);
  const count = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
  if (count !== 0) mutations.push({ kind: 'add', counter: table.counters.count, delta: count });
  let growth = (afterBytes ?? 0) - (beforeBytes ?? 0);
  if (growth !== 0) mutations.push({ kind: 'add', counter: table.counters.bytes, delta: growth });
  for (const change of changes) {
    mutations.push(...change.mutations);
    if (change.index.kind === 'local') growth += change.growth;
  }
  const expiry = table.expiry && updateExpiryEntry(table, table.expiry, key, before, after, h16, mutations);
  const consumed = consumedBy(itemWriteUnits(beforeBytes, afterBytes), key, changes);
  const result: WriteOutcome = {
    before,
    after,
    storedBefore: found,
    storedAfter: stored,
    consumed,
    logged: changeRecord && table.record.storageId,
    indexChanges: changes,
    expiry,
    collection: undefined,
  };
  if (collection === undefined) return { result, mutations };
  // A collection may not grow beyond its limit; it may always shrink.
  const bytes = collectionBytes! + growth;
  if (growth > 0 && bytes > collectionBytesMax) {
    return { result: new RefusedWrite(collectionTooLarge(), consumedAt(consumed.table, key)), mutations: [] };
  }
  if (growth !== 0) mutations.push({ kind: 'add', counter: collection, delta: growth });
  return { result: { ...result, collection: { hashName: table.schema.hash.name, bytes } }, mutations };
}

/** Updates the expiry entry of an item by adding mutations, and returns its new entry if it has one. */
function updateExpiryEntry(
  table: Table,
  expiry: TableExpiry,
  key: Uint8Array,
  before: Item | undefined,
  after: Item | undefined,
  h16: Hash16,
  mutations: Mutation[],
): NewExpiry | undefined {
  const from = before && expirySecond(expiry, before);
  const to = after && expirySecond(expiry, after);
  // A table whose expiries are being filled may lack the entry of an item that keeps its time; that gets it in its turn.
  if (from === to) return undefined;
  if (from !== undefined) mutations.push({ kind: 'delete', key: expiryEntryKey(expiry, from, key, h16) });
  if (to === undefined) return undefined;
  const entry = expiryEntryKey(expiry, to, key, h16);
  mutations.push({ kind: 'put', key: entry, value: key });
  return { table, expiresMs: to * 1000, entry };
}

/** The attributes that a write names: those of the item to put, else of its key. */
export function attributesOf({ key, sent }: ItemWrite): Item {
  return sent === undefined ? key : sent.item();
}

/** What a write needs to know of the item that is there. */
function lookAt(
  { placingNames }: Table,
  { looksAt, sent }: ItemWrite,
  stored: Uint8Array,
  hasSamePlaces: boolean,
): Item {
  if (hasSamePlaces) return sent!.attributes;
  return looksAt === undefined ? decodeItem(stored) : decodeAttributes(stored, placingNames, looksAt);
}

export function collectionTooLarge(): DynamoError {
  return new DynamoError('ItemCollectionSizeLimitExceededException', 'Collection size exceeded.');
}

function consumedBy(units: number, key: Uint8Array, changes: readonly IndexChange[]): Consumed {
  if (changes.length === 0) return consumedAt(units, key);
  const indexes = changes.map(({ index, before, after, units }) => ({
    name: index.schema.name,
    kind: index.kind,
    units,
    first: (before ?? after)!.key,
    last: (after ?? before)!.key,
  }));
  return { table: units, first: key, last: key, indexes };
}

/** The refusal of the first index that has no capacity left for an entry which the write removes or adds. */
function throttledIndex(
  table: Table,
  changes: readonly IndexChange[],
  refusal: IndexRefusal,
): DynamoError | undefined {
  for (const { index, before, after } of changes) {
    const error = refusal(table, index, (after ?? before)!.key);
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Two partition keys with one hash: so improbable that it is a bug or a damaged store, and never an overwrite. */
function assertSameKey(table: Table, found: Item, asked: Item): void {
  if (found === asked) return;
  for (const { name } of keyAttributes(table.schema))
    if (!equalValues(found.get(name)!, asked.get(name)!))
      throw new Error(`an item of table ${table.name} lies under the key of another`);
}
