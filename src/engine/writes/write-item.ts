import { ConditionWork, unfinished, type WorkLimit } from '../../expressions/condition-work.ts';
import { DynamoError } from '../../model/errors.ts';
import { type Hash16, partitionHash, tableKey } from '../../model/keys/keys.ts';
import type { ItemEncoder } from '../../model/stored/item-encoder.ts';
import type { SentItem } from '../../model/stored/sent-item.ts';
import {
  decodeAttributes,
  decodeItem,
  encodeStored,
  type ItemHeader,
  itemJson,
  nextVersion,
  nextWriteTime,
  readHeader,
} from '../../model/stored/stored-item.ts';
import { keyAttributes, primaryKeyOf } from '../../model/tables/table-schema.ts';
import { equalValues, type Item } from '../../model/values/attribute-value.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { changedSize, itemSize } from '../../model/values/item-size.ts';
import { itemWriteUnits, writeUnits } from '../../physics/units.ts';
import type { Decision, Found, Mutation, Unit } from '../../storage/store.ts';
import { appendChange } from '../change-log/append-change.ts';
import type { ChangedBy } from '../change-log/change-record.ts';
import { type Consumed, consumedAt, type IndexConsumed } from '../consumed.ts';
import { expiryEntryKey, expirySecond, type TableExpiry } from '../expiry/expiry-entries.ts';
import { historyKey } from '../history/history-keys.ts';
import { stampOf } from '../history/stamp.ts';
import { type IndexChange, indexChanges, indexEntryKey } from '../indexes/index-entries.ts';
import type { IndexRefusal, IndexThrottle } from '../road.ts';
import { collectionCounter } from '../store-keys.ts';
import { sameEpoch, type Table } from '../tables/table-record.ts';
import { type Evaluation, evaluationOf, TooLong, type UnitLimits } from './evaluation.ts';
import { localEntryTooLarge } from './local-entry-size.ts';

/** A change of one item. Every write has this form: a function from the old item to the new one. */
export interface ItemWrite {
  /** The key attributes, already checked. */
  readonly key: Item;
  /**
   * Returns the new item, or the error that refuses the write. Pure: it may be called several times, with the same old
   * item or a newer one. `beforeBytes` is the size of the old item. Its condition is evaluated with `work`; if that
   * stopped, it returns `unfinished`.
   */
  next(
    before: Item | undefined,
    beforeBytes: number,
    work: WorkLimit,
  ): NextItem | DynamoError | typeof unfinished;
  /**
   * The names of all attributes that `next` reads. Only these and the table's `placingNames` are decoded. Without it,
   * the whole item is decoded.
   */
  readonly looksAt?: ReadonlySet<string>;
  /**
   * The names of the attributes that an update may change; `next` reads all of them. The other attributes keep their
   * values, so `next` may leave them out of the new item.
   */
  readonly changes?: ReadonlySet<string>;
  /**
   * The encoded item of an unconditional put, if validation already encoded it. Then `next` returns only the attributes
   * in `placingNames`.
   */
  readonly sent?: SentItem;
  /** The size of the item to put. It is charged even if the put is refused. */
  readonly putBytes?: number;
  /** The author of the change, for the change record. Defaults to the request. */
  readonly by?: ChangedBy;
}

export interface NextItem {
  readonly item: Item | undefined;
  /** The size of the item, if it is already known. */
  readonly bytes?: number;
}

export interface WriteOutcome {
  readonly table: Table;
  /** Of a write that says what it looks at only that, and the attributes by which the items have their places. */
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The stored form of both items. Answers copy their JSON from it. */
  readonly storedBefore: Uint8Array | undefined;
  readonly storedAfter: Uint8Array | undefined;
  readonly consumed: Consumed;
  /** The storage id of the table, if the change log records the change. */
  readonly logged: string | undefined;
  /** The changes of the table's indexes. */
  readonly indexChanges: readonly IndexChange[];
  /** The new expiry of the item, if it got one. */
  readonly expiry: NewExpiry | undefined;
  /** The item collection after the write. Undefined unless the table has local indexes. */
  readonly collection: ItemCollection | undefined;
}

export interface NewExpiry {
  readonly table: Table;
  readonly expiresMs: number;
  /** The key of the expiry entry. */
  readonly entry: Uint8Array;
}

export interface ItemCollection {
  /** The name of the table's HASH attribute. */
  readonly hashName: string;
  readonly bytes: number;
}

/** A write that failed its condition, or that its item collection has no room for. It is charged all the same. */
export class RefusedWrite {
  readonly error: DynamoError;
  readonly consumed: Consumed;

  constructor(error: DynamoError, consumed: Consumed) {
    this.error = error;
    this.consumed = consumed;
  }
}

/** The result of a unit whose table was changed or dropped after planning. */
export const stale = Symbol('stale table');

/**
 * The result of a unit that must read one more key. While an index is being filled, a write must know whether the old
 * item already has its entry there. The key of the entry is known only after the item was read, so the unit runs again
 * and reads this key too.
 */
export class EntryInDoubt {
  readonly key: Uint8Array;

  constructor(key: Uint8Array) {
    this.key = key;
  }
}

/** The settings shared by all writes of a request. */
export interface WriteSettings {
  readonly h16: Hash16;
  readonly encoder: ItemEncoder;
  readonly nowMicros: number;
  /** The maximum size of an item collection in a table with local indexes. */
  readonly collectionBytesMax: number;
  /** Tells whether an index has capacity for an entry. Without it, every index has. */
  readonly indexRefusal: IndexRefusal | undefined;
  /** The work that the unit may do. What takes longer is evaluated outside of it. */
  readonly unitLimits: UnitLimits;
}

/** A write and the keys that its unit reads. */
export interface ItemPlan {
  readonly table: Table;
  readonly write: ItemWrite;
  readonly key: Uint8Array;
  /** The counter of the item's collection, if the table has local indexes. */
  readonly collection: Uint8Array | undefined;
  /** The key of the index entry that an earlier attempt was in doubt about. */
  readonly doubt: Uint8Array | undefined;
}

/** The values that the unit read for one item. */
export interface ItemFound {
  readonly item: Uint8Array | undefined;
  readonly collectionBytes: number | undefined;
  /** The index entry that was in doubt, if it exists. */
  readonly doubted: Uint8Array | undefined;
}

/** Plans a write. `key` is the store key of the item, for callers that know it already. */
export function planItem(
  table: Table,
  write: ItemWrite,
  h16: Hash16,
  doubt?: Uint8Array,
  key = tableKey(table.prefix, primaryKeyOf(table.schema, write.key), h16),
): ItemPlan {
  const collection = table.hasCollections
    ? collectionCounter(table.prefix, partitionHash(key, table.prefix.length))
    : undefined;
  return { table, write, key, collection, doubt };
}

/**
 * The unit of a write. It reads the item and the table's epoch, and commits item, index entries and counters. With
 * `isCurrent` the table is known to be unchanged since planning, and the unit does not read the epoch.
 */
export class WriteUnit implements Unit<WriteResult> {
  readonly reads: readonly Uint8Array[];
  readonly settings: number;
  readonly counters: readonly Uint8Array[];
  readonly #plan: ItemPlan;
  readonly #settings: WriteSettings;
  readonly #isCurrent: boolean;
  /** The evaluation that an earlier attempt gave up. */
  readonly #evaluation: Evaluation | undefined;

  constructor(plan: ItemPlan, settings: WriteSettings, isCurrent = false, evaluation?: Evaluation) {
    const { table, key, doubt, collection } = plan;
    const keys = doubt === undefined ? [key] : [key, doubt];
    this.reads = isCurrent ? keys : [table.epochKey, ...keys];
    this.settings = isCurrent ? 0 : 1;
    this.counters = collection === undefined ? noCounters : [collection];
    this.#plan = plan;
    this.#settings = settings;
    this.#isCurrent = isCurrent;
    this.#evaluation = evaluation;
  }

  get guess(): readonly (Uint8Array | undefined)[] {
    const { key: itemKey, table } = this.#plan;
    return this.reads.map((key) =>
      key === table.epochKey ? table.epoch : key === itemKey ? this.#evaluation?.stored : undefined,
    );
  }

  decide({ values, counters }: Found): Decision<WriteResult> {
    const { table, doubt } = this.#plan;
    if (!this.#isCurrent && !sameEpoch(values[0], table.epoch)) return { result: stale, mutations: [] };
    const first = this.#isCurrent ? 0 : 1;
    const item = values[first];
    const doubted = doubt === undefined ? undefined : values[first + 1];
    return decideWrite(
      this.#plan,
      { item, doubted, collectionBytes: counters[0] },
      this.#settings,
      evaluationOf(this.#evaluation, item) ?? this.#settings.unitLimits.steps,
    );
  }
}

const noCounters: readonly Uint8Array[] = [];

export type ItemResult = WriteOutcome | RefusedWrite | IndexThrottle | EntryInDoubt | TooLong;
export type WriteResult = ItemResult | typeof stale;

/**
 * Decides one write. Pure. Returns mutations only if the write succeeds. It takes an evaluation of the found item, or
 * evaluates the write with some work, which may stop it.
 */
export function decideWrite(
  { table, write, key, collection, doubt }: ItemPlan,
  { item: found, doubted, collectionBytes }: ItemFound,
  { h16, encoder, nowMicros, collectionBytesMax, indexRefusal }: WriteSettings,
  evaluation: Evaluation | WorkLimit = new ConditionWork(),
): Decision<ItemResult> {
  const likeness = found && write.sent?.likeness(found);
  const known = isWorkLimit(evaluation) ? undefined : evaluation;
  const before = known ? known.before : found && decodeBefore(table, write, found, likeness !== undefined);
  if (before !== undefined) assertSameKey(table, before, write.key);
  const previous = found === undefined ? undefined : readHeader(found);
  const beforeBytes = previous?.itemBytes;
  const next = isWorkLimit(evaluation) ? write.next(before, beforeBytes ?? 0, evaluation) : evaluation.next;
  if (next === unfinished) return { result: new TooLong(new Map([[0, found]])), mutations: [] };
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
  const afterBytes = after && (next.bytes ?? sizeAfter(write, before, beforeBytes, after));
  const tooLarge =
    after && localEntryTooLarge(table, after, afterBytes!, beforeBytes, write.changes !== undefined);
  if (tooLarge !== undefined) {
    const consumed = consumedAt(itemWriteUnits(beforeBytes, write.putBytes), key);
    return { result: new RefusedWrite(tooLarge, consumed), mutations: [] };
  }
  const header: ItemHeader = {
    encrypted: false,
    tombstone: false,
    itemBytes: afterBytes ?? 0,
    era: table.era,
    writtenMicros: writeTime(table, previous, nowMicros),
    region: 0,
    version: nextVersion(previous),
  };
  const stored =
    after &&
    (known?.encoded !== undefined
      ? encodeStored(itemJson(known.encoded), header)
      : isChange
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
  // Also when the item stays the same: its header tells another time now.
  if (table.history !== undefined && found !== undefined)
    mutations.push({
      kind: 'put',
      key: historyKey(table.history, table.period, key, stampOf(header)),
      value: found,
    });
  const count = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
  if (count !== 0) mutations.push({ kind: 'add', counter: table.counters.count, delta: count });
  let growth = (afterBytes ?? 0) - (beforeBytes ?? 0);
  if (growth !== 0) mutations.push({ kind: 'add', counter: table.counters.bytes, delta: growth });
  for (const change of changes) {
    mutations.push(...change.mutations);
    if (change.index.traits.collection === 'of the item') growth += change.growth;
  }
  const expiry = table.expiry && updateExpiryEntry(table, table.expiry, key, before, after, h16, mutations);
  const consumed = consumedBy(itemWriteUnits(beforeBytes, afterBytes), key, changes);
  const result: WriteOutcome = {
    table,
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

function isWorkLimit(evaluation: Evaluation | WorkLimit): evaluation is WorkLimit {
  return typeof evaluation === 'number' || evaluation instanceof ConditionWork;
}

/** The size of the new item. */
export function sizeAfter(
  { changes }: ItemWrite,
  before: Item | undefined,
  beforeBytes: number | undefined,
  after: Item,
): number {
  return before !== undefined && changes !== undefined
    ? changedSize(before, beforeBytes!, after)
    : itemSize(after);
}

/** The time of a write. It is not before the beginning of the table's era, nor before the previous write. */
export function writeTime(table: Table, previous: ItemHeader | undefined, nowMicros: number): number {
  return nextWriteTime(previous, table.era, Math.max(nowMicros, table.earliestWrite));
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
  // An item that keeps its expiry may lack its entry while the expiries are being filled; the filler adds it.
  if (from === to) return undefined;
  if (from !== undefined) mutations.push({ kind: 'delete', key: expiryEntryKey(expiry, from, key, h16) });
  if (to === undefined) return undefined;
  const entry = expiryEntryKey(expiry, to, key, h16);
  mutations.push({ kind: 'put', key: entry, value: key });
  return { table, expiresMs: to * 1000, entry };
}

/** The attributes for a touch: those of the item to put, else those of the key. */
export function attributesOf({ key, sent }: ItemWrite): Item {
  return sent === undefined ? key : sent.item();
}

/**
 * The attributes of the old item that a write needs. If the item to put has the same values, they are reused and
 * nothing is decoded.
 */
export function decodeBefore(
  { placingNames }: Table,
  { looksAt, sent }: ItemWrite,
  stored: Uint8Array,
  hasEqualValues: boolean,
): Item {
  if (hasEqualValues) return sent!.attributes;
  return looksAt === undefined ? decodeItem(stored) : decodeAttributes(stored, placingNames, looksAt);
}

export function collectionTooLarge(): DynamoError {
  return new DynamoError('ItemCollectionSizeLimitExceededException', 'Collection size exceeded.');
}

function consumedBy(units: number, key: Uint8Array, changes: readonly IndexChange[]): Consumed {
  if (changes.length === 0) return consumedAt(units, key);
  const indexes = changes.map(({ index, before, after, units }): IndexConsumed => {
    const consumed = {
      name: index.schema.name,
      kind: index.kind,
      units,
      first: (before ?? after)!.key,
      last: (after ?? before)!.key,
      entry: (after ?? before)!.item,
    };
    if (before === undefined || after === undefined || equalBytes(before.key, after.key)) return consumed;
    return { ...consumed, unitsAtFirst: writeUnits(before.bytes) };
  });
  return { table: units, first: key, last: key, indexes };
}

/** The throttle of the first index that has no capacity left for an entry which the write removes or adds. */
function throttledIndex(
  table: Table,
  changes: readonly IndexChange[],
  refusal: IndexRefusal,
): IndexThrottle | undefined {
  for (const { index, before, after } of changes) {
    if (index.traits.capacity !== 'own') continue;
    const throttle =
      (after && refusal(table, index, after.key)) ?? (before && refusal(table, index, before.key));
    if (throttle !== undefined) return throttle;
  }
  return undefined;
}

/**
 * Checks that the stored item has the key of the write. Two partition keys with one hash are so improbable that this is
 * a bug or a damaged store. The item must not be overwritten.
 */
function assertSameKey(table: Table, found: Item, expected: Item): void {
  if (found === expected) return;
  for (const { name } of keyAttributes(table.schema))
    if (!equalValues(found.get(name)!, expected.get(name)!))
      throw new Error(`an item of table ${table.name} lies under the key of another`);
}
