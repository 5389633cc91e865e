import { parseJson } from '../../model/json/parse-json.ts';
import type {
  GlobalIndexDescription,
  KeySchemaElement,
  LocalIndexDescription,
  TableDescription,
} from '../../model/tables/table-description.ts';
import {
  allIndexes,
  type IndexSchema,
  type KeyAttribute,
  keyAttributes,
  type TableSchema,
} from '../../model/tables/table-schema.ts';
import { equalBytes } from '../../model/values/bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../../model/values/utf8.ts';
import type { Follower } from '../change-log/follower.ts';
import { logBuckets } from '../change-log/log-buckets.ts';
import type { KinesisDestination } from '../destinations/destination.ts';
import type { TableExpiry } from '../expiry/expiry-entries.ts';
import { entryPrefix, epochKey, type Scope, type SlotCounters, slotCounters } from '../store-keys.ts';

/** What the catalogue keeps of a table, as JSON under its name. */
export interface TableRecord {
  readonly format: 1;
  readonly description: TableDescription;
  readonly storageId: string;
  /** Raised with every change that writers or readers of items must know of. */
  readonly epoch: number;
  /** Where each index keeps its entries; a slot is never used again for another index. */
  readonly slots: Readonly<Record<string, number>>;
  readonly nextSlot: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly phases: Phases;
  /** The global index that is being added or taken away; there is one at a time. */
  readonly indexPhase?: IndexPhase;
  /** The label of the newest stream, running or not. */
  readonly latestStreamLabel?: string;
  /** Who follows the table's changes; absent when nobody does, and then no writer tells of any. */
  readonly followers?: readonly Follower[];
  /** The Kinesis streams that its changes go to, or went to, the newest first. */
  readonly destinations?: readonly KinesisDestination[];
  /** Where the expiries of items lie while Time to Live is switched on. */
  readonly expiry?: ExpirySlot;
  /** When the TTL setting was changed, for its cool-down. */
  readonly ttlChangedAt?: number;
}

export interface ExpirySlot {
  /** Like that of an index, never used again. */
  readonly slot: number;
  /** Whether all items of before have their entries. */
  readonly filled: boolean;
}

/** When the passing states of a table end, in milliseconds: a state that ends in the past is over. */
export interface Phases {
  readonly creatingUntil?: number;
  readonly updatingUntil?: number;
  /** What is being updated, where other changes are refused in words of their own for it. */
  readonly updating?: 'throughput' | 'stream' | 'class';
  readonly deletingUntil?: number;
}

export type IndexPhase = CreatingIndex | DeletingIndex;

/** Writers maintain the index from the start; it can be read once it is filled and its time has come. */
export interface CreatingIndex {
  readonly kind: 'creating';
  readonly indexName: string;
  /** Whether all items of before have their entries. */
  readonly filled: boolean;
  /** How many items have key attributes that no key can be made of, and are therefore not in the index. */
  readonly itemsLeftOut?: number;
  /** When backfilling begins and when it may end, should these phases be acted out. */
  readonly backfillsAt?: number;
  readonly activeAt?: number;
}

/** The index is no longer maintained and its entries go; only the table's description still tells of it. */
export interface DeletingIndex {
  readonly kind: 'deleting';
  readonly index: GlobalIndexDescription;
  readonly until: number;
}

/** The index that is not there yet, or still on its way out, at a moment. */
export function indexPhaseAt(record: TableRecord, nowMs: number): IndexPhase | undefined {
  const { indexPhase: phase } = record;
  if (phase === undefined) return undefined;
  if (phase.kind === 'deleting') return nowMs < phase.until ? phase : undefined;
  return phase.filled && nowMs >= (phase.activeAt ?? 0) ? undefined : phase;
}

/** Where the entries lie of the index that is being filled. */
export function fillingSlot({ indexPhase: phase, slots }: TableRecord): number | undefined {
  return phase?.kind === 'creating' && !phase.filled ? slots[phase.indexName] : undefined;
}

/** Where entries lie that not all items have yet: of a new index, or of the expiries. */
export function fillingSlots(record: TableRecord): number[] {
  const index = fillingSlot(record);
  const { expiry } = record;
  return [
    ...(index === undefined ? [] : [index]),
    ...(expiry === undefined || expiry.filled ? [] : [expiry.slot]),
  ];
}

export type TableStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'DELETING';

/** A table whose deletion has come to its end is gone, although its record may still lie there. */
export function statusAt(record: TableRecord, nowMs: number): TableStatus | 'gone' {
  const { creatingUntil, updatingUntil, deletingUntil } = record.phases;
  if (deletingUntil !== undefined) return nowMs < deletingUntil ? 'DELETING' : 'gone';
  if (creatingUntil !== undefined && nowMs < creatingUntil) return 'CREATING';
  return updatingUntil !== undefined && nowMs < updatingUntil ? 'UPDATING' : 'ACTIVE';
}

export function encodeRecord(record: TableRecord): Uint8Array {
  return encodeUtf8(JSON.stringify(record));
}

export function decodeRecord(bytes: Uint8Array): TableRecord {
  const record = parseJson(decodeUtf8(bytes)) as TableRecord;
  if (record.format !== 1) throw new Error(`a table record of the unknown format ${record.format}`);
  return record;
}

/** A table made ready for reading and writing items: what is worked out once instead of with every request. */
export interface Table {
  readonly scope: Scope;
  readonly record: TableRecord;
  readonly name: string;
  readonly schema: TableSchema;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
  readonly indexes: readonly TableIndex[];
  /** The one of them that has not got the entries of all items yet. */
  readonly filling: TableIndex | undefined;
  /** When its items expire, if they do. */
  readonly expiry: TableExpiry | undefined;
  /**
   * The attributes by which an item has its places, in the table, in its indexes and among the expiries, and those that
   * an index holds which does not hold whole items: all that a write needs to know of an item but its bytes.
   */
  readonly placingNames: ReadonlySet<string>;
  /** Where its changes are told, if anybody follows them. */
  readonly logBuckets: readonly Uint8Array[] | undefined;
  readonly epochKey: Uint8Array;
  readonly epoch: Uint8Array;
}

export interface TableIndex {
  readonly kind: 'local' | 'global';
  readonly schema: IndexSchema;
  readonly slot: number;
  readonly prefix: Uint8Array;
  readonly counters: SlotCounters;
}

export function prepareTable(scope: Scope, record: TableRecord): Table {
  const { description, storageId } = record;
  const schema = schemaOf(description);
  const prefix = entryPrefix(storageId, 0);
  const index = (kind: 'local' | 'global') => (indexSchema: IndexSchema) => {
    const slot = record.slots[indexSchema.name]!;
    const indexPrefix = entryPrefix(storageId, slot);
    return { kind, schema: indexSchema, slot, prefix: indexPrefix, counters: slotCounters(indexPrefix) };
  };
  const indexes = [...schema.localIndexes.map(index('local')), ...schema.globalIndexes.map(index('global'))];
  const filling = fillingSlot(record);
  const expiry = expiryOf(record);
  return {
    scope,
    record,
    name: description.tableName,
    schema,
    prefix,
    counters: slotCounters(prefix),
    indexes,
    filling: filling === undefined ? undefined : indexes.find(({ slot }) => slot === filling),
    expiry,
    placingNames: placingNames(schema, expiry),
    logBuckets: record.followers === undefined ? undefined : logBuckets(storageId),
    epochKey: epochKey(storageId),
    epoch: encodeEpoch(record.epoch),
  };
}

function expiryOf({ description, storageId, expiry }: TableRecord): TableExpiry | undefined {
  if (description.ttl === undefined || expiry === undefined) return undefined;
  const { slot, filled } = expiry;
  const { attributeName } = description.ttl;
  return { attributeName, slot, prefix: entryPrefix(storageId, slot), isFilled: filled };
}

function placingNames(schema: TableSchema, expiry: TableExpiry | undefined): ReadonlySet<string> {
  const names = new Set(keyAttributes(schema).map(({ name }) => name));
  for (const { hash, range, projection } of allIndexes(schema)) {
    for (const { name } of [...hash, ...range]) names.add(name);
    if (projection.type === 'INCLUDE') for (const name of projection.names) names.add(name);
  }
  if (expiry !== undefined) names.add(expiry.attributeName);
  return names;
}

export function encodeEpoch(epoch: number): Uint8Array {
  return encodeUtf8(String(epoch));
}

function schemaOf(description: TableDescription): TableSchema {
  const types = new Map(
    description.attributeDefinitions.map((each) => [each.AttributeName, each.AttributeType]),
  );
  const attributes = (keySchema: readonly KeySchemaElement[], keyType: 'HASH' | 'RANGE'): KeyAttribute[] =>
    keySchema
      .filter((element) => element.KeyType === keyType)
      .map(({ AttributeName: name }) => ({ name, type: types.get(name)! }));
  const index = (found: LocalIndexDescription | GlobalIndexDescription): IndexSchema => ({
    name: found.indexName,
    hash: attributes(found.keySchema, 'HASH'),
    range: attributes(found.keySchema, 'RANGE'),
    projection:
      found.projection.ProjectionType === 'INCLUDE'
        ? { type: 'INCLUDE', names: found.projection.NonKeyAttributes ?? [] }
        : { type: found.projection.ProjectionType },
  });
  return {
    hash: attributes(description.keySchema, 'HASH')[0]!,
    range: attributes(description.keySchema, 'RANGE')[0],
    localIndexes: description.lsis.map(index),
    globalIndexes: description.gsis.map(index),
  };
}

/** Whether two epochs, as they lie in the store, are the same. */
export function sameEpoch(found: Uint8Array | undefined, expected: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, expected);
}
