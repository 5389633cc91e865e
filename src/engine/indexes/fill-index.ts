import { object, optional, text, whole } from '../../model/json/fields.ts';
import { fitsIndex } from '../../model/keys/key-checks.ts';
import type { Hash16 } from '../../model/keys/keys.ts';
import { decodeItem } from '../../model/stored/stored-item.ts';
import type { IndexSchema } from '../../model/tables/table-schema.ts';
import type { Item } from '../../model/values/attribute-value.ts';
import { equalBytes, keyAfter, prefixEnd } from '../../model/values/bytes.ts';
import { fromHex, toHex } from '../../model/values/hex.ts';
import type { Entry, Store, Unit } from '../../storage/store.ts';
import { type Consumed, sumConsumed } from '../consumed.ts';
import type { Observer } from '../events.ts';
import type { TableExpiry } from '../expiry/expiry-entries.ts';
import { expiryUnit } from '../expiry/fill-expiries.ts';
import { jsonRecord, scopeField } from '../json-record.ts';
import { fillingKey, type Scope } from '../store-keys.ts';
import type { Catalogue } from '../tables/catalogue.ts';
import type { CreatingIndex } from '../tables/parts/index-phase.ts';
import {
  fillingSlots,
  prepareTable,
  sameEpoch,
  type Table,
  type TableIndex,
  type TableRecord,
} from '../tables/table-record.ts';
import { stale } from '../writes/write-item.ts';
import { indexEntryKey, newEntry } from './index-entries.ts';

/**
 * Adds the entries of existing items to a new index, or to the expiries of a table. Every writer of every process
 * maintains the index from the moment it exists, and each step reads an item again in the unit that adds its entry. So
 * an item is either unchanged and gets its entry here, or a write has changed it and added the entry. Each step commits
 * its progress. After a kill, any process resumes from there, and a repeated step changes nothing.
 */

/** The stored progress of filling an index, or the expiries of a table. */
export interface FillingNote {
  readonly scope: Scope;
  readonly tableName: string;
  /** The name of the index to fill. For expiries `attributeName` is set instead. */
  readonly indexName?: string;
  readonly attributeName?: string;
  /** The key of the last item that was filled, in hexadecimal digits. */
  readonly after?: string;
  readonly itemsSeen: number;
  readonly itemsLeftOut: number;
  /** The time of the last step, in milliseconds. */
  readonly steppedAt: number;
}

export const { encode: encodeNote, decode: decodeNote } = jsonRecord<FillingNote>(
  'a note of an index',
  1,
  object<FillingNote>({
    scope: scopeField,
    tableName: text,
    indexName: optional(text),
    attributeName: optional(text),
    after: optional(text),
    itemsSeen: whole,
    itemsLeftOut: whole,
    steppedAt: whole,
  }),
);

export interface FillDeps {
  readonly store: Store;
  readonly catalogue: Catalogue;
  readonly h16: Hash16;
  readonly nowMs: () => number;
  readonly observer: Observer | undefined;
}

const itemsInStep = 100;
const bytesInStep = 1024 * 1024;

/**
 * The result of a step: `more` if items are left, `gone` if there is nothing to fill any more, or the last note if the
 * index is filled.
 */
export type FillResult = 'more' | 'gone' | FillingNote;

export async function fillStep(deps: FillDeps, noteKey: Uint8Array): Promise<FillResult> {
  const { store, catalogue } = deps;
  const noteBytes = await store.get(noteKey);
  if (noteBytes === undefined) return 'gone';
  const note = decodeNote(noteBytes, noteKey);
  const target = await findTarget(deps, note, noteKey);
  if (target === undefined) return 'gone';
  const { table } = target;
  const { entries, more, also } = await store.range({
    from: note.after === undefined ? table.prefix : keyAfter(fromHex(note.after)),
    to: prefixEnd(table.prefix)!,
    limit: itemsInStep,
    maxBytes: bytesInStep,
    also: [table.epochKey],
  });
  if (!sameEpoch(also[0], table.epoch)) return 'more';
  const units = entries.flatMap((entry) => target.unitFor(entry) ?? []);
  const consumed: Consumed[] = [];
  const outcomes = await store.transactMany(units);
  for (const outcome of outcomes)
    if (outcome.ok && outcome.result !== stale && outcome.result !== undefined) consumed.push(outcome.result);
  deps.observer?.background?.({
    work: note.indexName === undefined ? 'expiry fill' : 'index fill',
    scope: note.scope,
    tableName: note.tableName,
    indexName: note.indexName,
    items: entries.length,
    itemsBefore: note.itemsSeen,
    isLast: !more,
    charges: consumed.length === 0 ? [] : [{ table, access: 'write', consumed: sumConsumed(consumed) }],
  });
  for (const outcome of outcomes) {
    if (!outcome.ok) throw outcome.error;
    if (outcome.result === stale) return 'more';
  }
  const next: FillingNote = {
    ...note,
    ...(entries.length > 0 && { after: toHex(entries.at(-1)!.key) }),
    itemsSeen: note.itemsSeen + entries.length,
    itemsLeftOut: note.itemsLeftOut + entries.filter((entry) => target.leavesOut(entry)).length,
    steppedAt: deps.nowMs(),
  };
  if (!more) return finish(catalogue, next, noteKey);
  await store.transact(progressUnit(table, noteKey, noteBytes, encodeNote(next)));
  return 'more';
}

/** The index or the expiries to fill. */
interface FillTarget {
  readonly table: Table;
  /** The unit that adds the entry of an item. Undefined if the item has none. */
  unitFor(entry: Entry): Unit<Consumed | undefined | typeof stale> | undefined;
  /** Whether an item should have an entry but cannot. */
  leavesOut(entry: Entry): boolean;
}

/** Finds the target of a note. Undefined if the target is filled, or it or its table was dropped. */
async function findTarget(
  { catalogue, h16 }: FillDeps,
  note: FillingNote,
  noteKey: Uint8Array,
): Promise<FillTarget | undefined> {
  const record = await catalogue.record(note.scope, note.tableName);
  const part = record && partToFill(record, noteKey);
  if (part === undefined) return undefined;
  const table = prepareTable(note.scope, record!);
  return part === 'index' ? indexTarget(table, table.filling!, h16) : expiryTarget(table, table.expiry!, h16);
}

/** The part of a table that a note belongs to, if it is still being filled. */
function partToFill(record: TableRecord, noteKey: Uint8Array): 'index' | 'expiries' | undefined {
  if (record.phases.deletingUntil !== undefined) return undefined;
  const slot = fillingSlots(record).find((each) => equalBytes(fillingKey(record.storageId, each), noteKey));
  if (slot === undefined) return undefined;
  return slot === record.expiry?.slot ? 'expiries' : 'index';
}

function indexTarget(table: Table, index: TableIndex, h16: Hash16): FillTarget {
  return {
    table,
    unitFor: (entry) => entryUnit(table, index, entry, h16),
    leavesOut: ({ value }) => violatesKeys(index.schema, decodeItem(value)),
  };
}

/** The expiries as a target. An item without a valid time should not expire, so none is left out. */
function expiryTarget(table: Table, expiry: TableExpiry, h16: Hash16): FillTarget {
  return { table, unitFor: (entry) => expiryUnit(table, expiry, entry, h16), leavesOut: () => false };
}

/**
 * The unit that adds the entry of an item. It adds nothing if a write has changed the item, since that write changed
 * the entry too.
 */
function entryUnit(
  table: Table,
  index: TableIndex,
  { key, value }: Entry,
  h16: Hash16,
): Unit<Consumed | undefined | typeof stale> | undefined {
  const entryKey = indexEntryKey(table, index, decodeItem(value), h16);
  if (entryKey === undefined) return undefined;
  return {
    reads: [table.epochKey, key, entryKey],
    settings: 1,
    guess: [table.epoch, value, undefined],
    decide: ({ values: [epoch, stored, entry] }) => {
      if (!sameEpoch(epoch, table.epoch)) return { result: stale, mutations: [] };
      const missing =
        stored === undefined || entry !== undefined ? undefined : newEntry(table, index, stored, h16);
      const isSame = missing !== undefined && equalBytes(missing.key, entryKey);
      if (!isSame) return { result: undefined, mutations: [] };
      const { schema, kind } = index;
      const arm = { name: schema.name, kind, units: missing.units, first: entryKey, last: entryKey };
      const consumed: Consumed = { table: 0, first: undefined, last: undefined, indexes: [arm] };
      return { result: consumed, mutations: missing.mutations };
    },
  };
}

/** The unit that commits the progress of a step. It changes nothing if another process has come further. */
function progressUnit(table: Table, noteKey: Uint8Array, from: Uint8Array, to: Uint8Array): Unit<undefined> {
  return {
    reads: [table.epochKey, noteKey],
    settings: 1,
    guess: [table.epoch, from],
    decide: ({ values: [epoch, found] }) => {
      const isOurs = sameEpoch(epoch, table.epoch) && found !== undefined && equalBytes(found, from);
      return { result: undefined, mutations: isOurs ? [{ kind: 'put', key: noteKey, value: to }] : [] };
    },
  };
}

async function finish(
  catalogue: Catalogue,
  note: FillingNote,
  noteKey: Uint8Array,
): Promise<'gone' | FillingNote> {
  const { scope, tableName, itemsLeftOut } = note;
  const filled = await catalogue.change(scope, tableName, (record) => {
    const part = record && partToFill(record, noteKey);
    if (part === undefined) return undefined;
    return {
      put: { ...record!, epoch: record!.epoch + 1, ...filledPart(record!, part, itemsLeftOut) },
      also: [{ kind: 'delete', key: noteKey }],
    };
  });
  return filled === undefined ? 'gone' : note;
}

function filledPart(
  { indexPhase, expiry }: TableRecord,
  part: 'index' | 'expiries',
  itemsLeftOut: number,
): Partial<TableRecord> {
  return part === 'index'
    ? { indexPhase: { ...(indexPhase as CreatingIndex), filled: true, itemsLeftOut } }
    : { expiry: { ...expiry!, filled: true } };
}

/**
 * Whether an item has an index key attribute that makes no valid key: of another type, empty or too long. The service
 * silently leaves out such items. An item that lacks the attribute does not belong in the index.
 */
function violatesKeys(index: IndexSchema, item: Item): boolean {
  return [...index.hash, ...index.range].some((attribute) => {
    if (!item.has(attribute.name)) return false;
    const alone = index.hash.includes(attribute)
      ? { ...index, hash: [attribute], range: [] }
      : { ...index, hash: [], range: [attribute] };
    return !fitsIndex(alone, item);
  });
}
